"""A derivation: the answer with its way, from the inputs to the target.

Trees are shown as they were written, with the branch taken and factors left out that a default makes 1;
numbers are put in, each value keeps its origin and each step its source.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.conventions import conventions_of
from solvers.expr.evaluate import Quantity
from solvers.expr.show import show_expr, show_number
from solvers.expr.tree import Binary, Call, Compare, Expr, Logic, Negative, Number, Symbol, When, symbols
from solvers.expr.units import PLAIN_UNIT, Unit
from solvers.presets import preset_stating
from solvers.record import Record
from solvers.solver import (
    CycleError,
    DomainError,
    LawError,
    MissingError,
    Resolved,
    SolveError,
    Solver,
    shown,
)
from solvers.spoken import Spoken

if TYPE_CHECKING:
    from solvers.relation import Source
    from solvers.scenario import Origin

__all__ = ["CycleError", "Derivation", "DomainError", "LawError", "MissingError", "Resolved", "SolveError", "Solver",
           "Step", "derivation_of", "plain", "shown"]


_LONGEST: Final = 200
_MILLION: Final = 10**6
_SIZES: Final = ((10**12, "T"), (10**9, "B"), (_MILLION, "M"))


class Step(Record):
    """One line: `letter = symbolic = substituted = value`.

    An input has its spelling as stated in `symbolic`; `because` is what a person says, `reasons` why a branch
    was taken, `source` where it is published, `exact` the number behind `value`, in base units.
    """

    name: str
    letter: str
    meaning: str
    symbolic: str
    substituted: str
    value: str
    origin: Origin
    because: str = ""
    source: Source | None = None
    reasons: tuple[str, ...] = ()
    exact: Fraction | None = None

    @property
    def line(self) -> str:
        """The step in one line; equal members are said once."""
        members = [self.letter, self.symbolic, self.substituted, self.value]
        return " = ".join(dict.fromkeys(member for member in members if member))


class Derivation(Record):
    """The answer with its way: inputs with origins, steps from the inputs to the target, conventions, sources.

    `spoken` are the members of the short line between the letter and the value, if it has one of its own.
    """

    target: str
    value: Quantity
    unit: Unit
    text: str
    inputs: tuple[Step, ...]
    steps: tuple[Step, ...]
    conventions: tuple[str, ...]
    sources: tuple[Source, ...]
    letter: str = ""
    spoken: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The way in one line that a person can say: numbers put in down to the inputs, or the last step.

        Where the last step is too long for a breath its numbers are left out, and then its letters too.
        """
        if self.spoken:
            return " = ".join(dict.fromkeys((self.letter, *self.spoken, self.text)))
        last = self.steps[-1] if self.steps else None
        if last is None:
            return f"{self.letter} = {self.text}"
        lines = (last.line, " = ".join(dict.fromkeys((last.letter, last.symbolic, last.value))))
        return next((line for line in lines if len(line) <= _LONGEST), f"{last.letter} = {last.value}")

    @property
    def in_unit(self) -> Fraction:
        """The exact value in the printed unit."""
        return self.value.value / self.unit.factor

    def to_markdown(self) -> str:
        """The whole derivation as Markdown."""
        from solvers.derive_text import to_markdown

        return to_markdown(self)

    def to_text(self, *, full: bool = True) -> str:
        """The derivation as plain text; without `full` the answer and one line."""
        from solvers.derive_text import to_text

        return to_text(self, full=full)

    def to_json(self) -> dict[str, object]:
        """The derivation as plain data: quantity, value in the printed unit, unit, conventions, steps."""
        from solvers.derive_text import to_json

        return to_json(self)


def derivation_of(solver: Solver, target: str, unit: Unit | None = None) -> Derivation:
    """Derive `target` over the scenario of `solver`. Raises what `Solver.resolve` raises."""
    return _Builder(solver).derivation(target, unit)


