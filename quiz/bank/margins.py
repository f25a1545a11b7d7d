"""How clearly a question is decided, in a few words for an author's table."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from quiz.bank.decide import Truth
from quiz.bank.shown import percent_text
from solvers.expr.evaluate import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quiz.bank.compile import Compiled
    from quiz.bank.decide import Standing
    from quiz.bank.rendered import NumericPart


def margin_of(compiled: Compiled) -> str:
    """The margin of a question: the winner's and the nearest loser's, the closest neighbours, or the nearest slip."""
    base, standings = compiled.base, compiled.decision.standings
    if base.kind in ("strategy", "claim"):
        return _choice_margin(base.key[0], standings.values())
    if base.kind == "ordering":
        values = [standings[name].values[0].value for name in base.key]
        gaps = [
            _apart(one.value, other.value)
            for one, other in pairwise(values)
            if isinstance(one, Quantity) and isinstance(other, Quantity)
        ]
        return f"neighbours {percent_text(min(gaps))} apart or more"
    return _slip_margin(base.numeric) if base.numeric else "by a rubric"


def _choice_margin(key: str, standings: Iterable[Standing]) -> str:
    said: list[str] = []
    everyone = list(standings)
    winner = [standing for standing in everyone if standing.id == key]
    losers = [standing for standing in everyone if standing.id != key]
    for name, group in (("key", winner), ("others", losers)):
        slacks = [slack for standing in group for slack in _slacks(standing)]
        if slacks:
            said.append(f"{name} {percent_text(min(slacks))}")
    preferred = _preference_margin(winner[0], losers)
    if preferred:
        said.append(preferred)
    return ", ".join(said) or "exact"


def _slacks(standing: Standing) -> list[Fraction]:
    """The distances to the edge of the comparisons that decide this option."""
    compared = standing.judged.compared if standing.judged else ()
    fails = standing.truth is Truth.FAILS
    found = [abs(one.slack) for one in compared if one.slack is not None and (one.truth is Truth.FAILS) == fails]
    return [max(found)] if fails and found else found


def _preference_margin(winner: Standing, losers: list[Standing]) -> str:
    rivals = [loser for loser in losers if loser.values]
    for index, value in enumerate(winner.values):
        mine = value.value
        gaps = [
            _apart(mine.value, theirs.value)
            for rival in rivals
            if isinstance(mine, Quantity) and isinstance(theirs := rival.values[index].value, Quantity)
        ]
        if any(gaps):
            return f"preferred by {percent_text(min(gap for gap in gaps if gap))}"
    return ""


def _slip_margin(part: NumericPart) -> str:
    reference = Fraction(part.exact)
    gaps = [_apart(reference, Fraction(slip.exact)) for slip in part.slips]
    return f"nearest slip {percent_text(min(gaps))} away" if gaps else "no slips"


def _apart(one: Fraction, other: Fraction) -> Fraction:
    """How far two values lie apart, as a share of the larger."""
    largest = max(abs(one), abs(other))
    return abs(one - other) / largest if largest else Fraction(0)
