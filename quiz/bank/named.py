"""The names that the expressions of a question mention: each that does not exist is told at its own place.

The fields are found by their annotations, so that no expression of a form is forgotten.
"""

from __future__ import annotations

import types
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Final, Union, get_args, get_origin

from quiz.bank.expressions import names_in
from quiz.bank.fields import is_expression, is_preference, is_tolerance
from quiz.bank.forms import Form
from quiz.bank.problems import TOLD, Problem, problem_of
from quiz.bank.schema import Claim, Strategy
from quiz.bank.scope import KEY
from solvers.catalogue import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.bank.document import Path
    from quiz.bank.lenient_world import LenientReport, LenientWorld

_UNIONS: Final = (Union, types.UnionType)
_READ_LATER: Final = ("answer", "slips", "then", "parts", "concept")
"""Where `in: key` may stand: these are read when the key is decided."""


def report_unknown(world: LenientWorld, report: LenientReport) -> None:
    """Note every name of an expression that does not exist, and every option that there is none of."""
    for path, field, value in fields_of(world.question, ()):
        if field == "in_":
            _report_option(world, report, path, value)
        elif field in ("fewest", "largest"):
            if value not in CATALOGUE and value != TOLD:
                report.add(problem_of(world.unknown(value), path, value))
        else:
            for name in names_in(_formula(value, field), world.units):
                if not world.is_known(name):
                    report.add(problem_of(world.unknown(name), path, value))
    drill = world.question.drill
    for index, plan in enumerate(drill.plans if drill else ()):
        _report_option(world, report, ("drill", "plans", index), plan)


def _formula(value: str, field: str) -> str:
    return value.partition(" ")[2] if field == "preference" else value


def _report_option(world: LenientWorld, report: LenientReport, path: Path, name: str) -> None:
    if name in world.patches or name == TOLD or world.may_be(f"{name}.any"):
        return
    if name == KEY and path[0] in _READ_LATER and isinstance(world.question, Strategy | Claim):
        return
    near = get_close_matches(name, world.patches, n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(world.patches) or 'none'}"
    report.add(Problem(path, "unknown-option", f"there is no option {name!r}{hint}"))


def fields_of(form: Form, path: Path) -> Iterator[tuple[Path, str, str]]:
    """The expressions of a form, and the names in its fields `in`, `fewest`, `largest`: path, kind, text.

    The kind of an expression is "expression", or "preference" where a word stands before it.
    """
    for field in form.fields:
        if field.name not in vars(form):
            continue
        value, below = vars(form)[field.name], (*path, field.key)
        if field.name in ("in_", "fewest", "largest"):
            if value is not None:
                yield below, field.name, value
        else:
            yield from _walk(field.annotation, value, below)


def _walk(annotation: Any, value: object, path: Path) -> Iterator[tuple[Path, str, str]]:  # noqa: ANN401
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(value, Form):
        yield from fields_of(value, path)
    elif origin in _UNIONS:
        for member in arguments:
            yield from _walk(member, value, path)
    elif origin is Annotated and isinstance(value, str):
        if is_preference(annotation):
            yield path, "preference", value
        elif is_expression(annotation) or (is_tolerance(annotation) and not value.rstrip().endswith("%")):
            yield path, "expression", value
        else:
            yield from _walk(arguments[0], value, path)
    elif origin is Annotated:
        yield from _walk(arguments[0], value, path)
    else:
        for step, one in _below(value, origin):
            yield from _walk(arguments[-1] if origin is dict else arguments[0], one, (*path, step))


def _below(value: object, origin: object) -> Iterator[tuple[str | int, object]]:
    """The parts of a value that has parts, if they are of the kind that is expected."""
    if origin is dict and isinstance(value, dict):
        yield from value.items()
    elif origin is tuple and isinstance(value, tuple):
        yield from enumerate(value)
