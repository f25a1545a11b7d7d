"""The author's part of the reveal: explanation, red flags, follow-ups, bullets, uses, sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quiz.bank.problems import FOUND
from quiz.bank.prose import VERDICT
from quiz.bank.rendered import PLAN, PLANNED_FROM, Cited, FollowUp, RedFlag, Section
from quiz.bank.restated import input_problem
from solvers.catalogue import CATALOGUE, UnknownNameError
from solvers.expr.evaluate import Quantity
from solvers.inputs import InputError, expr_of
from solvers.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quiz.bank.bench import Bench
    from quiz.bank.document import Path
    from quiz.bank.fields import Raw
    from quiz.bank.schema_parts import Row, Table
    from quiz.bank.scope import Scope
    from solvers.expr.evaluate import Value
    from solvers.expr.tree import Expr


def reveal_fields(bench: Bench, words: Mapping[str, str]) -> dict[str, Any]:
    """The fields of `Rendered` that hold the author's prose and links; `words` are the verdicts by option."""
    question, base, writer = bench.world.question, bench.world.base, bench.writer
    fields: dict[str, Any] = {
        name: writer.text(getattr(question, name), base, (name,))
        for name in ("why", "analogy", "framing", "decision_rule")
    }
    for name in ("bullets", "stops_working_when"):
        fields[name] = tuple(
            writer.line(text, base, (name, index)) for index, text in enumerate(getattr(question, name))
        )
    fields["concept"] = _concept(bench, words)
    fields["red_flags"] = tuple(
        RedFlag(
            writer.text(flag.says, base, ("red_flags", index, "says")),
            writer.text(flag.why, base, ("red_flags", index, "why")),
            writer.text(flag.instead, base, ("red_flags", index, "instead")),
            flag.spot,
        )
        for index, flag in enumerate(question.red_flags)
    )
    fields["follow_ups"] = tuple(
        FollowUp(
            writer.text(item.ask, base, ("follow_ups", index, "ask")),
            writer.text(item.sketch, base, ("follow_ups", index, "sketch")),
            tuple(
                writer.line(text, base, ("follow_ups", index, "rubric", place))
                for place, text in enumerate(item.rubric)
            ),
        )
        for index, item in enumerate(question.follow_ups)
    )
    fields["uses"] = tuple(
        bench.cited(use.source, ("uses", index, "source"), use.text.strip(), use.where, use.as_of)
        for index, use in enumerate(question.uses)
    )
    fields["sources"] = _sources(bench)
    fields["related"], fields["prerequisites"] = question.related, question.prerequisites
    fields["drill"] = _drill(bench)
    return fields


def _sources(bench: Bench) -> tuple[Cited, ...]:
    """The question's sources, then those of its quoted figures that it does not list."""
    question = bench.world.question
    found = {
        entry.source: bench.cited(entry.source, ("sources", index, "source"), "", entry.where, entry.as_of)
        for index, entry in enumerate(question.sources)
    }
    for name, figure in question.figures.items():
        source = getattr(figure, "source", None)
        if source is not None:
            cited = bench.cited(source, ("figures", name, "source"), "", figure.where, figure.as_of)  # type: ignore[union-attr]
            found.setdefault(source, cited)
    return tuple(found.values())


def _concept(bench: Bench, words: Mapping[str, str]) -> tuple[Section, ...]:
    sections: list[Section] = []
    for index, form in enumerate(bench.world.question.concept):
        path: Path = ("concept", index)
        heading = bench.writer.line(form.heading, bench.world.base, (*path, "heading"))
        text = bench.writer.text(form.text, bench.world.base, (*path, "text"))
        table = _table(bench, form.table, (*path, "table"), words) if form.table else ()
        sections.append(Section(heading, text, table))
    return tuple(sections)


def _table(bench: Bench, form: Table, path: Path, words: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    head = tuple(
        bench.writer.line(text, bench.world.base, (*path, "columns", index)) for index, text in enumerate(form.columns)
    )
    return (head, *(_row(bench, row, (*path, "rows", index), words) for index, row in enumerate(form.rows)))


def _row(bench: Bench, row: Row, path: Path, words: Mapping[str, str]) -> tuple[str, ...]:
    try:
        scope = bench.world.base if row.in_ is None else bench.world.option(row.in_)
    except FOUND as error:
        bench.report.note(error, (*path, "in"))
        return ()
    known = {VERDICT: words[row.in_]} if row.in_ is not None and row.in_ in words else {}
    return tuple(bench.writer.line(text, scope, (*path, "cells", index), known) for index, text in enumerate(row.cells))


def _drill(bench: Bench) -> dict[str, str]:
    drill = bench.world.question.drill
    if drill is None:
        return {}
    for index, plan in enumerate(drill.plans):
        with bench.report.catching(("drill", "plans", index)):
            bench.world.option(plan)
    for index, name in enumerate(drill.predict):
        if name not in CATALOGUE:
            bench.report.note(UnknownNameError(name, CATALOGUE.names), ("drill", "predict", index))
    fields = {
        "tier": drill.tier,
        "plans": ", ".join(drill.plans),
        "predict": ", ".join(drill.predict),
        "set": ", ".join(f"{name}={raw}" for name, raw in drill.set.items()),
    }
    for name, scope in _planned(bench, drill.plans):
        with bench.report.catching(("drill", "set")):
            fields[f"{PLAN}{name}"] = _facts(scope, drill.set)
    return {name: text for name, text in fields.items() if text}


def _planned(bench: Bench, plans: tuple[str, ...]) -> Iterator[tuple[str, Scope]]:
    """The scopes that a drill runs: of the options that it names, else of the question itself."""
    if not plans:
        yield "", bench.world.base
    for plan in plans:
        if plan in bench.world.patches:
            yield plan, bench.world.option(plan)


def _facts(scope: Scope, patch: Mapping[str, Raw]) -> str:
    """What a drill is planned from: the degrees, the batch and the like that are stated, exact and in base units."""
    values: dict[str, Expr] = {}
    for name, raw in patch.items():
        try:
            values[name] = scope.inlined(expr_of(name, raw))
        except InputError as error:
            raise input_problem(name, error.reason, error.hint, ("drill", "set", name)) from error
    solver = Solver(scope.scenario.patched(values))
    return ", ".join(f"{name}={_exact(solver.value(name))}" for name in PLANNED_FROM if solver.is_stated(name))


def _exact(value: Value) -> str:
    if isinstance(value, Quantity):
        return str(value.value)
    return str(value).lower() if isinstance(value, bool) else value
