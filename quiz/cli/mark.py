"""`shardwise mark`: suspend, bury, flag, note a question; each mark is an event, and can be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, USAGE, Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from quiz.bank.rendered import IndexEntry
    from quiz.scheduling.calendar import Moment
    from quiz.session.marks import MarkKind, Marks
    from quiz.store import Store
    from quiz.tui.needs import BankLike

NAME = "mark"
HELP = "Suspend, bury, flag or note a question, or list what is marked. A mark never touches the schedule."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the question and what to say of it."""
    from quiz.cli.practice import add_bank

    parser.add_argument("question", nargs="?", metavar="QUESTION", help="its id; without one, list what is marked")
    rest = parser.add_mutually_exclusive_group()
    rest.add_argument("--suspend", action="store_true", help="do not ask it until --unsuspend")
    rest.add_argument("--unsuspend", action="store_true", help="ask it again, as it stood")
    rest.add_argument("--bury", action="store_true", help="do not ask it before tomorrow")
    rest.add_argument("--unbury", action="store_true", help="ask it today after all")
    flag = parser.add_mutually_exclusive_group()
    flag.add_argument("--flag", action="store_true", help="mark it, to find it again")
    flag.add_argument("--unflag", action="store_true", help="take the flag away")
    parser.add_argument("--note", metavar="TEXT", help='your own words on it; "" takes them away')
    parser.add_argument("--json", action="store_true", help="print the marks as JSON")
    add_bank(parser)
    parser.epilog = (
        "examples:\n  shardwise mark\n  shardwise mark mb-70b-4nodes --suspend\n"
        '  shardwise mark mb-70b-4nodes --flag --note "ask again about the master copy"\n\n'
        "exit codes: 0 done, 2 no such question, 3 the history cannot be used"
    )


def run(args: argparse.Namespace) -> int:
    """Do it; what stands in the way becomes a sentence and its exit code."""
    from quiz.cli.practice import one_of, open_bank
    from quiz.store import StoreError
    from quiz.tui.ports import Trouble

    wanted = list(_wanted(args))
    if wanted and args.question is None:
        raise Failure("name the question that is to be marked: shardwise mark QUESTION ...", code=USAGE)
    try:
        bank = open_bank(args.bank)
        if args.question is not None:
            args.question = one_of("question", now_called(args.question, bank.index), [one.id for one in bank.index])
        return _change(args, bank, wanted) if wanted else _show(args, bank)
    except Trouble as trouble:
        raise Failure(trouble.message, code=trouble.code) from trouble
    except StoreError as error:
        raise Failure(str(error), code=error.code) from error


def now_called(question: str, index: Iterable[IndexEntry]) -> str:
    """The id under which a bank holds a question, by that one or by one that it had before; else as it was given."""
    entries = list(index)
    if any(entry.id == question for entry in entries):
        return question
    found = next((entry.id for entry in entries if question in entry.renamed_from), question)
    if found != question:
        say(f"{question} is called {found} now.")
    return found


def _wanted(args: argparse.Namespace) -> Iterator[tuple[MarkKind, bool | str | None]]:
    if args.suspend or args.unsuspend:
        yield "suspend", bool(args.suspend)
    if args.bury or args.unbury:
        yield "bury", "tomorrow" if args.bury else None
    if args.flag or args.unflag:
        yield "flag", bool(args.flag)
    if args.note is not None:
        yield "note", args.note.strip() or None


def _change(args: argparse.Namespace, bank: BankLike, wanted: list[tuple[MarkKind, bool | str | None]]) -> int:
    from quiz.cli.history import history_path
    from quiz.scheduling.calendar import add_days
    from quiz.session.marks import LONGEST_NOTE, NO_MARKS
    from quiz.store import Store, marks
    from quiz.tui.material import followed

    if args.note is not None and len(args.note) > LONGEST_NOTE:
        raise Failure(
            f"the note has {len(args.note):,} characters; {LONGEST_NOTE:,} is the most. Nothing was changed.",
            code=USAGE,
        )
    with Store.open(history_path()) as store:
        for notice in store.notices:
            say(notice)
        at = _moment(store)
        for told in followed(store, bank, at):
            say(told)
        for kind, value in wanted:
            day = add_days(at.day, 1).isoformat() if value == "tomorrow" and kind == "bury" else value
            marks.put(store, at, bank.id, args.question, kind, day)
        now = marks.read(store, bank.id).get(args.question, NO_MARKS)
        print(f"{args.question}: {_told(now, at) or 'no marks'}.")
    return DONE


def _show(args: argparse.Namespace, bank: BankLike) -> int:
    from quiz.cli.history import history_path
    from quiz.session.marks import NO_MARKS
    from quiz.store import Store, StoreError, marks
    from quiz.tui.material import renamed

    found: dict[str, Marks] = {}
    at: Moment | None = None
    try:
        with Store.open(history_path(), read_only=True) as store:
            at = _moment(store)
            read = marks.read(store, bank.id, renamed(bank))
            found = {name: now for name, mine in read.items() if (now := _now(mine, at)) != NO_MARKS}
    except StoreError as error:
        if error.kind != "missing":
            raise
    if args.question is not None:
        found = {name: mine for name, mine in found.items() if name == args.question}
    if args.json:
        import json

        import msgspec

        print(json.dumps(msgspec.to_builtins(found), ensure_ascii=False, indent=2))
        return DONE
    here = {entry.id for entry in bank.index}
    for name, mine in sorted(found.items()):
        gone = "" if name in here else " (not in this bank now)"
        print(f"{name}{gone}: {_told(mine, at)}" if at else f"{name}{gone}")
    if not found:
        print(f"{args.question}: no marks." if args.question else "No question is marked.")
    return DONE


def _now(mine: Marks, at: Moment) -> Marks:
    """What still holds: a question is buried until its day."""
    from msgspec import structs

    over = mine.buried is not None and at.day >= mine.buried
    return structs.replace(mine, buried=None) if over else mine


def _told(mine: Marks, at: Moment) -> str:
    from quiz.tui.marked import sentence, spoken

    return sentence(spoken(mine, at))


def _moment(store: Store) -> Moment:
    from quiz.scheduling.calendar import moment, offset_minutes
    from quiz.tui.desk import wall_clock

    local = wall_clock()
    return moment(local, offset_minutes(local), rollover_hour=store.settings().rollover_hour)
