"""Text laid out in lines for a width: wrapping with a hanging indent, cutting, padding.

A layout is a function from a width in cells to lines, each of them at most that wide. Everything that the
screens show is made this way, so that it can be tested without a screen and costs one widget.

Texts of a bank or of a learner come in as plain strings and are never read as markup.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from textual.content import Content

from quiz.tui.harmless import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Lines: TypeAlias = "list[Content]"
Layout: TypeAlias = "Callable[[int], Lines]"

BLANK = Content("")
# Stands for a blank at which no line may break; a no-break space counts as a blank where textual wraps.
_GLUE = "\ufdd0"
_UNITS = (
    "[kKMGTPE]?i?[Bb](?:ytes?|its?)?|[kMGTPE]?FLOPS?|[kKMGTPE]|[numµ]?s|min|h|d|[kMG]?W|x|times|thousand|million|billion"
    "|trillion|percent|seconds?|minutes?|hours?|days?|weeks?|months?|years?|GPUs?|nodes?|tokens?|param(?:eter)?s?"
    "|layers?|stages?|replicas?|ranks?|heads?|steps?|micro-batch(?:es)?|sequences?|points?"
)
_BEFORE_UNIT = re.compile(rf"(?<=\d) (?=[%‰×](?!\w)|(?:{_UNITS})(?:/[\w/]+)?(?![\w/]))")


def text(value: str, style: str = "") -> Content:
    """A plain string as content, on one line."""
    return Content.styled(plain(value).replace("\n", " "), style)


def join(*parts: str | Content | tuple[str, str]) -> Content:
    """Pieces side by side: plain strings, content, and pairs of string and style."""
    made = [part if isinstance(part, Content) else text(*([part] if isinstance(part, str) else part)) for part in parts]
    return Content.assemble(*made)


def wrap(content: Content, width: int, first: str | Content = "", rest: str | Content | None = None) -> Lines:
    """The content in lines of at most `width` cells; `first` stands before the first line, `rest` before others.

    Without `rest` the others are indented to the end of `first`. Where the indent leaves no room it is dropped.
    """
    lead = text(first) if isinstance(first, str) else first
    hang = Content(" " * lead.cell_length) if rest is None else text(rest) if isinstance(rest, str) else rest
    room = width - max(lead.cell_length, hang.cell_length)
    if room < 1:
        return cut_all(fold(content, max(1, width)), width)
    return [(hang if number else lead) + line for number, line in enumerate(fold(content, room))]


def fold(content: Content, width: int) -> Lines:
    """The content in lines of at most `width` cells. A number and its unit stay on one line where they fit on one."""
    bound = _BEFORE_UNIT.sub(_GLUE, content.plain)
    if bound == content.plain:
        return content.wrap(width)
    made = Content(bound, [*content.spans]).wrap(width)
    return [Content(line.plain.replace(_GLUE, " "), [*line.spans]) for line in made]


def cut(content: Content, width: int) -> Content:
    """The content on one line of at most `width` cells, with an ellipsis where something is missing."""
    if content.cell_length <= width:
        return content
    return content.truncate(max(0, width), ellipsis=width > 1)


def cut_all(lines: Iterable[Content], width: int) -> Lines:
    """Each line cut to the width."""
    return [cut(line, width) for line in lines]


def spread(left: Content, right: Content, width: int, *, least: int = 2) -> Content:
    """`left` and `right` at the two ends of a line; the left one gives way, then the right one goes."""
    if right.cell_length + least >= width:
        return cut(left, width)
    room = width - right.cell_length - least
    kept = cut(left, room)
    return kept + Content(" " * (width - kept.cell_length - right.cell_length)) + right


def fill(line: Content, width: int, style: str) -> Content:
    """The line made exactly `width` cells long and put on a background."""
    line = cut(line, width)
    if line.cell_length < width:
        line = line.pad_right(width - line.cell_length)
    return line.stylize_before(style)


def bar(share: float, width: int, on: str, off: str) -> Content:
    """A plain bar of `width` cells, `share` of it filled (0 to 1); something above nothing shows at least one cell."""
    share = min(1.0, max(0.0, share))
    done = min(width, max(1, round(share * width))) if share > 0 and width else 0
    return join(("━" * done, on), ("─" * (width - done), off))


def heading(label: str, width: int, style: str = "$text-accent bold") -> Lines:
    """A heading on lines of its own."""
    return wrap(text(label, style), width)
