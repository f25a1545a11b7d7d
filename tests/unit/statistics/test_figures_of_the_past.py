"""True retention, calibration, practice, mistakes: each from cells that a person can add up."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.statistics.calibration import calibration
from quiz.statistics.given import Asked, Given, Sums
from quiz.statistics.memory import memory
from quiz.statistics.mistakes import mistakes
from quiz.statistics.practice import practice
from quiz.statistics.standing import Standing
from quiz.statistics.tally import Cell, day_name

if TYPE_CHECKING:
    from quiz.statistics.memory import Memory
    from quiz.statistics.practice import Practice

TODAY = date(2026, 3, 3)  # a Tuesday
QUESTIONS = (Asked("a", "one", "claim", "About a"), Asked("b", "one"), Asked("c", "two"))


def cells(*rows: tuple[int, str, int], question: str = "") -> list[tuple[Cell, int]]:
    """Cells of days, by how many days ago."""
    return [(Cell(day_name(TODAY - timedelta(days=ago)), question, key), count) for ago, key, count in rows]


def sums(found: list[tuple[Cell, int]], since: date | None = None) -> Sums:
    return Sums(found, since)


# ---------------------------------------------------------------- true retention


def remembered(*rows: tuple[int, str, int], since: date | None = None) -> Memory:
    return memory(Given(TODAY, QUESTIONS, since=since), sums(cells(*rows), since))


def test_retention_is_the_share_that_passed_by_maturity_and_window() -> None:
    found = remembered((0, "recall young pass", 18), (29, "recall young fail", 2), (30, "recall young pass", 20))
    assert found.of("young", 30).share == 0.9
    assert found.of("young", 90).share == 38 / 40
    assert found.of("mature", None).n == 0


def test_young_and_mature_count_together_and_learning_apart() -> None:
    found = remembered((1, "recall young pass", 15), (1, "recall mature fail", 5), (1, "recall learning pass", 50))
    assert found.of("review", None).share == 0.75
    assert found.of("learning", None).share == 1


def test_nineteen_reviews_are_not_enough_for_a_retention_and_twenty_are() -> None:
    assert remembered((1, "recall young pass", 19)).of("review", None).share is None
    assert remembered((1, "recall young pass", 20)).of("review", None).share == 1


def test_since_a_day_there_is_one_window_and_earlier_days_do_not_count() -> None:
    since = TODAY - timedelta(days=10)
    found = remembered((10, "recall young pass", 30), (11, "recall young fail", 30), since=since)
    assert [row.days for row in found.rows] == [None] * 4
    assert found.of("young", None).n == 30


def test_months_run_from_the_first_with_a_review_to_this_one_without_gaps() -> None:
    found = remembered((0, "recall young pass", 20), (90, "recall young pass", 5), (3, "recall learning pass", 9))
    assert [month.month.month for month in found.months] == [12, 1, 2, 3]
    assert [month.passed.n for month in found.months] == [5, 0, 0, 20]
    assert [month.passed.share for month in found.months] == [None, None, None, 1.0]


def test_months_go_a_year_back_and_no_further() -> None:
    found = remembered((0, "recall young pass", 1), (800, "recall young pass", 5))
    assert [month.month for month in found.months] == [date(2026, 3, 1)]
    assert len(remembered((330, "recall young pass", 1)).months) == 12


# ---------------------------------------------------------------- calibration


def sure(*rows: tuple[int, str, int]) -> Any:
    return calibration(sums(cells(*[(1, f"sure {percent} {how}", count) for percent, how, count in rows])))


def test_the_brier_score_is_the_mean_square_of_confidence_less_outcome() -> None:
    found = sure((75, "right", 30), (75, "wrong", 10), (50, "right", 10), (50, "wrong", 10))
    assert found.n == 60
    assert found.brier == pytest.approx((30 * 0.25**2 + 10 * 0.75**2 + 20 * 0.5**2) / 60)
    assert found.gap == pytest.approx((40 * 0.75 + 20 * 0.5) / 60 - 40 / 60)
    assert found.reliability == pytest.approx(0)


def test_always_saying_50_percent_earns_a_quarter() -> None:
    assert sure((50, "right", 17), (50, "wrong", 25)).brier == pytest.approx(0.25)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=4, max_size=4))
def test_reliability_less_resolution_plus_uncertainty_is_the_brier_score(counts: list[tuple[int, int]]) -> None:
    pairs = list(zip((25, 50, 75, 95), counts, strict=True))
    found = sure(*[(p, "right", r) for p, (r, _) in pairs], *[(p, "wrong", w) for p, (_, w) in pairs])
    if found.n < 40:
        assert (found.brier, found.gap, found.gap_low, found.reliability) == (None,) * 4
    else:
        assert found.brier == pytest.approx(found.reliability - found.resolution + found.uncertainty)
        assert 0 <= found.brier <= 1
        assert found.reliability >= 0
        assert found.resolution >= 0
        assert found.gap_low <= found.gap <= found.gap_high


def test_a_confidence_has_a_share_from_twenty_answers_on_and_a_score_in_parts_takes_forty() -> None:
    found = sure((95, "right", 20), (25, "wrong", 19))
    assert [bin_.right.share for bin_ in found.bins] == [None, None, None, 1.0]
    assert found.brier is None
    assert (found.n, found.least) == (39, 40)
    assert sure((95, "right", 40)).brier == pytest.approx(0.05**2)


# ---------------------------------------------------------------- practice


def practised(*rows: tuple[int, str, int]) -> Practice:
    return practice(Given(TODAY, QUESTIONS), sums(cells(*rows)))


def test_the_calendar_holds_53_weeks_from_a_monday_to_today() -> None:
    found = practised((0, "answers", 3), (365, "answers", 2), (366, "answers", 9), (-1, "answers", 4))
    assert found.calendar_from == date(2025, 3, 3)
    assert found.calendar_from.weekday() == 0
    assert [(day.day, day.answers) for day in found.calendar] == [(date(2025, 3, 3), 2), (TODAY, 3)]


def test_days_of_practice_are_counted_over_the_last_28_and_never_as_a_streak() -> None:
    found = practised((0, "answers", 1), (27, "answers", 1), (28, "answers", 1))
    assert (found.lately, found.of_lately, found.days, found.today) == (2, 28, 3, 1)
    assert not [name for name in found.__struct_fields__ if "streak" in name]


def test_hours_have_their_answers_and_a_share_from_twenty_on() -> None:
    found = practised((1, "hour 07 right", 15), (2, "hour 07 wrong", 5), (1, "hour 23 right", 19))
    assert len(found.hours) == 24
    assert (found.hours[7].right.n, found.hours[7].right.share) == (20, 0.75)
    assert (found.hours[23].right.n, found.hours[23].right.share) == (19, None)


def test_answers_right_today_are_those_of_today() -> None:
    assert practised((0, "hour 07 right", 2), (0, "hour 08 wrong", 1), (1, "hour 07 right", 9)).today_right == 2


def test_weekdays_begin_on_monday() -> None:
    assert practised((0, "answers", 4), (1, "answers", 3)).weekdays == (3, 4, 0, 0, 0, 0, 0)


def test_twenty_answers_make_a_median_and_nineteen_do_not() -> None:
    assert practised((1, "took 20480", 19)).times.median is None
    found = practised((1, "took 20480", 10), (2, "took 32768", 10)).times
    assert found.median == 24_576
    assert (found.lower, found.upper) == (22_528, 36_864)


# ---------------------------------------------------------------- mistakes


def test_slips_add_up_over_questions_and_the_most_frequent_comes_first() -> None:
    found = mistakes(
        Given(TODAY, QUESTIONS),
        sums(
            [
                (Cell("slip 2026Q1", "a", "gib"), 2),
                (Cell("slip 2025Q4", "b", "gib"), 3),
                (Cell("slip 2026Q1", "gone", "bits"), 4),
                (Cell("slip 2026Q1", "a", "edit-3"), 1),
                (Cell("slip 2026Q1", "b", "edit-0"), 1),
            ]
        ),
        {},
    )
    assert [(slip.id, slip.count) for slip in found.slips] == [("gib", 5), ("bits", 4), ("edit", 2)]
    assert [(one.id, one.count) for one in found.slips[0].questions] == [("b", 3), ("a", 2)]


def test_a_missed_red_flag_is_a_wrong_option_of_a_claim_that_the_bank_still_holds() -> None:
    chosen = [(Cell("chose 2026Q1", name, "x"), 2) for name in ("a", "b", "gone")]
    found = mistakes(Given(TODAY, QUESTIONS), sums(chosen), {})
    assert [(flag.question, flag.title, flag.count) for flag in found.flags] == [("a", "About a", 2)]


def test_mistakes_since_a_day_are_those_of_its_quarter_and_later() -> None:
    given_since = Given(TODAY, QUESTIONS, since=date(2025, 11, 20))
    rows = [(Cell(f"slip {quarter}", "a", "gib"), 1) for quarter in ("2025Q3", "2025Q4", "2026Q1")]
    found = mistakes(given_since, sums(rows, given_since.since), {})
    assert (found.slips[0].count, found.since) == (2, date(2025, 10, 1))


def test_a_leech_was_forgotten_eight_times() -> None:
    cards = {name: Standing(name, 0, 5.0, TODAY, TODAY, "review", lapses, 20) for name, lapses in (("a", 8), ("b", 7))}
    assert [leech.question for leech in mistakes(Given(TODAY, QUESTIONS), sums([]), cards).leeches] == ["a"]


def test_a_cell_that_is_not_known_is_named_and_not_passed_over() -> None:
    with pytest.raises(ValueError, match="mood 5"):
        sums(cells((0, "mood 5", 1)))
