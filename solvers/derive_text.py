"""A derivation as plain text, as Markdown and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

    from solvers.derivation import Derivation, Step

EXACT = 2**53
"""Whole numbers up to here are the same in JSON's readers as here."""


def to_text(derivation: Derivation, *, full: bool = True) -> str:
    """Plain text: the answer, the inputs, each step with its reason, the conventions, the sources.

    Without `full`, the answer and the steps only.

    >>> from solvers import derive, scenario_of
    >>> print(to_text(derive(scenario_of({"layout.pp": 8, "batch.accumulation": 32}), "pipeline.bubble_of_total"),
    ...               full=False))
    pipeline.bubble_of_total = 17.95 %
    <BLANKLINE>
    Steps
      bubble_of_total = (p − 1) / (m + p − 1) = (8 − 1) / (32 + 8 − 1) = 17.95 %
          Of v m + p-1 slots, p-1 are idle.
    """
    lines = [f"{derivation.target} = {derivation.text}"]
    if full and derivation.inputs:
        lines += ["", "Inputs", *(f"  {_input(step)}" for step in derivation.inputs)]
    if derivation.steps:
        lines += ["", "Steps"]
        for step in derivation.steps:
            lines += [f"  {step.line}", *(f"      {said}" for said in _said(step, source=full))]
    if full and derivation.conventions:
        lines += ["", "Conventions", *(f"  {line}" for line in derivation.conventions)]
    if full and derivation.sources:
        lines += ["", "Sources", *(f"  {source}" for source in derivation.sources)]
    return "\n".join(lines)


def to_markdown(derivation: Derivation) -> str:
    """Markdown with a table of inputs and one numbered line per step; bars and backticks are escaped."""
    lines = [f"## {derivation.target} = {derivation.text}"]
    if derivation.inputs:
        lines += ["", "| symbol | quantity | value | origin |", "|---|---|---|---|"]
        lines += [f"| {_cell(step.letter)} | {_cell(step.name)}: {_cell(step.meaning)} | {_cell(step.value)} | "
                  f"{_cell(_origin(step))} |" for step in derivation.inputs]
    if derivation.steps:
        lines.append("")
        lines += [f"{number}. `{_tick(step.line)}`  \n   {' '.join(_said(step, source=True))}"
                  for number, step in enumerate(derivation.steps, start=1)]
    if derivation.conventions:
        lines += ["", "**Conventions**", "", *(f"- {line}" for line in derivation.conventions)]
    if derivation.sources:
        lines += ["", "**Sources**", "", *(f"- {source}" for source in derivation.sources)]
    return "\n".join(lines) + "\n"


def to_json(derivation: Derivation) -> dict[str, object]:
    """Plain data for scripts: `value` is a number in the printed `unit`; `steps` and `inputs` are objects."""
    return {
        "quantity": derivation.target,
        "value": number_of(derivation.in_unit),
        "unit": derivation.unit.name,
        "text": derivation.text,
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
        "quantity": step.name, "letter": step.letter, "meaning": step.meaning, "symbolic": step.symbolic,
        "substituted": step.substituted, "value": step.value, "origin": step.origin, "because": step.because,
        "reasons": list(step.reasons), "source": str(step.source) if step.source else None,
    }


def _input(step: Step) -> str:
    return f"{step.line}  {step.meaning} ({_origin(step)})"


def _origin(step: Step) -> str:
    match step.origin:
        case "preset":
            return f"from {step.because}"
        case "pinned":
            return "given"
        case _:
            return step.origin


def _said(step: Step, *, source: bool) -> list[str]:
    said = [f"{step.because}{_source(step) if source else ''}"] if step.because else []
    if step.reasons:
        said.append(f"Here {'; '.join(step.reasons)}.")
    return said


def _source(step: Step) -> str:
    if step.source is None or not (step.source.address or step.source.as_of):
        return ""
    where = f", {step.source.where}" if step.source.where else ""
    return f" [{step.source.key}{where}]"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _tick(text: str) -> str:
    return text.replace("`", "'")

