"""Renames, regrades and tallies in the history file."""

from __future__ import annotations

import sqlite3
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Rating
from quiz.session.attempt import event_id
from quiz.session.changes import Regrade, Rename
from quiz.session.events import Retraction
from quiz.statistics.tally import Cell
from quiz.store import Store
from tests.unit.session.made import START, attempt, identity, series

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

OLD, NEW = CardKey("core", "old"), CardKey("core", "new")
LATER = START + timedelta(days=30)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as opened:
        yield opened


def spent(store: Store) -> dict[str, int]:
    """Milliseconds by question, from the tallies."""
    return {cell.question: count for cell, count in store.tallies("core").items() if cell.name == "ms"}


def test_a_renamed_question_keeps_its_card_its_figures_and_its_attempts(store: Store) -> None:
    for one in series(3, key=OLD):
        store.append(one)
    card = store.cards("core")[OLD]
    made = store.follow("core", {"old": "new", "never": "seen"}, LATER, 60)
    assert [(one.question, one.to_question) for one in made] == [("old", "new")]
    assert store.cards("core") == {NEW: card}
    assert spent(store) == {"new": 3 * 21_500}
    assert [one.card for one in store.recent()] == [OLD] * 3
    assert store.follow("core", {"old": "new"}, LATER, 60) == ()
    after = store.append(attempt(9, now=LATER + timedelta(days=1), key=NEW))
    assert after.before == card
    assert after.card is not None
    assert after.card.reps == 4
    assert store.stale() == (0, 0)


def test_undo_reaches_through_a_rename(store: Store) -> None:
    for one in series(2, key=OLD):
        store.append(one)
    store.follow("core", {"old": "new"}, LATER, 60)
    undone = store.undo(LATER, 60)
    assert undone is not None
    assert undone.card == store.card(NEW)
    assert undone.card is not None
    assert undone.card.reps == 1
    assert store.undo(LATER, 60) is not None
    assert store.cards("core") == {}
    assert store.tallies("core") == {}
    assert store.stale() == (0, 0)


def test_two_histories_of_one_question_become_one_card(store: Store) -> None:
    """It was answered under both names before the rename came; then a chain of renames, the last one merged first."""
    store.append(attempt(1, now=START, key=OLD))
    store.append(attempt(2, now=START + timedelta(days=1), key=NEW))
    last = LATER + timedelta(days=2)
    store.append(Rename(identity(last), last, 0, "core", "new", "core", "newest"))
    store.append(Rename(identity(LATER), LATER, 0, "core", "old", "core", "new"))
    (key,) = store.cards("core")
    assert key.question == "newest"
    assert store.cards("core")[key].reps == 2
    assert store.stale() == (0, 0)


def test_an_answer_that_comes_late_under_the_old_name_counts_for_the_new_one(store: Store) -> None:
    store.append(attempt(1, now=START, key=OLD))
    store.follow("core", {"old": "new"}, LATER, 60)
    late = store.append(attempt(2, now=START + timedelta(days=2), key=OLD))
    assert late.card == store.card(NEW)
    assert late.card is not None
    assert late.card.reps == 2
    assert store.stale() == (0, 0)


def test_a_regrade_leaves_the_attempt_as_it_was_and_moves_card_and_figures(store: Store) -> None:
    one, other = series(2)
    store.append(one)
    store.append(other)
    change = Regrade(identity(LATER), LATER, 0, other.id, "incorrect", "one-node", (), Rating.AGAIN, "new", ("ddp",))
    recorded = store.append(change)
    assert recorded.card is not None
    assert recorded.card != recorded.before
    assert [event for event in store.events() if event.id == other.id] == [store.recent(1)[0]]
    assert store.recent(1)[0].verdict == "correct"
    day = f"day {other.day}"
    assert store.tallies("core", day, day)[Cell(day, "", "recall learning fail")] == 1
    assert store.append(change).duplicate
    assert store.stale() == (0, 0)
    store.append(Retraction(store.new_id(LATER), LATER, 0, other.id))
    assert store.stale() == (0, 0)


def test_tallies_are_kept_with_each_answer_and_a_rebuild_gives_the_same_bytes(store: Store, path: Path) -> None:
    for number in range(40):
        key = CardKey("core" if number % 3 else "other", f"q{number % 7}")
        verdict, rating = ("correct", Rating.GOOD) if number % 4 else ("incorrect", Rating.AGAIN)
        now = START + timedelta(hours=7 * number)
        store.append(attempt(number, now=now, key=key, rating=rating, verdict=verdict))
        if number % 9 == 8:
            store.undo(now + timedelta(minutes=1), 60)
    before = _rows(path)
    assert sum(count for cell, count in store.tallies("core").items() if cell.key == "answers") == 22
    rebuilt = store.rebuild()
    assert (rebuilt.changed, rebuilt.tallies) == (0, 0)
    assert _rows(path) == before
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE days SET cells = replace(cells, '1', '2')")
        raw.execute("DELETE FROM mistakes WHERE question = 'q3'")
        raw.execute("UPDATE loads SET counts = zeroblob(256)")
        raw.execute("UPDATE cards SET ms = ms + 1 WHERE question = 'q5'")
    raw.close()
    stale = store.stale()
    assert (stale.cards, stale.tallies > 2) == (2, True)
    assert store.rebuild().tallies == stale.tallies
    assert _rows(path) == before


