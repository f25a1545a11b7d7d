"""The bounds of everything that is read, the error that says where reading stopped, and safe spelling.

A text outside the bounds is refused before any work is done on it, so that reading takes a time that does
not depend on what was typed.
"""

from __future__ import annotations

import unicodedata
from typing import Final

MAX_LENGTH: Final = 1_000
MAX_TOKENS: Final = 200
MAX_DEPTH: Final = 40
MAX_DIGITS: Final = 60
MAX_EXPONENT_WRITTEN: Final = 400
MAX_IRRATIONAL: Final = 16

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SHOWN_AT_MOST: Final = 60


class ReadError(ValueError):
    """A text that cannot be read: `text[start:end]` is the place, `reason` says why, `hint` what to do.

    `reason` and `hint` are whole sentences and hold no character that a terminal would obey.
    """

    def __init__(self, text: str, start: int, end: int, reason: str, hint: str = "") -> None:
        self.text = text
        self.start = start
        self.end = max(end, start)
        self.reason = reason
        self.hint = hint
        super().__init__(f"{reason} {hint}".strip())


class AmbiguousError(ReadError):
    """A text with two sound readings; `readings` spells both, each as it could be typed unmistakably."""

    def __init__(self, text: str, start: int, end: int, readings: tuple[str, ...], hint: str = "") -> None:
        super().__init__(text, start, end, f"This can be read as {' or as '.join(readings)}.", hint)
        self.readings = readings


def is_unseen(character: str) -> bool:
    """Whether a character is one that a reader cannot see or a terminal obeys: controls, bidi, joiners."""
    return unicodedata.category(character) in _UNSEEN


def shown(text: str) -> str:
    r"""Spell a text so that nothing in it is invisible or obeyed: `\u202e` for the character itself."""
    cut = text if len(text) <= _SHOWN_AT_MOST else text[: _SHOWN_AT_MOST - 1] + "…"
    return "".join(escaped(character) if is_unseen(character) else character for character in cut)


def escaped(character: str) -> str:
    r"""Spell one character as its escape: `\x1b`, `\u202e`."""
    return character.encode("unicode_escape").decode("ascii")


def refuse_long(text: str) -> None:
    """Raise `ReadError` for a text longer than `MAX_LENGTH` characters."""
    if len(text) > MAX_LENGTH:
        raise ReadError(
            text, MAX_LENGTH, len(text), f"This is {len(text):,} characters long.", f"At most {MAX_LENGTH:,} are read."
        )


def refuse_large(text: str, start: int, end: int, mantissa: str, exponent: str) -> None:
    """Raise `ReadError` for a number with too many digits or too large an exponent of ten."""
    if sum(character.isdigit() for character in mantissa) > MAX_DIGITS:
        raise ReadError(text, start, end, "This number has too many digits.", f"At most {MAX_DIGITS} are read.")
    if exponent and (
        len(exponent.lstrip("+-0")) > len(str(MAX_EXPONENT_WRITTEN)) or abs(int(exponent)) > MAX_EXPONENT_WRITTEN
    ):
        raise ReadError(
            text, start, end, "The exponent is too large.", f"Powers of ten are read up to {MAX_EXPONENT_WRITTEN}."
        )
