"""Whether two expressions are equal over the domain of their names, by their values at chosen points.

Three arithmetics, the first that applies:

- rational expressions: whole numbers modulo a prime of 61 bits. Values that differ there differ in truth; two
  rational functions that agree at two unrelated points are the same but for a chance of about 1 in 10^30;
- roots, powers, logarithms, angles, constants: decimals of 45 digits, equal where 30 agree at four points, or all
  that rounding leaves;
- rounding, choice, units, given values: exact fractions by the evaluator itself.

Names stand for positive reals (with `ceil` or `floor`, or where it is asked for, for positive integers). The
points are fixed, so that the same pair always gets the same verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, DecimalException, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from solvers.expr.decimals import FLOATS, real, to_decimal, within
from solvers.expr.evaluate import MAX_EXPONENT, EvaluationError, Quantity, quantity
from solvers.expr.tree import TRIGONOMETRY, Binary, Call, Expr, Negative, Number, Symbol, symbols, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

Equality: TypeAlias = Literal["equal", "different", "undecided"]
_ENOUGH: Final = 4
_POINTS: Final = 2
_TRIES: Final = 24
_FEWEST_TRIES: Final = 6
_COSTLY: Final = 10
_WORK: Final = 2400
_PRIME: Final = 2**61 - 1
_SPREAD: Final = 0x9E3779B97F4A7C15
_NEAR: Final = Fraction(1, 10**25)
_CLOSE: Final = Decimal(10) ** -30
_CONSTANT: Final = 10**40  # a denominator this large is that of pi or e, which are known to 49 digits only
_SMOOTH: Final = frozenset({"sqrt", "log", "ln", "log2", "log10", "exp", *TRIGONOMETRY})
_PRIMES: Final = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179)
_RATIONAL, _SMOOTH_REAL, _OTHER = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict, and the constant factor left/right where the two differ by nothing else (None: they do)."""

    verdict: Equality
    factor: Fraction | None = None


def compare(
    left: Expr, right: Expr, *, integers: bool = False, known: Mapping[str, Quantity] | None = None
) -> Comparison:
    """Compare two expressions; `known` holds the names that have a value.

    `undecided` means that no point was found where either has a value.
    """
    quick: bool | None = None
    bare = {name: item.value for name, item in (known or {}).items() if item.dimension.is_count}
    if not integers and len(bare) == len(known or {}):
        seen: dict[str, None] = {}
        kind = max(_surveyed(left, seen), _surveyed(right, seen))
        names = tuple(seen)
        if kind == _RATIONAL and not known:
            quick = _by_residues(left, right, names)
        elif kind == _SMOOTH_REAL:
            quick = _by_decimals(left, right, names, bare)
    if quick is not None:
        return Comparison("equal" if quick else "different")
    return _exactly(left, right, known or {}, integers=integers)


def _surveyed(expr: Expr, names: dict[str, None]) -> int:
    """The simplest arithmetic in which an expression can be computed; its names are put to `names`."""
    kind, stack = _RATIONAL, [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Binary):
            stack += (node.right, node.left)
            if node.operator == "^" and _whole(node.right) is None:
                kind = max(kind, _SMOOTH_REAL)
        elif isinstance(node, Symbol):
            names[node.name] = None
        elif isinstance(node, Number):
            if node.unit is not None:
                kind = _OTHER
            elif kind == _RATIONAL and node.value.denominator > _CONSTANT:
                kind = _SMOOTH_REAL
        elif isinstance(node, Call) and node.function in _SMOOTH:
            stack += node.arguments
            kind = max(kind, _SMOOTH_REAL)
        elif isinstance(node, Negative):
            stack.append(node.operand)
        else:
            kind = _OTHER
            stack += reversed(node.children)
    return kind


def _whole(exponent: Expr) -> int | None:
    """The value of an exponent that is written as a whole number."""
    if isinstance(exponent, Negative):
        inner = _whole(exponent.operand)
        return None if inner is None else -inner
    if isinstance(exponent, Number) and exponent.unit is None and exponent.value.denominator == 1:
        return exponent.value.numerator if abs(exponent.value) <= MAX_EXPONENT else None
    return None


