"""Traps of a text file that the YAML reader steps over: they do no harm today, and break other tools tomorrow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.bank.diagnostics import Diagnostic, Place
from quiz.bank.problems import Problem
from quiz.bank.prose import prose_texts
from solvers.catalogue import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.bank.document import Document, Path
    from quiz.bank.problems import Report

_SINGLE: Final = re.compile(r"(?<!\{)\{\s*(?P<name>[a-z][\w.]*)\s*\}(?!\})")
_DOUBLE: Final = re.compile(r"\{\{\s*(?P<name>[a-z][\w.]*)\s*(?:\|[^{}]*)?\}\}")
_FOREIGN: Final = re.compile(
    r"\{\{\{\s*(?P<name>[a-z][\w.]*)\s*(?:\|[^{}]*)?\}\}\}|\{%-?\s*(?P<tag>[a-z][\w.]*)[^{}%]*%\}"
)
"""Ways in which other programs put a name into a text."""
_PLAIN: Final = ("title", "uses", "sources", "figures", "deprecated")
"""Keys under which a text is shown as it is written."""
_BOM: Final = b"\xef\xbb\xbf"


def traps_of(content: bytes, file: str) -> Iterator[Diagnostic]:
    """What the bytes of a file hold besides its text."""
    if content.startswith(_BOM):
        yield Diagnostic(
            Place(file, 1, 1),
            "byte-order-mark",
            "this file begins with a byte order mark",
            "It is dropped here; other programs show it, or take it for a part of the first key.",
            "Save the file as UTF-8 without a signature.",
            "warning",
        )
    if b"\r\n" in content:
        line = content[: content.index(b"\r\n")].count(b"\n") + 1
        mixed = content.count(b"\r\n") < content.count(b"\n")
        yield Diagnostic(
            Place(file, line, 1),
            "line-ends",
            "some lines of this file end in CRLF, others in LF" if mixed else "the lines of this file end in CRLF",
            "A line that changes its end shows as changed in every later comparison.",
            "Save the file with LF; `*.yaml text eol=lf` in .gitattributes keeps it so.",
            "warning",
        )


def report_single_braces(document: Document, report: Report) -> None:
    """Note names in braces that stand as they are: `{ name }` in prose, `{{ name }}` where none is put in."""
    data = document.data
    figures = data.get("figures") if isinstance(data, dict) else None
    own = set(figures) if isinstance(figures, dict) else set()
    _report_plain_texts(data, own, report)
    for path, text in prose_texts(data):
        for found in _FOREIGN.finditer(text):
            name = found["name"] or found["tag"]
            report.add(
                Problem(
                    path,
                    "single-brace",
                    f"{found[0]} stands in the text with braces around it"
                    if found["name"]
                    else f"{found[0]} stands in the text as it is",
                    start=found.start(),
                    why="A name is put in between two braces on each side.",
                    next_=f"Write {{{{ {name} }}}}.",
                ),
                "warning",
            )
        for found in _SINGLE.finditer(text):
            if found["name"] in own or found["name"] in CATALOGUE:
                report.add(
                    Problem(
                        path,
                        "single-brace",
                        f"{found[0]} stands in the text as it is",
                        start=found.start(),
                        why="A name is put in between two braces on each side.",
                        next_=f"Write {{{{ {found['name']} }}}}.",
                    ),
                    "warning",
                )


def _report_plain_texts(data: object, own: set[str], report: Report) -> None:
    for path, text in _plain_texts(data):
        for found in _DOUBLE.finditer(text):
            if found["name"] in own or found["name"] in CATALOGUE:
                report.add(
                    Problem(
                        path,
                        "single-brace",
                        f"{found[0]} stands in the text as it is",
                        start=found.start(),
                        why="No name is put into titles, citations and the words that mark a red flag.",
                        next_="Say it without the figure, or in a text that takes names.",
                    ),
                    "warning",
                )


def _plain_texts(data: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The texts below those keys, with their paths."""
    if isinstance(data, str):
        if path[:1] and (path[0] in _PLAIN or (path[0] == "red_flags" and path[2:3] == ("spot",))):
            yield path, data
    elif isinstance(data, dict | list):
        for step, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _plain_texts(value, (*path, step))
