"""A derivation in one line, as one says it aloud: `(2 + 2 + 4 + 4 + 4) B/param × 70B / 8 = 16 B/param × 70B / 8`.

The steps are put into each other down to the inputs. Terms that share all their factors but the recipe's bytes are
drawn together, so that the bytes stand in one bracket. Where that gives no short line, the last step is the line.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.expr.evaluate import Quantity, Value
from solvers.expr.show import show_expr, show_number
from solvers.expr.tree import Binary, Expr, Negative, Number, Symbol, symbols
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_RECIPE: Final = "recipe."
_MOST_TERMS: Final = 12
_MOST_GROUPS: Final = 3
_MOST_BELOW: Final = 12
_MOST_ABOVE: Final = 100
_LONGEST: Final = 110
"""A line that is longer is not said in one breath."""


class _NoLine(ValueError):
    """The steps make no short line."""


class _Term(Record):
    """A product: plain factor, the recipe's bytes in it, what stands above and below the stroke."""

    factor: Fraction
    recipe: tuple[str, ...] = ()
    above: tuple[Expr, ...] = ()
    below: tuple[Expr, ...] = ()

    def times(self, other: _Term) -> _Term:
        above = [*self.above, *other.above]
        below = []
        for atom in (*self.below, *other.below):
            if atom in above:
                above.remove(atom)
            else:
                below.append(atom)
        return _Term(self.factor * other.factor, (*self.recipe, *other.recipe), tuple(above), tuple(below))

    def inverted(self) -> _Term:
        if self.recipe or not self.factor:
            raise _NoLine
        return _Term(1 / self.factor, (), self.below, self.above)


