"""Topics, forecast, readiness: from cards as they stand."""

from __future__ import annotations

import itertools
from datetime import date, timedelta
from typing import Any

import pytest

from quiz.scheduling.cards import Card, retrievability
from quiz.statistics.ahead import forecast, ready
from quiz.statistics.given import Asked, Given, Sums, current
from quiz.statistics.standing import Standing, recall
from quiz.statistics.tally import Cell, day_name
from quiz.statistics.topics import topics

TODAY = date(2026, 3, 3)


def standing(question: str, **more: Any) -> Standing:
    fields: dict[str, Any] = {"stability": 10.0, "last_day": TODAY, "due_day": TODAY + timedelta(days=10)}
    fields |= {"question": question, "generation": 0, "state": "review", "lapses": 0, "reps": 20}
    return Standing(**(fields | more))


def bank(**sizes: int) -> tuple[Asked, ...]:
    return tuple(Asked(f"{topic}{n}", topic) for topic, count in sizes.items() for n in range(count))


def given(questions: tuple[Asked, ...], **more: Any) -> Given:
    """What a report is made from, after enough reviews."""
    return Given(TODAY, questions, **({"reviews": 20} | more))


def cards(*found: Standing) -> dict[str, Standing]:
    return {card.question: card for card in found}


def test_the_chance_of_recall_is_the_schedulers() -> None:
    for elapsed in (0, 1, 9, 400):
        last = TODAY - timedelta(days=elapsed)
        instant: Any = None
        card = Card(12.5, 5.0, "review", None, instant, TODAY, instant, last, 3, 0)
        assert recall(standing("q", stability=12.5, last_day=last), TODAY) == pytest.approx(retrievability(card, TODAY))
    assert recall(standing("q", last_day=TODAY - timedelta(days=10)), TODAY) == pytest.approx(0.9)
    assert recall(standing("q", last_day=TODAY + timedelta(days=10)), TODAY) == 1


def test_a_topic_tells_what_was_seen_from_what_would_be_recalled() -> None:
    due = TODAY - timedelta(days=10)
    whole, each = topics(given(bank(a=4, b=1)), Sums([]), cards(standing("a0"), standing("a1", last_day=due)))
    assert [topic.topic for topic in each] == ["a", "b"]
    assert (each[0].questions, each[0].seen, each[0].answers) == (4, 2, 40)
    assert each[0].recall == pytest.approx(0.95)
    assert each[0].known == pytest.approx(1.9 / 4)
    assert (each[1].seen, each[1].recall, each[1].known) == (0, None, None)
    assert (whole.topic, whole.questions, whole.recall) == ("", 5, each[0].recall)


def test_nineteen_answers_in_a_topic_are_not_enough_and_twenty_are() -> None:
    found = [topics(given(bank(a=1)), Sums([]), cards(standing("a0", reps=reps)))[1][0] for reps in (19, 20)]
    assert [topic.recall for topic in found] == [None, 1.0]
    assert [topic.seconds for topic in found] == [None, 0.0]


def test_what_was_met_today_alone_has_no_recall_however_often_it_was_answered() -> None:
    """The model has not been tested before an answer on a later day: 100 % would be its assumption."""
    for reviews, share, load in ((0, None, None), (19, None, None), (20, 1.0, 0.1)):
        made = given(bank(a=1), reviews=reviews)
        whole, each = topics(made, Sums([]), cards(standing("a0", reps=300)))
        assert (whole.recall, whole.known, each[0].recall) == (share,) * 3
        assert (whole.reviews, whole.least, each[0].reviews) == (reviews, 20, reviews)
        ahead = forecast(made, cards(standing("a0", reps=300)), whole.reviews)
        assert (ahead.load, ahead.reviews, ahead.least) == (load, reviews, 20)


def test_a_topic_that_has_been_seen_is_not_called_ready_before_its_recall_is_known() -> None:
    found = projected(bank(a=1), [standing("a0", reps=19)], 10, 10).topics[0]
    assert (found.unseen, found.own, found.limit) == (0, None, None)
    assert (found.answers, found.least) == (19, 20)


def test_reviews_are_added_up_from_the_days_where_nobody_says_how_many_there_are() -> None:
    rows = [(Cell(day_name(TODAY), "", f"recall {kind}"), 7) for kind in ("learning pass", "young fail", "mature pass")]
    assert topics(given(bank(a=1), reviews=None), Sums(rows), {})[0].reviews == 21


def test_maturity_is_by_the_interval_that_was_given() -> None:
    last = TODAY - timedelta(days=5)
    found = cards(
        standing("a0", last_day=last, due_day=last + timedelta(days=20)),
        standing("a1", last_day=last, due_day=last + timedelta(days=21)),
        standing("a2", state="relearning"),
    )
    topic = topics(given(bank(a=3)), Sums([]), found)[0]
    assert (topic.young, topic.mature, topic.learning) == (1, 1, 1)


def test_what_was_tested_is_of_this_quarter_and_the_one_before() -> None:
    rows = [
        (Cell("recall 2026Q1", "a0", "pass"), 12),
        (Cell("recall 2025Q4", "a0", "fail"), 8),
        (Cell("recall 2025Q3", "a0", "fail"), 50),
        (Cell("recall 2026Q1", "gone", "fail"), 50),
    ]
    tested = topics(given(bank(a=1)), Sums(rows), {})[1][0].tested
    assert (tested.n, tested.share) == (20, 0.6)
    assert tested.low is not None
    assert tested.high is not None
    assert tested.low < 0.6 < tested.high


