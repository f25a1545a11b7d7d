"""Recognises how a wrong value came about: the question's slips, then named factors, then edits of the reference.

A candidate must match to the digits that were typed (half a unit of the last one), and all that match must be one
value. The fewer digits, the more candidates a random number hits: so candidates are taken in order of likelihood, and
only as many as leave the share of random answers that would be "recognised" below `SHARE` at every distance from the
reference (`budget.py`). With two digits a candidate must be the exact value; with one digit only a slip of the question
is recognised.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal

from quiz.grading.budget import Budget, digits_of
from quiz.grading.factors import factor_candidates, mixed_unit, other_prefix_candidates
from quiz.grading.mutations import edit_candidates
from solvers.record import Record

if TYPE_CHECKING:
    from quiz.grading.candidate import Candidate
    from quiz.grading.target import Slip, Target
    from solvers.expr.units import Unit

_COMPUTED: Final = Fraction(1, 10**9)  # a formula has no last digit; its value is compared to nine places
_ENOUGH: Final = 3  # digits that are evidence
_FEWEST: Final = 2  # with one digit only an exact slip is told
_MOST_NAMED: Final = 2


class Diagnosis(Record):
    """What was recognised: an id, whose it is, and the words for the learner."""

    id: str
    kind: Literal["mistake", "convention", "factor", "edit"]
    text: str


def diagnose(
    target: Target, value: Fraction, half_unit: Fraction, unit: Unit | None = None, *, digits: int = 0
) -> Diagnosis | None:
    """Recognise a wrong `value` (base units) or return None.

    `half_unit` is half a unit of the last digit typed (0 for a computed value), `unit` the unit that was typed;
    `digits` are those that are evidence: the zeros at the end of 1200 are none (0: all that were typed).
    """
    if not value:
        return None
    window = half_unit or abs(value) * _COMPUTED
    seen = _Seen(value, window, digits or digits_of(value, window))
    budget = Budget(target.value, window, seen.digits)
    slips = _slips_met(target, seen, budget)
    if slips:
        return _slip(slips)
    mixed = mixed_unit(target, unit) if unit is not None else None
    if mixed is not None and seen.is_at(mixed.value):
        return Diagnosis(mixed.id, mixed.kind, mixed.text)
    return _named(target, seen, budget) if seen.digits >= _FEWEST else None


class _Seen(Record):
    """The wrong value, half a unit of its last digit, and how many digits are evidence."""

    value: Fraction
    window: Fraction
    digits: int

    def is_at(self, candidate: Fraction) -> bool:
        """Whether a candidate rounds to what was typed."""
        return abs(candidate - self.value) <= self.window

    def writes(self, candidate: Fraction) -> bool:
        """Whether a candidate can be written exactly with the last digit that was typed."""
        return (candidate / (2 * self.window)).denominator == 1


def _slips_met(target: Target, seen: _Seen, budget: Budget) -> list[Slip]:
    """The slips that match. They are told whatever the budget, and charged to it."""
    known = [slip for slip in target.slips if seen.digits >= _ENOUGH or seen.writes(slip.value)]
    for slip in known:
        budget.charge(slip.value)
    return [slip for slip in known if seen.is_at(slip.value)]


def _slip(slips: list[Slip]) -> Diagnosis | None:
    if len({slip.value for slip in slips}) > 1:
        return None
    texts = list(dict.fromkeys(slip.says for slip in slips))
    elsewhere = "Right by another convention. " if all(slip.kind == "convention" for slip in slips) else ""
    return Diagnosis(slips[0].id, slips[0].kind, elsewhere + " Or: ".join(texts[:_MOST_NAMED]))


def _named(target: Target, seen: _Seen, budget: Budget) -> Diagnosis | None:
    told = [item for item in _candidates(target) if seen.digits >= _ENOUGH or seen.writes(item.value)]
    met = [item for item in told if seen.is_at(item.value)]
    if len({item.value for item in met}) != 1 or not _is_allowed(met[0].value, told, budget):
        return None
    texts = list(dict.fromkeys(item.text for item in met))
    return Diagnosis(met[0].id, met[0].kind, " Or: ".join(texts[:_MOST_NAMED]))


def _is_allowed(value: Fraction, told: list[Candidate], budget: Budget) -> bool:
    """Whether a value can be told beside those that are likelier."""
    for other in dict.fromkeys(item.value for item in told):
        is_allowed = budget.allows(other)
        if other == value:
            return is_allowed
    return False


@lru_cache(maxsize=16)
def _candidates(target: Target) -> tuple[Candidate, ...]:
    """Every candidate that is itself wrong, the likeliest first."""
    everything = chain(factor_candidates(target), edit_candidates(target), other_prefix_candidates(target))
    return tuple(candidate for candidate in everything if candidate.value and not target.accepts(candidate.value))
