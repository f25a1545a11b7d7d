"""`shardwise history`: what is stored, taken out, brought in, put right."""

from __future__ import annotations

import argparse
import codecs
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, NEGATIVE, OUTSIDE, USAGE, Failure
from quiz.cli.parser import CommandParser
from quiz.nouns import count, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from quiz.session.events import Event
    from quiz.store.export import Exported
    from quiz.store.salvage import Left

NAME = "history"
HELP = "Show what is stored of your answers, take it out, bring it in, and put it right."

_DATABASE = b"SQLite format 3\0"
#: The most lines of a merge that are named where they are left out; of the others the number is told.
_NAMED = 20
_MEND = "`shardwise history restore` leaves out what is damaged, and after it this merge brings it in"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    parser.add_argument("--json", action="store_true", help="print what is stored as JSON")
    parser.set_defaults(act=_show)
    parser.epilog = (
        "examples:\n  shardwise history\n  shardwise history export answers.jsonl\n  shardwise history restore\n\n"
        "exit codes: 0 done, 1 something was left out and named, 2 usage or an unreadable file, 3 the history cannot\n"
        "be used"
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", parser_class=CommandParser)

    def action(name: str, act: Callable[[argparse.Namespace], int], help_: str, **more: Any) -> argparse.ArgumentParser:  # noqa: ANN401 - argparse's own
        added = actions.add_parser(name, help=help_, description=f"{help_[0].upper()}{help_[1:]}.", **more)
        added.set_defaults(act=act)
        return added

    show = action("show", _show, "say what is stored and where")
    show.add_argument("--json", action="store_true", help="print it as JSON")
    show.epilog = "example:\n  shardwise history show"
    export = action("export", _export, "write every answer as JSON Lines, a checksum on each line")
    export.add_argument("file", nargs="?", default="-", metavar="FILE", help="default: -, standard output")
    export.add_argument("--force", action="store_true", help="replace FILE if it exists")
    export.add_argument("--csv", action="store_true", help="a table of the answers instead, which cannot be merged")
    export.add_argument(
        "--spreadsheet-safe",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="in a table, put an apostrophe before what a spreadsheet would take for a formula (default)",
    )
    export.epilog = "examples:\n  shardwise history export answers.jsonl\n  shardwise history export --csv answers.csv"
    merge = action(
        "merge",
        _merge,
        "bring in exports, or history files of other machines; each event once, any order",
        aliases=["import"],
    )
    merge.add_argument("files", nargs="+", metavar="FILE", help="- is standard input")
    merge.epilog = "example:\n  shardwise history merge laptop.jsonl desktop.jsonl"
    from quiz.cli import history_fit

    history_fit.add_arguments(action("fit", history_fit.run, history_fit.HELP))
    rebuild = action("rebuild", _rebuild, "derive every card again from the answers")
    rebuild.epilog = "example:\n  shardwise history rebuild"
    restore = action("restore", _restore, "put a backup in the place of a damaged, empty or missing history")
    restore.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a backup; default: the one with the most whole answers"
    )
    regrading = action("regrade", _regrade, "grade answers anew whose question was corrected, and say what changed")
    regrading.add_argument(
        "--bank", metavar="PATH", type=Path, help="a folder of questions (default: the bundled ones)"
    )
    regrading.add_argument("--dry-run", action="store_true", help="only say what would change")
    regrading.epilog = "example:\n  shardwise history regrade --dry-run"
    erasing = action("erase", _erase, "remove everything that is stored of your answers, backups too; asks first")
    erasing.add_argument("--yes", action="store_true", help="do not ask")
    erasing.epilog = "example:\n  shardwise history export answers.jsonl && shardwise history erase"
    restore.epilog = (
        "The former file is set aside and never deleted. Of a damaged one, whole answers that the backup lacks are\n"
        "added. A sound history is replaced only by a FILE that you name.\n\nexample:\n  shardwise history restore"
    )


def run(args: argparse.Namespace) -> int:
    """Do it; a `StoreError` becomes a sentence and its exit code."""
    from quiz.store import StoreError

    try:
        code: int = args.act(args)
    except StoreError as error:
        raise Failure(str(error), code=error.code) from error
    return code


def history_path() -> Path:
    """Where the history lies."""
    from quiz import paths
    from quiz.cli.practice import HISTORY

    return paths.data_folder() / HISTORY


