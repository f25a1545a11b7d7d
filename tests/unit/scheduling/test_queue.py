"""The queue of a session and the overview of the home screen."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from quiz.scheduling import calendar
from quiz.scheduling.cards import Card, CardKey, review
from quiz.scheduling.overview import summary
from quiz.scheduling.queue import DoneToday, Entry, Filters, build, siblings
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)
AT = calendar.moment(NOW, 0)
SETTINGS = Settings(fuzz=False)


def entry(name: str, topic: str = "t", *, before: tuple[str, ...] = (), related: tuple[str, ...] = ()) -> Entry:
    return Entry(CardKey("b", name), topic, prerequisites=before, related=related)


def card(*, days_ago: int = 40, rating: Rating = Rating.EASY) -> Card:
    return review(None, rating, NOW - timedelta(days=days_ago), 0, settings=SETTINGS, seed="x").card


def ids(entries: list[Entry], cards: dict[CardKey, Card] | None = None, **more: object) -> list[tuple[str, str]]:
    items = build(entries, cards or {}, AT, settings=SETTINGS, seed=1, **more)  # type: ignore[arg-type]
    return [(item.key.question, item.reason) for item in items]


def test_learning_comes_before_due_and_due_before_new() -> None:
    entries = [entry("new"), entry("due"), entry("learning"), entry("later")]
    cards = {
        CardKey("b", "due"): card(),
        CardKey("b", "learning"): card(days_ago=0, rating=Rating.AGAIN),
        CardKey("b", "later"): card(days_ago=1),
    }
    assert ids(entries, cards) == [("learning", "learning"), ("due", "due"), ("new", "new")]


def test_reviews_that_are_known_to_be_due_come_in_their_order_within_the_limit_and_without_their_cards() -> None:
    entries = [entry(name) for name in "abcd"]
    due = [one.key for one in reversed(entries[1:])]
    assert ids(entries, due=due) == [("d", "due"), ("c", "due"), ("b", "due"), ("a", "new")]
    assert ids(entries, due=due, done=DoneToday(reviews=198)) == [("d", "due"), ("c", "due"), ("a", "new")]
    assert ids(entries[:2], due=due) == [("b", "due"), ("a", "new")]


def test_a_learning_card_far_ahead_is_left_out() -> None:
    steps = Settings(fuzz=False, learning_steps=(7_200.0, 9_000.0))
    far = review(None, Rating.AGAIN, NOW, 0, settings=steps, seed="x").card
    assert ids([entry("far")], {CardKey("b", "far"): far}) == []


def test_limits_of_the_day_count_what_was_done() -> None:
    entries = [entry(f"q{number}") for number in range(30)]
    assert len(ids(entries)) == 10
    assert len(ids(entries, done=DoneToday(new=7))) == 3
    assert ids(entries, done=DoneToday(new=12)) == []
    cards = {one.key: card() for one in entries}
    assert len(ids(entries, cards, done=DoneToday(reviews=190))) == 10


def test_the_limit_of_reviews_keeps_what_waited_longest() -> None:
    entries = [entry(f"q{number}") for number in range(6)]
    cards = {one.key: card(days_ago=20 + number) for number, one in enumerate(entries)}
    kept = {name for name, _ in ids(entries, cards, done=DoneToday(reviews=198))}
    assert kept == {"q4", "q5"}


def test_topics_alternate() -> None:
    entries = [entry(f"{topic}{number}", topic) for topic in "abc" for number in range(3)]
    order = [name[0] for name, _ in ids(entries)]
    assert all(one != other for one, other in pairwise(order))


def test_a_prerequisite_comes_before_what_needs_it() -> None:
    """By question id and by topic, through a chain, and across topics."""
    entries = [
        entry("c", "x", before=("b",)),
        entry("b", "y", before=("a",)),
        entry("a", "x"),
        entry("d", "z", before=("y",)),
    ]
    order = [name for name, _ in ids(entries)]
    assert order.index("a") < order.index("b") < order.index("c")
    assert order.index("b") < order.index("d")


def test_the_limit_never_takes_a_question_without_its_prerequisite() -> None:
    entries = [entry(f"q{number:02}", before=(f"q{number - 1:02}",) if number else ()) for number in range(20)]
    assert [name for name, _ in ids(entries)] == [f"q{number:02}" for number in range(10)]


def test_prerequisites_in_a_circle_still_give_every_question() -> None:
    entries = [entry("a", before=("b",)), entry("b", before=("a",)), entry("c", before=("c", "nowhere"))]
    assert sorted(name for name, _ in ids(entries)) == ["a", "b", "c"]


def test_siblings_are_kept_apart_where_another_can_stand_between() -> None:
    entries = [entry("one", related=("two",)), entry("two"), entry("other")]
    for seed in range(20):
        items = build(entries, {}, AT, settings=SETTINGS, seed=seed)
        assert [item.key.question for item in items][1] == "other"


def test_siblings_never_follow_on_each_other_at_the_end_where_another_order_exists() -> None:
    """Every order of a few questions is tried: where one of them has no siblings side by side, so has the queue."""
    chance = random.Random(1)  # noqa: S311
    for seed in range(300):
        names = [f"q{number}" for number in range(chance.randint(3, 5))]
        related = {one: tuple(other for other in names if other != one and chance.random() < 0.2) for one in names}
        entries = {CardKey("b", one): entry(one, f"t{chance.randrange(2)}", related=related[one]) for one in names}
        order = [entries[item.key] for item in build(entries.values(), {}, AT, settings=SETTINGS, seed=seed)]
        assert sorted(order, key=lambda one: one.key) == list(entries.values())
        if any(siblings(one, other) for one, other in pairwise(order)):
            every = permutations(entries.values())
            assert all(any(siblings(one, other) for one, other in pairwise(other_order)) for other_order in every)


def test_siblings_are_kept_apart_at_the_border_of_due_and_new() -> None:
    entries = [entry("due"), entry("sibling", related=("due",)), entry("other")]
    assert ids(entries, {CardKey("b", "due"): card()})[1] == ("other", "new")


def test_filters_choose_by_topic_by_id_and_without_new() -> None:
    entries = [entry("a", "x"), entry("b", "y"), entry("c", "x")]
    assert {name for name, _ in ids(entries, filters=Filters(topics=("x",)))} == {"a", "c"}
    asked = Filters(questions=("c", "a", "c", "none"))
    assert ids(entries, {CardKey("b", "c"): card(days_ago=0)}, filters=asked) == [("c", "asked"), ("a", "asked")]
    assert ids(entries, {CardKey("b", "a"): card()}, filters=Filters(due_only=True)) == [("a", "due")]


def test_a_card_whose_question_vanished_is_set_aside() -> None:
    assert ids([], {CardKey("b", "gone"): card()}) == []


ENTRIES = st.lists(
    st.builds(
        lambda name, topic, before, related: entry(f"q{name}", topic, before=before, related=related),
        st.integers(0, 12),
        st.sampled_from("abc"),
        st.lists(st.sampled_from(["q1", "q2", "q3", "a", "b"]), max_size=2).map(tuple),
        st.lists(st.sampled_from(["q1", "q2", "q3", "q4"]), max_size=2).map(tuple),
    ),
    unique_by=lambda one: one.key,
    max_size=12,
)


@given(entries=ENTRIES, seen=st.sets(st.integers(0, 12)), seed=st.integers(0, 99))
def test_a_queue_holds_each_question_once_and_is_the_same_for_the_same_seed(
    entries: list[Entry], seen: set[int], seed: int
) -> None:
    cards = {one.key: card() for one in entries if int(one.key.question[1:]) in seen}
    settings = Settings(new_per_day=100)
    items = build(entries, cards, AT, settings=settings, seed=seed)
    assert sorted(item.key for item in items) == sorted(one.key for one in entries)
    assert items == build(list(reversed(entries)), cards, AT, settings=settings, seed=seed)
    reasons = [item.reason for item in items]
    assert reasons == sorted(reasons, key=["due", "new"].index)


def test_siblings_tell_each_other_by_either_name() -> None:
    one, two = entry("one", related=("two",)), entry("two")
    assert siblings(one, two)
    assert siblings(two, one)
    assert not siblings(one, entry("three"))


def test_a_thousand_reviews_are_ordered_in_a_moment() -> None:
    """The work grows with the number of topics, not with the square of the questions."""
    entries = [entry(f"q{number}", f"t{number % 12}", related=(f"q{number + 1}",)) for number in range(2_000)]
    cards = {one.key: card() for one in entries}
    items = build(entries, cards, AT, settings=Settings(reviews_per_day=2_000), seed=1)
    assert len(items) == 2_000


def test_the_overview_counts_due_later_new_and_the_topics() -> None:
    entries = [entry("a", "x"), entry("b", "x"), entry("c", "y"), entry("d", "y"), entry("e", "z")]
    cards = {
        CardKey("b", "a"): card(),
        CardKey("b", "b"): card(days_ago=1),
        CardKey("b", "c"): card(days_ago=0, rating=Rating.AGAIN),
        CardKey("b", "gone"): card(),
    }
    recent = [
        (CardKey("b", "a"), "correct"),
        (CardKey("b", "b"), "incorrect"),
        (CardKey("b", "gone"), "correct"),
    ]
    found = summary(entries, cards, recent, AT, settings=SETTINGS, done=DoneToday(new=9))  # type: ignore[arg-type]
    assert (found.due, found.later, found.new, found.unseen) == (1, 1, 1, 2)
    x, y, z = found.topics
    assert (x.topic, x.questions, x.seen, x.due, x.new, x.attempts, x.right) == ("x", 2, 2, 1, 0, 2, 1)
    assert (y.questions, y.seen, y.due) == (2, 1, 0)
    assert (z.attempts, z.right) == (0, 0)


def test_the_overview_needs_only_what_is_due_and_what_comes_next() -> None:
    """Cards that are due later change nothing but that their questions are known."""
    entries = [entry(f"q{number}") for number in range(6)]
    cards = {one.key: card(days_ago=days) for one, days in zip(entries, (40, 30, 1, 2, 3), strict=False)}
    some = {key: one for key, one in cards.items() if one.is_due(NOW, AT.day)}
    first = min((one for key, one in cards.items() if key not in some), key=lambda one: one.due_day)
    some[next(key for key, one in cards.items() if one is first)] = first
    assert 0 < len(some) < len(cards)
    assert summary(entries, some, [], AT, settings=SETTINGS, known=cards) == summary(
        entries, cards, [], AT, settings=SETTINGS
    )


def test_the_overview_keeps_to_the_limit_of_reviews() -> None:
    entries = [entry(f"q{number}") for number in range(5)]
    cards = {one.key: card() for one in entries}
    assert summary(entries, cards, [], AT, settings=SETTINGS, done=DoneToday(reviews=198)).due == 2
