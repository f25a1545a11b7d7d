"""What the plans of a question do, taken together: which techniques occur in any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.bank.problems import FOUND
from solvers.expr.evaluate import Quantity

if TYPE_CHECKING:
    from quiz.bank.scope import Scope, World


class Plans:
    """The base of a question and all its options."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._scopes = [world.base, *(world.option(name) for name in world.patches)]
        self._said = {name for patch in world.patches.values() for name in patch}

    def differ_in(self, name: str) -> bool:
        """Whether an option says for itself what a quantity is there."""
        return name in self._said

    def states(self, name: str) -> bool:
        """Whether the scenario says what a quantity is."""
        return name in self._world.base.scenario

    def any_above_one(self, name: str) -> bool:
        """Whether a degree is more than one in any plan."""
        return any(isinstance(value, Quantity) and value.value > 1 for value in self._values(name))

    def any_accumulates(self, *stages: str) -> bool:
        """Whether a plan of one of these ZeRO stages runs more than one micro-batch per step."""
        return any(
            _text(_value(scope, "layout.zero")) in stages
            and isinstance(value := _value(scope, "batch.accumulation"), Quantity)
            and value.value > 1
            for scope in self._scopes
        )

    def any_is(self, name: str, *texts: str) -> bool:
        """Whether a choice or a count has one of these values in any plan."""
        return any(_text(value) in texts for value in self._values(name))

    def _values(self, name: str) -> list[object]:
        return [value for scope in self._scopes if (value := _value(scope, name)) is not None]


def _value(scope: Scope, name: str) -> object:
    try:
        return scope.solver.value(name)
    except FOUND:
        return None  # this plan does not say it, and nothing follows from it


def _text(value: object) -> str:
    if isinstance(value, Quantity):
        return str(value.value)
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)
