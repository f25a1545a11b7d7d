"""Named mistakes as values: what a learner would have answered who made this slip, with the same numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.catalogue import UnknownNameError
from solvers.expr.evaluate import EvaluationError, Quantity, Value
from solvers.expr.tree import Expr, Symbol
from solvers.record import Record
from solvers.relation import RELATIONS, Slip
from solvers.solver import SolveError, Solver

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.scenario import Scenario


class SlipValue(Record):
    """What a slip gives over a scenario: a value, or the reason why it cannot be made there."""

    slip: Slip
    value: Quantity | None
    reason: str = ""


def slips_of(quantity: str) -> tuple[Slip, ...]:
    """The slips that the relations of a quantity name, each id once.

    >>> [slip.id for slip in slips_of("checkpoint.interval_young")][0]
    'forgot-the-2'
    """
    found = {slip.id: slip for relation in RELATIONS.of(quantity) for slip in relation.slips}
    return tuple(found.values())


def evaluate_slip(slip: Slip, scenario: Scenario, asked: Expr | str,
                  extra: Mapping[str, Value] | None = None) -> SlipValue:
    """Make the mistake: patch the scenario by `slip.set`, and take `slip.expr` instead of what was asked.

    A slip that needs what the scenario does not have (nodes, where none are stated) has no value, with the reason.

    >>> from solvers.inputs import scenario_of
    >>> plan = scenario_of({"checkpoint.stall": "60 s", "run.mtbf": "3 h"})
    >>> made = evaluate_slip(slips_of("checkpoint.interval_young")[0], plan, "checkpoint.interval_young")
    >>> round(float(made.value.value / 60), 2)
    13.42
    """
    patched = scenario.patched(slip.set) if slip.set else scenario
    expr = slip.expr or (Symbol(asked) if isinstance(asked, str) else asked)
    try:
        value = Solver(patched, extra).evaluate(expr)
    except (SolveError, EvaluationError, UnknownNameError) as error:
        return SlipValue(slip, None, str(error))
    if not isinstance(value, Quantity):
        return SlipValue(slip, None, "the slip gives no number")
    return SlipValue(slip, value)
