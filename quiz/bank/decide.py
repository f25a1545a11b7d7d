"""The key, computed: what must hold, what is preferred, which claim holds, which order is right.

Every comparison has three outcomes: it holds, it fails, or it is too close to call: within the decisive share
of the right-hand side (for preferences and orders, of the larger value). A question whose key hangs on a
comparison that is too close has no key.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from quiz.bank.scope import spell_choice
from quiz.bank.shown import Shown, percent_text, shown_expr
from solvers.expr.evaluate import Quantity, comparison_holds
from solvers.expr.tree import Compare, Expr, Logic, Text
from solvers.record import Record, changed
from solvers.solver import SolveError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from quiz.bank.scope import Scope

_NEGATED: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


class Truth(Enum):
    """How a condition stands."""

    HOLDS = "holds"
    FAILS = "fails"
    CLOSE = "too close to call"


class Compared(Record):
    """One comparison with its figures. `slack` is what is left to the edge, as a share of the right-hand side.

    Positive where it holds, negative where it fails; None where a share has no meaning (names, equalities).
    `said` is the left-hand side as the author wrote it, where figures still have their names.
    """

    compare: Compare
    left: Shown
    right: Shown
    truth: Truth
    slack: Fraction | None = None
    said: Expr | None = None

    @property
    def text(self) -> str:
        """Both figures and how they stand, for a message."""
        sign = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}.get(self.compare.operator, self.compare.operator)
        line = f"{self.left.text} {sign} {self.right.text}: {self.truth.value}"
        return line if self.slack is None else f"{line}, {percent_text(abs(self.slack))} from the edge"


class Judged(Record):
    """A condition with its comparisons."""

    truth: Truth
    compared: tuple[Compared, ...] = ()


@dataclass(slots=True)
class Standing:
    """One option or item as it was judged: what must hold, and the value of each preference."""

    id: str
    judged: Judged | None = None
    asserted: bool | None = None
    values: list[Shown] = field(default_factory=list)
    note: str = ""

    @property
    def truth(self) -> Truth:
        """Whether what must hold does."""
        if self.asserted is not None:
            return Truth.HOLDS if self.asserted else Truth.FAILS
        return self.judged.truth if self.judged else Truth.HOLDS

    @property
    def figures(self) -> str:
        """The line that a message shows for it."""
        parts = [compared.text for compared in self.judged.compared] if self.judged else []
        if self.asserted is not None:
            parts.append(f"asserted {spell_choice(self.asserted)}")
        parts += [value.text for value in self.values]
        return f"{self.id}: {'; '.join(parts) or 'no figure'}{self.note}"


class UndecidedError(Exception):
    """No key, or more than one. `standings` are shown with the message; `about` says which rule was broken."""

    def __init__(self, about: str, what: str, standings: tuple[Standing, ...], next_: str) -> None:
        super().__init__(what)
        self.about, self.what, self.standings, self.next = about, what, standings, next_

    @property
    def table(self) -> str:
        """Every option with its figures."""
        return " | ".join(standing.figures for standing in self.standings)


def judge(condition: Expr, scope: Scope, share: Fraction, said: Expr | None = None) -> Judged:
    """Judge a condition in `scope`; `said` is the same before the names of figures were replaced.

    Raises errors of the solvers, and `SolveError` for what is no condition.
    """
    return _judge(scope.solver.taken(condition), scope, share, said)


def _judge(expr: Expr, scope: Scope, share: Fraction, said: Expr | None) -> Judged:
    if isinstance(expr, Compare):
        compared = _compared(expr, scope, share)
        if isinstance(said, Compare):
            compared = changed(compared, said=said.left)
        return Judged(compared.truth, (compared,))
    if isinstance(expr, Logic):
        # A branch of `when` that was taken has another shape than what was said: then its names are not known.
        same = isinstance(said, Logic) and said.operator == expr.operator and len(said.operands) == len(expr.operands)
        theirs = said.operands if same and isinstance(said, Logic) else (None,) * len(expr.operands)
        if expr.operator == "not":
            return _judge(_negated(expr.operands[0]), scope, share, theirs[0] and _negated(theirs[0]))
        parts = [_judge(operand, scope, share, other) for operand, other in zip(expr.operands, theirs, strict=True)]
        decisive = Truth.FAILS if expr.operator == "and" else Truth.HOLDS
        other = Truth.HOLDS if expr.operator == "and" else Truth.FAILS
        truths = {part.truth for part in parts}
        truth = decisive if decisive in truths else Truth.CLOSE if Truth.CLOSE in truths else other
        return Judged(truth, tuple(compared for part in parts for compared in part.compared))
    if isinstance(expr, Text) and expr.value in ("true", "false"):
        return Judged(Truth.HOLDS if expr.value == "true" else Truth.FAILS)
    raise SolveError("a condition is expected here: two sides with <, <=, ==, !=, >= or > between them")


def _negated(expr: Expr) -> Expr:
    if isinstance(expr, Compare):
        return Compare(_NEGATED[expr.operator], expr.left, expr.right)  # type: ignore[arg-type]
    if isinstance(expr, Logic) and expr.operator != "not":
        other = "or" if expr.operator == "and" else "and"
        return Logic(other, tuple(_negated(operand) for operand in expr.operands))  # type: ignore[arg-type]
    return expr.operands[0] if isinstance(expr, Logic) else expr


def _compared(compare: Compare, scope: Scope, share: Fraction) -> Compared:
    left, right = _side(compare.left, scope), _side(compare.right, scope)
    holds = comparison_holds(compare, left.value, right.value)
    truth = Truth.HOLDS if holds else Truth.FAILS
    if not (isinstance(left.value, Quantity) and isinstance(right.value, Quantity)):
        return Compared(compare, left, right, truth)
    distance = abs(left.value.value - right.value.value)
    measure = abs(right.value.value)
    if compare.operator in ("==", "!="):
        close = bool(distance) and distance < share * measure
        return Compared(compare, left, right, Truth.CLOSE if close else truth)
    if not measure:
        error = SolveError("the right-hand side is zero here, so that no share of it says what is decisive")
        error.hint = "Compare the two amounts with each other instead of their difference with zero."
        error.where = compare.right
        raise error
    slack = distance / measure * (1 if holds else -1)
    return Compared(compare, left, right, Truth.CLOSE if distance < share * measure else truth, slack)


def _side(expr: Expr, scope: Scope) -> Shown:
    return shown_expr(expr, scope.value(expr), scope.shown)


def choose(standings: Mapping[str, Standing], preferences: tuple[str, ...], share: Fraction) -> str:
    """The one option that holds and is preferred; raises `UndecidedError` with every option's figures."""
    everyone = tuple(standings.values())
    close = [standing.id for standing in everyone if standing.truth is Truth.CLOSE]
    if close:
        raise UndecidedError(
            "require",
            f"{_listed(close)} within {percent_text(share)} of the edge",
            everyone,
            "Change the numbers until each option clearly meets or misses what is required.",
        )
    left = [standing for standing in everyone if standing.truth is Truth.HOLDS]
    if not left:
        raise UndecidedError(
            "require",
            "no option meets what is required",
            everyone,
            "Change the scenario, or an option, so that one does.",
        )
    for index, preference in enumerate(preferences):
        if len(left) > 1:
            left = _preferred(left, index, preference, share, everyone)
    if len(left) > 1:
        names = _joined([standing.id for standing in left])
        how = "also equal in every preference" if preferences else "and nothing is preferred"
        raise UndecidedError(
            "prefer" if preferences else "require",
            f"{names} meet what is required, {how}",
            everyone,
            "Add a preference (`prefer: [least …]`) that tells them apart.",
        )
    return left[0].id


