"""Derivations as lines: what is put in, one line each, then each step in one line where it fits.

Sources are said once, at the end, and marked where they are used. Of several derivations side by side only what is
new stands in the later ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from quiz.tui.lines import BLANK, Lines, join, text, wrap
from quiz.tui.prose import inline

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.content import Content

    from quiz.bank.rendered import Line, Way

_WIDEST_LETTER = 14
_ORIGINS = {"stated": "", "derived": "", "preset": "", "default": "default", "pinned": "given"}
_PART = re.compile(r"bytes per parameter: (?!.*wire)")  # what travels is no part of the state
_BYTES = re.compile(r"(\d+(?:\.\d+)?) B/param")


@dataclass
class Told:
    """What was said already: the sources in the order of their marks, inputs and steps."""

    sources: list[str] = field(default_factory=list)
    lines: set[tuple[str, str, str]] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)

    def mark(self, source: str) -> str:
        """The mark of a source, `[1]`; "" where there is none."""
        if not source:
            return ""
        if source not in self.sources:
            self.sources.append(source)
        return f"[{self.sources.index(source) + 1}]"

    def new(self, lines: Iterable[Line]) -> list[Line]:
        """Those of the lines that were not told before; they are told now."""
        found = [line for line in lines if (line.letter, line.substituted, line.value) not in self.lines]
        self.lines |= {(line.letter, line.substituted, line.value) for line in found}
        return found


def lay(ways: Sequence[tuple[str, Way]], width: int, recipe: str = "") -> Lines:
    """All derivations, each with its label, then the sources. `recipe` names the bytes per parameter."""
    told = Told()
    lines: Lines = []
    for label, way in ways:
        lines += [BLANK] if lines else []
        if label:
            lines += [text("─" * width, "$faint"), *wrap(inline(label, "$text-accent bold"), width)]
        lines += _way(way, width, recipe, told)
    if told.sources:
        lines.append(BLANK)
        for source in told.sources:
            lines += wrap(text(source, "$quiet"), width, join((f"{told.mark(source)} ", "$quiet")))
    return lines


def _way(way: Way, width: int, recipe: str, told: Told) -> Lines:
    lines: Lines = []
    if way.title:  # without one the last step says it all
        title = join((way.title[:1].upper() + way.title[1:], "bold"), ("  =  ", "$quiet"))
        lines += wrap(join(title, (way.result, "bold $text-primary")), width, "", "  ")
    inputs = told.new(way.inputs)
    if inputs:
        lines += _inputs(inputs, width, recipe, told)
    for step in told.new(way.steps):
        meaning = "" if step.meaning.lower() == way.title.lower() else step.meaning
        lines += [*([BLANK] if lines else []), *_step(step, meaning, width, told)]
    return lines


def _inputs(inputs: Sequence[Line], width: int, recipe: str, told: Told) -> Lines:
    """One line each; the bytes per parameter of a recipe share one."""
    parts = [line for line in inputs if line.origin == "preset" and _PART.match(line.meaning)]
    parts = parts if len(parts) > 1 and all(_BYTES.fullmatch(line.value) for line in parts) else []
    letters = min(_WIDEST_LETTER, max((len(line.letter) for line in inputs if line not in parts), default=0))
    lines: Lines = []
    for line in inputs:
        if line in parts:
            if line is parts[0]:
                lines += _recipe(parts, width, recipe, told)
            continue
        origin = " ".join(piece for piece in (_ORIGINS[line.origin], told.mark(line.source)) if piece)
        lead = join("  ", (line.letter.ljust(letters), "$code"), " ")
        lines += wrap(join((line.value, "bold"), f"  {line.meaning}", (f"  {origin}", "$quiet")), width, lead)
    return lines


def _recipe(parts: Sequence[Line], width: int, recipe: str, told: Told) -> Lines:
    """`bytes per parameter  b_w 2 + b_g 2 + … = 16 B/param (zero-paper) [1]`."""
    total = sum((Fraction(line.value.split()[0]) for line in parts), Fraction())
    pieces: list[str | Content | tuple[str, str]] = ["  bytes per parameter  "]
    for number, line in enumerate(parts):
        pieces += [" + " if number else "", (f"{line.letter} ", "$code"), (line.value.split()[0], "bold")]
    marks = " ".join(dict.fromkeys(told.mark(line.source) for line in parts))
    tail = " ".join(piece for piece in (f"({recipe})" if recipe else "", marks) if piece)
    return wrap(join(*pieces, " = ", (f"{float(total):g} B/param", "bold"), (f" {tail}", "$quiet")), width, "", "    ")


def _step(step: Line, meaning: str, width: int, told: Told) -> Lines:
    """What is computed, the equation in one line or in one for each form, then why it holds."""
    lines = wrap(text(meaning), width) if meaning else []
    lead = join("  ", (f"{step.letter} ", "$code bold") if step.letter else "")
    forms: list[Content] = []
    for form, style in ((step.symbolic, "$code"), (step.substituted, ""), (step.value, "bold $text-primary")):
        if form and (not forms or forms[-1].plain != form):
            forms.append(text(form, style))
    whole = join(lead, *[piece for form in forms for piece in ("= ", form, " ")]).rstrip()
    if whole.cell_length <= width:
        lines.append(whole)
    else:
        hang = " " * lead.cell_length
        for number, shown in enumerate(forms):
            lines += wrap(join("= ", shown), width, hang if number else lead, hang + "  ")
    if step.because in told.reasons:
        return lines
    told.reasons.add(step.because)
    because = " ".join(piece for piece in (step.because, told.mark(step.source)) if piece)
    return lines + (wrap(inline(because, "$quiet"), width, "    ") if because else [])