def _by_residues(left: Expr, right: Expr, names: tuple[str, ...]) -> bool | None:
    """Decide in the field of a prime; None where there is no value, or a constant factor to be found out."""
    first: tuple[int, int] | None = None
    equal = met = 0
    for attempt in range(_POINTS if names else 1):
        point = {name: pow(_SPREAD * (attempt + 2) + place, 3, _PRIME) for place, name in enumerate(names)}
        (above, below), (over, under) = _residue(left, point), _residue(right, point)
        if not below or not under:
            continue
        met += 1
        ratio = above * under % _PRIME, below * over % _PRIME
        if ratio[0] == ratio[1]:
            equal += 1
        elif first is None:
            first = ratio
        elif (ratio[0] * first[1] - ratio[1] * first[0]) % _PRIME:
            return False
    if not met or (not equal and first is not None):
        return None
    return equal == met


def _residue(expr: Expr, point: Mapping[str, int]) -> tuple[int, int]:
    """The value modulo the prime as numerator and denominator; a denominator of 0 is no value."""
    if isinstance(expr, Symbol):
        return point[expr.name], 1
    if isinstance(expr, Number):
        value = expr.value
        return value.numerator % _PRIME, value.denominator % _PRIME
    if isinstance(expr, Binary):
        if not isinstance(expr.left, Binary):
            return _combined(expr, _residue(expr.left, point), point)
        spine = [expr]
        while isinstance(spine[-1].left, Binary):
            spine.append(spine[-1].left)
        found = _residue(spine[-1].left, point)
        for node in reversed(spine):
            found = _combined(node, found, point)
        return found
    if isinstance(expr, Negative):
        above, below = _residue(expr.operand, point)
        return -above % _PRIME, below
    raise TypeError(type(expr).__name__)


def _combined(node: Binary, left: tuple[int, int], point: Mapping[str, int]) -> tuple[int, int]:
    above, below = left
    operator = node.operator
    if operator == "^":
        exponent = _whole(node.right)
        if exponent is None:
            raise TypeError(operator)
        if exponent < 0:
            above, below, exponent = below, above, -exponent
        if not above and not exponent:
            return 0, 0
        return pow(above, exponent, _PRIME), pow(below, exponent, _PRIME) if below else 0
    over, under = _residue(node.right, point)
    if operator == "*":
        return above * over % _PRIME, below * under % _PRIME
    if operator == "/":
        return above * under % _PRIME, (below * over % _PRIME) if under else 0
    if below == under:
        return (above + over if operator == "+" else above - over) % _PRIME, below
    if operator == "-":
        over = -over
    return (above * under + over * below) % _PRIME, below * under % _PRIME


def _by_decimals(left: Expr, right: Expr, names: tuple[str, ...], known: Mapping[str, Fraction]) -> bool | None:
    """Decide by decimals; None where values are missing, or a constant factor is to be found out."""
    first: Decimal | None = None
    equal = met = 0
    names = tuple(name for name in names if name not in known)
    with localcontext(FLOATS):
        fixed = {name: to_decimal(value) for name, value in known.items()}
        if any(_has_no_decimal(side, fixed) for side in (left, right) if not set(symbols(side)).intersection(names)):
            return None
        for attempt in range(_tries(left, right) if names else 1):
            point = {name: to_decimal(_value(attempt, place, whole=False)) for place, name in enumerate(names)} | fixed
            try:
                one, other = real(left, point), real(right, point)
            except (DecimalException, ZeroDivisionError):
                continue
            met += 1
            if abs(one - other) <= _CLOSE * max(abs(one), abs(other)) or _is_rounding(left, right, point):
                equal += 1
            else:
                ratio = one / other if other else Decimal(0)
                first = ratio if first is None else first
                if equal or abs(ratio - first) > _CLOSE * max(abs(ratio), abs(first)):
                    return False
            if met == _ENOUGH:
                break
    if not equal or (names and met < _ENOUGH):
        return None
    return equal == met


def _has_no_decimal(expr: Expr, point: Mapping[str, Decimal]) -> bool:
    try:
        real(expr, point)
    except (DecimalException, ZeroDivisionError):
        return True
    return False


