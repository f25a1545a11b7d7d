"""Texts as a test-wise reader sees them: words that carry meaning, cut to their stem, and sentences counted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'’]*(?:-[A-Za-z0-9]+)*")
_SENTENCE: Final = re.compile(r"[.!?:]+(?:\s|$)")
_VOWELS: Final = re.compile(r"[aeiouy]+")
_CODE: Final = re.compile(r"`[^`]*`")
_STOP_WORDS: Final = (
    "a about above after all also an and any are as at be because been before being below between both "
    "but by can cannot could did do does doing down during each every few first for from further had has "
    "have having here how if in into is it its just last least less many may might more most much must no "
    "nor not now of off on once one only or other our out over own per same shall should since so some "
    "such than that the their them then there these they this those through to too two under until up "
    "upon us very was we were what when where which while who whom why will with within without would yet "
    "you your choose following holds question statement true "
)
_STOP: Final = frozenset(_STOP_WORDS.split())
_ENDINGS: Final = (
    "ations",
    "ation",
    "ingly",
    "ments",
    "ment",
    "ings",
    "ing",
    "edly",
    "ies",
    "ied",
    "ers",
    "er",
    "es",
    "ed",
    "ly",
    "s",
)
_SHORTEST: Final = 3


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry meaning, as stems, in order; code is read like prose."""
    return tuple(stem for word in _WORD.findall(text) if (stem := _stem(word.lower())))


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """A rough stem: enough that `shards`, `sharded` and `sharding` are one word; empty for words without meaning."""
    word = word.replace("’", "'").removesuffix("'s")
    if word in _STOP or len(word) < _SHORTEST:
        return ""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _SHORTEST + 1 and (word[-1] == word[-2] or word[-1] == "e") else word


def word_count(text: str) -> int:
    """How many words a reader reads; a figure counts as one."""
    return len(text.split())


def reading_grade(text: str) -> float:
    """The school year by Flesch and Kincaid (1975), names and code left out; 0 where there is too little to say."""
    plain = _CODE.sub("it", text)
    words = [word for word in _WORD.findall(plain) if not any(letter.isupper() for letter in word[1:])]
    if len(words) < 20:  # noqa: PLR2004 - a formula for passages
        return 0.0
    sentences = max(1, len(_SENTENCE.findall(plain)))
    syllables = sum(_syllables(word.lower()) for word in words)
    return 0.39 * len(words) / sentences + 11.8 * syllables / len(words) - 15.59


@lru_cache(maxsize=8192)
def _syllables(word: str) -> int:
    count = len(_VOWELS.findall(word))
    if word.endswith("e") and not word.endswith(("le", "ee")) and count > 1:
        count -= 1
    return max(1, count)
