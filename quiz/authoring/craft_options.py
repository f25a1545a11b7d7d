"""Faults of craft in the options of a question: what gives the key away to a reader who computes nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.authoring.robot import ABSOLUTE, overlaps
from quiz.authoring.words import content_words
from quiz.bank.literals import PLACEHOLDER

if TYPE_CHECKING:
    from quiz.authoring.subject import Subject

_ALL_OR_NONE: Final = re.compile(
    r"^\W*(?:all|none|both|neither|any|either)(?: of)?(?: the)? (?:above|these|them|options|others)\b"
    r"|^\W*(?:all|none|both|neither)\W*$",
    re.IGNORECASE,
)
_LONGER: Final = 1.2
_NUMBER: Final = re.compile(r"[~≈<>≤≥]?\s*(?P<number>\d[\d,]*(?:\.\d+)?)\s*(?P<unit>[^\d\s.]\S*)?")
_MORE_ALIKE: Final = 1.5
_ALIKE: Final = 0.35
_FEW: Final = 3
_ARTICLE: Final = re.compile(r"\b(?P<article>an?)\s*(?:_{2,}|…|\.\.\.|:)?\s*$", re.IGNORECASE)
_SHORT_WORD: Final = 4


def report_options(subject: Subject) -> None:
    """Note what the options tell by their form."""
    if not subject.base.options:
        return
    _report_wording(subject)
    _report_length(subject)
    _report_shared_words(subject)
    _report_convergence(subject)
    _report_numbers(subject)
    _report_grammar(subject)


def _report_wording(subject: Subject) -> None:
    for name, form in subject.question.options.items():  # type: ignore[union-attr]  # a question with options
        path = ("options", name, "text")
        if _ALL_OR_NONE.search(" ".join(form.text.split())):
            subject.warn(
                path,
                "all-or-none",
                "an option about the other options",
                why="One option that is seen to be wrong settles it, and two that are seen to be right.",
                next_="Write an option of its own.",
            )
        found = ABSOLUTE.search(PLACEHOLDER.sub(lambda match: " " * len(match[0]), form.text))
        if found:
            subject.warn(
                path,
                "absolute-word",
                f"{found[0]!r} in an option",
                start=found.start(),
                why="Readers know that statements without exception are seldom the key.",
                next_="Say what holds here, under the conditions of the stem.",
            )


def _report_length(subject: Subject) -> None:
    lengths = {option.id: len(option.text) for option in subject.base.options}
    key = subject.base.key[0]
    longest = max(length for name, length in lengths.items() if name != key)
    if lengths[key] >= _LONGER * longest:
        subject.warn(
            ("options", key, "text"),
            "key-longest",
            f"the key is {lengths[key]} characters long, the next option {longest}",
            why="An author qualifies what must be true; readers choose the longest option.",
            next_="Give the others as much detail, or move the key's into `why`.",
        )


def _report_shared_words(subject: Subject) -> None:
    key = subject.base.key[0]
    stem = set(content_words(PLACEHOLDER.sub(" ", subject.question.stem)))
    options = subject.question.options  # type: ignore[union-attr]  # a question with options
    words = {name: content_words(PLACEHOLDER.sub(" ", form.text)) for name, form in options.items()}
    others = {word for name, found in words.items() if name != key for word in found}
    echoed = sum(bool(stem & set(found)) for name, found in words.items() if name != key)
    shared = [word for word in dict.fromkeys(words[key]) if word in stem and word not in others]
    if shared and not echoed and len(shared[0]) >= _SHORT_WORD:
        subject.warn(
            ("options", key, "text"),
            "word-in-key",
            f"of all options only the key takes up a word of the stem ({', '.join(shared)})",
            why="Readers who know nothing choose the option that sounds like the question.",
            next_="Use the word in a wrong option too, or another one in the key.",
        )


def _report_convergence(subject: Subject) -> None:
    texts = [option.text for option in subject.base.options]
    if len(texts) <= _FEW:
        return
    alike = overlaps(texts)
    key = next(place for place, option in enumerate(subject.base.options) if option.correct)
    next_best = max(share for place, share in enumerate(alike) if place != key)
    if alike[key] >= _ALIKE and alike[key] >= _MORE_ALIKE * next_best:
        subject.warn(
            ("options", subject.base.key[0], "text"),
            "convergence",
            "the key has more in common with the other options than any of them has",
            why="Wrong options are made by changing a part of the key, so that the key is where they meet.",
            next_="Pair the parts so that each stands in as many options.",
        )


def _report_numbers(subject: Subject) -> None:
    found = [_NUMBER.fullmatch(option.text.strip().rstrip(".")) for option in subject.base.options]
    numbers = [one for one in found if one is not None]
    if len(numbers) < len(found):
        return
    units = [one["unit"] or "" for one in numbers]
    if len(set(units)) > 1:
        subject.warn(
            ("options",),
            "mixed-units",
            f"the options are in different units ({', '.join(dict.fromkeys(unit or 'none' for unit in units))})",
            key=True,
            why="Then conversion is tested, and an odd unit stands out.",
            next_="Fix one unit: {{ name | GB 1 }}.",
        )
        return
    values = [float(one["number"].replace(",", "")) for one in numbers]
    if values not in (sorted(values), sorted(values, reverse=True)):
        subject.warn(
            ("options",),
            "unsorted-numbers",
            "the options are numbers in no order",
            key=True,
            why="Finding a value among unsorted numbers takes time that says nothing about knowledge.",
            next_="Sort them.",
        )


def _report_grammar(subject: Subject) -> None:
    found = _ARTICLE.search(subject.question.stem.strip())
    if not found:
        return
    wants_vowel = found["article"].lower() == "an"
    options = subject.base.options
    fits = [option.id for option in options if (option.text.strip()[:1].lower() in "aeiou") == wants_vowel]
    if len(fits) < len(options):
        subject.warn(
            ("stem",),
            "grammar-cue",
            f"the stem ends in {found['article']!r}, which fits {len(fits)} of {len(options)} options",
            start=len(subject.question.stem.rstrip()) - len(found[0]),
            why="Grammar rules options out.",
            next_="End the stem before the article and begin each option with its own, or ask a question.",
        )
