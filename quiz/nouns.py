"""Numbers with their nouns, as every screen, command and message says them."""

from __future__ import annotations


def plural(number: int, noun: str, several: str = "") -> str:
    """Return the noun for a number of things; in the plural it takes an s, or is `several`.

    >>> plural(1, "answer"), plural(0, "answer"), plural(2, "is", "are")
    ('answer', 'answers', 'are')
    """
    return noun if number == 1 else several or f"{noun}s"


def count(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "event"), count(1200, "card"), count(2, "more day of use", "more days of use")
    ('1 event', '1,200 cards', '2 more days of use')
    """
    return f"{number:,} {plural(number, noun, several)}"
