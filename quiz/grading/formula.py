"""Judges a formula against a formula, for all values of its names; a wrong one may be an edit of the right one."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Final

from quiz.grading.candidate import filled
from quiz.grading.mutations import MOST, edits
from quiz.grading.numeric import said_of
from quiz.grading.records import Grade
from quiz.grading.spelling import base_unit, kind_of, spell_expr, spell_number, spell_quantity
from solvers.expr.equality import compare
from solvers.expr.evaluate import EvaluationError, Quantity, quantity
from solvers.expr.tree import Binary, Call, symbols, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.expr.reader import Answer
    from solvers.expr.tree import Expr

_PRIMES: Final = (11, 17, 23, 31, 41, 53, 61, 71)
_SMALL: Final = (2, 3, 5)
_NEAR: Final = Fraction(1, 10**20)
_COSTLY: Final = 10
_WORK: Final = 2000
_MOST_NAMED: Final = 2


def judge_formula(answer: Answer, reference: Answer, known: Mapping[str, Quantity], *, integers: bool) -> Grade:
    """Grade an answer as a formula; `known` are the names with a value, `integers` the domain of the others."""
    everywhere = (0, len(answer.text))
    if answer.upper is not None:
        return Grade("invalid", message="A formula is asked for, not a range.", span=everywhere)
    read_as = spell_expr(answer.expr, {})
    found = compare(answer.expr, reference.expr, integers=integers, known=known)
    none = _without_value(answer.expr) or ("This has no value anywhere in the domain." * (found.verdict == "undecided"))
    if none:
        return Grade("invalid", read_as, none, span=everywhere)
    if found.verdict == "equal":
        return Grade("correct", read_as)
    if found.factor is not None:
        told = f"This is the reference times {spell_number(found.factor)}, whatever the names stand for."
        return Grade("incorrect", read_as, told, "constant-factor", "factor")
    edited = _edited(answer.expr, reference.expr, known, integers=integers)
    if edited:
        return Grade("incorrect", read_as, edited, "edit", "edit")
    apart = _seen_apart(answer.expr, reference.expr, known)
    return Grade("incorrect", read_as, f"This is another expression{apart}.")


def _without_value(expr: Expr) -> str:
    """Why a formula without names has no value; empty where it has one, or has names."""
    if symbols(expr):
        return ""
    try:
        quantity(expr, {}, counts_checked=False)
    except EvaluationError as error:
        return said_of(error)
    return ""


def _edited(answer: Expr, reference: Expr, known: Mapping[str, Quantity], *, integers: bool) -> str:
    """What was done to the reference, where the answer is the reference with one edit; else empty."""
    names = [name for name in symbols(reference) if name not in known]
    scale = 1 if integers else 7
    point = dict(known)
    for name, prime in zip(names, _PRIMES, strict=False):
        point[name] = Quantity(Fraction(prime, scale))
    if len(names) > len(_PRIMES) or (value := _at(answer, point)) is None:
        return ""
    told: list[str] = []
    for edit in islice(edits(reference), min(MOST, _WORK // _cost(reference))):
        other = _at(edit.tree, point)
        if other is None or abs(other - value) > abs(value) * _NEAR:
            continue
        if compare(answer, edit.tree, integers=integers, known=known).verdict == "equal":
            told.append(filled(edit.words, edit.about))
    return " Or: ".join(list(dict.fromkeys(told))[:_MOST_NAMED])


def _seen_apart(answer: Expr, reference: Expr, known: Mapping[str, Quantity]) -> str:
    """How to see that two formulas differ: their values at small numbers; empty where that does not show it."""
    names = [name for name in dict.fromkeys((*symbols(reference), *symbols(answer))) if name not in known]
    point = {name: Quantity(Fraction(size)) for name, size in zip(names, _SMALL, strict=False)}
    if not 0 < len(names) <= len(_SMALL):
        return ""
    try:
        one, other = (quantity(side, {**known, **point}, counts_checked=False) for side in (answer, reference))
    except EvaluationError:
        return ""
    if one.dimension.without_counts != other.dimension.without_counts:
        return f": it is {kind_of(one.dimension)}, and {kind_of(other.dimension)} is asked for"
    wrong, right = (spell_quantity(side.value, base_unit(side.dimension.without_counts)) for side in (one, other))
    where = [f"{name} = {spell_number(item.value)}" for name, item in point.items()]
    at = " and ".join([", ".join(where[:-1]), where[-1]] if len(where) > 1 else where)
    return f": with {at} it is {wrong}, and {right} is right" if wrong != right else ""


def _cost(expr: Expr) -> int:
    """How long evaluating takes, in simple nodes."""
    nodes = list(walk(expr))
    costly = sum(isinstance(node, Call) or (isinstance(node, Binary) and node.operator == "^") for node in nodes)
    return len(nodes) + _COSTLY * costly


def _at(expr: Expr, point: Mapping[str, Quantity]) -> Fraction | None:
    try:
        return quantity(expr, point, counts_checked=False).value
    except (EvaluationError, KeyError):
        return None  # no value there, or a name that the reference does not have
