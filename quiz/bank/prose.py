"""Prose with names put in: `{{ name }}`, `{{ name | GB 1 }}`, in the scope where the prose stands.

A text keeps Markdown's paragraphs, lists and code; the lines of a paragraph are joined, since the width of a YAML
file is not the width of a screen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.bank.literals import BRACES, literals
from quiz.bank.problems import FOUND, Problem, problems_of
from quiz.bank.scope import unit_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quiz.bank.document import Document, Path
    from quiz.bank.problems import Report
    from quiz.bank.scope import Scope

_PLACEHOLDER: Final = re.compile(rf"{BRACES}|\{{\{{(?P<body>[^{{}}]*)\}}\}}")
_HELD: Final = re.compile(r"\x00(\d+)\x00")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*")
_FORMAT: Final = re.compile(r"(?P<unit>[^\s\d]\S*)?\s*(?P<decimals>\d)?")
_KEEPS_LINE: Final = re.compile(r"\s*(?:[-*+]\s|\d+[.)]\s|\||>|#)")
VERDICT: Final = "verdict"

# Keys under which a text is shown to a learner as the author's own words, and the branches where none stands.
_PROSE_KEYS: Final = frozenset(
    {
        "stem",
        "title",
        "text",
        "why",
        "ask",
        "sketch",
        "says",
        "instead",
        "answer_line",
        "framing",
        "decision_rule",
        "heading",
        "analogy",
        "rubric",
        "bullets",
        "stops_working_when",
        "cells",
        "columns",
    }
)
_NO_PROSE: Final = frozenset(
    {
        "scenario",
        "given",
        "figures",
        "variants",
        "decide",
        "answer",
        "uses",
        "sources",
        "drill",
        "related",
        "prerequisites",
        "conventions",
        "set",
    }
)


class Writer:
    """Puts names into prose and notes what cannot be put in."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def text(self, prose: str | None, scope: Scope, path: Path, words: Mapping[str, str] | None = None) -> str:
        """The prose at `path`, names read in `scope`; `words` are ready texts such as the verdict."""
        if prose is None:
            return ""
        values: list[str] = []

        def kept_place(match: re.Match[str]) -> str:
            values.append(match["braces"] or self._put(match, scope, path, words or {}))
            return f"\x00{len(values) - 1}\x00"

        held = _PLACEHOLDER.sub(kept_place, prose)
        self._report_braces(prose, path)
        # Lines are joined before the values stand in them: a line that comes to start with `4.` is no list.
        return _HELD.sub(lambda match: values[int(match[1])], paragraphs(held))

    def line(self, prose: str | None, scope: Scope, path: Path, words: Mapping[str, str] | None = None) -> str:
        """The same as one line."""
        return " ".join(self.text(prose, scope, path, words).split())

    def _put(self, match: re.Match[str], scope: Scope, path: Path, words: Mapping[str, str]) -> str:
        name, _, form = (part.strip() for part in match["body"].partition("|"))
        start = match.start() + 2
        start += len(match["body"]) - len(match["body"].lstrip())
        if name in words and not form:
            return words[name]
        try:
            return _spelled(name, form, scope, path)
        except FOUND as error:
            for found in problems_of(error, path, name):
                if found.path == path:
                    found.start = start
                self._report.add(found)
        return match[0]

    def _report_braces(self, prose: str, path: Path) -> None:
        rest = _PLACEHOLDER.sub(lambda match: " " * len(match[0]), prose)
        at = min((place for place in (rest.find("{{"), rest.find("}}")) if place >= 0), default=-1)
        if at >= 0:
            self._report.add(
                Problem(
                    path,
                    "braces",
                    "these braces have no partner",
                    start=at,
                    next_="Write {{ name }}, or {{ name | GB 1 }} for a unit and decimals. "
                    'Braces that are to stand in the text themselves are written {{ "{{" }} and {{ "}}" }}.',
                )
            )


def _spelled(name: str, form: str, scope: Scope, path: Path) -> str:
    if not _NAME.fullmatch(name):
        raise Problem(
            path,
            "placeholder",
            f"{name!r} is no name" if name else "a name is missing",
            why="Between the braces stands the name of a figure, a quantity, or option.quantity.",
            next_="Give a formula a name under `figures` and write that.",
        )
    shown = scope.in_prose(name)
    if not form:
        return shown.in_prose
    match = _FORMAT.fullmatch(form)
    if not match:
        raise Problem(path, "placeholder", f"{form!r} is no unit with decimals", next_="For example: | GB 1")
    unit = unit_for(match["unit"], shown.value, path, scope.world.units) if match["unit"] else None
    decimals = int(match["decimals"]) if match["decimals"] else None
    return shown.with_format(unit, decimals).text


def paragraphs(text: str) -> str:
    """The text with the lines of each paragraph joined; lists, tables and fenced code keep their lines."""
    out: list[str] = []
    fenced = joinable = False
    for line in text.strip("\n").split("\n"):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced, joinable = not fenced, False
            out.append(stripped)
        elif fenced or not stripped:
            out.append(line.rstrip() if fenced else "")
            joinable = False
        elif joinable and not _KEEPS_LINE.match(line):
            out[-1] += " " + stripped
        else:
            out.append(line.rstrip() if _KEEPS_LINE.match(line) else stripped)
            joinable = not stripped.startswith(("|", "#"))
    return "\n".join(out).strip()


def names_in(text: str) -> Iterator[str]:
    """The names that a text puts in, without what says how they are shown."""
    for match in _PLACEHOLDER.finditer(text):
        if match["braces"] is None and (name := match["body"].partition("|")[0].strip()):
            yield name


def report_literals(document: Document, report: Report) -> None:
    """Note every figure that is typed in prose. Works on the data as read, so that no other error hides these."""
    if not isinstance(document.data, dict):
        return
    for path, text in prose_texts(document.data):
        for literal in literals(text):
            from quiz.bank.literals_advice import instead_of  # most files have none

            report.add(
                Problem(
                    path,
                    "literal-figure",
                    f"{literal.plain!r} is a figure typed in prose",
                    start=literal.start,
                    why="A figure is derived, never typed: a typed one goes stale, and nothing can check it.",
                    next_=instead_of(literal.plain),
                )
            )


def prose_texts(data: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every text of a document that a learner reads as the author's own words, with its path."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in _NO_PROSE or len(path) not in (0, 2, 3):
                yield from prose_texts(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from prose_texts(value, (*path, index))
    elif isinstance(data, str) and any(key in _PROSE_KEYS for key in path[-2:] if isinstance(key, str)):
        yield path, data
