"""Over all typed answers of the bundled bank and their variants: what is recognised is right, unique and said."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.bank.library import open_bank
from quiz.grading.mutations import edit_candidates
from quiz.grading.numeric import judge
from quiz.grading.target import target_of

if TYPE_CHECKING:
    from quiz.bank.rendered import NumericPart

BANK = Path(__file__).parents[2] / "questions"
VARIANTS = 3


@cache
def parts() -> tuple[tuple[str, NumericPart], ...]:
    """Each typed part with the id of its question: the base and a few variants."""
    bank = open_bank(BANK, None, bundled=True)
    found: list[tuple[str, NumericPart]] = []
    for entry in bank.index:
        base = bank.question(entry.id)
        if base.numeric is None:
            continue
        for axes in bank.variants(entry.id)[:VARIANTS]:
            shown = bank.question(entry.id, axes or None)
            found += [(entry.id, part) for part in (shown.numeric, *shown.parts) if part is not None]
    return tuple(found)


def test_the_value_of_a_slip_as_it_is_shown_is_recognised_as_that_slip() -> None:
    for name, part in parts():
        target = target_of(part)
        for slip in part.slips:
            if not target.accepts(Fraction(slip.exact)):
                assert judge(target, slip.text).slip == slip.id, (name, slip.id, slip.text)


def test_most_references_are_written_out_so_that_one_edit_can_be_recognised() -> None:
    written = [bool(part.expression) for _, part in parts()]
    assert sum(written) >= 0.9 * len(written)


def test_an_edit_of_the_reference_is_told_only_as_what_gives_that_value() -> None:
    """To six digits: a slip, a factor or an edit whose own value is the one that was typed, in words of its own."""
    told = 0
    for name, part in parts():
        target = target_of(part)
        known = {slip.id: slip.value for slip in target.slips}
        edits = {edit.id: edit for edit in edit_candidates(target)}
        for edit in edits.values():
            typed = Decimal(f"{float(edit.value / target.unit.factor):.6g}")
            text = f"{typed:f} {target.unit.name}"
            found = judge(target, text)
            if found.status in ("correct", "wrong-unit") or not found.slip:
                continue
            # A last digit that is a zero is not typed, so what was typed may stand for more than six digits say.
            digit = Fraction(10) ** int(typed.as_tuple().exponent) * target.unit.factor
            value = known.get(found.slip) or (edits[found.slip].value if found.slip in edits else None)
            if value is not None:
                assert abs(value - edit.value) <= max(digit, abs(edit.value) / 10**5), (name, text, found)
            if found.slip in edits:
                told += 1
                assert found.message.startswith(("This is what comes out", "This has the wrong sign")), found
    assert told > 50


NEARNESS = (3.2, 10.0, 30.0)
DIGITS = (2, 3, 4)
EACH = 8  # answers drawn for each part, count of digits and nearness


@cache
def samples() -> dict[tuple[int, float], list[int]]:
    """How many wrong answers were drawn around all references, how many recognised, how many of those as slips."""
    draw = random.Random(71)  # noqa: S311 - a sample, no secret
    found = {(digits, nearness): [0, 0, 0] for digits in DIGITS for nearness in NEARNESS}
    for _, part in parts():
        target = target_of(part)
        size = float(target.value / target.unit.factor)
        for (digits, nearness), counts in found.items():
            for _ in range(EACH):
                number = Decimal(f"{size * nearness ** draw.uniform(-1, 1):.{digits - 1}e}")
                told = judge(target, f"{number:f} {target.unit.name}")
                if told.status in ("incorrect", "close"):
                    counts[0] += 1
                    counts[1] += bool(told.slip)
                    counts[2] += told.slip_kind in ("mistake", "convention")
    return found


@pytest.mark.parametrize("nearness", NEARNESS)
@pytest.mark.parametrize("digits", DIGITS)
def test_hardly_any_random_answer_is_recognised_as_what_the_question_does_not_name(
    digits: int, nearness: float
) -> None:
    """Factors and edits, near the reference and far from it, with few digits and many: at most 2 % each."""
    drawn, recognised, slips = samples()[digits, nearness]
    assert recognised - slips <= 0.02 * drawn


def test_of_random_wrong_answers_at_most_two_percent_get_a_diagnosis(capsys: pytest.CaptureFixture[str]) -> None:
    """With the slips of the questions, whose exact values are always told; the share is printed."""
    cells = samples()
    drawn, recognised = (sum(cell[place] for cell in cells.values()) for place in (0, 1))
    told = [f"random wrong answers with a diagnosis: {recognised} of {drawn}, {recognised / drawn:.2%}"]
    for (digits, nearness), (total, found, slips) in cells.items():
        share, rest = found / total, (found - slips) / total
        told.append(f"  {digits} digits, within a factor of {nearness:g}: {share:.2%}, without slips {rest:.2%}")
    with capsys.disabled():
        print("", *told, sep="\n")  # noqa: T201 - figures that are asked for
    assert recognised <= 0.02 * drawn
