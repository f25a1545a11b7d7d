"""One way in which a wrong value could have come about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from quiz.grading.spelling import spell_expr
from solvers.expr.tree import symbols
from solvers.record import EMPTY, Record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from solvers.expr.tree import Expr

_LONGEST: Final = 60
_FEW: Final = 2


class Candidate(Record):
    """A wrong value in base units, and what to say when it is met.

    `words` has a `{}` for each tree of `about`; they are spelled only when they are said. `meanings` says what the
    letters of the first of them are.
    """

    id: str
    kind: Literal["factor", "edit"]
    value: Fraction
    words: str
    about: tuple[Expr, ...] = ()
    meanings: Mapping[str, str] = EMPTY

    @property
    def text(self) -> str:
        """The words for the learner."""
        if not self.about:
            return self.words
        said = filled(self.words, self.about)
        letters = [f"{name}: {self.meanings[name]}" for name in symbols(self.about[0]) if name in self.meanings]
        return f"{said} ({'; '.join(letters)})" if 0 < len(letters) <= _FEW else said


def filled(words: str, about: tuple[Expr, ...]) -> str:
    """The words with each `{}` replaced by the spelling of its tree."""
    return words.format(*(_said(expr) for expr in about))


def _said(expr: Expr) -> str:
    text = spell_expr(expr, {})
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
