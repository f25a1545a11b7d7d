"""`shardwise practice`, and the home screen: answer questions in a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, USAGE, Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from quiz.tui.desk import HistoryDesk
    from quiz.tui.ports import BankLike, Wanted

NAME = "practice"
HELP = "Answer questions: those that are due, then new ones. Each answer is stored before its solution is shown."
HISTORY = "history.db"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare topic, question and bank."""
    parser.add_argument("--topic", metavar="T", help="only questions of this topic")
    parser.add_argument("--question", metavar="ID", help="this question, due or not")
    add_bank(parser)
    parser.epilog = (
        "examples:\n  shardwise practice --topic memory-budget\n  shardwise practice --question mb-70b-4nodes\n\n"
        "exit codes: 0 done, 2 no such topic or question, or a bank with errors, 3 no terminal, or the history\n"
        "cannot be used, 130 interrupted, 143 terminated"
    )


def add_bank(parser: argparse.ArgumentParser) -> None:
    """Declare which bank."""
    parser.add_argument("--bank", metavar="PATH", type=Path, help="a folder of questions (default: the bundled ones)")


def run(args: argparse.Namespace) -> int:
    """Open the screen on the first question; exit code of the screen."""
    from quiz.tui.ports import Wanted

    wanted = Wanted(topics=(args.topic,) if args.topic else (), questions=(args.question,) if args.question else ())
    return begin(wanted, args.bank)


def home() -> int:
    """Open the home screen. The bank is opened by the screen, after its first paint."""
    from quiz.tui.launch import Launch
    from quiz.tui.launch import run as run_screen
    from quiz.tui.ports import Trouble

    try:
        return run_screen(Launch(desk_for(None)))
    except Trouble as trouble:
        raise Failure(trouble.message, code=trouble.code) from trouble


def begin(wanted: Wanted, bank: Path | None) -> int:
    """Open bank and history, then the screen on the first question. Raises Failure."""
    from quiz.tui.launch import Launch, require_terminal
    from quiz.tui.launch import run as run_screen
    from quiz.tui.ports import Ended, Trouble

    desk = desk_for(bank)
    try:
        for warning in desk.open().warnings:
            say(warning)
        check(wanted, desk)
        first = desk.begin(wanted)
        if isinstance(first, Ended):
            print(nothing_to_do(wanted, desk))
            return DONE
        require_terminal()
        return run_screen(Launch(desk, first))
    except Trouble as trouble:
        raise Failure(trouble.message, code=trouble.code) from trouble
    finally:
        desk.close()


def check(wanted: Wanted, desk: HistoryDesk) -> None:
    """Pass if topics and questions exist. Raises Failure with the nearest names."""
    for kind, names, known in (
        ("topic", wanted.topics, desk.topics()),
        ("question", wanted.questions, desk.questions()),
    ):
        for name in names:
            if name not in known:
                raise Failure(f"there is no {kind} {name!r} in this bank. {_nearest(name, known, kind)}", code=USAGE)


def _nearest(name: str, known: Sequence[str], kind: str) -> str:
    from difflib import get_close_matches

    from quiz.cli.nearest import nearest

    first = nearest(name, known)
    guesses = get_close_matches(name.lower(), known, n=3, cutoff=0.5) or ([first] if first else [])
    if guesses:
        return f"Did you mean {' or '.join(guesses)}?"
    return f"There are {len(known)} {kind}s: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}."  # noqa: PLR2004 - a line or two


def nothing_to_do(wanted: Wanted, desk: HistoryDesk) -> str:
    """What to say where a session would be empty."""
    standing = desk.standing()
    if not standing.questions:
        return "This bank holds no questions."
    where = f" in {wanted.topics[0]}" if wanted.topics else ""
    what = "due" if wanted.due_only else "due or new"
    then = f" Next: {standing.next_due}." if standing.next_due else ""
    later = " Something comes back later today." if standing.later and not standing.next_due else ""
    return f"Nothing is {what}{where} now.{then}{later}"


def desk_for(bank: Path | None) -> HistoryDesk:
    """A desk over a bank (None: the bundled one) and this person's history; nothing is opened yet."""
    from quiz import paths
    from quiz.tui.desk import HistoryDesk
    from quiz.tui.marking import Marking

    return HistoryDesk(open_bank=lambda: _open_bank(bank), history=paths.data_folder() / HISTORY, grading=Marking())


def _open_bank(folder: Path | None) -> BankLike:
    from quiz import paths
    from quiz.bank.library import BankError, open_bank
    from quiz.tui.ports import Trouble

    try:
        chosen = folder if folder is not None else paths.bundled_bank()
        return open_bank(chosen, paths.cache_folder(), bundled=folder is None)
    except BankError as error:
        raise Trouble(str(error), USAGE) from error
    except paths.BankMissingError as error:
        raise Trouble(str(error)) from error
