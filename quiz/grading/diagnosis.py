"""Recognises how a wrong value came about: the question's slips, then named factors, then edits of the reference.

A candidate must match to the digits that were typed (half a unit of the last one). The fewer digits, the more
candidates a random number hits: so candidates are taken in order of likelihood and only as many as keep the
share of random answers that are "recognised" below `SHARE`; a number of two digits must be the candidate's
exact value. What matches must be one value, or nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import log
from typing import TYPE_CHECKING, Final, Literal

from quiz.grading.factors import factor_candidates, mixed_prefix
from quiz.grading.mutations import edit_candidates

if TYPE_CHECKING:
    from quiz.grading.candidate import Candidate
    from quiz.grading.target import Slip, Target
    from solvers.expr.units import Unit

SHARE: Final = Fraction(2, 100)
"""The share of random wrong answers that may be recognised, by design; a test measures it."""
_SPAN: Final = Fraction(log(30)).limit_denominator(1000)  # random answers: within a factor of 30, log-uniform
_COMPUTED: Final = Fraction(1, 10**9)  # a formula has no last digit; its value is compared to nine places
_COARSE: Final = Fraction(1, 200)  # two digits: only exact values are candidates, and few
_TOO_COARSE: Final = Fraction(1, 20)  # one digit says too little to recognise more than an exact slip
_LEAST_NAMED: Final = 2
_MOST_NAMED: Final = 2


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was recognised: an id, whose it is, and the words for the learner."""

    id: str
    kind: Literal["mistake", "convention", "factor", "edit"]
    text: str


def diagnose(target: Target, value: Fraction, half_unit: Fraction, unit: Unit | None = None) -> Diagnosis | None:
    """Recognise a wrong `value` (base units) or return None.

    `half_unit` is half a unit of the last digit typed (0 for a computed value), `unit` the unit that was typed.
    """
    if not value:
        return None
    window = half_unit or abs(value) * _COMPUTED
    slips = [slip for slip in target.slips if _matches(slip.value, value, window)]
    if slips:
        return _slip(slips)
    mixed = mixed_prefix(target, unit) if unit is not None else None
    if mixed is not None and abs(mixed.value - value) <= window:
        return Diagnosis(mixed.id, mixed.kind, mixed.text)
    return _named(target, value, window)


def _matches(candidate: Fraction, value: Fraction, window: Fraction) -> bool:
    if window > abs(value) * _TOO_COARSE:
        return candidate == value
    return abs(candidate - value) <= window


def _slip(slips: list[Slip]) -> Diagnosis | None:
    if len({slip.value for slip in slips}) > 1:
        return None
    texts = list(dict.fromkeys(slip.says for slip in slips))
    return Diagnosis(slips[0].id, slips[0].kind, " Or: ".join(texts[:_MOST_NAMED]))


def _named(target: Target, value: Fraction, window: Fraction) -> Diagnosis | None:
    precision = window / abs(value)
    if precision > _TOO_COARSE:
        return None
    is_coarse = precision > _COARSE
    budget = max(int(SHARE * _SPAN / (2 * precision)) - len(target.slips), _LEAST_NAMED)
    found: list[Candidate] = []
    seen: set[Fraction] = set()
    for candidate in _candidates(target):
        if is_coarse and (candidate.value / (2 * window)).denominator != 1:
            continue
        if candidate.value not in seen:
            if len(seen) >= budget:
                break
            seen.add(candidate.value)
        if abs(candidate.value - value) <= window:
            found.append(candidate)
    if not found or len({candidate.value for candidate in found}) > 1:
        return None
    texts = list(dict.fromkeys(candidate.text for candidate in found))
    return Diagnosis(found[0].id, found[0].kind, " Or: ".join(texts[:_MOST_NAMED]))


@lru_cache(maxsize=16)
def _candidates(target: Target) -> tuple[Candidate, ...]:
    """Every candidate that is itself wrong, the likeliest first."""
    everything = chain(factor_candidates(target), edit_candidates(target))
    return tuple(candidate for candidate in everything if candidate.value and not target.accepts(candidate.value))