def test_nineteen_tests_are_not_enough_for_a_share() -> None:
    rows = [(Cell("recall 2026Q1", "a0", "pass"), 19)]
    assert topics(given(bank(a=1)), Sums(rows), {})[1][0].tested.share is None


def test_of_several_generations_the_last_counts_and_what_left_the_bank_is_set_aside() -> None:
    found, gone = current(
        [standing("a0", generation=1, reps=1), standing("a0", reps=9), standing("x"), standing("x", generation=1)],
        bank(a=1),
    )
    assert (found["a0"].reps, set(found), gone) == (1, {"a0"}, 1)


# ---------------------------------------------------------------- forecast


def test_the_forecast_tells_overdue_today_and_later_apart() -> None:
    days = [-3, -1, 0, 0, 1, 29, 30, 400]
    questions = bank(a=len(days))
    found = forecast(
        given(questions),
        cards(*[standing(f"a{n}", due_day=TODAY + timedelta(days=day)) for n, day in enumerate(days)]),
        20,
    )
    assert (found.overdue, found.later, found.week) == (2, 2, 3)
    assert [day.due for day in found.days] == [2, 1, *[0] * 27, 1]
    assert found.days[0].day == TODAY
    assert found.overdue + sum(day.due for day in found.days) + found.later == len(days)


def test_resting_cards_are_not_due() -> None:
    found = forecast(given(bank(a=2), resting=frozenset({"a1"})), cards(standing("a0"), standing("a1")), 20)
    assert (found.resting, sum(day.due for day in found.days)) == (1, 1)


def test_the_long_run_is_one_by_each_interval() -> None:
    found = forecast(given(bank(a=2)), cards(standing("a0"), standing("a1", due_day=TODAY, state="learning")), 20)
    assert found.load == pytest.approx(1 / 10 + 1)


# ---------------------------------------------------------------- ready by


def projected(questions: tuple[Asked, ...], seen: list[Standing], days: int, new: int, **more: Any) -> Any:
    """New questions spread over the days, the first one on the first day."""
    first = TODAY - timedelta(days=days - 1)
    rows = [(Cell(day_name(first), "", "answers"), 1), (Cell(day_name(first), "", "new"), new)] if days else []
    made, sums = given(questions, **more), Sums(rows)
    return ready(made, sums, topics(made, sums, cards(*seen))[1])


def test_the_pace_is_new_questions_a_day_over_28_days_or_since_the_first_answer() -> None:
    assert projected(bank(a=9), [], 14, 7).pace == 0.5
    assert projected(bank(a=9), [], 28, 7).pace == 0.25
    assert projected(bank(a=9), [], 29, 7).pace == 0  # they lie before the window


@pytest.mark.parametrize(("days", "new"), [(0, 0), (6, 30), (20, 4)])
def test_the_pace_takes_seven_days_and_five_new_questions(days: int, new: int) -> None:
    found = projected(bank(a=9), [], days, new)
    assert (found.pace, found.all_own, found.topics[0].own) == (None, None, None)
    assert found.all_limit == TODAY + timedelta(days=1)


def test_topics_are_asked_in_turn_so_that_the_small_one_is_ready_first() -> None:
    found = projected(bank(a=2, b=6), [], 10, 10)
    own = {topic.topic: (topic.own - TODAY).days for topic in found.topics}
    assert own == {"a": 4, "b": 8}
    assert found.all_own == TODAY + timedelta(days=8)


def test_without_new_questions_for_28_days_no_topic_gets_ready() -> None:
    found = projected(bank(a=2), [], 40, 9)
    assert (found.pace, found.topics[0].own, found.all_own) == (0, None, None)


def test_never_is_said_only_where_something_is_unseen_and_the_limit_is_none_a_day() -> None:
    for unseen, new_per_day, reps in itertools.product((0, 1), (0, 9), (19, 20)):
        seen = [standing("a0", reps=reps)]
        found = projected(bank(a=1 + unseen), seen, 10, 10, new_per_day=new_per_day).topics[0]
        assert found.never == (unseen == 1 and new_per_day == 0), (unseen, new_per_day, reps)
        assert (found.limit is None) == (found.never or (not unseen and reps < 20))


def test_a_topic_is_ready_now_where_all_is_seen_and_recall_is_at_its_target() -> None:
    questions = bank(a=1)
    assert projected(questions, [standing("a0")], 10, 10).topics[0].own == TODAY
    faded = standing("a0", last_day=TODAY - timedelta(days=60))
    assert projected(questions, [faded], 10, 10).topics[0].own == TODAY + timedelta(days=1)
    assert projected(questions, [faded], 10, 10, targets={"a": 0.7}).topics[0].own == TODAY


def test_what_the_interview_needs_is_new_questions_a_day_until_then() -> None:
    found = projected(bank(a=30), [], 10, 10, interview=TODAY + timedelta(days=10))
    assert found.needed == 3
    assert projected(bank(a=30), [], 10, 10, interview=TODAY).needed is None
    assert projected(bank(a=30), [], 10, 10).needed is None
