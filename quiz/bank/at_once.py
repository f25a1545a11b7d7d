"""All that is wrong with a file, each mistake once and at its own place: for files of which something is.

The compiler stops where it cannot go on, and one mistake then hides the next. This pass begins anew and goes on after
each: the form is read leniently (`lenient`), the names of all expressions are looked up (`named`), and what is left is
worked out part by part in a world where what was told has no value (`lenient_world`). It finds; it never compiles.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, get_args

from quiz.bank.bench import Bench
from quiz.bank.constants import report_constants
from quiz.bank.diagnostics import format_path
from quiz.bank.document import ASIDE, Document
from quiz.bank.forms import FormRefusedError
from quiz.bank.known_keys import known_keys_of
from quiz.bank.lenient import Lenient, Refused, with_fields
from quiz.bank.lenient_world import LenientReport, LenientWorld, is_lost, lost_of
from quiz.bank.locate import from_errors, from_validation_error, unknown_keys
from quiz.bank.named import report_unknown
from quiz.bank.names import report_names
from quiz.bank.parts_at_once import report_parts
from quiz.bank.problems import FOUND, TOLD
from quiz.bank.prose import report_literals
from quiz.bank.restated import report_restated
from quiz.bank.schema import QUESTION, AnyQuestion
from quiz.bank.settle import settle
from quiz.bank.variants import axes_are_inputs, check_axis_values, check_draws, check_where
from solvers.record import EMPTY, Record

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from quiz.bank.bench import Context
    from quiz.bank.diagnostics import Diagnostic
    from quiz.bank.document import Path
    from solvers.expr.declared import Units

_KINDS: Final = ("strategy", "claim", "ordering", "numeric", "open")
_NEAR: Final = 0.6
_SURE: Final = 0.8


def told_at_once(document: Document, context: Context) -> tuple[LenientReport, AnyQuestion | None]:
    """Everything that is wrong with a file, and its question as far as it could be read (None: not at all).

    The question is not one to be compiled: it may lack what was told.
    """
    form = read_leniently(document, context.units)
    report = LenientReport(form.document)
    report.found += document.warnings
    report_literals(form.document, report)
    report.found += form.found
    if form.question is not None:
        report_names(form.question, report)
        report_constants(form.question, report, context.units)
        _report_meaning(form.question, context, report)
    return report, form.question


class Form(Record):
    """The form of a file read leniently: its question, what was refused being left out, and what is wrong with it.

    `document` has the keys that were meant in the place of those that are misspelled; `meant` are these by the path of
    the misspelled one.
    """

    document: Document
    found: tuple[Diagnostic, ...]
    question: AnyQuestion | None
    meant: Mapping[str, str] = EMPTY


def read_leniently(document: Document, units: Units) -> Form:
    """Read the form of a file in spite of what is wrong with it."""
    document, misspelled = _with_kind(document)
    doubtful: set[str] = set()
    keys_meant: dict[str, str] = {}
    while True:
        try:
            return Form(document, tuple(misspelled), QUESTION.read(document.data, units), keys_meant)
        except FormRefusedError as error:
            errors, keys = _not_aside(error.cause.errors(include_url=False)), known_keys_of(error.models)
        found = from_errors(document, errors, keys)
        meant = _first_meant(document, unknown_keys(document, errors, keys))
        if meant is None:
            break
        path, key = meant
        misspelled += [one for one in found if one.code == "unknown-key" and one.path == format_path(path)]
        document = respelled(document, path, key)
        keys_meant[format_path(path)] = key
        if not get_close_matches(str(path[-1]).lower(), [key], n=1, cutoff=_SURE):
            doubtful.add(format_path((*path[:-1], key)))
    # A key that only may be meant is not told to have the wrong kind of value.
    found = [one for one in found if one.code != "wrong-type" or one.path not in doubtful]
    lenient = Lenient(units)
    try:
        question: AnyQuestion | None = lenient.read(QUESTION.annotation, document.data)
    except Refused:
        question = None
    told = {(one.path, one.code) for one in found if one.code == "wrong-length"}
    more = from_errors(document, [fault.error for fault in lenient.faults])
    found += [one for one in more if one not in found and (one.path, one.code) not in told]
    return Form(document, (*misspelled, *found), question, keys_meant)


def _not_aside(errors: Sequence[Any]) -> list[Any]:
    """The errors that are about what could be read."""
    return [one for one in errors if one["input"] is not ASIDE and not _is_short_by_it(one)]


def _is_short_by_it(error: Any) -> bool:  # noqa: ANN401
    """Whether an error counts entries of which one could not be read."""
    given = error["input"]
    entries = given.values() if isinstance(given, dict) else given if isinstance(given, list) else ()
    return error["type"] == "too_short" and any(one is ASIDE for one in entries)


def _first_meant(document: Document, unknown: Sequence[tuple[Path, Collection[str]]]) -> tuple[Path, str] | None:
    """The first key that is misspelled, and the one that is meant, which is not there."""
    for path, keys in unknown:
        near = get_close_matches(str(path[-1]).lower(), sorted(keys), n=1, cutoff=_NEAR)
        if near and (*path[:-1], near[0]) not in document.places:
            return path, near[0]
    return None


def _with_kind(document: Document) -> tuple[Document, list[Diagnostic]]:
    """The document with a kind that there is, so that the rest can be read; and what is wrong with the kind."""
    data = document.data
    if not isinstance(data, dict) or data.get("kind") in _KINDS:
        return document, []
    found: list[Diagnostic] = []
    known = {field.key for form in get_args(AnyQuestion) for field in form.fields}
    like = next((key for key in data.keys() - known if get_close_matches(key.lower(), ["kind"], cutoff=_NEAR)), None)
    if "kind" not in data and like is not None:
        error = {"type": "extra_forbidden", "loc": (like,), "input": data[like], "msg": ""}
        found = from_errors(document, [error], lambda _: ["kind"])
        document = respelled(document, (like,), "kind")
        if data[like] in _KINDS:
            return document, found
    try:
        QUESTION.read(document.data)
    except FormRefusedError as error:
        if data.get("kind") is not ASIDE:
            found += from_validation_error(document, error.cause)
    data = {**document.data, "kind": _kind_of(document.data)}  # type: ignore[dict-item]
    return Document(data, document.file, document.source, document.places, document.warnings), found


def _kind_of(data: Any) -> str:  # noqa: ANN401
    """The kind of a question, by what stands for it, else by the keys that only one kind has."""
    near = get_close_matches(str(data.get("kind")).lower(), _KINDS, n=1, cutoff=_NEAR)
    if near:
        return near[0]
    for key, kind in (("decide", "strategy"), ("items", "ordering"), ("answer", "numeric"), ("rubric", "open")):
        if key in data:
            return kind
    return "claim"


def respelled(document: Document, path: Path, key: str) -> Document:
    """The document with another key at the end of `path`; everything stands where it stood."""
    places = {
        ((*path[:-1], key, *place[len(path) :]) if place[: len(path)] == path else place): site
        for place, site in document.places.items()
    }
    data = _respelled(document.data, path, key)
    return Document(data, document.file, document.source, places, document.warnings)


def _respelled(data: Any, path: Path, key: str) -> Any:  # noqa: ANN401
    first, rest = path[0], path[1:]
    if isinstance(data, list):
        return [_respelled(one, rest, key) if place == first else one for place, one in enumerate(data)]
    if rest:
        return {name: _respelled(one, rest, key) if name == first else one for name, one in data.items()}
    return {key if name == first else name: one for name, one in data.items()}


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
    settle(report, {name for patch in world.patches.values() for name in patch})


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
