"""A derivation as plain text, as Markdown and as data."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.expr.show import show_number
from solvers.tables.recipes import PARTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from solvers.derivation import Derivation, Step
    from solvers.relation import Source

KEPT: Final = frozenset(PARTS) - {"recipe.gather", "recipe.reduce"}
"""What a recipe keeps per parameter; the other two are on the wire."""
_PER_PARAMETER: Final = " B/param"
EXACT = 2**53
"""Whole numbers up to here are the same in JSON's readers as here."""


def to_text(derivation: Derivation, *, full: bool = True) -> str:
    """Plain text: the answer in one line, the inputs, each step with its reason, the conventions, the sources.

    Without `full`, the answer with its line and the reason only. A source is named once and marked with its number.

    >>> from solvers import derive, scenario_of
    >>> print(to_text(derive(scenario_of({"layout.pp": 8, "batch.accumulation": 32}), "pipeline.bubble_of_total"),
    ...               full=False))
    pipeline.bubble_of_total = 17.95 %
    <BLANKLINE>
      bubble_of_total = (8 − 1) / (32 + 8 − 1) = 17.95 %
      Of v m + p-1 slots, p-1 are idle.
    """
    lines = [f"{derivation.target} = {derivation.text}", "", f"  {derivation.short}"]
    if not full:
        return "\n".join(lines + [f"  {step.because}" for step in derivation.steps[-1:]])
    marks = _marks(derivation)
    if derivation.inputs:
        lines += ["", "Inputs", *(f"  {line}" for line in _inputs(derivation, marks))]
    if derivation.steps:
        lines += ["", "Steps"]
        for step in derivation.steps:
            lines += [f"  {step.line}", *(f"      {said}" for said in _said(step, marks))]
    if derivation.conventions:
        lines += ["", "Conventions", *(f"  {line}" for line in derivation.conventions)]
    if marks:
        lines += ["", "Sources", *(f"  [{number}] {source}" for source, number in marks.items())]
    return "\n".join(lines)


def to_markdown(derivation: Derivation) -> str:
    """Markdown with a table of inputs and one numbered line per step; bars and backticks are escaped."""
    marks = _marks(derivation)
    lines = [f"## {derivation.target} = {derivation.text}", "", f"`{_tick(derivation.short)}`"]
    if derivation.inputs:
        lines += ["", "| symbol | quantity | value | origin |", "|---|---|---|---|"]
        lines += [
            f"| {_cell(step.letter)} | {_cell(step.name)}: {_cell(step.meaning)} | {_cell(step.value)} | "
            f"{_cell(_origin(step, marks))} |"
            for step in derivation.inputs
        ]
    if derivation.steps:
        lines.append("")
        lines += [
            f"{number}. `{_tick(step.line)}`  \n   {' '.join(_said(step, marks))}"
            for number, step in enumerate(derivation.steps, start=1)
        ]
    if derivation.conventions:
        lines += ["", "**Conventions**", "", *(f"- {line}" for line in derivation.conventions)]
    if marks:
        lines += ["", "**Sources**", "", *(f"{number}. {source}" for source, number in marks.items())]
    return "\n".join(lines) + "\n"


def to_json(derivation: Derivation) -> dict[str, object]:
    """Plain data for scripts: `value` is a number in the printed `unit`; `steps` and `inputs` are objects."""
    return {
        "quantity": derivation.target,
        "value": number_of(derivation.in_unit),
        "unit": derivation.unit.name,
        "text": derivation.text,
        "short": derivation.short,
        "conventions": list(derivation.conventions),
        "inputs": [_data(step) for step in derivation.inputs],
        "steps": [_data(step) for step in derivation.steps],
        "sources": [str(source) for source in derivation.sources],
    }


def number_of(value: Fraction) -> int | float:
    """The number as JSON carries it: whole if it is whole and every reader keeps it, else the nearest float."""
    if value.denominator == 1 and abs(value) <= EXACT:
        return value.numerator
    return float(value)


def _data(step: Step) -> dict[str, object]:
    return {
        "quantity": step.name,
        "letter": step.letter,
        "meaning": step.meaning,
        "symbolic": step.symbolic,
        "substituted": step.substituted,
        "value": step.value,
        "origin": step.origin,
        "because": step.because,
        "reasons": list(step.reasons),
        "source": str(step.source) if step.source else None,
    }


def _marks(derivation: Derivation) -> dict[Source, int]:
    """The sources that are published, numbered in the order in which they are met."""
    return {source: number for number, source in enumerate(derivation.sources, start=1)}


def _inputs(derivation: Derivation, marks: Mapping[Source, int]) -> list[str]:
    """A line for each input; the parts of a recipe are one."""
    parts = [step for step in derivation.inputs if step.name in KEPT and step.origin == "preset"]
    whose = {step.because for step in parts}
    together = parts if len(parts) > 1 and len(whose) == 1 else []
    lines: list[str] = []
    for step in derivation.inputs:
        if step not in together:
            lines.append(f"{step.line}  {step.meaning} ({_origin(step, marks)})")
        elif step is together[0]:
            lines.append(_recipe(together, marks))
    return lines


def _recipe(parts: Sequence[Step], marks: Mapping[Source, int]) -> str:
    letters, sizes = (
        " + ".join(step.letter for step in parts),
        [step.value.removesuffix(_PER_PARAMETER) for step in parts],
    )
    total = show_number(sum((step.exact or Fraction(0) for step in parts), Fraction(0)))
    return (
        f"{letters} = {' + '.join(sizes)} = {total}{_PER_PARAMETER}  bytes per parameter ({_origin(parts[0], marks)})"
    )


def _origin(step: Step, marks: Mapping[Source, int]) -> str:
    match step.origin:
        case "preset":
            return f"from {step.because}{_mark(step, marks)}"
        case "pinned":
            return "given"
        case "stated" if step.because:
            return step.because
        case _:
            return step.origin


def _said(step: Step, marks: Mapping[Source, int]) -> list[str]:
    said = [f"{step.because}{_mark(step, marks)}"] if step.because else []
    if step.reasons:
        said.append(f"Here {'; '.join(step.reasons)}.")
    return said


def _mark(step: Step, marks: Mapping[Source, int]) -> str:
    return f" [{marks[step.source]}]" if step.source and step.source in marks else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _tick(text: str) -> str:
    return text.replace("`", "'")