class _Builder:
    """Walks back from a target and writes down each quantity that it meets, once."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._order: dict[str, Resolved] = {}
        self._trees: dict[str, Expr] = {}
        self._reasons: dict[str, tuple[str, ...]] = {}
        self._asked: dict[str, Resolved] = {}

    def derivation(self, target: str, unit: Unit | None) -> Derivation:
        resolved = self._solver.resolve(target)
        value = self._solver.quantity(target)
        self._collect(resolved)
        lines = [self._step(item, target) for item in self._order.values() if not self._is_alias(item, target)]
        used = {**self._asked, **self._order}
        relations = [item.relation for item in self._order.values() if item.relation]
        sources = [line.source for line in lines if line.source]
        return Derivation(
            target, value, unit or resolved.info.unit, shown(value, resolved.info, unit),
            tuple(line for line in lines if line.origin != "derived"),
            tuple(line for line in lines if line.origin == "derived"),
            conventions_of(used, relations, unit or resolved.info.unit),
            tuple(dict.fromkeys(source for source in sources if source.address or source.as_of)),
            resolved.info.letter, self._spoken(target),
        )

    def _spoken(self, target: str) -> tuple[str, ...]:
        if self._order[target].origin != "derived":
            return ()
        inside = (name for name, item in self._order.items()
                  if item.origin == "derived" or isinstance(self._trees[name], Symbol))
        return Spoken(self._trees, inside, self._solver.value, self._said).members(target)

    def _said(self, name: str) -> str:
        """A value as one says it: a large count to four digits, `70.55B`."""
        value = self._solver.value(name)
        if name in CATALOGUE and CATALOGUE[name].short and isinstance(value, Quantity) and value.value >= _MILLION:
            size, letter = next(pair for pair in _SIZES if value.value >= pair[0])
            return f"{show_number(value.value / size)}{letter}"
        return self._spelled(name)

    def _collect(self, resolved: Resolved) -> None:
        name = resolved.info.name
        if name in self._order:
            return
        tree = self._tree(resolved)
        self._trees[name] = tree
        for needed in symbols(tree):
            if needed in CATALOGUE:
                self._collect(self._solver.resolve(needed))
        self._order[name] = resolved

    def _tree(self, resolved: Resolved) -> Expr:
        """The tree as it is shown: branches taken, default factors of 1 and terms of 0 left out."""
        if resolved.expr is None:
            return Number(Fraction(0))
        if resolved.origin in ("preset", "default") and not isinstance(resolved.expr, Symbol):
            return resolved.expr
        conditions: list[Expr] = []
        tree = self._taken(resolved.expr, conditions)
        if resolved.relation:
            self._reasons[resolved.info.name] = self._why(resolved, conditions)
        return self._lean(tree)

    def _taken(self, expr: Expr, conditions: list[Expr]) -> Expr:
        match expr:
            case When(condition, then, otherwise):
                conditions.append(condition)
                for name in symbols(condition):
                    if name in CATALOGUE:
                        self._asked[name] = self._solver.resolve(name)
                return self._taken(then if self._solver.evaluate(condition) is True else otherwise, conditions)
            case Binary(operator, left, right):
                return Binary(operator, self._taken(left, conditions), self._taken(right, conditions))
            case Negative(operand):
                return Negative(self._taken(operand, conditions))
            case Call(function, arguments):
                return Call(function, tuple(self._taken(argument, conditions) for argument in arguments))
            case Compare() | Logic():
                return self._solver.taken(expr)
        return expr

    def _why(self, resolved: Resolved, conditions: list[Expr]) -> tuple[str, ...]:
        relation = resolved.relation
        reasons: list[str] = []
        for condition in dict.fromkeys(conditions):
            said = relation.reasons.get(condition) if relation else None
            if said:
                holds = self._solver.evaluate(condition) is True
                # Where nothing was chosen there is nothing to explain: a default is told in the conventions.
                chosen = any(self._solver.resolve(name).origin != "default" for name in symbols(condition)
                             if name in CATALOGUE)
                if chosen:
                    reasons.append(said[0] if holds else said[1])
        return tuple(reason for reason in reasons if reason)

    def _lean(self, expr: Expr) -> Expr:  # noqa: PLR0911 - one return for each kind
        match expr:
            case Binary(operator, left, right):
                left, right = self._lean(left), self._lean(right)
                if operator == "*" and Number(Fraction(0)) in (left, right):
                    return Number(Fraction(0))
                if operator in "*/" and self._is_default(right, 1):
                    self._note_defaults(right)
                    return left
                if operator == "*" and self._is_default(left, 1):
                    self._note_defaults(left)
                    return right
                if operator in "+-" and self._is_default(right, 0):
                    self._note_defaults(right)
                    return left
                if operator == "+" and self._is_default(left, 0):
                    self._note_defaults(left)
                    return right
                return Binary(operator, left, right)
            case Call(function, arguments):
                return Call(function, tuple(self._lean(argument) for argument in arguments))
            case Negative(operand):
                return Negative(self._lean(operand))
        return expr

    def _is_default(self, expr: Expr, value: int) -> bool:
        """Whether `expr` is a literal 1 (or 0), or a quantity that nobody chose and that has this value."""
        match expr:
            case Number(number, unit):
                # A parameter or a token that only carries a unit is no factor that one would say.
                return number == value and (unit is None or value == 0 or
                                            (unit.factor == 1 and unit.dimension.is_count))
            case Symbol(name) if name in CATALOGUE:
                resolved = self._solver.resolve(name)
                if not (isinstance(resolved.value, Quantity) and resolved.value.value == value):
                    return False
                if value == 0:
                    return self._nothing(resolved)
                return resolved.value.dimension.is_plain and resolved.origin == "default"
        return False

    def _nothing(self, resolved: Resolved) -> bool:
        """Whether a zero says nothing: a default, a preset's empty part, or a branch that gives a literal 0."""
        if not isinstance(resolved.value, Quantity) or resolved.value.value:
            return False
        if resolved.origin in ("default", "preset"):
            return True
        if resolved.origin != "derived" or resolved.expr is None:
            return False
        conditions: list[Expr] = []
        tree = self._lean(self._taken(resolved.expr, conditions))
        if self._why(resolved, conditions):
            return False  # a choice made it nothing, which is worth a line
        return all(self._nothing(self._solver.resolve(name)) for name in symbols(tree) if name in CATALOGUE)

    def _note_defaults(self, expr: Expr) -> None:
        for name in symbols(expr):
            if name in CATALOGUE:
                self._asked[name] = self._solver.resolve(name)

    def _is_alias(self, resolved: Resolved, target: str) -> bool:
        """Whether a step only renames another quantity, so that nothing is lost without it."""
        return (resolved.info.name != target and resolved.origin in ("derived", "default")
                and isinstance(self._trees.get(resolved.info.name), Symbol))

    def _step(self, resolved: Resolved, target: str) -> Step:
        info, relation = resolved.info, resolved.relation
        tree = self._trees[info.name]
        symbolic, substituted = "", ""
        if resolved.origin == "derived" or symbols(tree):
            symbolic, substituted = show_expr(tree, self._letter), show_expr(tree, self._spelled)
        elif not isinstance(tree, Number):
            symbolic = show_expr(tree) if symbols(tree) or isinstance(tree, Binary) else ""
        value = resolved.text
        if info.name == target and relation is None:
            substituted = ""
        if isinstance(tree, Number) and not tree.value:
            symbolic = substituted = ""  # nothing, which the value says in its own unit
        source = relation.source if relation else None
        because = relation.because if relation else ""
        if resolved.origin == "preset":
            found = preset_stating(info.name, resolved.note)
            because, source = resolved.note, found.source if found else None
        elif resolved.origin == "stated":
            because = resolved.note
        return Step(info.name, info.letter, info.meaning, symbolic, substituted, value, resolved.origin, because,
                    source, self._reasons.get(info.name, ()),
                    resolved.value.value if isinstance(resolved.value, Quantity) else None)

    def _letter(self, name: str) -> str:
        if name not in CATALOGUE:
            return name
        tree = self._trees.get(name)
        if isinstance(tree, Symbol) and self._solver.resolve(name).origin in ("derived", "default"):
            return self._letter(tree.name)
        return CATALOGUE[name].letter

    def _spelled(self, name: str) -> str:
        if name in CATALOGUE:
            return self._solver.resolve(name).text
        value = self._solver.value(name)
        return shown(value, CATALOGUE["layout.world"], PLAIN_UNIT) if isinstance(value, Quantity) else str(value)


def plain(value: int | Fraction, unit: Unit | None = None) -> Quantity:
    """A quantity of a plain number, or of `value` in `unit`."""
    return Quantity(Fraction(value) * unit.factor, unit.dimension) if unit else Quantity(Fraction(value))
