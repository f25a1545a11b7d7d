"""One-edit changes of the reference: a term dropped, + for ×, an exponent flipped. What each would have given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.grading.candidate import Candidate
from solvers.expr.evaluate import EvaluationError, quantity
from solvers.expr.tree import Binary, Call, Expr, Negative, Number, Operator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quiz.grading.target import Target

MOST: Final = 60
_INSTEAD: Final[dict[str, tuple[Operator, ...]]] = {"+": ("-", "*"), "-": ("+",), "*": ("/", "+"), "/": ("*",)}
_WORDS: Final = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


class Edit(NamedTuple):
    """A tree that is one edit away, the words for the edit with a `{}` for each tree of `about`."""

    tree: Expr
    words: str
    about: tuple[Expr, ...]


def edit_candidates(target: Target) -> Iterator[Candidate]:
    """The values of the reference with one edit, at most `MOST`, those that still measure the same thing."""
    if target.expression is None:
        return
    asked = target.unit.dimension.without_counts
    for place, edit in enumerate(edits(target.expression)):
        if place >= MOST:
            return
        try:
            value = quantity(edit.tree, target.variables, counts_checked=False)
        except EvaluationError:
            # An edit may have no value, such as a division by nothing; then nobody can have typed it.
            continue
        if value.dimension.without_counts == asked:
            yield Candidate(f"edit-{place}", "edit", value.value, edit.words, edit.about, target.meanings)


def edits(expr: Expr) -> Iterator[Edit]:
    """Every tree that is one edit away, with the words for it; edits nearer the root first."""
    level: list[tuple[Expr, Callable[[Expr], Expr]]] = [(expr, lambda node: node)]
    while level:
        below: list[tuple[Expr, Callable[[Expr], Expr]]] = []
        for node, rebuilt in level:
            yield from (edit._replace(tree=rebuilt(edit.tree)) for edit in _at(node))
            below.extend(_children(node, rebuilt))
        level = below


def _children(node: Expr, rebuilt: Callable[[Expr], Expr]) -> list[tuple[Expr, Callable[[Expr], Expr]]]:
    match node:
        case Binary(_, left, right):
            return [
                (left, lambda new: rebuilt(replace(node, left=new))),
                (right, lambda new: rebuilt(replace(node, right=new))),
            ]
        case Negative(operand):
            return [(operand, lambda new: rebuilt(Negative(new)))]
        case Call(function, (only,)):
            return [(only, lambda new: rebuilt(Call(function, (new,))))]
    return []


def _at(node: Expr) -> Iterator[Edit]:
    """The edits of one node."""
    match node:
        case Binary("^", base, Number(power, None)) if power != 1:
            yield Edit(base, "This is what comes out without the power in {}.", (node,))
            flipped = Binary("^", base, Number(-power))
            yield Edit(flipped, "This is what comes out with the power turned round in {}.", (node,))
        case Binary("^", base, _):
            yield Edit(base, "This is what comes out without the power in {}.", (node,))
        case Binary():
            yield from _at_pair(node)
        case Call(function, (only,)):
            yield Edit(only, f"This is what comes out without {function} in {{}}.", (node,))
        case Negative(operand):
            yield Edit(operand, "This has the wrong sign.", ())


def _at_pair(node: Binary) -> Iterator[Edit]:
    said = _WORDS[node.operator]
    without = f"This is what comes out without \u201c{said} {{}}\u201d in {{}}."
    yield Edit(node.left, without, (node.right, node))
    if node.operator in ("+", "*"):
        yield Edit(node.right, "This is what comes out without {} in {}.", (node.left, node))
    for sign in _INSTEAD[node.operator]:
        instead = f"This is what comes out with \u201c{_WORDS[sign]}\u201d in place of \u201c{said}\u201d in {{}}."
        yield Edit(Binary(sign, node.left, node.right), instead, (node,))
