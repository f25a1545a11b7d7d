"""Which article goes with a text: by its first sound, as far as the letters tell that."""

from __future__ import annotations

import re
from typing import Final

_FIRST: Final = re.compile(r"[A-Za-z0-9][\w’']*")
_SPOKEN_AS_YOU: Final = re.compile(
    r"(?:eu|ew|uni(?!n|m|dent)|u[bcfhkqrst][aeiou]|ubiq|one(?![a-z])|once)", re.IGNORECASE
)
_SILENT_H: Final = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
_NUMBERS_LIKE_EIGHT: Final = re.compile(r"8|1[18](?!\d)")
_LETTERS_LIKE_EM: Final = frozenset("AEFHILMNORSX")
_SPELLED_OUT: Final = re.compile(r"[A-Z]{2,}s?(?![a-z])|[A-Z](?![A-Za-z])")
_SAID_AS_WORDS: Final = frozenset({"NCCL", "SQL"})
_VOWELS: Final = "aeiouAEIOU"


def article_of(text: str) -> str:
    """`a` or `an`; empty where both may be said, as before RAM and LoRA, which some spell and others speak."""
    found = _FIRST.search(text)
    if found is None:
        return ""
    word = found[0]
    if word[0].isdigit():
        return "an" if _NUMBERS_LIKE_EIGHT.match(word) else "a"
    letters = _SPELLED_OUT.match(word)
    if letters:
        name = letters[0].rstrip("s")
        if name in _SAID_AS_WORDS or (len(name) > 1 and any(letter in _VOWELS for letter in name)):
            return ""
        return "an" if name[0] in _LETTERS_LIKE_EM else "a"
    if any(letter.isupper() for letter in word[1:]):
        return ""
    speaks = _SILENT_H.match(word) or (word[0] in _VOWELS and not _SPOKEN_AS_YOU.match(word))
    return "an" if speaks else "a"
