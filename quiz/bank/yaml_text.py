"""From the bytes of a file to text that both YAML parsers read alike.

The C and the Python parser disagree about byte order marks, tabs, NEL and lone surrogates. All of them are settled
here, before either parser sees the text, and each problem is reported with its place.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from solvers.record import Record

if TYPE_CHECKING:
    from quiz.bank.yaml_problems import Problems

MAX_BYTES = 2 * 1024 * 1024
_EACH = 8  # of one kind of bad character; a binary file has thousands

# Line breaks of other conventions, controls, what reorders a line on screen, halves of characters, non-characters.
_REFUSED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(1, 17))
    + "]"
)
_TAB = re.compile("\t+")


class Text(Record):
    """Text fit for a parser: LF ends every line, the last one too. `usable` is False where a parse would mislead."""

    text: str
    usable: bool


def clean(raw: str | bytes, problems: Problems) -> Text:
    """Decode and check `raw`; what is refused is reported and replaced by one character of equal width."""
    if len(raw) > MAX_BYTES or (isinstance(raw, str) and len(raw.encode("utf-8", "surrogatepass")) > MAX_BYTES):
        problems.at(
            1,
            1,
            "file-too-large",
            f"this file is larger than {MAX_BYTES // 2**20} MiB",
            why="A question takes a few kilobytes; a file of this size is something else or holds many.",
            next_="Write one question in a file.",
        )
        return Text("", usable=False)
    text = raw if isinstance(raw, str) else _decode(raw, problems)
    if text is None:
        return Text("", usable=False)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.endswith("\n"):
        text += "\n"  # so that a block scalar at the end means the same with and without
    problems.source = text
    usable = True
    if not text.replace("\n", "").isprintable() and _REFUSED.search(text):  # the first is quick, and wider
        usable = _report_characters(text, problems)
        text = _REFUSED.sub("\N{REPLACEMENT CHARACTER}", text)
    if "\t" in text:
        usable = _report_tabs(text, problems) and usable
        text = text.replace("\t", " ")
    return Text(text, usable)


def refused_character(character: str) -> bool:
    """Whether `character` may not stand in a text of the bank; a line break may."""
    return character == "\t" or _REFUSED.match(character) is not None


def name_character(character: str) -> str:
    """How a message names a character: "U+000C, form feed"."""
    code = ord(character)
    name = _CONTROLS.get(code) or unicodedata.name(character, "").lower() or "control character"
    return f"U+{code:04X}, {name}"


_CONTROLS = {
    0x00: "null", 0x07: "bell", 0x08: "backspace", 0x09: "tab", 0x0B: "vertical tab", 0x0C: "form feed",
    0x0D: "carriage return", 0x1B: "escape", 0x7F: "delete", 0x85: "next line", 0xFEFF: "byte order mark",
}  # fmt: skip


def _decode(raw: bytes, problems: Problems) -> str | None:
    """UTF-8 with every bad byte kept as a lone surrogate, which `_report_characters` then places."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or (raw[:200].count(0) * 3 > len(raw[:200]) > 0):
        problems.at(
            1,
            1,
            "encoding",
            "this file is not UTF-8 text; it looks like UTF-16 or binary data",
            next_="Save it as UTF-8.",
        )
        return None
    return raw.decode("utf-8", "surrogateescape")


def _report_characters(text: str, problems: Problems) -> bool:
    """Report refused characters; False where there are so many that this is no text."""
    found = list(_REFUSED.finditer(text))
    for match in found[:_EACH]:
        character = match[0]
        if "\udc80" <= character <= "\udcff":
            problems.at_index(
                match.start(),
                "encoding",
                f"the byte 0x{ord(character) - 0xDC00:02x} is not UTF-8 text",
                why="The file was saved in another encoding, or is damaged here.",
                next_="Save it as UTF-8.",
            )
        elif "\ud800" <= character <= "\udfff":
            problems.at_index(
                match.start(),
                "encoding",
                f"half of a character ({name_character(character)})",
                next_="Delete it or write the whole character.",
            )
        else:
            problems.at_index(
                match.start(),
                "control-character",
                f"a character that may not stand in a bank file ({name_character(character)})",
                why="It is invisible, and screens, parsers and readers disagree about it.",
                next_="Delete it.",
            )
    if len(found) > _EACH:
        problems.at_index(
            found[_EACH].start(),
            "control-character",
            f"{len(found) - _EACH} more characters that may not stand in a bank file",
            next_="Check that this is a text file, saved as UTF-8.",
        )
    return len(found) <= _EACH


def _report_tabs(text: str, problems: Problems) -> bool:
    """Report tabs; False where one stands in an indentation, since the structure is then unknown."""
    usable = True
    found = list(_TAB.finditer(text))
    for match in found:
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        usable = usable and bool(line.strip())
    for match in found[:_EACH]:
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        where = "" if line.strip() else " in the indentation"
        problems.at_index(
            match.start(),
            "tab",
            f"a tab character{where}",
            why="" if where == "" else "YAML measures indentation in spaces; a tab has no fixed width.",
            next_="Use spaces; most editors can convert the whole file at once.",
        )
    if len(found) > _EACH:
        problems.at_index(
            found[_EACH].start(),
            "tab",
            f"{len(found) - _EACH} more tab characters",
            next_="Use spaces; most editors can convert the whole file at once.",
        )
    return usable
