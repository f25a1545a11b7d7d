"""The keys of a line of a batch that mean nothing to a `Task`: those that were meant for another, and the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.grading.borrowed import BORROWED, in_own_words
from quiz.grading.task import KEYS, TaskError
from solvers.expr.reader_limits import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEAR: Final = 0.85
"""`tolerence` and `variable` are as near to what they stand for; `note` and `comment` are near to nothing."""
_INSTEAD: Final = {"tolerance": "rtol or atol", "tol": "rtol or atol", "epsilon": "rtol or atol",
                   "digits": "sigfigs or digits_written", "decimal_comma": "decimal",
                   "question": "reference (a question of the bank is judged by: shardwise check QUESTION)"}  # fmt: skip
"""What others call something that has another name here, and that no verdict should be given without."""


def strangers(line: Mapping[str, object]) -> list[str]:
    """The keys that have no meaning here, or none with the value that they have."""
    left = in_own_words(line)
    return sorted(key for key in left if key not in KEYS and (key not in BORROWED or _is_lost(key, line)))


def _is_lost(key: str, line: Mapping[str, object]) -> bool:
    """Whether a key of others has a value from which nothing follows: `tolerance: 0.05`."""
    without = {name: value for name, value in line.items() if name != key}
    return {name: value for name, value in in_own_words(line).items() if name != key} == in_own_words(without)


def refuse_mistyped(line: Mapping[str, object]) -> None:
    """Raise `TaskError` for a key that was meant for another: the verdict would be given without what it says."""
    from difflib import get_close_matches

    known = ("id", *KEYS, *BORROWED)
    for key in strangers(line):
        near = next(iter(get_close_matches(key.lower(), known, n=1, cutoff=_NEAR)), key.lower())
        meant = _INSTEAD.get(near, near if near in known and near != key else "")
        if meant:
            which = "with this value " if key in BORROWED else ""
            raise TaskError(f"The key {shown(key)} {which}has no meaning here. Did you mean {meant}?")
