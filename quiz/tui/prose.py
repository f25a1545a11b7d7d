"""A bank's prose as lines: paragraphs reflowed, `- ` lists, `code`, **bold** and fenced code. No more is formatted.

This is not Markdown: a `<tag>`, a `[red]` or an `a[i]` stands as it was written, and so does a backtick or a
star that has no partner.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quiz.tui.harmless import plain
from quiz.tui.lines import BLANK, Lines, join, text, wrap

if TYPE_CHECKING:
    from textual.content import Content

CODE = "$code"
_SPAN = re.compile(r"`([^`]+)`|\*\*(?=\S)([^*]+?)(?<=\S)\*\*")
_ITEM = re.compile(r"^\s*(?:[-*•]|(\d{1,2})[.)])\s+")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, one item of a list (`bullet` is what stands before it) or one line of fenced code, as one line."""

    text: str
    bullet: str = ""
    code: bool = False


def blocks(source: str) -> list[Block]:
    """The paragraphs and items of a text, each on one line; fenced code line by line, as it was indented."""
    found: list[Block] = []
    words: list[str] = []
    bullet = ""
    fenced = False

    def finish() -> None:
        if words:
            found.append(Block(" ".join(words), bullet))
            words.clear()

    for line in plain(source).splitlines():
        item = _ITEM.match(line)
        if line.strip().startswith("```"):
            finish()
            fenced, bullet = not fenced, ""
        elif fenced:
            found.append(Block(line.rstrip(), code=True))
        elif not line.strip():
            finish()
            bullet = ""
        elif item:
            finish()
            bullet = f"{item[1]}. " if item[1] else "• "
            words.append(line[item.end() :].strip())
        else:
            words.append(line.strip())
    finish()
    return found


def inline(source: str, style: str = "") -> Content:
    """One line of text with its `code` and **bold**."""
    parts: list[Content | tuple[str, str]] = []
    end = 0
    for span in _SPAN.finditer(source):
        parts.append((source[end : span.start()], style))
        code, bold = span[1], span[2]
        parts.append((code, CODE) if code else (bold, f"{style} bold".strip()))
        end = span.end()
    parts.append((source[end:], style))
    return join(*parts)


def lay(source: str, width: int, *, indent: str = "", style: str = "") -> Lines:
    """The text in lines, a blank one between paragraphs, none between the items of a list or the lines of code."""
    lines: Lines = []
    before: Block | None = None
    for block in blocks(source):
        if before is not None and not (before.bullet and block.bullet) and not (before.code and block.code):
            lines.append(BLANK)
        if block.code:
            lines += wrap(text(block.text, CODE), width, f"{indent}  ", f"{indent}    ") or [BLANK]
            before = block
            continue
        lines += wrap(inline(block.text, style), width, indent + block.bullet, " " * len(indent + block.bullet))
        before = block
    return lines


def verbatim(source: str, width: int, *, indent: str = "") -> Lines:
    """The text as it was written: its own lines, none of them joined, nothing in it read as a mark."""
    return [line for written in plain(source).splitlines() for line in wrap(text(written), width, indent) or [BLANK]]
