"""What `shardwise doctor` says of the history: all of it is read, nothing is written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from quiz.cli.finding import Finding
from quiz.nouns import count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from quiz.store import Store

_HISTORY: Final = "history"
_BACKUPS: Final = "backups"
_SHOWN: Final = 5


def history_findings() -> Iterator[Finding]:
    """The history and its backups."""
    try:
        from quiz.cli.history import history_path
        from quiz.store import Store, StoreError

        path = history_path()
    except ImportError as missing:
        yield Finding(_HISTORY, "problem", f"not looked at: {missing}", "install what is missing first, see above")
        return
    try:
        with Store.open(path, read_only=True) as store:
            yield _whole(path, store)
    except StoreError as error:
        yield _refused(path, error.kind, error.why, error.advice)
    yield _backups(path)


def _whole(path: Path, store: Store) -> Finding:
    faults = store.integrity()
    counts = store.counts()
    holds = f"{count(counts.answers, 'answer')}, {count(counts.cards, 'card')}"
    if faults:
        more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        more += f"; {left}" if (left := _left(path)) else ""
        advice = (
            "`shardwise history restore` sets the file aside, puts the best backup in its place and adds what can "
            "still be read; without a backup it keeps what can be read"
        )
        return Finding(_HISTORY, "problem", f"{path}: damaged: {'; '.join(faults[:_SHOWN])}{more}", advice)
    stale = store.stale()
    gone = store.missing() if any(stale) else None
    if gone is not None:
        return Finding(_HISTORY, "problem", f"{path}: {gone.told()}", _bring_back(store, gone.answers))
    if any(stale):
        advice = "`shardwise history rebuild` derives them from the answers, which are whole"
        tallies = count(stale.tallies, "tally", "tallies")
        told = f"{count(stale.cards, 'card')} and {tallies} are not what the answers say"
        return Finding(_HISTORY, "problem", f"{path}: {told}", advice)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        return Finding(_HISTORY, "problem", f"{path}: others on this machine can read it", f"chmod 600 {path}")
    if counts.waiting:
        holds += f", {count(counts.waiting, 'amendment')} to answers that are not here (a merge may bring them)"
    return Finding(_HISTORY, "ok", f"{path} ({holds}, every checksum right)")


def _bring_back(store: Store, gone: int) -> str:
    """Which backup holds answers that are missing, and what to do: never to derive the cards from what is left."""
    found = store.holding()
    if found is None:
        return (
            "no sound backup holds them. `shardwise history merge FILE` brings them in from an export or another copy, "
            "if you have one; else `shardwise history restore` makes a history of what is left and keeps this file"
        )
    held = "them" if found.answers >= gone else f"{found.answers:,} of them"
    return (
        f"`shardwise history restore` brings {held} back: {found.path} holds {held} and was read whole. Until then do "
        "not rebuild, which would make the cards forget what they counted"
    )


def _refused(path: Path, kind: str, why: str, advice: str) -> Finding:
    if kind != "missing":
        left = _left(path) if kind == "corrupt" else ""
        return Finding(_HISTORY, "problem", f"{path}: {why}{f'; {left}' if left else ''}", advice)
    if not os.path.exists(path):  # noqa: PTH110 - as doctor's own
        return Finding(_HISTORY, "absent", f"{path}: none yet", "the first answer begins it")
    return Finding(
        _HISTORY,
        "problem",
        f"{path}: it is empty (0 bytes)",
        "if you had answers, put your copy of the file back; the next answer begins a new history in it",
    )


def _left(path: Path) -> str:
    """How many answers of a damaged history are lost, or why that cannot be known."""
    from quiz.store import salvage

    try:
        return salvage.left(path).told()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return f"how many answers are lost was not looked at, since no copy could be made to read: {why}"


def _backups(path: Path) -> Finding:
    from quiz.store import Store, StoreError
    from quiz.store.places import backup_folder, backups

    try:
        kept = backups(path)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return Finding(_BACKUPS, "problem", f"{backup_folder(path)}: {why}", "make the folder readable for you")
    if not kept:
        return Finding(_BACKUPS, "absent", f"none in {backup_folder(path)}", "one is made on each day of practice")
    shown, broken = [], []
    for one in kept:
        try:
            with Store.open(one.path, read_only=True) as store:
                faults = store.integrity()
                told = count(store.counts().answers, "answer")
        except StoreError as error:
            faults, told = (error.why,), ""
        if faults:
            broken.append(one.path.name)
        shown.append(f"{one.path.name} ({faults[0] if faults else told})")
    value = f"{len(kept)} in {backup_folder(path)}: {', '.join(shown)}"
    if broken:
        return Finding(_BACKUPS, "problem", value, f"remove {', '.join(broken)}: `history restore` passes over it")
    return Finding(_BACKUPS, "ok", value)
