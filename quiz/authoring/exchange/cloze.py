"""Clozes of an Anki note: `{{c1::hidden::hint}}`, one within another, or of several cards (`{{c1,2::hidden}}`)."""

from __future__ import annotations

import re
from typing import Final

BLANK: Final = "____"
_MARK: Final = re.compile(r"\{\{c\d{1,3}(?:,\d{1,3}){0,20}::|\}\}|::")
_PICTURE: Final = "image-occlusion:"


def hidden_in(text: str) -> tuple[str, list[str]]:
    """The text with a blank for each outermost cloze, its hint behind it; and what the blanks hide, in order."""
    out: list[str] = []
    hidden: list[str] = []
    opened: list[_Cloze] = []
    at = 0
    for mark in _MARK.finditer(text):
        (opened[-1].parts if opened else out).append(text[at : mark.start()])
        at = mark.end()
        if mark[0].startswith("{{"):
            opened.append(_Cloze(mark[0]))
        elif not opened:
            out.append(mark[0])
        elif mark[0] == "}}":
            closed = opened.pop()
            if opened:
                opened[-1].parts.append(closed.answer)
            else:
                hidden.append(closed.answer.strip())
                out.append(f"{BLANK} ({closed.hint})" if closed.hint else BLANK)
        elif not opened[-1].begin_hint():
            opened[-1].parts.append("::")
    (opened[-1].parts if opened else out).append(text[at:])
    return "".join([*out, *(f"{one.mark}{one.answer}{'::' if one.hinted else ''}{one.hint}" for one in opened)]), hidden


def is_picture(hidden: list[str]) -> bool:
    """Whether what is hidden are parts of a picture, and no words."""
    return bool(hidden) and all(one.startswith(_PICTURE) for one in hidden)


class _Cloze:
    """A cloze that is being read; `parts` are those of its answer, then of its hint."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.parts: list[str] = []
        self._answer: list[str] = self.parts
        self.hinted = False

    @property
    def answer(self) -> str:
        return "".join(self._answer)

    @property
    def hint(self) -> str:
        return "".join(self.parts) if self.hinted else ""

    def begin_hint(self) -> bool:
        """Take what follows for the hint; False where it is that already."""
        if self.hinted:
            return False
        self.hinted, self.parts = True, []
        return True
