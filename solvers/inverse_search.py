"""Where a condition begins or stops to hold, by search: whole numbers one by one, others between two brackets."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from solvers.errors import InverseError
from solvers.inverse_question import Checked, Inverse, Kind, Question
from solvers.record import changed

FARTHEST: Final = 2**60
"""The search gives up beyond this value."""
SCAN: Final = 4096
"""Where some values are not admissible (a degree that does not divide), so many are tried one by one."""
_ISLANDS: Final = 512
NEAR: Final = Fraction(1, 10**9)
"""As far from an edge, in parts of it, lies the value that is tried on its other side."""
_BESIDE: Final = 128
_DECADES: Final = range(-12, 37)
_NARROW: Final = Fraction(1, 10**12)
_SIMPLE: Final = 10**6


class Search(Question):
    """A question that is answered by trying values."""

    def fewest_by_search(self) -> Inverse:
        """The smallest whole number, by doubling and halving; one by one where that may have gone wrong."""
        if self.may_be_none and self.at(Fraction(0)).holds:
            return self.answer("fewest", Fraction(0), "integer search", (0,))
        below, value = 0, self.step
        while value <= self.farthest and not self.at(Fraction(value)).holds:
            below, value = value, value * 2
        if value > self.farthest:
            return self._scanned("fewest")
        while value - below > self.step:
            middle = self._between(below, value)
            if self.at(Fraction(middle)).holds:
                value = middle
            else:
                below = middle
        if self._has_holes() or not self._keeps_holding(value):
            return self._scanned("fewest")
        return self.answer("fewest", Fraction(value), "integer search", (value - self.step, value))

    def largest_by_search(self) -> Inverse:
        """The largest whole number, in the same way."""
        value, above = self.step, self.step * 2
        if not self.at(Fraction(value)).holds:
            return self._scanned("largest")
        while above <= self.farthest and self.at(Fraction(above)).holds:
            value, above = above, above * 2
        if above > self.farthest == FARTHEST:
            raise InverseError(
                f"the condition holds for every {self.info.name} that was tried, up to {value:,}: there is no largest"
            )
        above = min(above, self.farthest // self.step * self.step + self.step)
        while above - value > self.step:
            middle = self._between(value, above)
            if self.at(Fraction(middle)).holds:
                value = middle
            else:
                above = middle
        if self.met_bounds:
            # An inadmissible value says nothing of those beyond it.
            return self._scanned("largest")
        return self.answer("largest", Fraction(value), "integer search", (value, value + self.step))

    @property
    def may_be_none(self) -> bool:
        """Whether 0 is a value too: DDP is stage 0."""
        return self.info.domain == "non-negative integer"

    @property
    def farthest(self) -> int:
        """The last value that is tried: the most that the quantity can be, or the limit of the search."""
        return FARTHEST if self.info.most is None else int(self.info.most)

    def _between(self, below: int, above: int) -> int:
        return (below + above) // (2 * self.step) * self.step

    def _has_holes(self) -> bool:
        """Whether a value in between was not admissible, so that halving may have gone the wrong way."""
        holding = [value for value, item in self._tried.items() if item.holds]
        return any(item.reason and value < max(holding) for value, item in self._tried.items()) if holding else False

    def _keeps_holding(self, value: int) -> bool:
        later = (self.at(Fraction(other)) for other in (value + self.step, value * 2, value * 4))
        return all(item.holds or item.reason for item in later)

    def _scanned(self, kind: Kind) -> Inverse:
        """Try the values one by one, for conditions that are not monotone or have inadmissible values."""
        for power in range(SCAN.bit_length()):
            if self.step << power <= self.farthest:
                self.at(Fraction(self.step << power))  # what refuses one of these is not asked again for each
        # Where every value is admissible only an island that doubling stepped over is left to find.
        most = self.step * (SCAN if self.met_bounds else _ISLANDS)
        last = min(most, self.farthest)
        values = self.sieved(list(range(self.step, last + 1, self.step)))
        ordered = values if kind == "fewest" else values[::-1]
        found = next((value for value in ordered if self.at(Fraction(value)).holds), None)
        if found is None and self.may_be_none and self.at(Fraction(0)).holds:
            return self.answer(kind, Fraction(0), "integer search", (0, self.step))
        if found is None:
            return self._in_larger_steps(kind, values, last)
        if kind == "largest" and found + self.step > last and last < self.farthest:
            raise InverseError(f"the condition still holds at {self.info.name} = {found:,}: there is no largest")
        return self.answer(kind, Fraction(found), "integer search", self._beside(kind, found))

    def _in_larger_steps(self, kind: Kind, values: list[int], last: int) -> Inverse:
        """Search on where only the multiples of something are admissible; else say that there is no answer."""
        if values and values[-1] + self.step <= last:
            self.at(Fraction(values[-1] + self.step))  # what is said names the value beyond the last one
        far = self._holding_far_away()
        step = values[0] if values else self.step
        if not far or step == self.step or values != list(range(step, last + 1, step)):
            raise InverseError(far or self.nowhere())
        larger = type(self)(self.scenario, self.info, self.condition, self.extra, step)
        return larger.fewest_by_search() if kind == "fewest" else larger.largest_by_search()

    def _holding_far_away(self) -> str:
        """What to say where the condition holds beyond what is tried one by one."""
        holding = sorted(value for value, item in self._tried.items() if item.holds)
        reason = next((item.reason for item in self._tried.values() if item.reason), "")
        if not holding:
            return ""
        return (
            f"the condition holds at {self.info.name} = {int(holding[0]):,}, but not every value below is "
            f"admissible ({reason}): search in steps of an admissible size"
        )

    def _beside(self, kind: Kind, found: int) -> tuple[int, ...]:
        """The answer and the values outside it, up to the first that is admissible."""
        outward = -self.step if kind == "fewest" else self.step
        beside = [found]
        while 0 < beside[-1] + outward <= self.step * SCAN and len(beside) < _BESIDE:
            beside.append(beside[-1] + outward)
            if not self.at(Fraction(beside[-1])).reason:
                # Those in between that cannot be tried say nothing.
                return tuple(sorted((found, beside[-1])))
        return tuple(sorted(beside[:2]))

    # -- numbers that are not whole --------------------------------------------------------------------------

    def by_bracketing(self, kind: Kind) -> Inverse:
        """The edge of the condition, between a value with which it holds and one with which it does not.

        For conditions with corners or cases in the unknown. The values tried first are powers of ten in base units;
        an edge where two others lie between two of them is missed.
        """
        tried = [self.at(Fraction(10) ** power) for power in _DECADES]
        ordered = tried if kind == "fewest" else tried[::-1]
        inside = next((item for item in ordered if item.holds), None)
        if inside is None:
            raise InverseError(self.nowhere())
        if inside is ordered[0]:
            raise InverseError(self.boundless(kind))
        outside = ordered[ordered.index(inside) - 1]
        while abs(outside.value.value - inside.value.value) > _NARROW * inside.value.value:
            middle = self.at((outside.value.value + inside.value.value) / 2)
            inside, outside = (middle, outside) if middle.holds else (inside, middle)
        inside, outside = self._at_a_simple_number(kind, inside, outside)
        beyond = "above" if kind == "largest" else "below"
        named = changed(outside, text=f"just {beyond} {inside.text}")
        pair = tuple(sorted((inside, named), key=lambda item: item.value.value))
        return Inverse(
            self.info.name,
            inside.value,
            self.info.unit,
            inside.text,
            kind,
            "bracketing",
            pair,
            "the condition has steps, corners or cases here; halved to a part in 1e12",
        )

    def _at_a_simple_number(self, kind: Kind, inside: Checked, outside: Checked) -> tuple[Checked, Checked]:
        """The edge itself, where it is a number of few digits in the unit that is shown."""
        factor = self.info.unit.factor
        edge = (inside.value.value / factor).limit_denominator(_SIMPLE) * factor
        low, high = sorted((inside.value.value, outside.value.value))
        if not low <= edge <= high:
            return inside, outside
        beyond = self.at(edge * (1 + NEAR) if kind == "largest" else edge * (1 - NEAR))
        found = self.at(edge)
        return (found, beyond) if found.holds and not beyond.holds else (inside, outside)
