"""The nearest name to a mistyped one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def nearest(word: str, names: Sequence[str]) -> str | None:
    """The name that `word` most likely stands for, or None where none is near."""
    from difflib import get_close_matches

    short = [name for name in names if word and name.startswith(word)]
    if len(short) == 1:
        return short[0]
    close = get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return close[0] if close else None