def _show(args: argparse.Namespace) -> int:
    from quiz.store import Store
    from quiz.store.places import backup_folder, backups

    path = history_path()
    with Store.open(path, read_only=True) as store:
        counts, damaged, gone = store.counts(), store.unsound(), store.missing()
    kept = backups(path)
    code = NEGATIVE if damaged or gone else DONE
    if args.json:
        import json

        import msgspec

        counted = {**msgspec.to_builtins(counts), "damaged": damaged, "missing": gone.answers if gone else 0}
        data = {"file": str(path), **counted, "backups": [str(one.path) for one in kept]}
        print(json.dumps(data, ensure_ascii=False, indent=2))
        return code
    span = f", from {counts.first_day} to {counts.last_day}" if counts.first_day else ""
    back = f" ({counts.taken_back:,} taken back)" if counts.taken_back else ""
    print(f"history  {path}\nanswers  {counts.answers:,}{back}{span}\ncards    {counts.cards:,}")
    newest = (
        f", the latest of {kept[0].day}; `shardwise doctor` reads each"
        if kept
        else ": the first is made when answers exist and a new day begins"
    )
    print(f"backups  {len(kept)} in {backup_folder(path)}{newest}")
    if damaged:
        named = f"{damaged[0]}{', …' if len(damaged) > 1 else ''}"
        print(f"damaged  {len(damaged):,} that cannot be read as written ({named}); `shardwise history restore` brings")
        print("         back what a backup or the file still holds")
    elif gone:
        print(f"missing  {count(gone.answers, 'answer')}: {gone.counted()};")
        print("         `shardwise history restore` brings back what a backup holds")
    return code


# ---------------------------------------------------------------- export


def _export(args: argparse.Namespace) -> int:
    from quiz.store import Store, export, table

    with Store.open(history_path(), read_only=True) as store:

        def write(out: TextIO) -> Exported:
            if args.csv:
                return table.write(store, out, safe=args.spreadsheet_safe)
            return export.write(store.events(), out)

        if args.file == "-":
            done = write(sys.stdout)
            sys.stdout.flush()
        else:
            with _new_file(Path(args.file), force=args.force) as out:
                done = write(out)
    return _exported(done, args.file, "answer" if args.csv else "event")


def _regrade(args: argparse.Namespace) -> int:
    from quiz.cli.history_regrade import regrade

    return regrade(args, history_path())


def _erase(args: argparse.Namespace) -> int:
    from quiz.cli.history_erase import erase

    return erase(args, history_path())


@contextmanager
def _new_file(path: Path, *, force: bool) -> Iterator[TextIO]:
    """A file for its owner only, that stands under its name only when it is whole. Raises Failure."""
    if path.is_dir():
        raise Failure(f"{path} is a folder. Name a file in it.", code=USAGE)
    if path.exists() and path.samefile(history_path()):
        raise Failure(f"{path} is the history itself. Name another file.", code=USAGE)
    if path.exists() and not force:
        raise Failure(f"{path} exists already. Name another file, or add --force.", code=USAGE)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            with open(part, "x", encoding="utf-8", newline="\n", opener=_private) as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise Failure(f"{path} cannot be written: {(error.strerror or str(error)).lower()}.", code=OUTSIDE) from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _exported(done: Exported, file: str, what: str) -> int:
    if file != "-":
        say(f"{count(done.events, what)} written to {file}.")
    if not done.damaged:
        return DONE
    for one in done.damaged:
        say(f"left out: event {one.id}: {one.reason}.")
    return NEGATIVE


# ---------------------------------------------------------------- merge


def _merge(args: argparse.Namespace) -> int:
    from quiz.store import Store

    refused: list[str] = []
    events = [event for name in args.files for event in _events_of(name, refused)]
    with Store.open(history_path()) as store:
        for notice in store.notices:
            say(notice)
        merged = store.merge(events)
        cards = store.counts().cards
    left_out = [
        *refused,
        *(f"event {one}: another event has this id here already" for one in merged.conflicts),
        *(f"event {one}: it is here and damaged; {_MEND}" for one in merged.damaged),
    ]
    for line in left_out[:_NAMED]:
        say(f"left out: {line}.")
    if len(left_out) > _NAMED:
        say(f"left out: {len(left_out) - _NAMED:,} more.")
    known = f"{merged.known:,} {plural(merged.known, 'was', 'were')} here already"
    print(f"{count(merged.added, 'event')} added, {known}; {count(cards, 'card')} now.")
    return NEGATIVE if left_out else DONE


def _events_of(name: str, refused: list[str]) -> Iterator[Event]:
    """The events of an export or of a history file; what is refused is named with its line."""
    if name == "-":
        yield from _lines(sys.stdin.buffer.read(), "standard input", refused)
        return
    try:
        content = Path(name).read_bytes()
        if content.startswith(_DATABASE):
            yield from _of_database(Path(name), refused)
            return
    except OSError as error:
        raise Failure(f"{name} cannot be read: {(error.strerror or str(error)).lower()}.", code=USAGE) from error
    yield from _lines(content, name, refused)


