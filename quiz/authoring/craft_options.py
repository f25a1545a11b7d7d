"""Faults of craft in the options of a question: what gives the key away to a reader who computes nothing."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Final

from quiz.authoring.amounts import amounts
from quiz.authoring.robot import ABSOLUTE, overlaps, words_and_figures
from quiz.authoring.sounds import article_of
from quiz.authoring.words import content_words
from quiz.bank.literals import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.authoring.subject import Subject, Wording

_ALL_OR_NONE: Final = re.compile(
    r"^\W*(?:(?:it is|they are) )?(?:all|none|both|neither|any|either|every one|each)(?: of)?(?: (?:the|these|those))?"
    r" (?:above|options|others|other options|answers|statements)\b"
    r"|^\W*(?:all|none|both|neither|any|either|every one|each) of (?:these|them|those)(?:\W*$| (?:holds?|appl(?:y|ies)"
    r"|fits?|do(?:es)?|works?|would do|will do|would|(?:is|are) (?:right|true|correct|wrong|false))\W*$)"
    r"|^\W*(?:all|none|both|neither)\W*$"
    r"|\bno other (?:option|answer|statement)\b|\bthe other (?:options|answers|statements)\b",
    re.IGNORECASE,
)
_ALL_OF_COUNTED: Final = re.compile(r"^\W*(?:all|both|none of the) (?P<count>two|three|four|five)\W*$", re.IGNORECASE)
_LETTERS: Final = re.compile(
    r"^(?:both|only|either|neither|not)?\s*\(?[A-F]\)?(?:, \(?[A-F]\)?)*,? (?:and|or|nor) \(?[A-F]\)?"
    r"(?: only| alone)?\W*$"
    r"|^(?:both|only|options?|answers?|statements?) \(?\d\)?(?:, \(?\d\)?)*,? (?:and|or) \(?\d\)?(?: only)?\W*$",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(r"\b[A-F]\b")
_LONGER: Final = 1.2
_MORE_ALIKE: Final = 1.5
_ALIKE: Final = 0.35
_FEW: Final = 3
_ARTICLE: Final = re.compile(r"(?<![/(\w])(?P<article>an?)\s*(?:_{2,}|…|\.{3,}|:)?\s*[?.!]?$", re.IGNORECASE)
_SHORT_WORD: Final = 4


def report_options(subject: Subject) -> None:
    """Note what the options tell by their form."""
    if subject.base.options:
        report_wording(subject)
        report_surface(subject)


def report_surface(subject: Subject) -> None:
    """Note what sets the key apart from the other options, and the options from the stem."""
    _report_length(subject)
    _report_shared_words(subject)
    _report_convergence(subject)
    _report_numbers(subject)
    _report_grammar(subject)


def report_wording(subject: Wording) -> None:
    """Note options about the other options, and words without exception."""
    options = subject.question.options  # type: ignore[union-attr]  # a question with options
    for name, form in options.items():
        path = ("options", name, "text")
        others = [other.text for at, other in options.items() if at != name]
        if _is_about_the_others(" ".join(form.text.split()), subject.question.stem, others):
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


def _is_about_the_others(text: str, stem: str, others: Sequence[str]) -> bool:
    """Whether an option speaks of the other options: all of the above, A and C, all three."""
    if _ALL_OR_NONE.search(text):
        return True
    counted = _ALL_OF_COUNTED.match(text)
    if counted:  # three things that the stem speaks of are no options
        return re.search(rf"\b{counted['count']}\b", stem, re.IGNORECASE) is None
    if not _LETTERS.match(text):
        return False
    # Matrices A and B, ranks 0 and 1: then stem or other options name them too.
    named = {*_LETTER.findall(stem), *(letter for other in others for letter in _LETTER.findall(other))}
    return not any(letter in named for letter in _LETTER.findall(text) if letter != "A")


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
    echoed = max(len(stem & set(found)) for name, found in words.items() if name != key)
    shared = [word for word in dict.fromkeys(words[key]) if word in stem and word not in others]
    # Where another option takes up as many words, a reader who follows them is led as often to that one.
    if any(len(word) >= _SHORT_WORD for word in shared) and len(stem & set(words[key])) > echoed:
        subject.warn(
            ("options", key, "text"),
            "word-in-key",
            f"of all options only the key takes up {', '.join(shared)} of the stem",
            why="Readers who know nothing choose the option that sounds like the question.",
            next_="Use the word in a wrong option too, or another one in the key.",
        )


def _report_convergence(subject: Subject) -> None:
    texts = [option.text for option in subject.base.options]
    key = next(place for place, option in enumerate(subject.base.options) if option.correct)
    alike = overlaps(texts)
    next_best = max(share for place, share in enumerate(alike) if place != key)
    shares_most = len(texts) > _FEW and alike[key] >= _ALIKE and alike[key] >= _MORE_ALIKE * next_best
    if shares_most or _is_hub([words_and_figures(text) for text in texts], key):
        subject.warn(
            ("options", subject.base.key[0], "text"),
            "convergence",
            "the key has more in common with the other options than any of them has",
            why="Wrong options are made by changing a part of the key, so that the key is where they meet.",
            next_="Pair the parts so that each stands in as many options.",
        )


def _is_hub(parts: Sequence[frozenset[str]], key: int) -> bool:
    """Whether every other option is the key with a part changed: nearer to it than any two others are to each other."""
    others = [part for place, part in enumerate(parts) if place != key]
    if not all(2 * len(part & parts[key]) >= max(len(part), len(parts[key]), 1) for part in others):
        return False
    from_key = max(_apart(part, parts[key]) for part in others)
    return from_key < min((_apart(one, other) for one, other in combinations(others, 2)), default=0)


def _apart(one: frozenset[str], other: frozenset[str]) -> int:
    """How many words stand in one of the two alone; a word for a word is one change."""
    return max(len(one - other), len(other - one))


def _report_numbers(subject: Subject) -> None:
    numbers = amounts([option.text for option in subject.base.options])
    if numbers is None:
        return
    units = [one.unit for one in numbers]
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
    values = [one.number for one in numbers]
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
    stem = subject.question.stem.strip()
    found = _ARTICLE.search(stem)
    if not found:
        return
    wanted = found["article"].lower()
    options = subject.base.options
    fits = [option.id for option in options if article_of(option.text) in (wanted, "")]
    if len(fits) < len(options):
        subject.warn(
            ("stem",),
            "grammar-cue",
            f"the stem ends in {' '.join(found[0].split())!r}, which fits {len(fits)} of {len(options)} options",
            start=len(subject.question.stem.rstrip()) - len(found[0]),
            why="Grammar rules options out.",
            next_="End the stem before the article and begin each option with its own, or ask a question.",
        )
