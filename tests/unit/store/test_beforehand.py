"""What is looked up while a question is read: it spares the answer the same, and never decides what is stored."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Rating
from quiz.session.events import Mark, Rerating, Retraction, SettingChange
from quiz.store import Store
from quiz.store.reading import SETTLED
from tests.unit.session.made import KEY, START, attempt, identity
from tests.unit.store.test_store import change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from quiz.session.attempt import Attempt

LATER = START + timedelta(days=9)
OTHER = CardKey("core", "another")
WEIGHTS = {"values": [0.4, 1.2, 3.1, 15.7, 7.2, 0.53, 1.7, 0.01, *(0.3 + 0.1 * place for place in range(13))]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """A history with an answer to each of two cards."""
    with Store.open(path) as opened:
        opened.append(attempt(1, rating=Rating.EASY))
        opened.append(attempt(2, rating=Rating.EASY, key=OTHER, now=START + timedelta(minutes=1)))
        yield opened


def answer(store: Store) -> Attempt:
    return attempt(3, now=LATER, before=store.card(KEY))


def looked_for(store: Store) -> list[str]:
    """Statements by which the next answers look something up."""
    seen: list[str] = []
    store._connection.set_trace_callback(lambda text: seen.append(text) if text.startswith("SELECT") else None)
    return seen


def test_an_answer_looks_for_nothing_that_was_looked_up_while_its_question_was_read(store: Store) -> None:
    one = answer(store)
    store.ready(KEY, one.day)
    seen = looked_for(store)
    recorded = store.append(one)
    assert seen == []
    assert (recorded.event, recorded.duplicate) == (one, False)
    assert store.card(KEY) == recorded.card
    assert store.stale() == (0, 0)


@pytest.mark.parametrize(("key", "days"), [(OTHER, 0), (CardKey("core", "unseen"), 0), (KEY, -1)])
def test_it_holds_for_one_card_on_one_day(store: Store, key: CardKey, days: int) -> None:
    one = answer(store)
    store.ready(key, one.day + timedelta(days=days))
    seen = looked_for(store)
    assert store.append(one).event == one
    assert seen
    assert store.stale() == (0, 0)


def test_it_holds_for_one_answer(store: Store) -> None:
    one = answer(store)
    store.ready(KEY, one.day)
    store.append(one)
    seen = looked_for(store)
    two = attempt(4, now=LATER + timedelta(hours=1), before=store.card(KEY))
    seen.clear()
    assert store.append(two).event == two
    assert seen
    assert store.stale() == (0, 0)


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda store: store.append(attempt(9, now=LATER - timedelta(minutes=5))),
        lambda store: store.append(attempt(9, now=LATER - timedelta(minutes=5), key=OTHER)),
        lambda store: store.append(attempt(9, now=LATER + timedelta(minutes=5))),
        lambda store: store.append(attempt(3, now=LATER, before=store.card(KEY))),
        lambda store: store.undo(LATER, 60),
        lambda store: store.append(
            Rerating(identity(LATER, 8), LATER, 60, identity(START, 1), Rating.AGAIN, attempt().promise)
        ),
        lambda store: store.append(Retraction(identity(LATER, 8), LATER, 60, identity(LATER, 3))),
        lambda store: store.append(
            Retraction(identity(LATER - timedelta(minutes=1)), LATER - timedelta(minutes=1), 60, identity(LATER, 3))
        ),
        lambda store: store.append(attempt(3, now=LATER, before=store.card(KEY))) and store.undo(LATER, 60),
        lambda store: store.append(SettingChange(identity(LATER, 1), LATER, 60, "weights", WEIGHTS)),
        lambda store: store.append(SettingChange(identity(LATER, 1), LATER, 60, "retention", 0.8)),
        lambda store: store.append(Mark(identity(LATER, 1), LATER, 60, "core", KEY.question, "flag", value=True)),
        lambda store: store.follow("core", {KEY.question: "renamed"}, LATER - timedelta(minutes=1), 60),
        lambda store: store.rebuild(),
    ],
)
def test_what_was_stored_meanwhile_counts_whoever_stored_it(
    store: Store, path: Path, tmp_path: Path, meanwhile: Callable[[Store], object], *, elsewhere: bool
) -> None:
    """The same is stored as by a program that looked for nothing beforehand, and every cache can be derived."""
    one = answer(store)
    with Store.open(path) as other, Store.open(tmp_path / "plain" / "history.db") as plain:
        for event in store.events():
            plain.append(event)  # type: ignore[arg-type]  # none is damaged
        store.ready(KEY, one.day)
        meanwhile(other if elsewhere else store)
        meanwhile(plain)
        recorded, expected = store.append(one), plain.append(one)
        assert recorded == expected
        assert store.cards("core") == plain.cards("core") == other.cards("core")
        assert store.tallies("core") == plain.tallies("core")
        assert store.forecast("core") == plain.forecast("core")
        rebuilt = store.rebuild()
        assert (rebuilt.changed, rebuilt.tallies) == (0, 0)


def test_a_card_that_is_damaged_before_it_is_looked_up_or_after_is_derived(store: Store, path: Path) -> None:
    one = answer(store)
    change(path, "UPDATE cards SET stability = 1.5 WHERE question = 'mb-70b-4nodes'")
    store.ready(KEY, one.day)
    assert store.append(one).event == one
    two = attempt(4, now=LATER + timedelta(days=40), before=store.card(KEY))
    store.ready(KEY, two.day)
    change(path, "UPDATE cards SET stability = 1.5 WHERE question = 'mb-70b-4nodes'")
    assert store.append(two).event == two
    rebuilt = store.rebuild()
    assert rebuilt.changed == 0


def test_what_has_no_card_is_made_ready_too(store: Store) -> None:
    new = attempt(4, now=LATER, key=CardKey("core", "new"))
    store.ready(new.card, date.max)
    store.ready(new.card, new.day)
    assert store.append(new).event == new
    assert store.stale() == (0, 0)


def test_what_the_log_holds_is_moved_into_the_file_while_questions_are_read(store: Store, path: Path) -> None:
    """So that no answer has to wait for it."""

    def in_the_file() -> int:
        with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as alone:
            return int(alone.execute("SELECT count(*) FROM events").fetchone()[0])

    for number in range(SETTLED):
        assert in_the_file() == 0
        store.append(attempt(number, now=LATER + timedelta(hours=number), key=CardKey("core", f"q{number}")))
        store.ready(KEY, LATER.date())
    assert in_the_file() == SETTLED + 2


def test_a_history_that_is_only_looked_at_is_left_as_it_is(store: Store, path: Path) -> None:
    log = path.with_name(path.name + "-wal")
    before = log.read_bytes(), path.read_bytes()
    with Store.open(path, read_only=True) as looking:
        for _ in range(SETTLED):
            looking.ready(KEY, LATER.date())
    assert (log.read_bytes(), path.read_bytes()) == before
    assert store.stale() == (0, 0)
