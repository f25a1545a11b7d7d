"""The report as a whole: it bears any history, and its JSON holds nulls and never a figure that is none."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from quiz.statistics.report import SCHEMA, VERSION, Report, document, report
from quiz.statistics.tally import contributions
from quiz.statistics.topics import columns_for
from tests.house import ROOT
from tests.unit.statistics.histories import HISTORIES, reported
from tests.unit.statistics.simulated import START, Learner, a_year, bank, given, told

if TYPE_CHECKING:
    from collections.abc import Iterator


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, f"{path}[]")
    else:
        yield path, value


@pytest.mark.parametrize("name", HISTORIES)
def test_any_history_makes_a_document_of_plain_values(name: str) -> None:
    made = document(reported(name))
    assert (made["schema"], made["version"]) == (SCHEMA, VERSION)
    assert json.loads(json.dumps(made, allow_nan=False)) == json.loads(json.dumps(made))
    for path, value in leaves(json.loads(json.dumps(made))):
        assert value is None or isinstance(value, (str, int, float, bool)), path
        assert not isinstance(value, float) or math.isfinite(value), path


@pytest.mark.parametrize("name", ["none", "no questions", "one answer", "three answers"])
def test_three_answers_make_no_estimate(name: str) -> None:
    """Counts are there; every share, mean and median is null, and says how many it takes."""
    made = document(reported(name))
    assert [row["passed"]["share"] for row in made["memory"]["rows"]] == [None] * 12
    assert {bin_["right"]["share"] for bin_ in made["calibration"]["bins"]} == {None}
    assert made["calibration"]["brier"] is None
    assert made["practice"]["times"]["median"] is None
    assert made["whole"]["recall"] is None
    assert made["whole"]["tested"]["share"] is None
    assert made["ready"]["pace"] is None
    assert (made["forecast"]["load"], made["whole"]["known"], made["calibration"]["gap_low"]) == (None, None, None)
    assert {row["passed"]["least"] for row in made["memory"]["rows"]} == {20}


def test_all_right_and_all_wrong_have_intervals_that_are_not_points() -> None:
    right, wrong = (document(reported(name))["whole"]["tested"] for name in ("all right", "all wrong"))
    assert (right["share"], right["high"]) == (1.0, 1.0)
    assert right["low"] < 1
    assert (wrong["share"], wrong["low"]) == (0.0, 0.0)
    assert wrong["high"] > 0


def test_days_ahead_of_today_count_and_stand_in_no_calendar() -> None:
    made = reported("jumps of the clock")
    assert made.practice.answers == 5
    assert [day.answers for day in made.practice.calendar] == [1]
    assert made.practice.ms == 600_000  # the one that stood open for fifty minutes; no time is below nothing


def test_what_left_the_bank_is_set_aside_and_its_days_stay() -> None:
    made = reported("a topic that is gone")
    assert (made.set_aside, made.whole.seen, made.practice.answers) == (1, 0, 40)


def test_the_same_history_makes_the_same_report_and_another_seed_another() -> None:
    assert document(report(a_year())) == document(report(a_year()))
    assert document(report(a_year())) != document(report(a_year(seed=2)))


def test_a_year_agrees_with_its_answers_one_by_one() -> None:
    """Counted from the tallies, and counted again from the attempts."""
    questions = bank()
    attempts = Learner().history(questions, 365)
    made = report(given(attempts, questions, START))
    assert made.practice.answers == len(attempts)
    assert made.practice.days == len({attempt.day for attempt in attempts})
    assert sum(slip.count for slip in made.mistakes.slips) == sum(attempt.slip is not None for attempt in attempts)
    firsts: dict[tuple[Any, Any], Any] = {}
    for attempt in attempts:
        firsts.setdefault((attempt.card, attempt.day), attempt)
    sure = [attempt for attempt in firsts.values() if attempt.confidence is not None]
    assert made.calibration.n == len(sure)
    errors = [((one.confidence or 0) / 100 - (one.verdict == "correct")) ** 2 for one in sure]
    assert made.calibration.brier == pytest.approx(sum(errors) / len(errors))
    seen = {attempt.card for attempt in attempts}
    tested = [one for key, one in firsts.items() if key != (one.card, min(d for c, d in firsts if c == one.card))]
    rows = {row.maturity: row.passed for row in made.memory.rows if row.days is None}
    assert rows["learning"].n + rows["review"].n == len(tested) == len(firsts) - len(seen)
    passed = sum(attempt.rating > 1 for attempt in tested)
    assert rows["learning"].hits + rows["review"].hits == passed


def test_an_answer_taken_back_leaves_nothing() -> None:
    """What is subtracted again is what was added: the fold without it makes the same tallies."""
    attempts = Learner().history(bank(2), 60)
    with_last, _ = told(attempts)
    without, cards = told(attempts[:-1])
    last = attempts[-1]
    before = next((card for card in cards if card.question == last.card.question), None)
    assert before is None or before.last_day <= last.day
    assert with_last.total() > without.total()
    with_last.subtract(with_last - without)
    assert +with_last == without
    assert contributions(last, None, last.rating)


def fields(kind: type, name: str = "") -> Iterator[str]:
    """Every field of the document, as a path."""
    import msgspec

    for field in msgspec.structs.fields(kind):
        path = f"{name}.{field.encode_name}" if name else field.encode_name
        yield path


def test_the_page_on_statistics_lists_every_part_of_the_document() -> None:
    page = (ROOT / "docs/learners/statistics.md").read_text(encoding="utf-8")
    parts = ["schema", "version", "bank", *fields(Report)]
    assert [part for part in parts if f"| `{part}` |" not in page] == []
    assert f'"{SCHEMA}"' in page


def test_columns_by_question_make_the_same_report_as_their_cells() -> None:
    """The store gives what there is most of by name and key, which is quicker."""
    whole = a_year()
    wanted = columns_for(whole.today)
    columns = {
        name_and_key: {
            cell.question: count
            for cell, count in whole.cells
            if cell.question and (cell.name, cell.key) == name_and_key
        }
        for name_and_key in wanted
    }
    assert all(columns.values())
    others = [
        (cell, count) for cell, count in whole.cells if not cell.question or cell.name.startswith(("slip", "chose"))
    ]
    assert document(report(replace(whole, cells=others, columns=columns))) == document(report(whole))
