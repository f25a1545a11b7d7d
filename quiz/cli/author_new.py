"""`shardwise author new`: a whole small question of a kind, for its author to change."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, OUTSIDE, USAGE, Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from quiz.authoring.begin import Plan
    from quiz.authoring.scaffold import Wanted

_KINDS: Final = ("strategy", "claim", "ordering", "numeric", "open")
_HARDEST: Final = 5
_USUAL: Final = 2
_TRIES: Final = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the kind and what a new question has to be told."""
    parser.add_argument("kind", choices=_KINDS, metavar="KIND", help="strategy, claim, ordering, numeric or open")
    parser.add_argument("--id", metavar="ID", help="what histories know it by: lower case, digits, single hyphens")
    parser.add_argument("--topic", metavar="TOPIC", help="its topic, as an id; also the folder that it lies in")
    parser.add_argument("--title", metavar="TEXT", help="what lists call it: what it is about, without figures")
    parser.add_argument("--difficulty", type=int, metavar="1-5", help="1 (one step) to 5 (several, with a trap)")
    parser.add_argument("--bank", metavar="FOLDER", type=Path, help="the bank (default: the one around this folder)")
    parser.add_argument("--to", metavar="FILE", type=Path, help="the file (default: TOPIC/ID.yaml in the bank)")
    parser.add_argument("--no-then", action="store_true", help="without the typed part that follows a choice")
    parser.add_argument("--bare", action="store_true", help="without the comments that explain each field")
    parser.add_argument("--edit", action="store_true", help="open it in $VISUAL or $EDITOR")
    parser.add_argument("--no-input", action="store_true", help="ask nothing: what is not said takes its default")
    parser.epilog = (
        "examples:\n  shardwise author new strategy\n"
        "  shardwise author new numeric --id state-zero1 --topic memory --bank my-bank/ --no-input\n\n"
        "On a terminal it asks for what is not said. It makes bank.yaml, sources.yaml and the schema for your editor\n"
        "where they are missing, and never overwrites a question. The name of the file goes to standard output.\n\n"
        "exit codes: 0 written, 2 something said cannot be used, 3 a file cannot be written or no editor is set"
    )


def run(args: argparse.Namespace) -> int:
    """Write the question, say what comes next, and open the editor if wished."""
    from quiz.authoring import begin
    from quiz.bank.diagnostics import BankError

    asks = not args.no_input and sys.stdin is not None and sys.stdin.isatty()
    folder, wanted = _answers(args, _ask if asks else None)
    file = _file(args, folder, wanted)
    editor = _editor(file) if args.edit else None
    try:
        planned = begin.plan(wanted, folder, file)
        begin.write(planned)
    except begin.RefusedError as refused:
        raise Failure(str(refused), code=USAGE) from refused
    except BankError as error:
        raise Failure(f"the bank {folder} has to be mended first.\n{error}", code=USAGE) from error
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise Failure(f"it cannot be written: {where}{(error.strerror or str(error)).lower()}.") from error
    _tell(planned)
    print(file)
    if editor is not None:
        import subprocess

        ended = subprocess.call(editor)  # noqa: S603 - the author's own editor, without a shell
        if ended:
            say(f"the editor ended with {ended}; the question stands in {file}.")
        return DONE if ended == 0 else OUTSIDE
    return DONE


def _answers(args: argparse.Namespace, ask: Callable[[str, str], str] | None) -> tuple[Path, Wanted]:
    """The folder of the bank and what the question is to be, asked for where it is not said. Raises Failure."""
    from quiz.authoring import begin
    from quiz.authoring.naming import slug
    from quiz.authoring.scaffold import TITLES, Wanted

    if args.bank is not None and args.to is not None:
        raise Failure("--bank and --to both say where. Give one of them.", code=USAGE)
    folder = args.bank
    if folder is None and args.to is None:
        folder = begin.bank_around(Path.cwd())
        if folder is not None:
            folder = Path() if folder == Path.cwd() else folder
        elif ask is None:
            raise Failure(
                "this folder lies in no bank. Say where: --bank FOLDER (it is made), or --to FILE.", code=USAGE
            )
        else:
            folder = Path(ask("Folder of the bank; it is made where there is none", "my-bank"))
    if folder is not None and folder.exists() and not folder.is_dir():
        raise Failure(f"{folder} is a file and not the folder of a bank.", code=USAGE)
    there = begin.topics_of(folder) if folder is not None and folder.is_dir() else []
    guess = begin.as_name(args.to.absolute().parent.name) if args.to is not None else there[0] if there else ""
    topic = _name(args.topic, "Topic, such as memory-budget", guess, "--topic", ask)
    title = args.title
    if title is None and ask is not None:
        title = ask("What it is about, as its title", TITLES[args.kind])
    called = args.to.stem if args.to is not None else title or ""
    guess = begin.as_name(called) or (slug(called, "question") if called else "")
    name = _name(args.id, "Id: histories know the question by it", guess, "--id", ask)
    difficulty = args.difficulty
    if difficulty is None:
        difficulty = _USUAL if ask is None else _difficulty(ask)
    if not 1 <= difficulty <= _HARDEST:
        raise Failure("the difficulty is a number from 1 to 5.", code=USAGE)
    wanted = Wanted(
        args.kind, name, topic, " ".join((title or "").split()), difficulty, not args.no_then, not args.bare
    )
    return folder if folder is not None else _bank_of(args.to, topic), wanted


