"""Titles as ids: small letters, digits and hyphens, whatever script a title is written in.

Letters are told by what they are called: é is e, ß is ss, д is d, な is na, 한 is han. What cannot be spelled so
(Chinese, Arabic, pictures) is told from others by a few digits of the text's own fingerprint, so that the same text
has the same id wherever and in whatever order it comes, and two texts have two.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

_WORDS: Final = 7
_LONGEST: Final = 50
_DIGITS: Final = 8
_SPELLED: Final = {
    **dict(zip("абвгдежзийклмнопрстуфхцчшщъыьэюя", (
        "a", "b", "v", "g", "d", "e", "zh", "z", "i", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "f", "kh",
        "ts", "ch", "sh", "shch", "", "y", "", "e", "yu", "ya",
    ), strict=True)),
    **dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", (
        "a", "b", "g", "d", "e", "z", "i", "th", "i", "k", "l", "m", "n", "x", "o", "p", "r", "s", "s", "t", "y", "f",
        "ch", "ps", "o",
    ), strict=True)),
    "\u0131": "i", "\u0456": "i", "\u0458": "j",
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ŋ": "n",
    "ё": "e", "є": "ie", "ї": "i", "ґ": "g", "ђ": "d", "љ": "lj", "њ": "nj", "ћ": "c", "џ": "dz",
}  # fmt: skip
_SYLLABLE: Final = re.compile(r"(?:HANGUL SYLLABLE|(?:HIRAGANA|KATAKANA) LETTER(?: SMALL)?) ([A-Z]+)")


def slug(text: str, other: str) -> str:
    """A text as an id of a few words; never empty, and the same for the same text.

    `other` is what it begins with where no word of it can be spelled.
    """
    spelled, lost = _spelled(text)
    words = "-".join(_words(spelled)[:_WORDS])
    if not lost and words:
        return words[:_LONGEST].strip("-")
    if not any(unicodedata.category(one)[0] in "LNS" for one in text):
        return other
    whole = unicodedata.normalize("NFC", text.strip()).encode("utf-8", "replace")
    ending = hashlib.sha256(whole).hexdigest()[:_DIGITS]
    return f"{words[: _LONGEST - _DIGITS - 1].strip('-') or other}-{ending}"


def readable(text: str, longest: int) -> str:
    """What of a text can be spelled, as an id; empty where nothing can."""
    return "-".join(_words(_spelled(text)[0]))[:longest].strip("-")


def _words(spelled: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", spelled)


def _spelled(text: str) -> tuple[str, bool]:
    """The text in Latin letters as far as it can be, and whether a letter or picture of it is lost."""
    parts: list[str] = []
    lost = False
    for character in unicodedata.normalize("NFC", text.lower()).replace("\N{REPLACEMENT CHARACTER}", " "):
        if character.isascii():
            parts.append(character)
            continue
        plain = _latin(character)
        parts.append(" " if plain is None else plain)
        lost = lost or (plain is None and unicodedata.category(character)[:2] in ("Lo", "Ll", "Lm", "Lt", "So", "Co"))
    return "".join(parts), lost


def _latin(character: str) -> str | None:
    """One character in Latin letters or digits; None where there are none for it."""
    if character in _SPELLED:
        return _SPELLED[character]
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    syllable = _SYLLABLE.match(unicodedata.name(character, ""))
    if syllable:
        return syllable[1].lower()
    bare = unicodedata.normalize("NFKD", character)
    if bare != character:
        pieces = [
            _SPELLED.get(one, one.lower() if one.isascii() else " ") for one in bare if not unicodedata.combining(one)
        ]
        return "".join(pieces) or None
    return "" if unicodedata.combining(character) else None
