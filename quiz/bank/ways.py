"""Derivations as the reveal shows them, and the notes that the conventions box is made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.bank.rendered import Line, Way
from quiz.bank.shown import Shown, shown_expr
from quiz.bank.wording import short_name
from solvers.catalogue import CATALOGUE
from solvers.expr.evaluate import Quantity
from solvers.expr.show import show_expr
from solvers.expr.tree import Number, Symbol, symbols

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quiz.bank.scope import Scope
    from solvers.derivation import Derivation, Step
    from solvers.expr.tree import Expr
    from solvers.expr.units import Unit
    from solvers.relation import Source


class Notes:
    """What the derivations of one question rest on, each said once, in the order in which it was met."""

    def __init__(self) -> None:
        self.conventions: dict[str, None] = {}
        self.names: set[str] = set()

    def take(self, derivation: Derivation) -> None:
        """Note a derivation's conventions, and the quantities that it goes through."""
        self.conventions |= dict.fromkeys(derivation.conventions)
        self.names |= {step.name for step in (*derivation.inputs, *derivation.steps)}


def way_of(expr: Expr, scope: Scope, notes: Notes, unit: Unit | None = None) -> Way | None:
    """How the value of a tree that `Scope.read` gave comes about in `scope`; None for a bare number, which is given."""
    expr = scope.solver.taken(expr)
    if isinstance(expr, Number):
        return None
    if isinstance(expr, Symbol):
        return way_to(expr.name, scope, notes, unit)
    derivations = [scope.derivation(name) for name in symbols(expr) if _is_number(name, scope)]
    for derivation in derivations:
        notes.take(derivation)
    value = scope.value(expr)
    shown = shown_expr(expr, value, scope.shown).with_format(unit, None)
    formula = show_expr(expr, _letter) if symbols(expr) else ""  # of numbers alone the next column says it
    last = Line("", "", formula, show_expr(expr, lambda name: scope.shown(name).text), shown.text, "derived")
    return Way(
        "",
        shown.text,
        _lines(step for item in derivations for step in item.inputs),
        (*_lines(step for item in derivations for step in item.steps), last),
    )


def way_to(name: str, scope: Scope, notes: Notes, unit: Unit | None = None) -> Way:
    """How a quantity of the catalogue comes about in `scope`."""
    info = CATALOGUE[name]
    if not _is_number(name, scope):
        return Way(info.meaning, scope.shown(name).text, (), ())
    derivation = scope.derivation(name) if unit is None else scope.solver.derive(name, unit)
    notes.take(derivation)
    shown = Shown(derivation.value, unit or info.unit, None if unit else info.decimals, info.short)
    return Way(info.meaning, shown.text, _lines(derivation.inputs), _lines(derivation.steps))


def note_all(expr: Expr, scope: Scope, notes: Notes) -> None:
    """Note what every quantity in a tree rests on, where no derivation of it is shown."""
    for name in symbols(scope.solver.taken(expr)):
        if _is_number(name, scope):
            notes.take(scope.derivation(name))


def _is_number(name: str, scope: Scope) -> bool:
    return name in CATALOGUE and isinstance(scope.solver.value(name), Quantity)


def _letter(name: str) -> str:
    return CATALOGUE[name].letter if name in CATALOGUE else name


def _lines(steps: Iterable[Step]) -> tuple[Line, ...]:
    unique = {step.name: step for step in steps}
    return tuple(_line(step) for step in unique.values())


def _line(step: Step) -> Line:
    here = f"Here {'; '.join(step.reasons)}." if step.reasons else ""
    return Line(
        step.letter,
        step.meaning,
        step.symbolic,
        step.substituted,
        step.value,
        step.origin,
        " ".join(part for part in (step.because, here) if part),
        cited(step.source) if step.source else "",
    )


def cited(source: Source) -> str:
    """A source in one line: its title and the place in it."""
    return f"{source.title}, {source.where}" if source.where else source.title


def meaning_of(expr: Expr) -> str:
    """A formula in words: quantities as people call them, figures of the author with spaces in their names."""
    return show_expr(expr, lambda name: short_name(name).replace("_", " "))