class Spoken:
    """Says derivations over their trees. `derived` are the names whose trees are put in for them."""

    def __init__(
        self,
        trees: Mapping[str, Expr],
        derived: Iterable[str],
        value: Callable[[str], Value],
        spelled: Callable[[str], str],
    ) -> None:
        self._trees, self._derived, self._value, self._spelled = trees, frozenset(derived), value, spelled
        self._has_recipe: dict[str, bool] = {}

    def members(self, target: str) -> tuple[str, ...]:
        """What stands between the letter and the value of `target`; empty where there is no short line."""
        try:
            groups = self._groups(self._terms(self._trees[target]))
        except _NoLine:
            return ()
        if not groups or groups == [[_Term(Fraction(1), (), groups[0][0].above[:1])]]:
            return ()  # one thing, which the last step says better
        # Without a recipe a sum of many products is not shorter than the steps.
        if len(groups) > _MOST_GROUPS or (len(groups) > 1 and not any(terms[0].recipe for terms in groups)):
            return ()
        members = dict.fromkeys(
            " + ".join(self._said(terms, added=added) for terms in groups).replace("+ −", "− ")
            for added in (False, True)
        )
        return tuple(members) if sum(map(len, members)) <= _LONGEST else ()

    # -- terms -------------------------------------------------------------------------------------------------

    def _terms(self, expr: Expr) -> list[_Term]:  # noqa: PLR0911 - one return for each kind
        match expr:
            case Number(value, None):
                return [_Term(value)]
            case Symbol(name) if name in self._derived:
                return [] if self._is_nothing(name) else self._terms(self._trees[name])
            case Symbol(name) if name.startswith(_RECIPE):
                return [_Term(Fraction(1), (name,))]
            case Negative(operand):
                return [term.times(_Term(Fraction(-1))) for term in self._terms(operand)]
            case Binary("+" | "-" as operator, left, right) if self._speaks_of_recipe(expr):
                sign = _Term(Fraction(1 if operator == "+" else -1))
                return _few([*self._terms(left), *(term.times(sign) for term in self._terms(right))])
            case Binary("*", left, right):
                behind = self._terms(right)
                return _few([one.times(other) for one in self._terms(left) for other in behind])
            case Binary("/", left, right):
                below = self._terms(right)
                if len(below) != 1:
                    raise _NoLine
                return [term.times(below[0].inverted()) for term in self._terms(left)]
        if self._speaks_of_recipe(expr):
            raise _NoLine
        return [_Term(Fraction(1), (), (expr,))]

    def _is_nothing(self, name: str) -> bool:
        value = self._value(name)
        return isinstance(value, Quantity) and not value.value

    def _speaks_of_recipe(self, expr: Expr) -> bool:
        return any(self._named(name) for name in symbols(expr))

    def _named(self, name: str) -> bool:
        if name not in self._has_recipe:
            self._has_recipe[name] = False
            self._has_recipe[name] = (name in self._derived and self._speaks_of_recipe(self._trees[name])) or (
                name.startswith(_RECIPE) and name not in self._derived
            )
        return self._has_recipe[name]

    def _groups(self, terms: list[_Term]) -> list[list[_Term]]:
        groups: dict[object, list[_Term]] = {}
        for term in terms:
            if len(term.recipe) > 1:
                raise _NoLine
            key = (frozenset(term.above), frozenset(term.below), len(term.recipe))
            groups.setdefault(key, []).append(term)
        return list(groups.values())

    # -- spelling ----------------------------------------------------------------------------------------------

    def _said(self, terms: list[_Term], *, added: bool) -> str:
        first = terms[0]
        if not first.recipe:
            if len(terms) > 1:
                raise _NoLine
            return self._product(first.factor, first)
        sizes = [self._size(name) for term in terms for name in term.recipe]
        if added or len(terms) == 1:
            total = sum((term.factor * size for term, size in zip(terms, sizes, strict=True)), Fraction(0))
            bytes_ = show_number(total)
        else:
            parts = [
                show_number(size) if term.factor == 1 else f"{show_number(term.factor)} × {show_number(size)}"
                for term, size in zip(terms, sizes, strict=True)
            ]
            bytes_ = f"({' + '.join(parts)})"
        return f"{bytes_} B/param{self._product(Fraction(1), first, leading=False)}"

    def _size(self, name: str) -> Fraction:
        value = self._value(name)
        if not isinstance(value, Quantity):
            raise _NoLine
        return value.value

    def _product(self, factor: Fraction, term: _Term, *, leading: bool = True) -> str:
        """The factors in their order; those below the stroke one by one, as one says them."""
        above = [self._atom(atom) for atom in term.above]
        # Three halves are said as 3 / 2; 406.4 is not said as 2,032 / 5.
        whole = factor if factor.denominator > _MOST_BELOW or factor.numerator > _MOST_ABOVE else None
        parts = (factor, Fraction(1)) if whole else (Fraction(factor.numerator), Fraction(factor.denominator))
        numbers = [show_number(part) for part in parts]
        if leading and (numbers[0] != "1" or not above):
            above.insert(0, numbers[0])
        below = ([numbers[1]] if numbers[1] != "1" else []) + [self._atom(atom) for atom in term.below]
        said = " × ".join(above) if leading else "".join(f" × {atom}" for atom in above)
        return said + "".join(f" / {atom}" for atom in below)

    def _atom(self, atom: Expr) -> str:
        # As the right side of a product, so that a sum stands in parentheses.
        return show_expr(Binary("*", Number(Fraction(1)), self._bare(atom)), self._spelled).removeprefix("1 × ")

    def _bare(self, expr: Expr) -> Expr:
        """`expr` without the terms that are nothing."""
        if not (isinstance(expr, Binary) and expr.operator in "+-"):
            return expr
        left, right = self._bare(expr.left), self._bare(expr.right)
        if self._is_no_term(right):
            return left
        return right if expr.operator == "+" and self._is_no_term(left) else Binary(expr.operator, left, right)

    def _is_no_term(self, expr: Expr) -> bool:
        return isinstance(expr, Symbol) and expr.name in self._derived and self._is_nothing(expr.name)


def _few(terms: list[_Term]) -> list[_Term]:
    if len(terms) > _MOST_TERMS:
        raise _NoLine
    return terms
