"""The problems of one file while it is being read."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from quiz.bank.diagnostics import Diagnostic, Place, Severity, format_path

if TYPE_CHECKING:
    from quiz.bank.document import Path, Spot

MAX_PROBLEMS = 100


class Stop(Exception):
    """Nothing further in this file is worth reading; all that is known has been reported."""


class Problems:
    """Collects diagnostics; stops the reading when there are more than anybody reads.

    `source` is the text that indices refer to, LF only.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Diagnostic] = []
        self._source = ""
        self._starts: list[int] | None = None

    @property
    def source(self) -> str:
        """The text that indices refer to."""
        return self._source

    @source.setter
    def source(self, text: str) -> None:
        self._source = text
        self._starts = None

    @property
    def errors(self) -> bool:
        """Whether any of the problems is an error."""
        return any(diagnostic.severity == "error" for diagnostic in self.found)

    def spot(self, index: int) -> Spot:
        """The (line, column) of a character of the source."""
        if self._starts is None:
            self._starts = [0]
            at = self._source.find("\n")
            while at >= 0:
                self._starts.append(at + 1)
                at = self._source.find("\n", at + 1)
        line = bisect_right(self._starts, index)
        return line, index - self._starts[line - 1] + 1

    def at_index(
        self,
        index: int,
        code: str,
        what: str,
        *,
        why: str = "",
        next_: str = "",
        severity: Severity = "error",
        path: Path = (),
    ) -> None:
        """Report a problem at a character of the source."""
        self.at(*self.spot(index), code, what, why=why, next_=next_, severity=severity, path=path)

    def at(  # noqa: PLR0913, one argument for each part of a diagnostic
        self,
        line: int,
        column: int,
        code: str,
        what: str,
        *,
        why: str = "",
        next_: str = "",
        severity: Severity = "error",
        path: Path = (),
    ) -> None:
        """Report a problem at a line and column, both from 1."""
        place = Place(self.file, line, column)
        self.found.append(Diagnostic(place, code, what, why, next_, severity, format_path(path)))
        if len(self.found) >= MAX_PROBLEMS:
            self.found.append(
                Diagnostic(
                    place,
                    "too-many",
                    f"reading stopped after {MAX_PROBLEMS} problems",
                    next="Mend these, then look again.",
                )
            )
            raise Stop
