"""What is wrong in a bank file: where, what, why, and what to do next.

Every part that reads a bank (the YAML reader, the schema, the figures, the lint) speaks through these three
types, so that a person sees one form of message and all of them at once. Nothing heavy is imported here.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Severity: TypeAlias = Literal["error", "warning"]

_SHOWN = 40
_WIDTH = 100  # cells of source shown around the caret
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a file. `file` as the user named it; `line` and `column` count characters from 1.

    Line 0 is the file or folder as such.
    """

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{escape(self.file)}:{self.line}:{self.column}" if self.line else escape(self.file)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem. `code` is stable and short; `what`, `why` and `next` are sentences for the author.

    `path` names the value in the document ("options.zero1.set"), empty where there is none.
    """

    place: Place
    code: str
    what: str
    why: str = ""
    next: str = ""
    severity: Severity = "error"
    path: str = ""

    def render(self, source: str | None = None) -> str:
        """The message as lines of text; with `source`, the file's text, the line is shown under a caret.

        Whatever the file holds, the result has no control character but its own line breaks.
        """
        lines = [f"{self.place}: {self.severity}: {escape(self.what)}"]
        if source is not None:
            lines += excerpt(source, self.place)
        lines += [f"  {escape(text)}" for text in (self.why, self.next) if text]
        return "\n".join(lines)


class BankError(Exception):
    """A bank file cannot be used. Holds every problem found, warnings among them, in the order of the file."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = in_order(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(diagnostic.render() for diagnostic in self.diagnostics)


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics by place, each said once."""
    return tuple(sorted(dict.fromkeys(diagnostics), key=lambda d: (d.place, d.severity, d.code, d.what)))


def escape(text: str) -> str:
    """`text` with every character that does not print (controls, bidi marks, lone surrogates) as an escape."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def shown(text: str) -> str:
    """`text` as a message quotes it: on one line, not long."""
    return escape(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")


def format_path(loc: Sequence[str | int]) -> str:
    """A path for people: ("options", "a", "why") is "options.a.why", ("bullets", 0) is "bullets[0]"."""
    parts: list[str] = []
    for step in loc:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)


def split_lines(text: str) -> list[str]:
    """The lines of a file as `Place` counts them: only LF and CRLF end a line."""
    return text.replace("\r\n", "\n").split("\n")


def _escaped(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    if code < 0x100:  # noqa: PLR2004
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004


def excerpt(source: str, place: Place) -> list[str]:
    """The line of `place` and a caret below it; clipped around the caret; nothing where there is no such line."""
    lines = split_lines(source.removeprefix("\ufeff"))
    if not 1 <= place.line <= len(lines):
        return []
    line = lines[place.line - 1]
    column = min(place.column - 1, len(line))
    first = max(0, column - _WIDTH // 2)
    before = escape(line[first:column])
    after = escape(line[column : first + _WIDTH])
    if first:
        before = f"… {before}"
    if first + _WIDTH < len(line):
        after = f"{after} …"
    gutter = f"{place.line:>5} | "
    return [
        f"{gutter}{before}{after}".rstrip(),
        f"{' ' * (len(gutter) - 2)}| {' ' * _cells(before)}^",
    ]


def _cells(text: str) -> int:
    """The columns of a terminal that `text` takes."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
