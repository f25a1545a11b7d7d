"""The cache of a compiled bank: one small index, one body a question, all of it JSON that can be made again.

A cache is never trusted blindly: its index carries the fingerprint of the code that made it and a checksum, each
body the checksum that the index knows. What does not match is as good as not there. Writing is atomic, and a cache
that cannot be written costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from quiz._version import __version__
from quiz.bank.diagnostics import Diagnostic, Place
from quiz.bank.files import Stamp
from quiz.bank.rendered import SCHEMA, IndexEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.bank.rendered import Rendered

_SUM: Final = 64
#: More than any question takes, in bytes.
_AT_ONCE: Final = 1 << 16


class LinkRecord(msgspec.Struct, frozen=True):
    """A question that another names, and where."""

    to: str
    kind: str
    place: Place


class FileRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of one file. `entry` is None where the file has errors; `variants` where none were tried yet.

    `named` is the id of a file with errors, where it can be read.
    """

    stamp: Stamp
    problems: tuple[Diagnostic, ...] = ()
    entry: IndexEntry | None = None
    place: Place | None = None
    body: str = ""
    links: tuple[LinkRecord, ...] = ()
    asserted: int = 0
    options: int = 0
    variants: tuple[dict[str, str], ...] | None = None
    named: str = ""

    @property
    def id(self) -> str:
        """The id of its question, be it sound or not; empty where it cannot be read."""
        return self.named if self.entry is None else self.entry.id


class Shared(msgspec.Struct, frozen=True, omit_defaults=True):
    """What bank.yaml and sources.yaml say, as far as it is needed without compiling."""

    stamps: dict[str, Stamp]
    id: str = ""
    title: str = ""
    licence: str = ""
    locale: str = "en"


class Index(msgspec.Struct, frozen=True):
    """A bank as it was compiled."""

    schema: int
    fingerprint: str
    written_ns: int
    shared: Shared
    files: dict[str, FileRecord]


class Cache:
    """The cache of one bank, in a folder of its own below `root`. Without a root nothing is kept."""

    def __init__(self, root: Path | None, bank: Path) -> None:
        self.fingerprint = fingerprint()
        self.warnings: list[str] = []
        name = hashlib.sha256(os.fsencode(bank.absolute())).hexdigest()[:20]
        self._folder = None if root is None else root / "banks" / name
        self._begun: tuple[Shared, str] | None = None

    def index(self) -> Index | None:
        """The index, if there is one that this program made."""
        raw = self._read("index.json")
        text = None if raw is None else _verified(raw)
        try:
            index = None if text is None else msgspec.json.decode(text, type=Index)
        except msgspec.MsgspecError:
            index = None
        if raw is not None and index is None:
            self.warnings.append(f"The cache in {self._folder} is damaged; the questions were compiled again.")
        if index is None or index.schema != SCHEMA or index.fingerprint != self.fingerprint:
            return None
        return index

    def write_index(self, shared: Shared, files: dict[str, FileRecord]) -> Index:
        """Write the index and forget the bodies that it does not know."""
        index = Index(SCHEMA, self.fingerprint, time.time_ns(), shared, files)
        self._write("index.json", msgspec.json.encode(index))
        self._prune({record.body for record in files.values()})
        return index

    def body(self, name: str) -> Rendered | None:
        """The question of that body, if it is there and whole."""
        from quiz.bank import bodies

        raw = self._read(f"{name}.json") if name else None
        text = None if raw is None else _verified(raw)
        return None if text is None else bodies.read(text)

    def write_body(self, name: str, rendered: Rendered) -> None:
        """Keep a question."""
        self._write(f"{name}.json", msgspec.json.encode(rendered))

    def body_name(self, digest: str, shared: Shared, axes: dict[str, str] | None = None) -> str:
        """The name of a body: whatever it depends on is in it."""
        if self._begun is None or self._begun[0] is not shared:
            stamps = (shared.stamps[name].digest for name in sorted(shared.stamps))
            self._begun = shared, "\n".join((str(SCHEMA), self.fingerprint, *stamps))
        base = hashlib.sha256(f"{self._begun[1]}\n{digest}".encode()).hexdigest()[:32]
        if not axes:
            return base
        return f"{base}-{hashlib.sha256(msgspec.json.encode(sorted(axes.items()))).hexdigest()[:16]}"

    def _read(self, name: str) -> bytes | None:
        if self._folder is None:
            return None
        try:
            return _content(f"{self._folder}/{name}")
        except OSError:
            return None  # not there, or not ours to read: it is made again

    def _write(self, name: str, content: bytes) -> None:
        if self._folder is None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / name, _summed(content))
        except OSError as error:
            self.warnings.append(
                f"The cache in {self._folder} cannot be written ({error.strerror}): "
                "the next start compiles the questions again."
            )
            self._folder = None

    def _prune(self, known: set[str]) -> None:
        if self._folder is None:
            return
        with contextlib.suppress(OSError):  # what stays behind is only space
            for path in self._folder.iterdir():
                if path.name != "index.json" and path.stem.partition("-")[0] not in known:
                    path.unlink()


def fingerprint() -> str:
    """What the compiled questions depend on besides their files: the solvers, the compiler, the version.

    Sizes and times of the source files, since hashing their content would take as long as the start.
    """
    hashed = hashlib.sha256(f"{__version__} {SCHEMA}".encode())
    for folder in (_package_folder("solvers"), str(Path(__file__).parent)):
        if folder is not None:
            hashed.update("".join(states_of(folder)).encode())
    return hashed.hexdigest()[:32]


def states_of(folder: str, below: str = "") -> Iterator[str]:
    """A line for each source file in a folder and those in it, with its size and time, in order of the names.

    Scanned, since paths and their own calls take four times as long, at every start.
    """
    with os.scandir(folder) as found:
        entries = sorted(found, key=attrgetter("name"))
    for entry in entries:
        if entry.name.endswith(".py"):
            status = entry.stat()
            yield f"{below}{entry.name} {status.st_size} {status.st_mtime_ns}\n"
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from states_of(entry.path, f"{below}{entry.name}/")


def _package_folder(name: str) -> str | None:
    """Where a package lies, without importing it; None for one that lies in no folder."""
    spec = find_spec(name)
    return str(Path(spec.origin).parent) if spec is not None and spec.origin else None


def _content(path: str) -> bytes:
    """What is in a file. By the calls of the system: a file object takes three times as long, at each question."""
    number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
    try:
        found = os.read(number, _AT_ONCE)
        if len(found) == _AT_ONCE:
            while more := os.read(number, _AT_ONCE):
                found += more
        return found
    finally:
        os.close(number)


def _summed(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def _verified(raw: bytes) -> memoryview | None:
    """The text in `raw`; None where the checksum is wrong."""
    text = memoryview(raw)[_SUM + 1 :]
    return text if hashlib.sha256(text).hexdigest().encode() == raw[:_SUM] else None


def write_whole(path: Path, content: bytes) -> None:
    """Replace `path` in one step: a reader sees the old file or the new one."""
    # A name of our own: the module for temporary files takes a hundredth of a second to load.
    temporary = f"{path.parent}/.{os.getpid()}-{time.monotonic_ns()}.tmp"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 - no path
            file.write(content)
        os.replace(temporary, path)  # noqa: PTH105 - no path
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108 - no path
        raise
