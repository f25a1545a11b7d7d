"""One question under the lint: its form, its base as shown, its numbers, and the report that takes findings.

Checks of words take a `Wording`, which every question has that could be read; those of figures take a `Subject`; only
what is `Whole` compiled, and only of that are variants drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quiz.bank.problems import Problem
from quiz.bank.verdicts import claim_scope
from solvers.record import Record

if TYPE_CHECKING:
    from quiz.bank.bench import Context
    from quiz.bank.compile import Compiled
    from quiz.bank.document import Document, Path
    from quiz.bank.problems import Report
    from quiz.bank.rendered import Rendered
    from quiz.bank.schema import AnyQuestion
    from quiz.bank.scope import Scope, World


class Wording(Record):
    """What a check of words takes."""

    document: Document
    report: Report
    question: AnyQuestion

    def warn(self, path: Path, code: str, what: str, *, next_: str, **more: Any) -> None:  # noqa: ANN401 - as Problem
        """Note a fault of craft."""
        self.report.add(Problem(path, code, what, next_=next_, **more), "warning")

    def fail(self, path: Path, code: str, what: str, *, next_: str, **more: Any) -> None:  # noqa: ANN401 - as Problem
        """Note a fault of fact."""
        self.report.add(Problem(path, code, what, next_=next_, **more))


class Subject(Wording):
    """What a check of figures takes: `base` is the question as shown with its own numbers, those of `world`."""

    base: Rendered
    world: World
    context: Context


class Whole(Subject):
    """A question without errors."""

    compiled: Compiled


def scope_at(world: World, path: Path) -> Scope:
    """The scope in which a text at `path` is read: an option's own, else the base."""
    if len(path) > 1 and path[0] in ("options", "items"):
        name = str(path[1])
        return claim_scope(world, name) if path[0] == "options" else world.option(name)
    return world.base
