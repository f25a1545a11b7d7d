"""How a computed value is spelled: in which unit, with how many decimals.

A unit that the author names wins. Else a quantity of the catalogue has its own unit, and a formula takes that of
the first quantity or number in it that measures the same; a ratio of two like amounts up to one is a percentage.
Pure counts lose their unit in prose ("70B", not "70B param"), since the sentence says what is counted.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.evaluate import Quantity
from solvers.expr.show import show_number, show_quantity
from solvers.expr.tree import Binary, Number, Symbol, walk
from solvers.expr.units import PLAIN_UNIT, Unit, parse_unit
from solvers.presets import preset
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from solvers.expr.dimension import Dimension
    from solvers.expr.evaluate import Value
    from solvers.expr.tree import Expr

_PERCENT: Final = parse_unit("%")
_PARAMETERS: Final = parse_unit("param")
_DEFAULTS: Final = {parse_unit(name).dimension: parse_unit(name) for name in ("GB", "GB/s", "TFLOP", "TFLOP/s", "$")}
_CALLED: Final = frozenset({"cluster.gpu", "model"})
_TIMES: Final = tuple(parse_unit(name) for name in ("day", "h", "min", "s", "ms"))


class Shown(Record):
    """A value with the way it is spelled."""

    value: Value
    unit: Unit = PLAIN_UNIT
    decimals: int | None = None
    short: bool = False
    called: str = ""

    @property
    def text(self) -> str:
        """The value with its unit."""
        return spelled(self.value, self.unit, self.decimals, short=self.short)

    @property
    def in_prose(self) -> str:
        """The value as a sentence takes it: counts without their unit, a GPU by its name."""
        if self.called:
            return self.called
        if (
            isinstance(self.value, Quantity)
            and self.unit.name
            and self.unit.dimension.is_count
            and not self.unit.dimension.is_plain
        ):
            bare = Unit("", self.unit.factor, self.unit.dimension)
            return spelled(self.value, bare, self.decimals, short=self.short)
        return self.text

    def with_format(self, unit: Unit | None, decimals: int | None) -> Shown:
        """The same in another unit or with other decimals, where they are given."""
        if unit is None and decimals is None:
            return self
        return Shown(
            self.value,
            unit or self.unit,
            self.decimals if decimals is None else decimals,
            self.short and unit is None and decimals is None,
        )


def spelled(value: Value, unit: Unit, decimals: int | None = None, *, short: bool = False) -> str:
    """A value as text: `35 GB`, `5.19 %`, `yes`, `h100-80gb`."""
    if isinstance(value, Quantity):
        return show_quantity(value, unit, decimals, short=short)
    return ("yes" if value else "no") if isinstance(value, bool) else value


def shown_symbol(name: str, value: Value) -> Shown:
    """A quantity of the catalogue as the catalogue spells it."""
    info = CATALOGUE[name]
    called = preset(name, value).meaning if name in _CALLED and isinstance(value, str) else ""
    return Shown(value, info.unit, info.decimals, info.short, called)


def shown_expr(expr: Expr, value: Value, of_name: Callable[[str], Shown]) -> Shown:
    """The value of a formula, in the unit that it suggests itself; `of_name` spells a name in it."""
    if isinstance(expr, Symbol):
        return of_name(expr.name)
    if not isinstance(value, Quantity):
        return Shown(value)
    if isinstance(expr, Number):
        return Shown(value, expr.unit or PLAIN_UNIT, short=value.dimension == _PARAMETERS.dimension)
    return _shown_amount(expr, value, of_name)


def _shown_amount(expr: Expr, value: Quantity, of_name: Callable[[str], Shown]) -> Shown:
    if value.dimension.is_plain:
        return Shown(value, _PERCENT if _is_share(expr, value, of_name) else PLAIN_UNIT)
    if value.dimension == _PARAMETERS.dimension:
        return Shown(value, _PARAMETERS, short=True)
    for node in walk(expr):
        unit = node.unit if isinstance(node, Number) else of_name(node.name).unit if isinstance(node, Symbol) else None
        if unit is not None and unit.dimension == value.dimension:
            return Shown(value, unit)
    return Shown(value, natural_unit(value))


def natural_unit(value: Quantity) -> Unit:
    """The unit in which people say an amount of this kind."""
    known = _DEFAULTS.get(value.dimension)
    if known:
        return known
    if value.dimension == _TIMES[0].dimension:
        return next((unit for unit in _TIMES if abs(value.value) >= unit.factor), _TIMES[-1])
    return base_unit(value.dimension)


def base_unit(dimension: Dimension) -> Unit:
    """The base unit of a dimension: `B`, `s`, `param`, `B/param`."""
    names = {"byte": "B", "second": "s", "flop": "FLOP", "watt": "W", "dollar": "$", "parameter": "param"}
    above = [_powered(names.get(name, name), power) for name, power in dimension.powers if power > 0]
    below = [_powered(names.get(name, name), -power) for name, power in dimension.powers if power < 0]
    return Unit("/".join(["·".join(above) or "1", *below]) if dimension.powers else "", Fraction(1), dimension)


def _powered(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{power}"


def _is_share(expr: Expr, value: Quantity, of_name: Callable[[str], Shown]) -> bool:
    """Whether the formula is a part of a whole: a ratio of two amounts that measure the same, at most one."""
    if not (isinstance(expr, Binary) and expr.operator == "/" and 0 <= value.value <= 1):
        return False
    return any(
        isinstance(node, Symbol)
        and isinstance(inner := of_name(node.name).value, Quantity)
        and bool(inner.dimension.without_counts.powers)
        for node in walk(expr.left)
    )


def percent_text(share: Fraction, decimals: int = 1) -> str:
    """A share as a percentage: `37.5 %`."""
    return f"{show_number(share * 100, decimals)} %"
