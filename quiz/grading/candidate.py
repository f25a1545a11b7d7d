"""One way in which a wrong value could have come about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from quiz.grading.spelling import spell_expr

if TYPE_CHECKING:
    from fractions import Fraction

    from solvers.expr.tree import Expr

_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """A wrong value in base units, and what to say when it is met.

    `words` has a `{}` for each tree of `about`; they are spelled only when they are said.
    """

    id: str
    kind: Literal["factor", "edit"]
    value: Fraction
    words: str
    about: tuple[Expr, ...] = ()

    @property
    def text(self) -> str:
        """The words for the learner."""
        return self.words.format(*(_said(expr) for expr in self.about)) if self.about else self.words


def _said(expr: Expr) -> str:
    text = spell_expr(expr, {})
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
