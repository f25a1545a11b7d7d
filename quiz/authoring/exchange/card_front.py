"""What the front of an Anki card asks: its template with a note's fields put in.

A template is read and not executed: a field stands in the place of its name, a section is there or not, and the rest
is HTML like that of a field. Its scripts and styles fall away where that becomes text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_TAG: Final = re.compile(r"\{\{\s*([#^/]?)([^{}]{1,200})\}\}")
_OTHER_BRACES: Final = "{{="
#: Filters of a field that a learner does not see: what is typed, and what a click shows.
_UNSEEN: Final = frozenset(("type", "hint"))
_LONGEST: Final = 100_000
_DEEPEST: Final = 20
_MOST_BYTES: Final = 10
_PAYLOAD: Final = 2
_FIXED: Final = {1: 8, 5: 4}


def front_of(template: str, fields: Mapping[str, str]) -> tuple[str, frozenset[str]]:
    """The front as HTML, and the names of the fields that stand in it; empty where the template cannot be read."""
    nothing: tuple[str, frozenset[str]] = ("", frozenset())
    if len(template) > _LONGEST or _OTHER_BRACES in template:
        return nothing
    parts: list[str] = []
    shown: set[str] = set()
    sections: list[bool] = []
    at = size = 0
    for tag in _TAG.finditer(template):
        between, mark, name = template[at : tag.start()], tag[1], tag[2].strip()
        at = tag.end()
        field = ""
        if all(sections):
            *filters, bare = (part.strip() for part in name.split(":"))
            if not mark and bare in fields and not _UNSEEN & {*filters}:
                field = fields[bare]
                shown.add(bare)
            parts += [between, field]
            size += len(between) + len(field)
        if size > _LONGEST or len(sections) > _DEEPEST:
            return nothing
        if mark == "/" and sections:
            sections.pop()
        elif mark in ("#", "^"):
            sections.append(bool(fields.get(name, "").strip()) == (mark == "#"))
    if all(sections):
        parts.append(template[at:])
    return "".join(parts), frozenset(shown)


def template_in(config: object) -> str:
    """The front in the settings of a template as Anki keeps them today: the first text of a protocol buffer."""
    if not isinstance(config, bytes):
        return ""
    at = 0
    while at < len(config):
        key, at = _number(config, at)
        kind = key & 7
        if kind == _PAYLOAD:
            length, at = _number(config, at)
            if key >> 3 == 1:
                return config[at : at + length].decode("utf-8", "replace")
            at += length
        elif kind == 0:
            _, at = _number(config, at)
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            return ""
    return ""


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends; a broken one ends where the data does."""
    value = 0
    for place in range(_MOST_BYTES):
        if at + place >= len(data):
            break
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follows
            return value, at + place + 1
    return 0, len(data)
