"""Numbers with their nouns, as the commands say them."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """Return a number with its noun, which takes an s in the plural.

    >>> count(1, "event"), count(1200, "card")
    ('1 event', '1,200 cards')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
