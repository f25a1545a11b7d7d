"""Text of a bank, a file or a learner, made fit for a terminal: nothing in it steers the screen."""

from __future__ import annotations

import unicodedata
from typing import Final

_CONTROL: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Joiners that scripts and emoji need; they move nothing else.
_HARMLESS: Final = "\u200c\u200d\ufe0f"


def plain(text: str) -> str:
    r"""The text with tabs as blanks and whatever could steer a terminal or turn the reading order shown escaped.

    >>> plain("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(letter) for letter in text)


def _shown(letter: str) -> str:
    if letter == "\n":
        return letter
    if letter == "\t":
        return "    "
    if letter in _HARMLESS or unicodedata.category(letter) not in _CONTROL:
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"  # noqa: PLR2004 - one byte
