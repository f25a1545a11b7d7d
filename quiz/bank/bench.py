"""What the rendering of one question works with: its numbers, its bank, its report, its notes."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from quiz.bank.problems import Problem
from quiz.bank.prose import Writer
from quiz.bank.rendered import Cited
from quiz.bank.ways import Notes
from solvers.conventions import NAMED
from solvers.expr.declared import FIELD, Units
from solvers.record import EMPTY, Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.document import Path
    from quiz.bank.problems import Report
    from quiz.bank.schema import SourceEntry
    from quiz.bank.scope import World


class Context(Record):
    """What the questions of a bank share: its id, its sources, its own named conventions, its own units.

    `declared` are the definitions of `units`, as JSON; empty where the bank has none.
    """

    bank: str
    sources: Mapping[str, SourceEntry] = EMPTY
    conventions: Mapping[str, str] = EMPTY
    units: Units = FIELD
    declared: str = ""


ALONE: Final = Context("")
"""What a question has that belongs to no bank."""


class Bench:
    """One question being rendered. Problems go to the report; a question with errors is not to be shown."""

    def __init__(self, world: World, context: Context, report: Report) -> None:
        self.world, self.context, self.report = world, context, report
        self.writer = Writer(report)
        self.notes = Notes()

    def cited(self, key: str, path: Path, text: str = "", where: str | None = None, as_of: str | None = None) -> Cited:
        """A source of the bank at `path`, noted where there is none of that key; `text` is what cites it, if any."""
        entry = self.context.sources.get(key)
        if entry is None:
            near = get_close_matches(key, self.context.sources, n=1)
            self.report.add(
                Problem(
                    path,
                    "unknown-source",
                    f"sources.yaml has no {key!r}",
                    next_=f"Did you mean {near[0]}?" if near else "Add it there, with its title and address.",
                )
            )
            return Cited(text or key, key, where or "", "", as_of or "")
        return Cited(text or entry.title, entry.title if text else key, where or "", entry.address or "", as_of or "")

    def named_conventions(self) -> list[str]:
        """The texts of the conventions that the question names."""
        known = {**NAMED, **self.context.conventions}
        lines: list[str] = []
        for index, name in enumerate(self.world.question.conventions):
            if name in known:
                lines.append(known[name])
                continue
            near = get_close_matches(name, known, n=1)
            self.report.add(
                Problem(
                    ("conventions", index),
                    "unknown-convention",
                    f"there is no convention {name!r}",
                    next_=f"Did you mean {near[0]}?"
                    if near
                    else f"There are {', '.join(known)}; a bank may add its own.",
                )
            )
        return lines
