"""Explain the point where a YAML parser gave up, and give back the text without the mistake.

Where the mistake is confined to the value of one line, or to lines of prose, the text is returned without them, and the
reader parses again to find the next problem.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from quiz.bank.yaml_layout import LAYOUT
from quiz.bank.yaml_mistakes import IN_VALUES
from quiz.bank.yaml_scene import Mended, Scene, is_prose, line_at

if TYPE_CHECKING:
    from quiz.bank.yaml_fault import FaultError
    from quiz.bank.yaml_problems import Problems


def explain(fault: FaultError, text: str, quoted: tuple[int, int] | None, problems: Problems) -> Mended | None:
    """Report `fault`; return the text without the mistake, of equal length, or None where no more can be read.

    `quoted` is the span of the quoted scalar that was read last.
    """
    scene = _scene(fault, text, quoted)
    finding = next(found for look in (*IN_VALUES, *LAYOUT) if (found := look(scene)) is not None)
    problems.at_index(finding.index, finding.code, finding.what, why=finding.why, next_=finding.next)
    if finding.mend == "value":
        return _without_value(text, finding.index)
    if finding.mend == "lines":
        return _without_lines(text, finding.index)
    if finding.mend == "key":
        return _without_lines(text, finding.index, keep=True)
    if finding.mend == "escape":
        return Mended(text[: finding.index] + "  " + text[finding.index + 2 :], finding.index)
    return None


def _scene(fault: FaultError, text: str, quoted: tuple[int, int] | None) -> Scene:
    at = min(max(fault.at, 0), len(text) - 1)
    begun = min(max(fault.begun, 0), len(text) - 1)
    start, line, value_at = line_at(text, at)
    return Scene(fault, text, at, begun, start, line, value_at, text[value_at : start + len(line)], quoted)


def _without_value(text: str, index: int) -> Mended | None:
    """The text with the value of a line as an empty block scalar, which takes the lines indented below with it."""
    start, line, value_at = line_at(text, index)
    end = start + len(line)
    if not start <= value_at < end or text[value_at:end].rstrip() == "|":
        return None
    return Mended(text[:value_at] + "|" + " " * (end - value_at - 1) + text[end:], value_at)


def _without_lines(text: str, index: int, *, keep: bool = False) -> Mended | None:
    """The text without the line of `index` and the lines of prose that follow it.

    With `keep` the line keeps its key, whose colon is at `index`.
    """
    start, line, _ = line_at(text, index)
    if not line.strip():
        return None
    end = start + len(line)
    while end + 1 < len(text):
        _, line, _ = line_at(text, end + 1)
        if not is_prose(line):
            break
        end += 1 + len(line)
    start = index + 1 if keep else start
    return Mended(text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:], index if keep else None)
