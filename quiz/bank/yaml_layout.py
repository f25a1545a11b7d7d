"""Mistakes between lines: a colon, a space or an indentation that is missing.

These are looked for after those within a value, since nearly every mistake ends by surprising the parser on a later
line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from quiz.bank.diagnostics import shown
from quiz.bank.yaml_checks import IN_QUOTES
from quiz.bank.yaml_scene import Finding, Scene, is_prose, line_at

if TYPE_CHECKING:
    from collections.abc import Callable

_NO_SPACE = re.compile(r" *(?:- +)*([A-Za-z_][\w.-]*):(?=[^\s:/])")


def _space_missing(scene: Scene) -> Finding | None:
    """`key:value`, which is one word, so that the next line surprises the parser."""
    if not (
        "mapping values" in scene.fault.problem
        or "expected ':'" in scene.fault.problem
        or "block mapping" in scene.fault.context
    ):
        return None
    start, line, _ = line_at(scene.text, scene.begun if "expected ':'" in scene.fault.problem else scene.at)
    for _ in range(2):
        match = _NO_SPACE.match(line)
        if match:
            index = start + match.end() - 1
            return Finding(
                index,
                "space-after-colon",
                f"no space after the colon of `{shown(match[1])}`",
                "Without the space, key and value are one word.",
                f"Write `{shown(match[1])}: ...`.",
                "key",
            )
        if start == 0:
            break
        start, line, _ = line_at(scene.text, start - 1)
    return None


def _no_space_after_dash(scene: Scene) -> Finding | None:
    """`-entry`, which is a text that begins with a dash."""
    fits = "block" in scene.fault.context or "expected ':'" in scene.fault.problem
    start, line, _ = line_at(scene.text, scene.begun if "expected ':'" in scene.fault.problem else scene.at)
    match = re.match(r" *-(?=[^\s-])", line)
    if not fits or match is None:
        return None
    return Finding(
        start + match.end() - 1,
        "space-after-dash",
        "no space after the - of a list",
        "Without the space the - is part of a text.",
        "Write `- `, then the entry.",
        "lines",
    )


def _no_key(scene: Scene) -> Finding | None:
    if not re.match(r" *:(?: |$)", scene.line) or "block" not in scene.fault.context:
        return None
    return Finding(
        scene.at,
        "key-not-text",
        "a key is missing before the colon",
        "",
        "Write the key, or quote a text that begins with a colon.",
        "lines",
    )


def _after_comment(scene: Scene) -> Finding | None:
    """A text of several lines with a comment in between ends at the comment."""
    if scene.line_start == 0:
        return None
    _, before, _ = line_at(scene.text, scene.line_start - 1)
    indent = len(scene.line) - len(scene.line.lstrip(" "))
    if " #" not in before or ": " in scene.line or indent <= len(before) - len(before.lstrip(" ")):
        return None
    return Finding(
        scene.at,
        "cut-by-comment",
        "this continues a text that has already ended at a #",
        "A # after a space begins a comment and ends the text before it.",
        IN_QUOTES,
        "lines",
    )


def _no_colon(scene: Scene) -> Finding | None:
    """A line of prose among keys: a text whose indentation ended too early, or a key without a colon."""
    index = scene.begun if "expected ':'" in scene.fault.problem else scene.at
    if "expected ':'" not in scene.fault.problem and not ("block" in scene.fault.context and is_prose(scene.line)):
        return None
    return Finding(
        index,
        "no-colon",
        "this line is neither a key with its value nor part of a text",
        "Among the keys of a mapping each line has a colon. A longer text goes on only where its lines "
        "are indented deeper than its key.",
        "Indent the line like the rest of its text, or write `key: value`.",
        "lines",
    )


def _indentation(scene: Scene) -> Finding:
    """Whatever is left is nearly always a line that is indented unlike its neighbours."""
    indent = len(scene.line) - len(scene.line.lstrip(" "))
    begun_line = scene.text.count("\n", 0, scene.begun) + 1
    here = scene.text.count("\n", 0, scene.at) + 1
    if begun_line != here and "block" in scene.fault.context:
        level = scene.begun - (scene.text.rfind("\n", 0, scene.begun) + 1) + 1
        kind = "list" if "collection" in scene.fault.context else "mapping"
        why = f"It begins in column {indent + 1}; the {kind} around it began on line {begun_line}, in column {level}."
        if level == indent + 1:
            why = f"It is neither an entry of the {kind} that began on line {begun_line} nor part of one."
        return Finding(
            scene.line_start + indent,
            "indentation",
            "this line does not fit the lines around it",
            why,
            "Give the entries of one list or mapping the same indentation; in a list each has a - of its own.",
        )
    if "mapping values" in scene.fault.problem:
        return Finding(
            scene.line_start + indent,
            "indentation",
            "this key is indented deeper than the keys before it",
            "The line before it already has a value, so nothing can stand under it.",
            "Give the keys of one mapping the same indentation.",
        )
    return Finding(
        scene.at,
        "syntax",
        "this cannot be read as YAML",
        "It does not continue what stands before it.",
        "Check the indentation here and on the line before, and quote texts with special characters.",
    )


LAYOUT: tuple[Callable[[Scene], Finding | None], ...] = (
    _space_missing,
    _no_space_after_dash,
    _no_key,
    _after_comment,
    _no_colon,
    _indentation,
)
