"""The nodes of an expression, and the operators that build them.

Terms stay as they were written (2+2+4+4+4 is five terms, never 16): a derivation prints this tree.
Relations are written with the operators below; the bounded reader builds the same nodes from text.
Equality of nodes is structural; to compare values inside an expression use `equal`, `<=`, `<` and so on.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from solvers.expr.units import Unit, parse_unit
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

Operator: TypeAlias = Literal["+", "-", "*", "/", "^"]
Comparison: TypeAlias = Literal["<", "<=", "==", "!=", ">=", ">"]
TRIGONOMETRY: Final = ("sin", "cos", "tan", "cot", "sec", "csc", "asin", "acos", "atan", "sinh", "cosh", "tanh")
"""Of an angle in radians, and their inverses."""
FUNCTIONS: Final = {"min": (1, 16), "max": (1, 16), "ceil": (1, 1), "floor": (1, 1), "abs": (1, 1),
                    "sqrt": (1, 1), "log": (1, 1), "ln": (1, 1), "log2": (1, 1), "log10": (1, 1), "exp": (1, 1),
                    **dict.fromkeys(TRIGONOMETRY, (1, 1))}


class Expr(Record):
    """A node. Numbers and strings on the other side of an operator become leaves."""

    def __add__(self, other: Operand) -> Binary:
        return Binary("+", self, leaf(other))

    def __radd__(self, other: Operand) -> Binary:
        return Binary("+", leaf(other), self)

    def __sub__(self, other: Operand) -> Binary:
        return Binary("-", self, leaf(other))

    def __rsub__(self, other: Operand) -> Binary:
        return Binary("-", leaf(other), self)

    def __mul__(self, other: Operand) -> Binary:
        return Binary("*", self, leaf(other))

    def __rmul__(self, other: Operand) -> Binary:
        return Binary("*", leaf(other), self)

    def __truediv__(self, other: Operand) -> Binary:
        return Binary("/", self, leaf(other))

    def __rtruediv__(self, other: Operand) -> Binary:
        return Binary("/", leaf(other), self)

    def __pow__(self, other: Operand) -> Binary:
        return Binary("^", self, leaf(other))

    def __neg__(self) -> Negative:
        return Negative(self)

    def __le__(self, other: Operand) -> Compare:
        return Compare("<=", self, leaf(other))

    def __lt__(self, other: Operand) -> Compare:
        return Compare("<", self, leaf(other))

    def __ge__(self, other: Operand) -> Compare:
        return Compare(">=", self, leaf(other))

    def __gt__(self, other: Operand) -> Compare:
        return Compare(">", self, leaf(other))

    @property
    def children(self) -> tuple[Expr, ...]:
        """The nodes directly below, in reading order."""
        return ()


class Number(Expr, uncompared=("text",)):
    """`value` as written, in `unit` (None: a plain number). `text` is the author's spelling, if any.

    The spelling is for showing only: two numbers are equal however they were written.
    """

    value: Fraction
    unit: Unit | None = None
    text: str = ""


class Text(Expr):
    """The name of a choice, such as `optimizer` in `layout.offload == "optimizer"`."""

    value: str


class Symbol(Expr):
    """A reference by name: a quantity of the catalogue (`model.parameters`), a figure, a declared variable."""

    name: str


class Negative(Expr):
    """Minus `operand`."""

    operand: Expr

    @property
    def children(self) -> tuple[Expr, ...]:  # noqa: D102 - as of `Expr`
        return (self.operand,)


class Binary(Expr):
    """`left operator right`."""

    operator: Operator
    left: Expr
    right: Expr

    @property
    def children(self) -> tuple[Expr, ...]:  # noqa: D102 - as of `Expr`
        return (self.left, self.right)


class Call(Expr):
    """A function of `FUNCTIONS`. `log` and `ln` are natural."""

    function: str
    arguments: tuple[Expr, ...]

    @property
    def children(self) -> tuple[Expr, ...]:  # noqa: D102 - as of `Expr`
        return self.arguments


class Compare(Expr):
    """A condition; its value is a truth value."""

    operator: Comparison
    left: Expr
    right: Expr

    @property
    def children(self) -> tuple[Expr, ...]:  # noqa: D102 - as of `Expr`
        return (self.left, self.right)


class Logic(Expr):
    """`and`, `or` over two or more conditions, `not` over one."""

    operator: Literal["and", "or", "not"]
    operands: tuple[Expr, ...]

    @property
    def children(self) -> tuple[Expr, ...]:  # noqa: D102 - as of `Expr`
        return self.operands


class When(Expr):
    """`then` where `condition` holds, else `otherwise`; only the branch taken is evaluated and shown."""

    condition: Expr
    then: Expr
    otherwise: Expr

    @property
    def children(self) -> tuple[Expr, ...]:  # noqa: D102 - as of `Expr`
        return (self.condition, self.then, self.otherwise)


Operand: TypeAlias = Expr | int | Fraction | str


def leaf(value: Operand) -> Expr:
    """Make a node of an operand: an exact number, or a string that names a symbol. Floats are refused by type."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, str):
        return Symbol(value)
    return Number(Fraction(value))


@lru_cache(maxsize=1024)
def number(value: int | Fraction | str, unit: str = "") -> Number:
    """An exact number with an optional unit: `number(60, "s")`, `number("70e9")`."""
    return Number(Fraction(value), parse_unit(unit) if unit else None)


@lru_cache(maxsize=2048)
def symbol(name: str) -> Symbol:
    """A reference to a quantity by its full name."""
    return Symbol(name)


def call(function: str, *arguments: Operand) -> Call:
    """Apply a function of `FUNCTIONS`; raises `ValueError` for another name or a wrong count of arguments."""
    least, most = FUNCTIONS.get(function, (0, -1))
    if not least <= len(arguments) <= most:
        count = len(arguments)
        message = f"no function {function!r} with {count} argument{'' if count == 1 else 's'}"
        raise ValueError(message)
    return Call(function, tuple(leaf(argument) for argument in arguments))


def equal(left: Operand, right: Operand) -> Compare:
    """The condition `left == right` (`==` itself compares trees)."""
    return Compare("==", leaf(left), leaf(right))


def when(condition: Expr, then: Operand, otherwise: Operand) -> When:
    """A case distinction."""
    return When(condition, leaf(then), leaf(otherwise))


def walk(expr: Expr) -> Iterator[Expr]:
    """Every node, parents before children."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def symbols(expr: Expr) -> tuple[str, ...]:
    """The names that occur, each once, in reading order."""
    return tuple(dict.fromkeys(node.name for node in walk(expr) if isinstance(node, Symbol)))
