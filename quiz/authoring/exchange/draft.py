"""A question from elsewhere, before it is one of ours: its text, and whatever else its format could say."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from quiz.authoring.exchange.bank_text import in_bank
from quiz.authoring.exchange.marks import printable

#: The most options that a question of ours has.
MAX_OPTIONS: Final = 6
#: The longest text that a question of ours holds, in characters.
MAX_TEXT: Final = 8_000
#: The most questions that one file may bring.
MAX_DRAFTS: Final = 100_000


class UnreadableError(Exception):
    """A file that brings nothing: not of its format, damaged, too large. `line` counts from 1; 0 is the file."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.what, self.line = what, line


@dataclass(frozen=True, slots=True)
class Choice:
    """An option: its text, whether it is right, and what is said to whoever chooses it."""

    text: str
    right: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A typed answer: the number and its tolerance as plain decimals (`within` empty for exact), and its unit.

    `share` is a tolerance that is a share of the number ("3 %").
    """

    number: str
    within: str = ""
    unit: str = ""
    share: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """One question. With `options` it is a choice, with `value` a number, else it is answered in words.

    `line` is where it begins in its file: a line of text, or the number of a note.
    """

    line: int
    stem: str
    options: tuple[Choice, ...] = ()
    value: Value | None = None
    sketch: str = ""
    why: str = ""
    id: str = ""
    topic: str = ""
    title: str = ""
    difficulty: int | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """What could not be carried over, and where it stood."""

    line: int
    what: str


@dataclass(slots=True)
class Imported:
    """What a file brings. `unit` is what `line` counts in it."""

    drafts: list[Draft] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    unit: str = "line"

    def add(self, draft: Draft) -> None:
        """Take a draft, unless nothing of it is left or it is too long for a question."""
        draft = _printed(draft)
        if not draft.stem:
            self.lose(draft.line, "no text is left of this question, so it is left out")
        elif any(len(in_bank(text)) > MAX_TEXT for text in (draft.stem, *(one.text for one in draft.options))):
            self.lose(draft.line, f"its text is longer than {MAX_TEXT:,} characters, so the question is left out")
        elif len(self.drafts) >= MAX_DRAFTS:
            raise UnreadableError(f"there are more than {MAX_DRAFTS:,} questions in this file", draft.line)
        else:
            self.drafts.append(self._shortened(draft))

    def _shortened(self, draft: Draft) -> Draft:
        """A draft without explanations that are too long."""
        sketch, why = (text if len(in_bank(text)) <= MAX_TEXT else "" for text in (draft.sketch, draft.why))
        if (sketch, why) != (draft.sketch, draft.why):
            self.lose(draft.line, f"the answer or explanation is longer than {MAX_TEXT:,} characters and is left out")
        options = tuple(replace(one, why=one.why if len(in_bank(one.why)) <= MAX_TEXT else "") for one in draft.options)
        return replace(draft, options=options, sketch=sketch, why=why)

    def lose(self, line: int, what: str) -> None:
        """Note what could not be carried; the same of one place once."""
        lost = Lost(line, what)
        if lost not in self.lost[-20:]:
            self.lost.append(lost)


def _printed(draft: Draft) -> Draft:
    """A draft whose texts hold what prints, and nothing around it."""
    stem, sketch, why, title = (printable(one).strip() for one in (draft.stem, draft.sketch, draft.why, draft.title))
    options = tuple(Choice(printable(one.text).strip(), one.right, printable(one.why).strip()) for one in draft.options)
    return replace(draft, stem=stem, options=options, sketch=sketch, why=why, title=title)


def in_words(draft: Draft, why_not: str, into: Imported, key: str = "") -> Draft:
    """A choice that no question of ours can be, as one that is answered in words: its options stand in the text.

    `key` says which is right where no option does; without it the answer is left for the author to write.
    """
    into.lose(draft.line, f"{why_not}; it becomes a question that is answered in words")
    listed = "\n".join(f"- {option.text}" for option in draft.options)
    right = "\n".join(f"- {option.text}" for option in draft.options if option.right)
    reasons = "\n\n".join(f"{option.text}: {option.why}" for option in draft.options if option.why)
    sketch = "\n\n".join(part for part in (right or key, reasons) if part)
    return Draft(
        draft.line,
        f"{draft.stem}\n\n{listed}",
        sketch=sketch,
        why=draft.why,
        id=draft.id,
        topic=draft.topic,
        title=draft.title,
        difficulty=draft.difficulty,
    )
