"""Sheets kept between two runs: one file a bank, made again whenever the code, the manifest or the sources change."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quiz.authoring.sheet import Sheet
from quiz.bank.cache import fingerprint, states_of, write_whole
from quiz.bank.files import Stamp

if TYPE_CHECKING:
    from collections.abc import Mapping


class Known(msgspec.Struct, frozen=True):
    """A sheet with the stamp of the file that it was made from."""

    stamp: Stamp
    sheet: Sheet


class Book(msgspec.Struct, frozen=True):
    """All sheets of a bank. `made_with` stands for whatever a sheet depends on besides its file."""

    made_with: str
    written_ns: int
    sheets: dict[str, Known]


class Shelf:
    """Where the sheets of one bank lie below `root`; without a root nothing is kept."""

    def __init__(self, root: Path | None, bank: Path, shared: Mapping[str, str]) -> None:
        name = hashlib.sha256(os.fsencode(bank.absolute())).hexdigest()[:20]
        self._path = None if root is None else root / "lint" / f"{name}.json"
        if root is None:
            self.made_with = ""
            return
        parts = [fingerprint(), _own_fingerprint(), *(f"{name} {digest}" for name, digest in sorted(shared.items()))]
        self.made_with = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    def read(self) -> Book | None:
        """The sheets as they were written; None where there are none that this program made of this bank."""
        if self._path is None:
            return None
        try:
            book = msgspec.json.decode(self._path.read_bytes(), type=Book)
        except (OSError, msgspec.MsgspecError):
            return None  # not there, not ours to read, or damaged: it is made again
        return book if book.made_with == self.made_with else None

    def write(self, written_ns: int, sheets: Mapping[str, Known]) -> None:
        """Keep the sheets. What cannot be written costs the next run time and nothing else."""
        if self._path is None:
            return
        content = msgspec.json.encode(Book(self.made_with, written_ns, dict(sheets)))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, content)
        except OSError:
            self._path = None


def _own_fingerprint() -> str:
    """The sizes and times of the lint's own source and of the grader that it asks."""
    here = Path(__file__).parent
    states = (state for folder in (here, here.parent / "grading") for state in states_of(str(folder)))
    return hashlib.sha256("".join(states).encode()).hexdigest()
