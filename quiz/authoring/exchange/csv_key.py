"""Which option of a row is right: tables say it by a letter, a number, a label, or the option's own words.

Several are named with commas and their like between them, or as a run of capital letters (ACD).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL: Final = re.compile(r"\(?(?:(?:option|choice|answer)[ _]?)?([a-h]|[1-8])\s*[).:]?", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\s*[,;|/&+>]\s*(?:and\s+)?|\s+and\s+|\s+(?=[A-Ha-h1-8](?:\s|$))")
_RUN: Final = re.compile(r"[A-H]{2,8}")
_LABELLED: Final = re.compile(r"\(?([a-h])\s*[).:]\s*(\S.*)", re.IGNORECASE | re.DOTALL)


def rights(texts: Sequence[str], key: str) -> frozenset[int]:
    """The places of the options that `key` names, from 0; more than one where it can be read in two ways."""
    if not key:
        return frozenset()
    found = {at for at, text in enumerate(texts) if text and text.casefold() == key.casefold()}
    label, labelled = _LABEL.fullmatch(key), _LABELLED.fullmatch(key)
    if label:
        found.add(_place(label[1]))
    elif labelled and not found:
        at = _place(labelled[1])
        if at < len(texts) and texts[at].casefold() == labelled[2].strip().casefold():
            found.add(at)
    return frozenset(at for at in found if at < len(texts) and texts[at])


def several(texts: Sequence[str], key: str) -> tuple[int, ...]:
    """The places of two or more options that `key` names, in its order; empty where any part of it names none."""
    parts = [part for part in _BETWEEN.split(key.strip()) if part]
    if len(parts) == 1 and _RUN.fullmatch(parts[0]):
        parts = [*parts[0]]
    places = [rights(texts, part) for part in parts]
    found = tuple(at for one in places if len(one) == 1 for at in one)
    return found if 1 < len(found) == len(parts) == len({*found}) else ()


def _place(label: str) -> int:
    return int(label) - 1 if label.isdigit() else ord(label.lower()) - ord("a")