@pytest.mark.parametrize("damage", ["UPDATE days SET cells = '{\"answers\":'", "UPDATE loads SET counts = x'00'"])
def test_counters_that_cannot_be_read_stop_no_answer_and_are_derived_at_the_next_opening(
    store: Store, path: Path, damage: str
) -> None:
    """The answer is stored and its card is right; what the counters lack comes from the answers again."""
    first = attempt(0, key=CardKey("core", "q1"), rating=Rating.EASY)
    store.append(first)
    with sqlite3.connect(path) as raw:
        raw.execute(damage)
    raw.close()
    assert store.attempts_today(first.day).new in (0, 1)
    store.append(attempt(1, now=START + timedelta(hours=1), key=CardKey("core", "q2"), rating=Rating.EASY))
    store.append(attempt(2, now=START + timedelta(days=9), key=CardKey("core", "q1"), rating=Rating.EASY))
    store.close()
    with Store.open(path) as again:
        assert again.stale() == (0, 0)
        assert sum(count for cell, count in again.tallies("core").items() if cell.key == "answers") == 3
        assert sum(again.forecast("core").values()) == 2


def _rows(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        days = "SELECT bank, day, cells FROM days ORDER BY bank, day"
        asked = ("SELECT * FROM cards", "SELECT * FROM mistakes", "SELECT * FROM loads", days)
        return [row for each in asked for row in connection.execute(each)]
    finally:
        connection.close()


def test_the_queue_is_told_what_is_due_and_not_all_cards(store: Store) -> None:
    today = date(2026, 3, 1)
    for number, days in enumerate((60, 50, 1, 2, 30)):
        now = START + timedelta(days=55 - days, minutes=number)
        store.append(attempt(number, now=now, key=CardKey("core", f"q{number}"), rating=Rating.EASY))
    store.append(attempt(9, now=START + timedelta(days=55), key=CardKey("core", "step"), rating=Rating.AGAIN))
    cards = store.cards("core")
    moment = START + timedelta(days=55, minutes=5)
    due = store.due("core", today, moment)
    assert due == {key: card for key, card in cards.items() if card.is_due(moment, today)}
    assert list(due)[-1].question == "step"
    assert 1 < len(due) < len(cards)
    waiting = store.upcoming("core", today, moment, set(cards))
    first = min((card.due_day for key, card in cards.items() if key not in due))
    assert [card.due_day for card in waiting.values()] == [first]
    assert store.upcoming("core", today, moment, ()) == {}
    assert store.known("core") == set(cards)
    assert sum(store.forecast("core").values()) == len(cards) - 1
    assert {one.question: one.reps for one in store.standings("core")} == {
        key.question: card.reps for key, card in cards.items()
    }
    assert store.due("other", today, moment) == {}


def test_a_session_takes_the_longest_due_first_and_within_a_day_by_lot(store: Store) -> None:
    for number in range(24):
        now = START + timedelta(days=number // 12, minutes=number)
        made = attempt(number, now=now, key=CardKey("core", f"q{number}"), rating=Rating.EASY)
        store.append(structs.replace(made, id=event_id(now, None, bytes([number * 10] * 10))))
    today = START.date() + timedelta(days=300)
    cards = store.cards("core")
    by_day = sorted(card.due_day for card in cards.values())

    def taken(seed: int, room: int, among: Collection[CardKey] = tuple(cards)) -> list[CardKey]:
        found = store.foremost("core", today, among, seed=seed, room=room)
        assert all(cards[key].due_day == day for key, day in found.items())
        return list(found)

    for room in (0, 1, 5, 23, 24, 99):
        found = taken(1, room)
        assert [cards[key].due_day for key in found] == by_day[:room]
        assert found == taken(1, room)
    first = {key for key, card in cards.items() if card.due_day == by_day[0]}
    assert {taken(seed, 1)[0] for seed in range(40)} == first
    some = {key for key in cards if key.question.endswith("1")}
    assert set(taken(1, 99, some)) == some
    assert store.foremost("core", by_day[0] - timedelta(days=1), cards, seed=1, room=9) == {}
    assert store.foremost("other", today, cards, seed=1, room=9) == {}


def test_what_was_never_seen_comes_in_the_order_of_the_bank_and_no_more_than_is_wanted(store: Store) -> None:
    keys = [CardKey("core", name) for name in ("d", "a", "c", "b")]
    store.append(attempt(1, key=keys[1]))
    for _ in range(2):  # looked through, then kept
        assert store.unseen("core", keys, "one") == [keys[0], keys[2], keys[3]]
    assert store.unseen("core", keys, "one", most=1) == [keys[0]]
    assert store.unseen("core", keys, "one", among=set(keys[2:]), most=1) == [keys[2]]


def test_what_was_never_seen_is_kept_with_the_mark_of_the_bank(store: Store) -> None:
    """Each answer, undo, rename and another state of the bank are followed."""
    keys = {CardKey("core", name) for name in ("a", "b", "c")}

    def unseen(mark: str = "one", wanted: set[CardKey] = keys) -> set[str]:
        return {question for _, question, _ in store.unseen("core", wanted, mark)}

    assert unseen() == {"a", "b", "c"}
    store.append(attempt(1, key=CardKey("core", "a")))
    assert unseen() == {"b", "c"}
    store.append(attempt(2, now=LATER, key=CardKey("core", "b")))
    assert unseen() == {"c"}
    store.undo(LATER, 60)
    assert unseen() == {"b", "c"}
    store.follow("core", {"a": "c"}, LATER, 60)
    assert unseen() == {"a", "b"}
    assert unseen("two", {*keys, CardKey("core", "d"), CardKey("core", "c", 1)}) == {"a", "b", "c", "d"}
    with Store.open(store.path, read_only=True) as reader:
        assert {question for _, question, _ in reader.unseen("core", keys, "three")} == {"a", "b"}
