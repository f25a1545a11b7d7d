"""The folder of a run: written whole or not at all, read while it grows, listed, settled, erased.

    spec.json      what was to be run and what was predicted, before it began
    events.jsonl   what happened, appended a line at a time; whoever runs it holds a lock on it
    rank0.json …   what each rank measured
    rank0.log …    what each rank printed, `runner.log` what the runner printed
    env.json       where it ran
    result.json    how it ended and what it showed

A folder without `result.json` is a run that still goes on (its events are locked) or that nobody saw the end of.
"""

from __future__ import annotations

import os
import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from quiz.drills import events
from quiz.drills.records import VERSION, Env, File, Ranked, Result, Spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quiz.drills.events import AnyEvent

SPEC: Final = "spec.json"
EVENTS: Final = "events.jsonl"
RESULT: Final = "result.json"
ENV: Final = "env.json"
LOG: Final = "runner.log"
SCRATCH: Final = "tmp"
"""The folder for temporary files of the run, gone when it is over."""
#: The longest part of a run's name that is taken from its question.
_LONGEST: Final = 60
#: The most that is read of the events at once: a screen wants the rest a moment later.
_AT_ONCE: Final = 4_000_000

Read = TypeVar("Read", bound=File)


class FolderError(Exception):
    """A run folder cannot be read or written. The message says which and why."""


def runs_folder(data: Path) -> Path:
    """Where the runs lie in the folder of the learner's data."""
    return data / "drills"


def name_of(started: datetime, question: str) -> str:
    """A name for a run that no other has: its instant, its question, four random digits."""
    what = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in question)[:_LONGEST] or "drill"
    return f"{started.astimezone(UTC):%Y%m%dT%H%M%SZ}-{what}-{secrets.token_hex(2)}"


def create(root: Path, spec: Spec) -> Path:
    """Make the folder of a run, private to its owner, with its `spec.json` and an empty `events.jsonl`.

    Raises:
        FolderError: the folder exists, or the system refuses.
    """
    folder = root / spec.run
    made = False
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
        made = True
        write(folder / SPEC, spec)
        os.close(os.open(folder / EVENTS, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600))
    except OSError as error:
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        raise FolderError(
            f"the run could not be written to {folder}: {error.strerror or error}. "
            "Make room there, or choose another place with SHARDWISE_DATA."
        ) from error
    return folder


def write(path: Path, record: msgspec.Struct) -> None:
    """Write a record so that its file is whole or is not there. Raises OSError."""
    text = msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"
    beside = path.with_name(f".{path.name}.tmp")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def read(path: Path, kind: type[Read]) -> Read:
    """Read one of the files.

    Raises:
        FolderError: it is missing, damaged, or of a version that this program does not know.
    """
    try:
        record = msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise FolderError(f"{path} cannot be read: {error.strerror or error}") from error
    except msgspec.DecodeError as error:
        raise FolderError(f"{path} is damaged: {error}") from error
    if record.version != VERSION:
        raise FolderError(f"{path} is of version {record.version}; this program knows {VERSION}. Update it.")
    return record


def spec_of(folder: Path) -> Spec:
    """What the run was to do. Raises FolderError."""
    return read(folder / SPEC, Spec)


def result_of(folder: Path) -> Result | None:
    """How the run ended, None where nobody has written it. Raises FolderError."""
    return read(folder / RESULT, Result) if (folder / RESULT).exists() else None


def env_of(folder: Path) -> Env | None:
    """Where it ran, None where it did not come so far. Raises FolderError."""
    return read(folder / ENV, Env) if (folder / ENV).exists() else None


def ranked(folder: Path) -> tuple[Ranked, ...]:
    """What each rank measured, in the order of ranks. Raises FolderError."""
    found = [read(path, Ranked) for path in folder.glob("rank*.json")]
    return tuple(sorted(found, key=lambda one: one.rank))


class Tail:
    """Reads the events as they are appended. `damaged` counts lines that are none."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / EVENTS
        self._place = 0
        self._rest = b""
        self.damaged = 0

    def read(self) -> list[AnyEvent]:
        """The events since the last call; a line that is not whole yet waits for the next. Raises OSError."""
        with self._path.open("rb") as file:
            file.seek(self._place)
            fresh = file.read(_AT_ONCE)
        self._place += len(fresh)
        *lines, self._rest = (self._rest + fresh).split(b"\n")
        found = []
        for text in lines:
            try:
                event = events.read(text)
            except ValueError:
                self.damaged += 1
                continue
            if event is not None:
                found.append(event)
        return found


def replay(folder: Path) -> Iterator[AnyEvent]:
    """All events of a run in the order in which they were written. Raises OSError."""
    tail = Tail(folder)
    while found := tail.read():
        yield from found


def live(folder: Path) -> bool:
    """Whether somebody runs it: the runner and its ranks hold a lock on the events for as long as one of them is."""
    try:
        import fcntl
    except ImportError:  # a system without such locks: a run without a result is taken as over
        return False
    try:
        descriptor = os.open(folder / EVENTS, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def sweep(folder: Path) -> None:
    """Take away the temporary files of a run whose processes are over."""
    shutil.rmtree(folder / SCRATCH, ignore_errors=True)


def settle(folder: Path) -> None:
    """Take away what an end in the middle may have left: temporary files, half a line of events. Raises OSError."""
    sweep(folder)
    for path in folder.glob(".*.tmp"):
        path.unlink(missing_ok=True)
    path = folder / EVENTS
    if not path.is_file():
        return
    text = path.read_bytes()
    whole = text.rfind(b"\n") + 1
    if whole != len(text):
        os.truncate(path, whole)


def runs(root: Path) -> tuple[Path, ...]:
    """The folders of all runs, the latest first."""
    if not root.is_dir():
        return ()
    return tuple(sorted((path for path in root.iterdir() if (path / SPEC).is_file()), reverse=True))


def find(root: Path, name: str) -> Path:
    """The folder of a run by its name, by the end of it, or by its path.

    Raises:
        FolderError: there is none, or several.
    """
    if not name.strip():
        raise FolderError("an empty name is no run. See which there are: shardwise prove --runs")
    path = Path(name)
    if (path / SPEC).is_file():
        return path
    found = [path for path in runs(root) if path.name == name] or [
        path for path in runs(root) if path.name.endswith(name) or path.name.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise FolderError(f"{name!r} is one of several runs: {', '.join(path.name for path in found)}")
    raise FolderError(f"there is no run {name!r}. See which there are: shardwise prove --runs")


def erase(folders: Iterable[Path]) -> int:
    """Remove runs that are over; return how many. Raises OSError."""
    gone = 0
    for folder in folders:
        if not live(folder):
            shutil.rmtree(folder)
            gone += 1
    return gone
