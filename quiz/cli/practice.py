"""`shardwise practice`, and the home screen: answer questions in a terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.lab import lab_for
from quiz.cli.outcome import DONE, USAGE, Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from quiz.tui.desk import HistoryDesk
    from quiz.tui.needs import BankLike
    from quiz.tui.ports import Wanted

NAME = "practice"
HELP = "Answer questions: those that are due, then new ones. Each answer is stored before its solution is shown."
HISTORY = "history.db"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare topic, question and bank."""
    parser.add_argument("--topic", metavar="T", help="only questions of this topic")
    parser.add_argument(
        "--question", metavar="ID", help="this question, due or not; with --topic, it has to be of that topic"
    )
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

    wanted = Wanted(
        topics=(args.topic,) if args.topic is not None else (),
        questions=(args.question,) if args.question is not None else (),
    )
    return begin(wanted, args.bank)


def home() -> int:
    """Open the home screen. The bank is opened by the screen, after its first paint."""
    from quiz.tui.launch import Launch
    from quiz.tui.launch import run as run_screen
    from quiz.tui.ports import Trouble

    desk = desk_for(None)
    try:
        return run_screen(Launch(desk, lab=lab_for(desk)))
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
        wanted = known(wanted, desk)
        first = desk.begin(wanted)
        if isinstance(first, Ended):
            print(nothing_to_do(wanted, desk))
            return DONE
        require_terminal()
        return run_screen(Launch(desk, first, lab_for(desk)))
    except Trouble as trouble:
        raise Failure(trouble.message, code=trouble.code) from trouble
    finally:
        desk.close()


def known(wanted: Wanted, desk: HistoryDesk) -> Wanted:
    """What is wanted, by the bank's own names. A topic may be spelled as the home screen spells it.

    Raises Failure, with the nearest names, for one that is not there, and for a question of another topic.
    """
    topics = tuple(one_of("topic", name, desk.topics()) for name in wanted.topics)
    questions = tuple(one_of("question", name, desk.questions()) for name in wanted.questions)
    for question in questions:
        home = desk.topic_of(question)
        if topics and home not in topics:
            raise Failure(
                f"the question {question} is of the topic {home}, not of {' or '.join(topics)}. "
                "Ask for the one or for the other.",
                code=USAGE,
            )
    return replace(wanted, topics=topics, questions=questions)


def one_of(kind: str, name: str, there: Sequence[str]) -> str:
    """The name of a topic or question as the bank spells it. Raises Failure, with the nearest ones."""
    plain = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    for one in there:
        if name == one or plain == one.lower().replace("_", "-"):
            return one
    raise Failure(f"there is no {kind} {name!r} in this bank. {_nearest(plain, there, kind)}", code=USAGE)


def _nearest(name: str, known: Sequence[str], kind: str) -> str:
    from difflib import get_close_matches

    from quiz.cli.nearest import nearest

    first = nearest(name, known)
    guesses = get_close_matches(name.lower(), known, n=3, cutoff=0.5) or ([first] if first else [])
    if guesses:
        return f"Did you mean {' or '.join(guesses)}?"
    if len(known) == 1:
        return f"There is one {kind}: {known[0]}."
    return f"There are {len(known)} {kind}s: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}."  # noqa: PLR2004 - a line or two


def nothing_to_do(wanted: Wanted, desk: HistoryDesk) -> str:
    """What to say where a session would be empty."""
    from quiz.tui.words import nothing

    topic = wanted.topics[0] if wanted.topics else ""
    start = f"`shardwise practice{' --topic ' + topic if topic else ''}`"
    where = f" in {topic}" if topic else ""
    return nothing(desk.standing(wanted.topics), where, due_only=wanted.due_only, start=start)


def desk_for(bank: Path | None, *, looking: bool = False, begins: bool = True) -> HistoryDesk:
    """A desk over a bank (None: the bundled one) and this person's history; nothing is opened yet.

    With `looking` a history that cannot be written is read as it is; without `begins` a missing one is not begun.
    """
    from quiz import paths
    from quiz.tui.desk import HistoryDesk
    from quiz.tui.marking import Marking

    history = paths.data_folder() / HISTORY
    return HistoryDesk(
        open_bank=lambda: open_bank(bank), history=history, grading=Marking(), looking=looking, begins=begins
    )


def open_bank(folder: Path | None) -> BankLike:
    """Open a bank (None: the bundled one). Raises Trouble."""
    from quiz import paths
    from quiz.bank import library
    from quiz.tui.ports import Trouble

    try:
        chosen = folder if folder is not None else paths.bundled_bank()
        return library.open_bank(chosen, paths.cache_folder(), bundled=folder is None)
    except library.BankError as error:
        raise Trouble(str(error), USAGE) from error
    except paths.BankMissingError as error:
        raise Trouble(str(error)) from error
