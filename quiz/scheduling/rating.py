"""From a verdict to a rating, by a rule that the learner can read.

The first row that applies decides:

====================================  =======
what happened                         rating
====================================  =======
wrong, wrong unit, or "I don't know"  again
close                                 hard
right, but a guess or a lean          hard
right, certain and quick              easy
right                                 good
====================================  =======

A guess is a confidence of 25 %, a lean 50 %, certain is 95 %. Without a confidence the answer counts as
confident. Quick means within `QUICK_MS` (30 s) from the question's appearing to the answer.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Literal, get_args

Verdict = Literal["correct", "close", "incorrect", "wrong-unit", "unknown"]
Confidence = Literal[25, 50, 75, 95]

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
CONFIDENCES: Final[tuple[Confidence, ...]] = get_args(Confidence)

#: An answer within this many milliseconds counts as quick.
QUICK_MS: Final = 30_000

_LEAN: Final = 50
_CERTAIN: Final = 95


class Rating(IntEnum):
    """How well a card was remembered. The numbers are those of the FSRS literature."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4

    @property
    def label(self) -> str:
        """The name for a person: `again`, `hard`, `good`, `easy`."""
        return self.name.lower()


def rate(
    verdict: Verdict,
    confidence: Confidence | None,
    duration_ms: int,
    *,
    quick_ms: int = QUICK_MS,
) -> Rating:
    """Return the rating that an answer earns, by the table above.

    Args:
        verdict: the grade of the answer; an answer that could not be read has none and is not rated.
        confidence: percent, or None where the learner was not asked.
        duration_ms: from the question's appearing to the answer, in milliseconds.
        quick_ms: the bound, included, for "quick".

    Raises:
        ValueError: the verdict is not one of `VERDICTS`.
    """
    if verdict not in VERDICTS:
        message = f"{verdict!r} is no verdict; expected one of {', '.join(VERDICTS)}"
        raise ValueError(message)
    if verdict in ("incorrect", "wrong-unit", "unknown"):
        return Rating.AGAIN
    if verdict == "close" or (confidence is not None and confidence <= _LEAN):
        return Rating.HARD
    if confidence == _CERTAIN and duration_ms <= quick_ms:
        return Rating.EASY
    return Rating.GOOD


def why(
    verdict: Verdict,
    confidence: Confidence | None,
    duration_ms: int,
    *,
    quick_ms: int = QUICK_MS,
) -> str:
    """Return the reason for the rating in a few words, for the reveal: `right, but a guess`."""
    rating = rate(verdict, confidence, duration_ms, quick_ms=quick_ms)
    if rating is Rating.AGAIN:
        return {"wrong-unit": "wrong unit", "unknown": "not known"}.get(verdict, "wrong")
    if verdict == "close":
        return "close"
    if rating is Rating.HARD:
        return "right, but a lean" if confidence == _LEAN else "right, but a guess"
    return "right, certain and quick" if rating is Rating.EASY else "right"