def _is_rounding(left: Expr, right: Expr, point: Mapping[str, Decimal]) -> bool:
    """Whether two values differ by no more than their last digits, which large terms that cancel leave behind."""
    try:
        (one, near), (other, close) = within(left, point), within(right, point)
    except (DecimalException, ZeroDivisionError):
        return False
    return abs(one - other) <= 2 * (near + close)


def _exactly(left: Expr, right: Expr, known: Mapping[str, Quantity], *, integers: bool) -> Comparison:
    """Decide by exact values, and find the constant factor."""
    pairs, only_one = _values(left, right, known, integers=integers)
    if not pairs:
        return Comparison("different" if only_one else "undecided")
    if any(one.dimension.without_counts != other.dimension.without_counts for one, other in pairs):
        return Comparison("different")
    if all(_same(one.value, other.value) for one, other in pairs):
        exact = max(_surveyed(left, {}), _surveyed(right, {})) != _SMOOTH_REAL
        return Comparison(
            "equal" if not exact or all(one.value == other.value for one, other in pairs) else "different"
        )
    return Comparison("different", _common_factor(pairs))


def _values(
    left: Expr, right: Expr, known: Mapping[str, Quantity], *, integers: bool
) -> tuple[list[tuple[Quantity, Quantity]], bool]:
    """The values of both at points where both have one, and whether anywhere only one of them had."""
    names = [name for name in dict.fromkeys((*symbols(left), *symbols(right))) if name not in known]
    whole = integers or _has_rounding(left) or _has_rounding(right)
    pairs: list[tuple[Quantity, Quantity]] = []
    only_one = False
    # A side without names has one value, or none at any point.
    fixed = {place: _at(side, known) for place, side in enumerate((left, right)) if not set(symbols(side)) & {*names}}
    for attempt in range(_tries(left, right) if names else 1):
        point = {**known, **{name: Quantity(_value(attempt, place, whole=whole)) for place, name in enumerate(names)}}
        one = fixed[0] if 0 in fixed else _at(left, point)
        other = fixed[1] if 1 in fixed else _at(right, point)
        if one is not None and other is not None:
            pairs.append((one, other))
        only_one = only_one or (one is None) != (other is None)
        if len(pairs) == _ENOUGH or (only_one and None in fixed.values()):
            break
    return pairs, only_one


def _tries(left: Expr, right: Expr) -> int:
    """At how many points values are sought: the fewer, the longer the expressions are."""
    cost = 0
    for node in (*walk(left), *walk(right)):
        is_power = isinstance(node, Binary) and node.operator == "^"
        cost += _COSTLY if is_power or isinstance(node, Call) else 1
    return max(_FEWEST_TRIES, min(_TRIES, _WORK // max(cost, 1)))


def _at(expr: Expr, point: Mapping[str, Quantity]) -> Quantity | None:
    try:
        return quantity(expr, point, counts_checked=False)
    except EvaluationError:
        return None


def _same(one: Fraction, other: Fraction) -> bool:
    return one == other or abs(one - other) <= _NEAR * max(abs(one), abs(other))


def _common_factor(pairs: list[tuple[Quantity, Quantity]]) -> Fraction | None:
    """The factor left/right that holds at every point, if there is one."""
    if any(not other.value for _, other in pairs):
        return None
    factors = [one.value / other.value for one, other in pairs]
    return factors[0] if factors[0] and all(_same(factors[0], factor) for factor in factors) else None


def _value(attempt: int, place: int, *, whole: bool) -> Fraction:
    """A value for the name at `place`: unrelated between names and attempts, from small to near one."""
    prime = _PRIMES[(place + 3 * attempt) % len(_PRIMES)]
    if whole:
        return Fraction(2 + (prime * (attempt + 1) + 37 * place) % (19 + 8 * attempt))
    if attempt % 3 == 2:  # noqa: PLR2004 - each third point lies just above one, for steep powers
        return 1 + Fraction(1 + place, prime)
    if attempt % 3 == 1:  # and each third below one, for what has a value only there
        return Fraction(prime + 7 * place, 293 + 5 * attempt)
    return Fraction(prime + 7 * place, 11 + 4 * (attempt % 5) + 3 * place)


def _has_rounding(expr: Expr) -> bool:
    return any(isinstance(node, Call) and node.function in ("ceil", "floor") for node in walk(expr))
