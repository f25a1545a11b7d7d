"""What torch and the system say of an end, and the same in plain words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.drills.sizes import size

if TYPE_CHECKING:
    from quiz.drills.records import Death

_ASKED: Final = re.compile(r"tried to allocate ([\d.]+) ?(bytes|KiB|MiB|GiB|TiB)", re.IGNORECASE)
_SIZES: Final = {"bytes": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_FULL: Final = re.compile(
    r"can't allocate memory|not enough memory|out of memory|cannot allocate memory", re.IGNORECASE
)
_GONE: Final = re.compile(
    r"connection (was )?(closed|reset|refused|aborted)|closed by (the )?peer|broken pipe|socket closed"
    r"|remote process exited|pair closure",
    re.IGNORECASE,
)
_IN_VAIN: Final = re.compile(r"timed out|(wait|operation) timeout", re.IGNORECASE)


def asked_of(text: str) -> int | None:
    """The bytes that torch says it could not get; None where it says none."""
    found = _ASKED.search(text)
    return None if found is None else int(float(found[1]) * _SIZES[found[2].lower()])


def plain(text: str) -> str:
    """What a library's error means, in plain words; empty where its own words have to do."""
    if _FULL.search(text):
        asked = asked_of(text)
        more = "more memory" if asked is None else f"{size(asked)} more memory"
        return f"it asked for {more}, and there was none"
    if _GONE.search(text):
        return "another rank had gone, and it lost its connection"
    if _IN_VAIN.search(text):
        return "it waited for another rank in vain"
    return ""


def bytes_of(death: Death, cap: int | None) -> str:
    """What a rank held and asked for as it died, as far as that is known."""
    parts = []
    if death.held is not None:
        parts.append(f"held {size(death.held)} of tensors")
    if death.asked is not None:
        parts.append(f"asked for {size(death.asked)} more")
    said = " and ".join(parts)
    if cap is not None and death.left is not None:
        left = f"{size(death.left)} of its {size(cap)} {'was' if death.left == 1 else 'were'} left"
        said = f"{said}, when {left}" if said else f"had little left: {left}"
    return said
