"""From a command line to a command: help, the choice of the command, its arguments.

Neither argparse nor a command's module is imported before a command has been chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.cli import commands
from quiz.cli.guard import guarded, say
from quiz.cli.outcome import DONE, USAGE
from quiz.cli.plain import spell_plainly

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

HELP_WORDS = ("--help", "-h", "help")
# doctor is for finding out what is wrong, so it runs even where the solvers are somebody else's.
RUNS_REGARDLESS = ("doctor",)


def run(arguments: Sequence[str]) -> int:
    """Run one command line (without the program's name) and return its exit code. Raises nothing."""
    return guarded(lambda: _dispatch(list(arguments)))


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        return _open_home()
    first, rest = arguments[0], arguments[1:]
    if first in HELP_WORDS:
        return _help(rest)
    command = commands.find(first)
    if command is None:
        return _unknown(first, rest)
    return _run_command(command, rest)


def _open_home() -> int:
    _require_own_solvers()
    return commands.load_home()()


def _run_command(command: commands.Command, rest: list[str]) -> int:
    if command.name not in RUNS_REGARDLESS:
        _require_own_solvers()
    spell_plainly()
    module = commands.load(command)
    return module.run(_parser(command, module).parse_args(rest))


def _require_own_solvers() -> None:
    from quiz.cli.ownership import require_own_solvers

    require_own_solvers()


def _parser(command: commands.Command, module: commands.CommandModule) -> argparse.ArgumentParser:
    from quiz.cli.parser import CommandParser

    parser = CommandParser(prog=f"shardwise {command.name}", description=module.HELP)
    module.add_arguments(parser)
    return parser


def _help(rest: list[str]) -> int:
    if rest and rest[0] not in HELP_WORDS:
        command = commands.find(rest[0])
        return _unknown(rest[0], []) if command is None else _run_command(command, ["--help"])
    print(help_text())
    return DONE


def help_text() -> str:
    """What `shardwise --help` prints."""
    width = max(len(name) for name in commands.NAMES)
    table = "\n".join(f"  {command.name:<{width}}  {command.help}" for command in commands.COMMANDS)
    return (
        "usage: shardwise [COMMAND] [OPTIONS]\n\n"
        "Practice for the arithmetic that decides large-scale training interviews.\n"
        "Without a command the screen opens: what is due, what is new, one key starts.\n\n"
        f"commands:\n{table}\n\n"
        "options:\n"
        "  -h, --help     this text; `shardwise COMMAND --help` explains one command\n"
        "  -V, --version  the version\n\n"
        "example:\n"
        "  shardwise practice --topic memory-budget\n\n"
        "exit codes:\n"
        "  0 done, 1 the answer is wrong, 2 the command line, an answer or a file cannot be read,\n"
        "  3 something outside is missing or full, 130 interrupted, 143 terminated"
    )


def _unknown(word: str, rest: list[str]) -> int:
    if word.startswith("-"):
        return _unknown_option(word, rest)
    from quiz.cli.nearest import nearest

    guess = nearest(word, commands.NAMES)
    hint = f"Did you mean `shardwise {guess}`?" if guess else f"The commands are: {', '.join(commands.NAMES)}."
    say(f"there is no command {word!r}. {hint}\nAll commands: shardwise --help")
    return USAGE


def _unknown_option(word: str, rest: list[str]) -> int:
    named = next((part for part in rest if part in commands.NAMES), None)
    if word in ("--version", "-V"):
        say(f"{word} stands alone: leave out {' '.join(rest)!r}.")
    elif named is not None:
        say(f"{word} stands before its command. Write the command first: shardwise {named} {word} ...")
    else:
        say(f"there is no option {word!r} here; options stand behind a command.\nAll commands: shardwise --help")
    return USAGE
