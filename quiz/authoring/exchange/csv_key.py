"""Which option of a row is right: tables say it by a letter, a number, a label, or the option's own words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL: Final = re.compile(r"\(?(?:(?:option|choice|answer)[ _]?)?([a-h]|[1-8])\s*[).:]?", re.IGNORECASE)
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


def _place(label: str) -> int:
    return int(label) - 1 if label.isdigit() else ord(label.lower()) - ord("a")
