"""The bank that comes with the program: every question is whole, decided by figures, and has all its parts."""

from __future__ import annotations

import sys
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.lint import lint
from quiz.authoring.report import as_text
from quiz.bank.library import Bank, open_bank

if TYPE_CHECKING:
    from quiz.authoring.sheet import Findings
    from quiz.bank.rendered import Rendered

QUESTIONS = Path(__file__).resolve().parents[2] / "questions"


@cache
def bank() -> Bank:
    return open_bank(QUESTIONS, None)


@cache
def findings() -> Findings:
    return lint(QUESTIONS, date(2026, 11, 30), workers=1)


def every() -> list[Rendered]:
    return [bank().question(one.id) for one in bank().index]


def test_every_question_is_whole_and_says_how_it_is_decided(capsys: pytest.CaptureFixture[str]) -> None:
    found = findings()
    table = as_text(found)
    with capsys.disabled():
        sys.stdout.write(f"\n{table}\n")
    assert all(row.id in table and row.margin in table for row in found.rows)
    assert found.diagnostics == ()
    assert len(found.rows) >= 12


def test_all_five_kinds_are_there_and_four_numeric_ones_one_without_a_model() -> None:
    kinds = [one.kind for one in bank().index]
    assert set(kinds) == {"strategy", "claim", "numeric", "ordering", "open"}
    assert kinds.count("numeric") >= 4
    without = [
        shown.id
        for shown in every()
        if shown.kind == "numeric"
        and shown.way is not None
        and not any(line.letter == "P" for line in shown.way.inputs)
    ]
    assert without


def test_no_option_is_asserted() -> None:
    assert bank().asserted == 0


def test_questions_with_axes_have_variants_enough() -> None:
    assert all(row.variants >= 6 for row in findings().rows if len(bank().variants(row.id)) > 1)


@pytest.mark.parametrize("id_", ["mb-70b-4nodes", "mb-70b-1node", "mb-84gb-redflag"])
def test_the_source_cards_question_is_there_in_three_forms(id_: str) -> None:
    assert bank().question(id_).key


def test_the_source_cards_question_has_every_part() -> None:
    shown = bank().question("mb-70b-4nodes")
    parts = {
        name: getattr(shown, name)
        for name in (
            "answer_line",
            "analogy",
            "concept",
            "framing",
            "decision_rule",
            "stem",
            "options",
            "conventions",
            "stops_working_when",
            "bullets",
            "uses",
            "follow_ups",
            "red_flags",
            "sources",
            "related",
            "numeric",
            "way",
        )
    }
    assert [name for name, part in parts.items() if not part] == []
    assert any(section.table for section in shown.concept)


def test_the_figures_of_the_source_cards_question_are_right() -> None:
    by_id = {one.id: one for one in bank().question("mb-70b-4nodes").options}
    assert {name: one.bar.total for name, one in by_id.items() if one.bar} == {
        "fsdp": 50e9,
        "zero1": 321.25e9,
        "ddp": 1135e9,
        "pp8": 155e9,
    }


def test_no_text_that_is_shown_holds_a_brace_that_was_not_filled() -> None:
    for shown in every():
        assert "{{" not in repr(shown)
        assert "}}" not in repr(shown)


def test_every_variant_that_may_be_drawn_can_be_shown() -> None:
    """Three of each question: the first, the middle and the last."""
    for entry in bank().index:
        variants = bank().variants(entry.id)
        for axes in {0: variants[0], 1: variants[len(variants) // 2], 2: variants[-1]}.values():
            shown = bank().question(entry.id, axes)
            assert shown.axes == dict(axes)
            assert shown.stem