def _name(said: str | None, question: str, default: str, option: str, ask: Callable[[str, str], str] | None) -> str:
    """An id or a topic. On a terminal it is asked for again until it can be used. Raises Failure."""
    from quiz.authoring import begin

    form = "lower case, digits and single hyphens, at most 60, and no number, true, false or null"
    if said is None and ask is None:
        if not default:
            raise Failure(f"{option} is missing, and nobody is asked for it here. Give {option}.", code=USAGE)
        said = default
    if said is not None:
        if begin.is_name(said):
            return said
        near = begin.as_name(said)
        hint = f" Did you mean {near}?" if begin.is_name(near) else ""
        raise Failure(f"{option} {said}: it takes {form}.{hint}", code=USAGE)
    for _ in range(_TRIES):
        answer = ask(question, default) if ask is not None else ""
        if begin.is_name(answer):
            return answer
        near = begin.as_name(answer)
        default = near if begin.is_name(near) else ""
        say(f"It takes {form}.")
    raise Failure(f"no usable answer. Give {option}.", code=USAGE)


def _difficulty(ask: Callable[[str, str], str]) -> int:
    """A difficulty, asked for again until it can be used; 0 after too many tries."""
    for _ in range(_TRIES):
        said = ask("Difficulty, 1 (one step) to 5 (several, with a trap)", str(_USUAL))
        if said.isdecimal() and 1 <= int(said) <= _HARDEST:
            return int(said)
        say(f"It is a number from 1 to {_HARDEST}.")
    return 0


def _ask(question: str, default: str) -> str:
    """Ask on the terminal; Enter takes the default. Raises Failure at the end of the input."""
    print(f"{question}{f' [{default}]' if default else ''}: ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        print(file=sys.stderr)
        raise Failure("the input ended before everything was answered; nothing is written.", code=USAGE)
    return line.strip() or default


def _bank_of(file: Path, topic: str) -> Path:
    """The bank that a file is to lie in: the one around it, else the folder above its topic, else its own folder."""
    from quiz.authoring import begin

    around = begin.bank_around(file.absolute().parent)
    if around is not None:
        return around
    parent = file.absolute().parent
    return parent.parent if parent.name == topic else parent


def _file(args: argparse.Namespace, folder: Path, wanted: Wanted) -> Path:
    """Where the question goes, spelled as the person would. Raises Failure."""
    if args.to is None:
        return folder / wanted.topic / f"{wanted.id}.yaml"
    file: Path = args.to
    if file.suffix != ".yaml" or file.name.startswith("."):
        raise Failure(f"{file}: the files of a bank end in .yaml, and hidden ones are not read.", code=USAGE)
    if file.name in ("bank.yaml", "sources.yaml") and file.absolute().parent == folder.absolute():
        raise Failure(f"{file} is a name that a bank needs for itself. Name another file.", code=USAGE)
    return file.absolute()


def _editor(file: Path) -> list[str]:
    from quiz.authoring import editor

    try:
        return editor.command(file, 0)
    except editor.NoEditorError as error:
        raise Failure(f"{error}") from error


def _tell(planned: Plan) -> None:
    """What was made, and what comes next."""
    import shlex

    for path in planned.made:
        if path != planned.file:
            say(f"made {path}")
    for path in planned.grown:
        say(f"added a source to {path}")
    name = shlex.quote(str(planned.file))
    say(
        f"wrote {planned.file}: a whole question; change it until it is yours.\n"
        f"See it while you write:  shardwise author preview {name}\n"
        f"Check it:                shardwise author lint {name}"
    )
