"""The files of a bank: which there are, whether they can be read, whether they have changed.

Nothing here knows YAML. Every way in which a folder can fail to be a bank ends in a `BankError` that says so.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quiz.bank.diagnostics import BankError, Diagnostic, Place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MANIFEST: Final = "bank.yaml"
SOURCES: Final = "sources.yaml"
_DEPTH: Final = 12
_MOST_ENTRIES: Final = 50_000
"""A folder with more than this is somebody's home, and no bank."""
_TOO_YOUNG_NS: Final = 2_000_000_000
"""A file changed so shortly before it was stamped may change again within the clock's grain."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells whether a file is the one that was compiled: size and time first, the digest where they differ."""

    size: int
    mtime_ns: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a bank, by their path in it; problems are those of single files."""

    folder: Path
    questions: dict[str, Stamp]
    shared: dict[str, Stamp]
    problems: tuple[Diagnostic, ...] = ()

    def path(self, name: str) -> Path:
        """Where a file lies."""
        return self.folder / name

    def read(self, name: str) -> bytes:
        """The content of a file. Raises `BankError`."""
        try:
            return self.path(name).read_bytes()
        except OSError as error:
            raise BankError(
                [
                    _problem(
                        name,
                        "unreadable",
                        f"this file cannot be read: {error.strerror}",
                        "Check that it is there and that you may read it.",
                    )
                ]
            ) from error


def digest_of(content: bytes) -> str:
    """A short fingerprint of a file's content."""
    return hashlib.sha256(content).hexdigest()[:32]


def is_settled(stamp: Stamp, since_ns: int) -> bool:
    """Whether a stamp taken at `since_ns` can be trusted by size and time alone."""
    return stamp.mtime_ns < since_ns - _TOO_YOUNG_NS


def is_same(listing: Listing, name: str, now: Stamp, then: Stamp, since_ns: int) -> bool:
    """Whether a file is as it was at `then`: by size and time where these can be trusted, else by its content.

    A file that cannot be read, now or then (it has no digest), is not the same: whoever asks reads it and tells why.
    """
    if now.size != then.size or not then.digest:
        return False
    if now.mtime_ns == then.mtime_ns and is_settled(then, since_ns):
        return True
    try:
        return digest_of(listing.read(name)) == then.digest
    except BankError:
        return False


def list_bank(folder: Path) -> Listing:
    """The files of the bank in `folder`. Raises `BankError` where there is no bank, before it walks through it."""
    _require_folder(folder)
    _require_manifest(folder)
    questions: dict[str, Stamp] = {}
    shared: dict[str, Stamp] = {}
    problems: list[Diagnostic] = []
    seen: set[tuple[int, int]] = set()
    waiting = [(folder, "", 0)]
    met = 0
    while waiting:
        place, prefix, depth = waiting.pop()
        entries = _entries(place, prefix, problems)
        met += len(entries)
        if met > _MOST_ENTRIES:
            raise BankError([_too_large(folder)])
        for entry in entries:
            name = f"{prefix}{entry.name}"
            found = _sorted_out(entry, name, problems)
            if found is None:
                continue
            if prefix and entry.name in (MANIFEST, SOURCES):
                problems.append(_nested(name))
                continue
            if not stat.S_ISDIR(found.st_mode):
                stamp = Stamp(found.st_size, found.st_mtime_ns)
                (shared if name in (MANIFEST, SOURCES) else questions)[name] = stamp
            elif (found.st_dev, found.st_ino) not in seen and depth < _DEPTH:
                seen.add((found.st_dev, found.st_ino))
                waiting.append((place / entry.name, f"{name}/", depth + 1))
    if not questions and not problems:
        raise BankError(
            [
                _problem(
                    str(folder),
                    "no-questions",
                    "this folder holds no questions",
                    "A question is a file that ends in .yaml, best in a folder named for its topic.",
                )
            ]
        )
    return Listing(folder, dict(sorted(questions.items())), shared, tuple(problems))


def require_manifest(listing: Listing) -> None:
    """Raise `BankError` where the manifest is there and cannot be read; the listing says why."""
    if MANIFEST not in listing.shared:
        raise BankError([*listing.problems, _no_manifest(listing.folder)])


def passed_over(listing: Listing, names: Iterable[str]) -> list[Diagnostic]:
    """An error for each of the named files that is none of the bank's, and of which the listing says nothing."""
    told = {*listing.questions, *listing.shared, *(one.place.file for one in listing.problems)}
    return [_passed_over(name) for name in sorted({*names} - told)]