def _preferred(
    left: list[Standing], index: int, preference: str, share: Fraction, everyone: tuple[Standing, ...]
) -> list[Standing]:
    """Those that are best by one preference: equal to the best; the others clearly apart."""
    amounts = {standing.id: _amount(standing.values[index]) for standing in left}
    best = (min if preference.startswith("least ") else max)(amounts.values())
    near = [name for name, amount in amounts.items() if amount != best and is_close(amount, best, share)]
    if near:
        winner = next(name for name, amount in amounts.items() if amount == best)
        raise UndecidedError(
            "prefer",
            f"{_listed([winner, *near])} within {percent_text(share)} of each other by `{preference}`, and not equal",
            everyone,
            "Change the numbers until one is clearly better, or both are exactly equal.",
        )
    return [standing for standing in left if amounts[standing.id] == best]


def is_close(one: Fraction, other: Fraction, share: Fraction) -> bool:
    """Whether two values differ by less than `share` of the larger."""
    return abs(one - other) < share * max(abs(one), abs(other))


def _amount(shown: Shown) -> Fraction:
    if isinstance(shown.value, Quantity):
        return shown.value.value
    raise SolveError(f"a preference needs a number, not {shown.text!r}")


def choose_claim(standings: Mapping[str, Standing], share: Fraction, *, wanted: bool) -> str:
    """The one claim that holds (with `wanted` false: that fails); raises `UndecidedError`."""
    everyone = tuple(standings.values())
    close = [standing.id for standing in everyone if standing.truth is Truth.CLOSE]
    if close:
        raise UndecidedError(
            "holds",
            f"{_listed(close)} within {percent_text(share)} of the edge",
            everyone,
            "Change the numbers until each claim clearly holds or fails.",
        )
    truth = Truth.HOLDS if wanted else Truth.FAILS
    chosen = [standing.id for standing in everyone if standing.truth is truth]
    if len(chosen) == 1:
        return chosen[0]
    verb = "holds" if wanted else "fails"
    what = f"no claim {verb}" if not chosen else f"more than one claim {verb}: {', '.join(chosen)}"
    raise UndecidedError(
        "holds",
        what,
        everyone,
        f"Exactly one of them must; `wanted: {spell_choice(not wanted)}` asks for the other kind.",
    )


def put_in_order(standings: Mapping[str, Standing], share: Fraction, *, descending: bool) -> tuple[str, ...]:
    """The items in order, neighbours clearly apart; raises `UndecidedError`."""
    everyone = tuple(standings.values())
    ordered = sorted(everyone, key=lambda standing: _amount(standing.values[0]), reverse=descending)
    for one, other in pairwise(ordered):
        if is_close(_amount(one.values[0]), _amount(other.values[0]), share) or _amount(one.values[0]) == _amount(
            other.values[0]
        ):
            raise UndecidedError(
                "by",
                f"{one.id} and {other.id} within {percent_text(share)} of each other",
                everyone,
                "Change the numbers until neighbours lie clearly apart.",
            )
    return tuple(standing.id for standing in ordered)


def difference(compared: Compared) -> Shown:
    """How far the left side lies from the right one, in the right one's unit."""
    left, right = compared.left.value, compared.right.value
    if not (isinstance(left, Quantity) and isinstance(right, Quantity)):
        raise SolveError("names have no difference")
    amount = Quantity(abs(right.value - left.value), right.dimension)
    return Shown(amount, compared.right.unit, compared.left.decimals)


def _listed(names: list[str]) -> str:
    return f"{_joined(names)} {'is' if len(names) == 1 else 'are'}"


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
