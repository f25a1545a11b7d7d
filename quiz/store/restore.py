"""Putting a backup in the place of a history. What stood there is set aside and never deleted."""

from __future__ import annotations

import os
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.store import begin, salvage
from quiz.store.connection import connect
from quiz.store.copying import copy
from quiz.store.errors import StoreError, failure, from_os, translate
from quiz.store.places import backup_folder, backups, companions
from quiz.store.rows import Damaged
from quiz.store.store import PATIENCE, Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.session.events import Event

_RESTORING: Final = "Restoring your history"


class Restored(msgspec.Struct, frozen=True):
    """What a restore did.

    Attributes:
        source: the backup that was taken; None where there was none and only the damaged file was read.
        events: events in the history now.
        saved: events of these that were in the damaged file alone.
        aside: where the former file lies now; None where there was none.
    """

    source: Path | None
    events: int
    saved: int
    aside: Path | None


def trouble(path: Path) -> StoreError | None:
    """Return what is wrong with a history, looking at all of it; None where it is sound."""
    try:
        with Store.open(path, read_only=True) as store:
            problems = store.integrity()
            gone = None if problems else store.missing()
    except StoreError as error:
        return error
    if gone is not None:
        return failure("corrupt", "Checking your history", path, gone.told())
    if not problems:
        return None
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return failure("corrupt", "Checking your history", path, f"{problems[0]}{more}")


def restore(path: Path, source: Path | None = None, *, add: bool = True) -> Restored:
    """Put a backup in the place of a history.

    Args:
        path: the history; it may be damaged, empty or missing.
        source: the backup; by default the one that holds the most whole events. Where there is none, a new history
            is made of what can still be read.
        add: bring over the whole events that the backup lacks: of the former file and, without a `source`, of the
            other backups.

    Raises:
        StoreError: the source cannot be used, or there is neither a backup nor anything that can be read. The
            history is then as it was.
    """
    chosen = source or _best(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.restored")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            whole = _fill(part, chosen)
            with Store.open(part, backup=False) as store:
                # A damaged row would stand in the way of its sound copy: only what is whole is taken over.
                kept = [] if whole or chosen is None else [chosen]
                # Where rows had gone before the best backup was made, an older one may hold them still.
                if add and chosen is not None and (source is None or not whole):
                    kept += [one.path for one in backups(path)]
                store.merge(event for one in dict.fromkeys(kept) for event in _whole_events(one))
                merged = store.merge(salvage.events(path, path.parent) if add else ())
                store.rebuild()
                count = store.counts().events
            if chosen is None and not count:
                raise _beyond(path)
            aside = _set_aside(path)
            part.replace(path)
            begin.sync_folder(path.parent)
        finally:
            for left in (part, *companions(part)):
                left.unlink(missing_ok=True)
    except sqlite3.Error as error:
        raise translate(error, _RESTORING, path) from error
    except OSError as error:
        raise from_os(error, _RESTORING, path) from error
    return Restored(chosen, count, merged.added, aside)


def _beyond(path: Path) -> StoreError:
    """The error where neither the file nor any backup has an event: which were tried, and what is left to do."""
    folder = backup_folder(path)
    there = [path, *companions(path)]
    why = "there is no backup, and nothing in it can be read"
    tried = [one.path.name for one in backups(path)]
    if tried:
        there.append(folder)
        which = "its only backup" if len(tried) == 1 else f"any of its {len(tried)} backups"
        why = f"nothing in it can be read, nor in {which} (in {folder}: {', '.join(tried)})"
    aside = " and ".join(filter(None, (", ".join(map(str, there[:-1])), str(there[-1]))))
    advice = (
        f"Nothing was changed. Look for a copy of {path.parent} on another disk or machine, and put it there. "
        f"To begin anew, move {aside} aside, or have `shardwise history erase` delete all of it; `shardwise history "
        "merge FILE` then brings in an export of your answers, if you have one."
    )
    return failure("lost", _RESTORING, path, why, advice)


def _whole_events(source: Path) -> Iterator[Event]:
    """The whole events of a backup; none of one that cannot be used, which doctor names."""
    try:
        with Store.open(source, read_only=True) as store:
            yield from [event for event in store.events() if not isinstance(event, Damaged)]
    except StoreError:
        return


def _fill(part: Path, source: Path | None) -> bool:
    """Begin the new file with a source; False where that holds damaged events, so that the file is empty yet."""
    if source is None:
        begin.make(part)
        return True
    with Store.open(source, read_only=True) as store:
        if any(isinstance(event, Damaged) for event in store.events()):
            begin.make(part)
            return False
    connection = connect(source, read_only=True, patience=PATIENCE)
    try:
        problems = copy(connection, part)
    finally:
        connection.close()
    if problems:
        raise failure("corrupt", _RESTORING, source, f"it does not pass SQLite's check ({problems[0]})")
    return True


def _best(path: Path) -> Path | None:
    """The backup with the most whole events, of equals the latest: a wrong clock may have misdated one."""
    best, most = None, -1
    for one in backups(path):
        try:
            with Store.open(one.path, read_only=True) as store:
                whole = sum(not isinstance(event, Damaged) for event in store.events())
        except StoreError:
            continue  # a backup that cannot be used is none; the others are asked, and doctor names it
        if whole > most:
            best, most = one.path, whole
    return best


def _set_aside(path: Path) -> Path | None:
    """Rename a history and SQLite's files beside it. The history goes first: without it no program writes on."""
    moment = datetime.now().astimezone().strftime("%Y-%m-%dT%H%M%S")
    aside = path.with_name(f"{path.name}.aside-{moment}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.aside-{moment}-{number}")
    there = path.exists()
    beside = companions(path)
    if there:
        path.rename(aside)
    for one in beside:
        one.rename(aside.with_name(aside.name + one.name.removeprefix(path.name)))
    return aside if there else None
