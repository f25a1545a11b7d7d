"""Drafts from GIFT, Moodle's text format: choices, true or false, numbers, short answers, matching, essays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.authoring.exchange.as_gift import TYPED, decimal
from quiz.authoring.exchange.bank_text import half_a_digit
from quiz.authoring.exchange.draft import MAX_OPTIONS, Choice, Draft, Imported, UnreadableError, Value, in_words
from quiz.authoring.exchange.html_text import has_markup, plain_text, tags_in
from quiz.authoring.exchange.marks import printable
from quiz.bank.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES: Final = 32_000_000
_CATEGORY: Final = re.compile(r"\$CATEGORY:\s*(.*)", re.IGNORECASE)
_FORMAT: Final = re.compile(r"\s*\[(html|plain|markdown|moodle)\]", re.IGNORECASE)
_WEIGHT: Final = re.compile(r"\s*%(-?\d{1,3}(?:\.\d{1,6})?)%")
_TRUTH: Final = re.compile(r"\s*(TRUE|FALSE|T|F)\s*(?=#|$)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,2})?")
_TYPED: Final = re.compile(rf"\n\s*{TYPED}(?: \(([^()\n]{{1,40}})\))?\.\s*$")
_WHOLE: Final = 100.0
_BLANK: Final = "_____"
_ESCAPED: Final = re.compile(r"\\([~=#{}:\\n])")
# While a question is cut apart, an escaped sign stands as a character for private use; such ones are removed before.
_HELD: Final = {sign: chr(0xE000 + at) for at, sign in enumerate("~=#{}:\\\n")}
_RELEASED: Final = str.maketrans({held: sign for sign, held in _HELD.items()})


def read_gift(content: bytes) -> Imported:
    """The questions of a GIFT file as drafts. Raises `UnreadableError`."""
    found = Imported()
    entries = 0
    topic = ""
    for line, block in _blocks(_text(content)):
        category = _CATEGORY.fullmatch(block)
        if category:
            topic = _release(category[1]).rstrip("/").rpartition("/")[2]
            continue
        entries += 1
        _Question(line, block, topic, found).take()
    if not entries:
        raise UnreadableError("there is no question in this file; in GIFT a question has its answers in { }")
    return found


def _text(content: bytes) -> str:
    if len(content) > MAX_BYTES:
        raise UnreadableError(f"this file is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("this is not UTF-8 text", content.count(b"\n", 0, error.start) + 1) from error
    if "\0" in text:
        raise UnreadableError(
            "there is a NUL character; this is no text file", text.count("\n", 0, text.index("\0")) + 1
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The entries with the line that each begins on: parted by blank lines, without comments; a category by itself."""
    held: list[str] = []
    start = 0
    for number, raw in enumerate([*text.split("\n"), ""], start=1):
        line = re.sub("[\ue000-\ue0ff]", "\ufffd", raw)
        stripped = line.strip()
        if stripped.startswith("//"):
            continue
        is_category = stripped.upper().startswith("$CATEGORY:")
        if (not stripped or is_category) and held:
            yield start, "\n".join(held)
            held = []
        if is_category:
            yield number, stripped
        elif stripped:
            start = start if held else number
            held.append(line)


def _hold(text: str) -> str:
    return _ESCAPED.sub(lambda match: _HELD["\n" if match[1] == "n" else match[1]], text)


def _release(text: str) -> str:
    return printable(text.translate(_RELEASED)).strip()