def _passed_over(name: str) -> Diagnostic:
    if not name.endswith(".yaml"):
        what = "this is no question file: its name does not end in .yaml, and it is not read"
        return _problem(name, "file-name", what, "If it holds a question, rename it to .yaml; else leave it out.")
    if any(part.startswith(".") for part in name.split("/")):
        what = "this file is hidden, and is not read: its name or that of its folder begins with a dot"
        return _problem(name, "file-name", what, "If it holds a question, rename it or its folder; else leave it out.")
    return _problem(
        name,
        "unreadable",
        f"this file is not read: its folder cannot be opened, lies more than {_DEPTH} folders deep or is met by a link",
        "Check the whole bank: that tells which folders cannot be opened, and names each file by its own path.",
    )


def _require_manifest(folder: Path) -> None:
    """Raise `BankError` where the folder does not say which bank it is."""
    if not os.path.lexists(folder / MANIFEST):
        raise BankError([_no_manifest(folder)])


def _no_manifest(folder: Path) -> Diagnostic:
    return Diagnostic(
        Place(str(folder), 0, 0),
        "no-manifest",
        f"this folder has no {MANIFEST}",
        "It says which bank this is, so that the histories of several banks keep apart.",
        "Name the folder of a bank, or write one with `id: my-bank`, `title: My bank` and `licence: CC-BY-4.0`.",
    )


def _nested(name: str) -> Diagnostic:
    file = name.rpartition("/")[2]
    return Diagnostic(
        Place(name, 0, 0),
        "nested-bank",
        f"a {file} within a bank",
        f"A bank has one {file}, at its top; this one makes its folder a bank of its own, and a bank holds no other.",
        "Move the folder out of this bank, or delete the file: the questions in the folder then belong to this bank."
        if file == MANIFEST
        else f"Move what it says into {file} at the top of the bank, and delete this one.",
    )


def _too_large(folder: Path) -> Diagnostic:
    return _problem(
        str(folder),
        "too-large",
        f"this folder holds more than {_MOST_ENTRIES:,} files and folders",
        "Put bank.yaml and the questions in a folder of their own.",
    )


def _require_folder(folder: Path) -> None:
    try:
        mode = folder.stat().st_mode
    except FileNotFoundError:
        what, next_ = "this folder does not exist", "Check the path; it is the folder that holds bank.yaml."
        if folder.suffix == ".yaml":
            what, next_ = "this file does not exist", "Check the path; a question is a file in the folder of a bank."
    except OSError as error:
        what, next_ = f"this folder cannot be opened: {error.strerror}", "Check the path and its permissions."
    except ValueError:
        what, next_ = "this is no path", "Check the path; it holds a character that no path can hold."
    else:
        if stat.S_ISDIR(mode):
            return
        what, next_ = "this is a file and not a folder", "Name the folder that holds bank.yaml and the questions."
    raise BankError([_problem(str(folder), "no-bank", what, next_)])


def _entries(place: Path, prefix: str, problems: list[Diagnostic]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        problems.append(
            _problem(
                prefix or str(place),
                "unreadable",
                f"this folder cannot be opened: {error.strerror}",
                "Check its permissions.",
            )
        )
        return []


def _sorted_out(entry: os.DirEntry[str], name: str, problems: list[Diagnostic]) -> os.stat_result | None:
    """The status of an entry that belongs to a bank: a folder, or a readable file that ends in .yaml."""
    if entry.name.startswith("."):
        return None
    is_question = entry.name.endswith(".yaml")
    try:
        found = entry.stat()
    except OSError as error:
        if is_question:
            problems.append(
                _problem(
                    name,
                    "unreadable",
                    f"this file cannot be read: {error.strerror}",
                    "A link may lead nowhere, or in a circle.",
                )
            )
        return None
    if stat.S_ISDIR(found.st_mode):
        return found
    ending = os.path.splitext(entry.name)[1]  # noqa: PTH122 - a path for every entry would take time
    if not is_question and ending.lower() in (".yml", ".yaml"):
        problems.append(
            _problem(
                name,
                "file-name",
                f"this file ends in {ending} and is not read",
                "Rename it: the files of a bank end in .yaml, in small letters.",
            )
        )
    problem = _file_problem(name, found) if is_question else None
    if problem is not None:
        problems.append(problem)
    return found if is_question and problem is None else None


def _file_problem(name: str, found: os.stat_result) -> Diagnostic | None:
    if not stat.S_ISREG(found.st_mode):
        return _problem(name, "unreadable", "this is no ordinary file", "Replace it by one, or remove it.")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return _problem(name, "file-name", "the name of this file is not UTF-8", "Rename it.")
    return None


def _problem(name: str, code: str, what: str, next_: str) -> Diagnostic:
    return Diagnostic(Place(name, 0, 0), code, what, next=next_)
