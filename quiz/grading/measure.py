"""From what was read to a value in base units of what is asked for, or why it is not one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.grading.spelling import base_unit, kind_of, spell_number
from solvers.expr.reader import AmbiguousError
from solvers.expr.tree import Binary
from solvers.record import Record

if TYPE_CHECKING:
    from quiz.grading.target import Target
    from solvers.expr.evaluate import Quantity
    from solvers.expr.reader import Answer
    from solvers.expr.units import Unit

# A bare number this large cannot be meant in units of a million and more.
_LARGE: Final = 1_000_000
_FORMULA_UNITS: Final = frozenset({"byte", "flop"})


class WrongUnit(Record):
    """The answer measures something else, or does not say what it measures; `message` tells the learner.

    `is_missing` marks a bare number where the unit has to be typed.
    """

    message: str
    is_missing: bool = False


class Measured(Record):
    """A value in base units. `taken_as` says what a bare number or a formula was taken for (None: it said).

    `scale` is what the value that was read had to be multiplied by.
    """

    value: Fraction
    taken_as: Unit | None = None
    scale: Fraction = Fraction(1)


def measured(answer: Answer, read: Quantity, target: Target) -> Measured | WrongUnit:
    """Hold what was read against the unit that is asked for.

    Counts are transparent: `35 GB/GPU` is bytes, and so is `16P`, whose 16 are then bytes per parameter. A bare
    number is in the unit of the question unless one is required. Raises `AmbiguousError` for a bare number
    that could be a percentage or a share.
    """
    asked = target.unit.dimension
    if read.dimension.without_counts == asked.without_counts:
        if not asked.without_counts.is_plain:
            return Measured(read.value)
        return _plain_or_count(answer, read, target)
    has_own = answer.has_unit and not (answer.is_formula or _is_each(read))
    if not read.dimension.without_counts.is_plain or has_own:
        is_share = answer.unit is not None and answer.unit.name == "%"
        kind = "a share" if is_share else kind_of(read.dimension)
        return WrongUnit(f"This is {kind}; {kind_of(asked)} is asked for.")
    return _without_unit(answer, read, target)


def _is_each(read: Quantity) -> bool:
    """Whether a bare number is only said to be for each of something: `35 per GPU`."""
    powers = read.dimension.powers
    return bool(powers) and read.dimension.is_count and all(power < 0 for _, power in powers)


def _plain_or_count(answer: Answer, read: Quantity, target: Target) -> Measured | WrongUnit:
    asked = target.unit.dimension
    has_own = answer.typed and answer.has_unit and not (read.dimension.is_plain or _is_each(read))
    if has_own and not asked.is_plain and read.dimension != asked:
        return WrongUnit(f"This is {kind_of(read.dimension)}; {kind_of(asked)} is asked for.")
    if target.unit.name != "%" or answer.has_unit or isinstance(answer.expr, Binary):
        return Measured(read.value)
    if read.value and abs(read.value) <= 1:
        shown, share = spell_number(read.value), spell_number(read.value * 100)
        raise AmbiguousError(answer.text, 0, len(answer.text), (f"{shown} %", f"{share} %"), "Write the percent sign.")
    return Measured(read.value / 100, target.unit, Fraction(1, 100))


def _without_unit(answer: Answer, read: Quantity, target: Target) -> Measured | WrongUnit:
    unit = target.unit
    hard = unit.dimension.without_counts.powers
    if answer.is_formula and not target.in_unit and len(hard) == 1 and hard[0][0] in _FORMULA_UNITS and hard[0][1] == 1:
        return Measured(read.value, _base(unit))
    if answer.has_names and not answer.is_formula:
        return WrongUnit(f"This is {kind_of(read.dimension)}; {kind_of(unit.dimension)} is asked for.")
    if target.need_unit:
        wanted = f"{kind_of(unit.dimension)} is asked for"
        said = f"The unit is missing: {wanted}. Write it behind the number, as in {_example(unit)}."
        return WrongUnit(said, is_missing=True)
    if target.in_unit:
        return Measured(read.value * unit.factor, unit, unit.factor)
    if abs(read.value) >= _LARGE and unit.factor >= _LARGE:
        return Measured(read.value, _base(unit))
    return Measured(read.value * unit.factor, unit, unit.factor)


def _example(unit: Unit) -> str:
    return "$5" if unit.name == "$" else f"5 {unit.name}"


def _base(unit: Unit) -> Unit:
    return base_unit(unit.dimension.without_counts)
