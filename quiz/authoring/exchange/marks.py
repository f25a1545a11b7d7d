"""A bank's prose in other people's marks: blocks of a text, its spans, and what has to be escaped where."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SPAN: Final = re.compile(r"`([^`]+)`|\*\*(?=\S)([^*]+?)(?<=\S)\*\*")
_ITEM: Final = re.compile(r"^\s*(?:[-*•]|(\d{1,2})[.)])\s+")
_MARKDOWN: Final = re.compile(r"[\\`*_\[\]<>|~$&]")
_AT_START: Final = re.compile(r"^(\s*)(#{1,6}(?= )|[-+=](?=\s|$|[-=])|\d{1,9}(?=[.)](?:\s|$)))")
_CONTROLS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(1, 17))
    + "]"
)
_BYTE_ORDER_MARK: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or one item of a list (`bullet` is its mark), on one line."""

    text: str
    bullet: str = ""


def printable(text: str) -> str:
    """The text without characters that do not print or that turn its direction: no format may carry them.

    Every line ends in LF.
    """
    return _CONTROLS.sub(
        "\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").replace("\r", "\n").replace(_BYTE_ORDER_MARK, "")
    )


def paragraphs(text: str) -> list[Paragraph]:
    """The paragraphs and list items of a text, each on one line; each line of fenced code is one too, as code."""
    found: list[Paragraph] = []
    words: list[str] = []
    bullet = ""
    fenced = False
    for line in [*printable(text).splitlines(), ""]:
        item = None if fenced else _ITEM.match(line)
        fence = line.strip().startswith("```")
        if fenced and line.strip() and not fence:
            found.append(Paragraph(f"`{line.strip()}`"))
            continue
        if fence:
            fenced = not fenced
            line = ""  # noqa: PLW2901 - a fence ends a paragraph as a blank line does
        if (item or not line.strip()) and words:
            found.append(Paragraph(" ".join(words), bullet))
            words = []
        if item:
            bullet = f"{item[1]}." if item[1] else "-"
            words.append(line[item.end() :].strip())
        elif line.strip():
            words.append(line.strip())
        else:
            bullet = ""
    return found


def spans(text: str, plain: Callable[[str], str], code: Callable[[str], str], bold: Callable[[str], str]) -> str:
    """One line with each of its parts turned by its function."""
    parts: list[str] = []
    end = 0
    for span in _SPAN.finditer(text):
        parts += [plain(text[end : span.start()]), code(span[1]) if span[1] else bold(span[2])]
        end = span.end()
    return "".join([*parts, plain(text[end:])])


def inline_html(text: str) -> str:
    """One line as HTML."""
    return spans(
        printable(text),
        escape_html,
        lambda code: f"<code>{escape_html(code)}</code>",
        lambda bold: f"<strong>{escape_html(bold)}</strong>",
    )


def escape_html(text: str) -> str:
    """Plain text as HTML shows it unchanged, between tags."""
    return html.escape(text, quote=False)


def block_html(text: str, label: str = "") -> str:
    """A text as HTML paragraphs and lists; `label` stands in bold before the first."""
    lines: list[str] = []
    before = f"<strong>{inline_html(label)}</strong> " if label else ""
    for kind, group in _grouped(paragraphs(text)):
        if not kind:
            lines += [f"<p>{before if not lines else ''}{inline_html(one.text)}</p>" for one in group]
            continue
        if before and not lines:
            lines.append(f"<p>{before.strip()}</p>")
        tag = "ul" if kind == "-" else "ol"
        lines.append(f"<{tag}>{''.join(f'<li>{inline_html(one.text)}</li>' for one in group)}</{tag}>")
    if before and not lines:
        lines.append(f"<p>{before.strip()}</p>")
    return "\n".join(lines)


def _grouped(every: list[Paragraph]) -> Iterator[tuple[str, list[Paragraph]]]:
    """Runs of paragraphs, and of items of one kind of list."""
    run: list[Paragraph] = []
    for one in every:
        if run and _kind(one) != _kind(run[-1]):
            yield _kind(run[-1]), run
            run = []
        run.append(one)
    if run:
        yield _kind(run[-1]), run


def _kind(one: Paragraph) -> str:
    return one.bullet and ("-" if one.bullet == "-" else "1.")


def inline_markdown(text: str) -> str:
    """One line as Markdown: what would be a mark there is escaped."""
    return spans(
        printable(text),
        escape_markdown,
        lambda code: f"`{code}`",
        lambda bold: f"**{escape_markdown(bold)}**",
    )


def escape_markdown(text: str) -> str:
    """Plain text as Markdown shows it unchanged."""
    return _MARKDOWN.sub(lambda match: f"\\{match[0]}", text)


def block_markdown(text: str, label: str = "") -> str:
    """A text as Markdown paragraphs and lists."""
    blocks: list[str] = []
    for kind, group in _grouped(paragraphs(text)):
        if kind:
            blocks.append("\n".join(f"{one.bullet} {inline_markdown(one.text)}" for one in group))
        else:
            blocks += [_guarded(inline_markdown(one.text)) for one in group]
    if label:
        bold = f"**{escape_markdown(printable(label))}**"
        first = blocks[0] if blocks else ""
        joined = [f"{bold} {first}", *blocks[1:]] if first and not _ITEM.match(first) else [bold, *blocks]
        return "\n\n".join(joined)
    return "\n\n".join(blocks)


def _guarded(line: str) -> str:
    """A line that does not begin as a heading, a list or a rule does."""
    return _AT_START.sub(
        lambda match: f"{match[1]}{match[2]}\\" if match[2].isdigit() else f"{match[1]}\\{match[2]}", line
    )