@dataclass(slots=True)
class _Question:
    """One entry, on its way into a draft."""

    line: int
    source: str
    topic: str
    into: Imported
    format: str = "moodle"
    title: str = ""
    why: str = ""

    def take(self) -> None:
        text = _hold(self.source)
        begin, end = text.find("{"), text.find("}")
        if text.lstrip().startswith("::"):
            title, mark, rest = text.lstrip()[2:].partition("::")
            if mark:
                self.title = _release(title)
                text = rest
                begin, end = text.find("{"), text.find("}")
        if begin < 0:
            self.into.lose(self.line, "a description without { }: there is nothing to answer, so it is left out")
            return
        if end < begin:
            self.into.lose(self.line, "a { that no } closes; left out")
            return
        if "{" in text[end + 1 :]:
            self.into.lose(self.line, "more than one { }: only the first is taken over")
        self._taken(text[:begin], text[begin + 1 : end], text[end + 1 :].partition("{")[0])

    def _taken(self, before: str, answers: str, after: str) -> None:
        chosen = _FORMAT.match(before)
        if chosen:
            self.format = chosen[1].lower()
            before = before[chosen.end() :]
        stem = self.words(
            f"{before.rstrip()} {_BLANK}{after if after[:1].strip() == '' else ' ' + after}"
            if after.strip()
            else before
        )
        body, mark, general = answers.rpartition("####")
        if mark:
            self.why = self.words(general)
        else:
            body = answers
        self.into.add(self._draft(stem, body))

    def words(self, text: str) -> str:
        """A text in the format of its question, as plain text."""
        own = _FORMAT.match(text)
        kind = own[1].lower() if own else self.format
        wrapped = text[own.end() :] if own else text
        text = _release(wrapped)
        if kind == "html" or (kind == "moodle" and has_markup(text)):
            given, (text, lost) = text, plain_text(text)
            for what in lost:
                self.into.lose(self.line, f"{what} is not taken over")
            if tags := tags_in(given):
                self.into.lose(self.line, f"read as HTML, without its {tags}")
            return text
        return _release(paragraphs(wrapped))  # its lines are wrapped as the file's are

    def _draft(self, stem: str, body: str) -> Draft:
        truth = _TRUTH.match(body)
        if body.strip().startswith("#"):
            return self._number(stem, body.strip()[1:])
        if truth:
            said = [self.words(part) for part in body[truth.end() :].lstrip("#").split("#")]
            right = truth[1].upper().startswith("T")
            wrong_why, right_why = (*said, "", "")[:2]
            options = tuple(
                Choice(text, is_right, right_why if is_right else wrong_why)
                for text, is_right in (("True", right), ("False", not right))
            )
            return self._made(stem, options=options)
        if not body.strip():
            return self._made(stem)
        return self._listed(stem, body)

    def _made(
        self, stem: str, *, options: tuple[Choice, ...] = (), value: Value | None = None, sketch: str = ""
    ) -> Draft:
        return Draft(self.line, stem, options, value, sketch, self.why, "", self.topic, self.title)

    def _listed(self, stem: str, body: str) -> Draft:
        pieces = re.split(r"([=~])", body)
        if len(pieces) == 1:  # a single accepted answer needs no sign before it
            return self._made(stem, sketch=f"- {self._accepted(body)}")
        if pieces[0].strip():
            self.into.lose(self.line, f"{_release(pieces[0])[:60]!r} stands before the first = or ~ and is left out")
        answers = list(zip(pieces[1::2], pieces[2::2], strict=True))
        if all(sign == "=" and "->" in text for sign, text in answers):
            pairs = "\n".join(
                f"- {' → '.join(self.words(side) for side in text.split('->', 1))}" for _, text in answers
            )
            self.into.lose(self.line, "matching; it becomes a question that is answered in words")
            return self._made(stem, sketch=pairs)
        if not any(sign == "~" for sign, _ in answers):
            accepted = "\n".join(f"- {self._accepted(text)}" for _, text in answers)
            return self._made(stem, sketch=accepted)
        full = any(sign == "=" and _share(text) == _WHOLE for sign, text in answers)
        choices = [self._choice(sign, text, full=full) for sign, text in answers]
        draft = self._made(stem, options=tuple(choices))
        rights = sum(choice.right for choice in choices)
        if rights != 1:
            return in_words(draft, f"{rights} of the options are right, where a choice here has one", self.into)
        if len(choices) > MAX_OPTIONS:
            return in_words(draft, f"{len(choices)} options, where a choice here has at most {MAX_OPTIONS}", self.into)
        return draft

    def _accepted(self, text: str) -> str:
        """An answer to a short question, with what it earns and what is said to it."""
        weight = _WEIGHT.match(text)
        said, _, why = (text[weight.end() :] if weight else text).partition("#")
        notes = [f"{weight[1]} % of the points"] if weight else []
        notes += [self.words(why)] if why.strip() else []
        return f"{self.words(said)} ({'; '.join(notes)})" if notes else self.words(said)

    def _choice(self, sign: str, text: str, *, full: bool) -> Choice:
        """One option; where another earns all points (`full`), one that earns a part is wrong here."""
        weight, share = _WEIGHT.match(text), _share(text)
        right = (sign == "=" or weight is not None) and share > 0 and (share >= _WHOLE or not full)
        if weight and 0 < share < _WHOLE:
            self.into.lose(self.line, f"options that earn a part of the points are {'wrong' if full else 'right'} here")
        said, _, why = (text[weight.end() :] if weight else text).partition("#")
        return Choice(self.words(said), right, self.words(why))

    def _number(self, stem: str, body: str) -> Draft:
        first, *others = [part for part in re.split(r"[=~]", body) if part.strip()] or [""]
        if others:
            self.into.lose(
                self.line, f"{len(others)} further numbers or answers are not taken over: a number here has one"
            )
        weight = _WEIGHT.match(first)
        text, _, said = (first[weight.end() :] if weight else first).partition("#")
        if said:
            self.why = "\n\n".join(part for part in (self.words(said), self.why) if part)
        asked = _TYPED.search(stem)
        value = _value(_release(text), asked[1] if asked and asked[1] else "")
        if value is None:
            self.into.lose(self.line, f"{_release(text)[:60]!r} is no number; it becomes a question answered in words")
            return self._made(stem, sketch=_release(text))
        return self._made(stem[: asked.start()] if asked else stem, value=value)


def _share(text: str) -> float:
    """What an answer earns, in percent; all where it says nothing."""
    weight = _WEIGHT.match(text)
    return float(weight[1]) if weight else _WHOLE


def _value(text: str, unit: str) -> Value | None:
    """`3.14`, `3.14:0.01` or `3..4`, in the unit that the question names."""
    low, dots, high = text.partition("..")
    number, _, within = text.partition(":")
    texts = [low.strip(), high.strip()] if dots else [number.strip(), within.strip() or "0"]
    if not all(_NUMBER.fullmatch(one) for one in texts):
        return None
    one, other = (Fraction(one) for one in texts)
    middle, spread = ((one + other) / 2, abs(other - one) / 2) if dots else (one, abs(other))
    return Value(decimal(middle), decimal(spread) if spread else half_a_digit(decimal(middle)), unit)
