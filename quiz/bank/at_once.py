"""All that is wrong with a file, each mistake once and at its own place: for files of which something is.

The compiler stops where it cannot go on, and one mistake then hides the next. This pass begins anew and goes on after
each: the form is read leniently (`lenient`), the names of all expressions are looked up (`named`), and what is left is
worked out part by part in a world where what was told has no value (`lenient_world`). It finds; it never compiles.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from quiz.bank.bench import Bench
from quiz.bank.diagnostics import format_path
from quiz.bank.forms import FormRefusedError
from quiz.bank.known_keys import known_keys_of
from quiz.bank.lenient import Lenient, Refused, with_fields
from quiz.bank.lenient_world import LenientReport, LenientWorld, is_lost, lost_of
from quiz.bank.locate import from_errors, from_validation_error
from quiz.bank.named import report_unknown
from quiz.bank.names import report_names
from quiz.bank.parts_at_once import report_parts
from quiz.bank.problems import FOUND, TOLD
from quiz.bank.prose import report_literals
from quiz.bank.restated import report_restated
from quiz.bank.schema import QUESTION
from quiz.bank.variants import axes_are_inputs, check_axis_values, check_draws, check_where

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.bench import Context
    from quiz.bank.diagnostics import Diagnostic
    from quiz.bank.document import Document
    from quiz.bank.schema import AnyQuestion
    from solvers.expr.declared import Units

_KINDS: Final = ("strategy", "claim", "ordering", "numeric", "open")
_NEAR: Final = 0.6


def told_at_once(document: Document, context: Context) -> tuple[LenientReport, AnyQuestion | None]:
    """Everything that is wrong with a file, and its question as far as it could be read (None: not at all).

    The question is not one to be compiled: it may lack what was told.
    """
    report = LenientReport(document)
    report.found += document.warnings
    report_literals(document, report)
    question, refused = read_leniently(document, context.units)
    report.found += refused
    if question is not None:
        report_names(question, report)
        _report_meaning(question, context, report)
    return report, question


def read_leniently(document: Document, units: Units) -> tuple[AnyQuestion | None, list[Diagnostic]]:
    """The question of a file, what was refused being left out, and what is wrong with its form."""
    data = document.data
    try:
        return QUESTION.read(data, units), []
    except FormRefusedError as error:
        found = from_validation_error(document, error.cause, known_keys_of(error.models))
    if not isinstance(data, dict):
        return None, found
    meant = _kind_of(data)
    dropped = set()
    if data.get("kind") != meant:
        if "kind" not in data and any(_is_like("kind", key) for key in data):
            dropped.add("kind")
        data = {**data, "kind": meant}
        try:
            QUESTION.read(data, units)
        except FormRefusedError as error:
            found += from_validation_error(document, error.cause, known_keys_of(error.models))
    lenient = Lenient(units)
    try:
        question: AnyQuestion = lenient.read(QUESTION.annotation, data)
    except Refused:
        return None, found
    dropped |= {format_path(path) for path in lenient.instead}
    found = [one for one in found if one.code != "missing-key" or one.path not in dropped]
    told = {(one.path, one.code) for one in found if one.code == "wrong-length"}
    more = from_errors(document, [fault.error for fault in lenient.faults])
    found += [one for one in more if one not in found and (one.path, one.code) not in told]
    return question, found


def _is_like(key: str, other: object) -> bool:
    return bool(get_close_matches(str(other).lower(), [key], n=1, cutoff=_NEAR))


def _kind_of(data: Mapping[str, object]) -> str:
    """The kind of a question, by its key or what stands in its place, else by the keys that only one kind has."""
    said = data.get("kind", next((data[key] for key in data if _is_like("kind", key)), None))
    near = get_close_matches(str(said).lower(), _KINDS, n=1, cutoff=_NEAR)
    if near:
        return near[0]
    for key, kind in (("decide", "strategy"), ("items", "ordering"), ("answer", "numeric"), ("rubric", "open")):
        if key in data:
            return kind
    return "claim"


def _report_meaning(question: AnyQuestion, context: Context, report: LenientReport) -> None:
    world = LenientWorld(question, report, context.units)
    for name in world.patches:
        with report.catching((world.group, name, "set")):
            world.option(name)
    report_restated(world, report)
    report_unknown(world, report)
    _report_axes(world, report)
    for name in question.figures:
        try:
            world.require_value(name)
        except FOUND as error:
            report.note(error, ("figures", name))
            world.told_figures.add(name)
    report_parts(Bench(world, context, report), world, report)
    with report.catching(("variants",)):
        check_where(world, report)


def _report_axes(world: LenientWorld, report: LenientReport) -> None:
    """Note what is wrong with axes, but for those whose name was refused, or whose input was."""
    question = world.question
    if question.variants is None:
        return
    axes = question.variants.axes
    refused = is_lost(question.scenario) or is_lost(question.given)
    told = lost_of(axes) | {name for name in axes if refused or name in report.told_names}
    # Two values that were told are not the same.
    rest = {
        name: tuple((place, raw) if raw == TOLD else raw for place, raw in enumerate(values))
        for name, values in axes.items()
        if name not in told
    }
    sound = with_fields(question, variants=with_fields(question.variants, axes=rest))
    known = {name: values for name, values in axes.items() if name not in lost_of(axes)}
    check_axis_values(with_fields(question, variants=with_fields(question.variants, axes=known)), report)
    axes_are_inputs(sound, report)
    check_draws(question, report)