def _of_database(path: Path, refused: list[str]) -> Iterator[Event]:
    from quiz.store import Store, StoreError
    from quiz.store.salvage import events

    try:
        Store.open(path, read_only=True).close()
    except StoreError as error:
        if error.kind == "newer":
            raise
    found = False
    for event in events(path):
        found = True
        yield event
    if not found:
        refused.append(f"{path}: it is a database, and no event in it can be read")


def _lines(content: bytes, name: str, refused: list[str]) -> Iterator[Event]:
    from quiz.session.events import EventError
    from quiz.store.export import NoLineError, read_line

    ours = False
    left_out: list[str] = []
    # Some editors put a mark of the byte order before the first line.
    for number, line in enumerate(content.removeprefix(codecs.BOM_UTF8).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            event = read_line(line.decode("utf-8"))
        except (EventError, UnicodeDecodeError) as error:
            why = str(error) if isinstance(error, EventError) else "it is not UTF-8 text"
            left_out.append(f"{name}, line {number}: {why}")
            ours = ours or not isinstance(error, NoLineError | UnicodeDecodeError)
        else:
            ours = True
            yield event
    if left_out and not ours:
        first = left_out[0].removeprefix(f"{name}, ")
        raise Failure(
            f"{name} is no export of a history: not one line is an event; {first}. Nothing was brought in. "
            "`shardwise history export FILE` writes an export.",
            code=USAGE,
        )
    refused.extend(left_out)


# ---------------------------------------------------------------- rebuild and restore


def _rebuild(_args: argparse.Namespace) -> int:
    from quiz.store import Store

    with Store.open(history_path()) as store:
        done = store.rebuild()
    for one in done.damaged:
        say(f"left out: event {one.id}: {one.reason}.")
    print(f"{count(done.cards, 'card')} derived, {done.changed:,} of them changed.")
    return NEGATIVE if done.damaged else DONE


def _require_backup(file: Path, path: Path) -> None:
    """Refuse what no history can be restored from; the advice is about that file. Raises Failure."""
    from quiz.store import Store, StoreError
    from quiz.store.places import backup_folder

    named = f"Nothing was changed. Name a backup; they lie in {backup_folder(path)}."
    if path.exists() and file.samefile(path):
        raise Failure(f"{file} is the history itself. {named}", code=USAGE)
    try:
        Store.open(file, read_only=True).close()
    except StoreError as error:
        raise Failure(f"{file} cannot be restored from: {error.why}. {named}", code=USAGE) from error


def _left(path: Path) -> Left | None:
    """What is left of a damaged history; None where that cannot be looked at."""
    from quiz.store import salvage

    try:
        return salvage.left(path)
    except OSError:
        return None  # what stands in the way of a copy stands in the way of the restore too, which says so


def _lost(path: Path, before: Left, source: Path | None) -> str:
    """How many answers no file holds any more, by what the damaged one still said of them."""
    from quiz.store import Store

    with Store.open(path, read_only=True) as store:
        counts = store.counts()
    lost = before.lost(counts.answers - counts.taken_back, counts.events)
    if lost:
        return f"Lost: {lost} that the damaged file had counted."
    if before.exact:
        return "Every answer that the damaged file had counted is here."
    if before.stored:
        return (
            "All that the damaged file is known to have held is here; whether its last few answers are cannot be known."
        )
    since = "of those given after the backup " if source else ""
    return f"How many answers {since}are lost cannot be known: what counted them could not be read."


def _restore(args: argparse.Namespace) -> int:
    from quiz.store.places import backup_folder
    from quiz.store.restore import restore, trouble

    path = history_path()
    found = trouble(path)
    if args.file is None:
        if found is None:
            raise Failure(
                f"{path} is sound, so nothing was restored. To go back to a backup, name it: "
                f"shardwise history restore FILE; they lie in {backup_folder(path)}.",
                code=USAGE,
            )
        if found.kind not in ("corrupt", "not-a-database", "lost"):
            raise found
    elif not args.file.is_file():
        raise Failure(f"there is no file {args.file}. The backups lie in {backup_folder(path)}.", code=USAGE)
    else:
        _require_backup(args.file, path)
    before = _left(path) if found is not None else None
    done = restore(path, args.file, add=found is not None)
    print(f"restored {f'from {done.source}' if done.source else 'without a backup'}: {count(done.events, 'event')}.")
    if done.saved:
        print(f"{done.saved:,} of them {plural(done.saved, 'was', 'were')} read from the damaged file.")
    if before is not None:
        print(_lost(path, before, done.source))
    if done.aside is not None:
        print(f"The former file is kept: {done.aside}")
    return DONE
