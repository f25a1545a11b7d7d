"""What a typed answer is held against: the exact reference, its unit and tolerance, the known slips."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from solvers.expr.declared import FIELD, Units, units_from
from solvers.expr.evaluate import Quantity
from solvers.expr.reader import read_strict
from solvers.record import EMPTY, Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.rendered import NumericPart
    from solvers.expr.tree import Expr
    from solvers.expr.units import Unit

CLOSE: Final = 3
"""An answer within this many tolerances is close."""
# Roots and logarithms are known to 40 digits; what is nearer than this cannot be told apart.
_EXACT: Final = Fraction(1, 10**25)


class Slip(Record):
    """A recognised wrong value in base units and what it says."""

    id: str
    value: Fraction
    says: str
    kind: Literal["mistake", "convention"] = "mistake"


class Estimate(Record):
    """A scale of factors: within `full` all points, from `none` on nothing, between them by the logarithm."""

    full: Fraction
    none: Fraction

    def credit(self, value: Fraction, reference: Fraction) -> Fraction:
        """The share of the points, to whole percents; nothing for another sign."""
        if value == reference:
            return Fraction(1)
        if not value or not reference or (value > 0) is not (reference > 0):
            return Fraction(0)
        off = max(value / reference, reference / value)
        if off <= self.full or off >= self.none:
            return Fraction(off <= self.full)
        with localcontext(prec=20):
            share = (_ln(self.none) - _ln(off)) / (_ln(self.none) - _ln(self.full))
            # Between the ends there is always something to gain and something to lose.
            return min(max(Fraction(round(share * 100), 100), Fraction(1, 100)), Fraction(99, 100))


def _ln(value: Fraction) -> Decimal:
    return (Decimal(value.numerator) / Decimal(value.denominator)).ln()


class Target(Record):
    """The reference in base units with everything that judging needs. Compared and hashed by identity.

    `relative` and `absolute` (base units) are the tolerance, the larger one holds; both zero ask for equality.
    `expression` is the reference in the letters of `variables`; None where it is not known. With `in_unit` the
    conversion is what is asked for, so that no other unit is taken. With `estimate` the tolerance is a factor; `summed`
    adds the two tolerances; `units` are those that an answer may be written in; `reference` is the reference as it was
    written, where it was written for this alone. With `overlapping` a range need only touch the tolerance.
    """

    value: Fraction
    unit: Unit
    need_unit: bool = False
    relative: Fraction = Fraction(0)
    absolute: Fraction = Fraction(0)
    slips: tuple[Slip, ...] = ()
    variables: Mapping[str, Quantity] = EMPTY
    spelled: Mapping[str, str] = EMPTY
    meanings: Mapping[str, str] = EMPTY
    expression: Expr | None = None
    in_unit: bool = False
    estimate: Estimate | None = None
    summed: bool = False
    units: Units = FIELD
    reference: Expr | None = None
    overlapping: bool = False

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def tolerance(self) -> Fraction:
        """How far an answer may be off, in base units."""
        relative = self.relative * abs(self.value)
        both = relative + self.absolute if self.summed else max(relative, self.absolute)
        return max(both, abs(self.value) * _EXACT)

    def accepts(self, value: Fraction, times: int = 1) -> bool:
        """Whether a value is within `times` the tolerance, the edge included."""
        return abs(value - self.value) <= self.tolerance * times


@lru_cache(maxsize=64)
def target_of(part: NumericPart) -> Target:
    """Make the target of a question's numeric part.

    Raises `ValueError` for a figure that is no rational, `UnitError` or `ReadError` for a bank's bad unit or
    expression; the bank checks them before it hands a question out.
    """
    units = units_from(part.units)
    variables = {
        item.letter: Quantity(Fraction(item.exact), units.parse(item.unit).dimension) for item in part.variables
    }
    return Target(
        Fraction(part.exact),
        units.parse(part.unit),
        part.need_unit,
        Fraction(part.relative or 0),
        Fraction(part.absolute or 0),
        tuple(Slip(slip.id, Fraction(slip.exact), slip.says, slip.kind) for slip in part.slips),
        variables,
        {item.letter: item.text for item in part.variables},
        {item.letter: item.meaning for item in part.variables},
        read_strict(part.expression, units) if part.expression else None,
        in_unit=part.in_unit,
        estimate=None if part.estimate is None else Estimate(*(Fraction(factor) for factor in part.estimate)),
        units=units,
        overlapping=part.overlapping,
    )
