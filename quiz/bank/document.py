"""A bank file as read: plain data, and where in the file each piece of it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from quiz.bank.diagnostics import BankError, Diagnostic, Place
from solvers.record import EMPTY, Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Path: TypeAlias = tuple[str | int, ...]
Spot: TypeAlias = tuple[int, int]

ASIDE: Final = object()
"""Stands in the data of a file that could not be read whole, where a mistake of the YAML leaves the value unknown."""


class Site(Record):
    """Where one value stands. `value` and `key` are (line, column) from 1; `key` is None in a list and at the root.

    `style` is how it was written: "" plain, ' or " quoted, | or > block, [ a list, { a mapping. An empty value
    stands where its key stands.
    """

    value: Spot
    key: Spot | None
    style: str


class Document(Record):
    """The data of one file.

    `data` is made of dict (keys are str), list, str, int, Fraction, bool and None, and nothing is shared within it.
    `places` has an entry for every path of `data`, the root's being (). `source` is the text with LF line ends
    and no byte order mark; `warnings` are what a reader can only suspect. Of a file with mistakes of the YAML
    (`MisreadError`) they are these too, and `data` holds `ASIDE` where they stand.
    """

    data: object
    file: str
    source: str
    places: Mapping[Path, Site] = EMPTY
    warnings: tuple[Diagnostic, ...] = ()

    def place(self, spot: Spot) -> Place:
        """A (line, column) of this file as a Place."""
        return Place(self.file, *spot)

    def __repr__(self) -> str:
        return f"Document({self.file!r}, {self.data!r})"


class MisreadError(BankError):
    """A file with mistakes of the YAML. `document` is the rest of it, None where the mistakes leave that in doubt."""

    def __init__(self, diagnostics: Iterable[Diagnostic], document: Document | None = None) -> None:
        super().__init__(diagnostics)
        self.document = document
