"""A line of YAML and the fault in it: what the explanations of a syntax error look at, and what they answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from solvers.record import Record

if TYPE_CHECKING:
    from quiz.bank.yaml_fault import FaultError

# Dashes, then a key with its colon, then a value. A quoted key may hold anything but its quote.
_LINE = re.compile(
    r"""(?P<lead>\ *(?:-\ +)*)
                       (?:(?P<key>"[^"\n]*"|'[^'\n]*'|[^\s'"\#\[\]{},&*!|>@`%][^\n]*?)\ *:(?:\ +|$))?
                       (?P<value>.*)""",
    re.VERBOSE,
)


class Scene(Record):
    """A fault with the source around it. `value_at` is where the value of the fault's line begins."""

    fault: FaultError
    text: str
    at: int
    begun: int
    line_start: int
    line: str
    value_at: int
    value: str
    quoted: tuple[int, int] | None


class Finding(Record):
    """What to say.

    `mend` is how to read on: without the "value" of the line, the value of a "key" whose colon is at `index`, the
    "lines" of prose, the "escape", or not at all ("").
    """

    index: int
    code: str
    what: str
    why: str = ""
    next: str = ""
    mend: str = ""


class Mended(Record):
    """A text without a mistake, of equal length, and the index of the value that is put aside.

    None: what is missing now may be any part of the mapping around it.
    """

    text: str
    aside: int | None


def line_at(text: str, index: int) -> tuple[int, str, int]:
    """The start and content of the line of `index`, and where its value begins."""
    start = text.rfind("\n", 0, index) + 1
    line = text[start : text.find("\n", index) % (len(text) + 1)]
    match = _LINE.match(line)
    return start, line, start + (match.start("value") if match else 0)


def is_prose(line: str) -> bool:
    """Whether a line is neither empty, nor a comment, nor an entry of a list or mapping."""
    return re.match(r" *(?![ #-]|\.\.\.$)(?!.*:(?: |$)).", line) is not None
