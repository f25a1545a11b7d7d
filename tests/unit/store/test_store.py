"""The history file: appended, derived, undone, exported."""

from __future__ import annotations

import io
import json
import sqlite3
import stat
import threading
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from quiz.scheduling.cards import CardKey, review
from quiz.scheduling.queue import DoneToday
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings
from quiz.session.attempt import Attempt, Promise, Response
from quiz.session.events import Rerating, Retraction, SettingChange, Unknown, canonical, checksum, from_canonical
from quiz.store import Damaged, Store, StoreError, export
from tests.unit.session.made import KEY, START, attempt, identity, series

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as opened:
        yield opened


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def change(path: Path, *statements: str) -> None:
    """Damage a file behind the store's back."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in statements:
            connection.execute(statement)
    finally:
        connection.close()


UNLOCK = "DROP TRIGGER events_are_not_updated"


def test_an_answer_is_there_after_reopening(path: Path) -> None:
    one = attempt()
    with Store.open(path) as store:
        recorded = store.append(one)
        assert (recorded.event, recorded.before, recorded.duplicate) == (one, None, False)
        assert recorded.card is not None
        assert recorded.card.due == one.promise.due
    with Store.open(path) as store:
        assert list(store.events()) == [one]
        assert store.cards("core") == {KEY: recorded.card}
        assert store.cards("another") == {}


def test_file_and_folder_are_for_their_owner_only(store: Store, path: Path) -> None:
    store.append(attempt())
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_answers_are_durable_by_the_pragmas_in_force(store: Store) -> None:
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_appending_the_same_event_again_changes_nothing(store: Store) -> None:
    first = store.append(attempt())
    again = store.append(attempt())
    assert again.duplicate
    assert (again.event, again.card, again.before) == (first.event, first.card, first.before)
    assert len(list(store.events())) == 1


def test_a_key_pressed_twice_counts_once(store: Store) -> None:
    first = store.append(attempt(1))
    twin = store.append(attempt(2, now=START + timedelta(milliseconds=200)))
    assert twin.duplicate
    assert twin.event_id != twin.event.id == first.event.id
    assert twin.card == first.card
    assert len(list(store.events())) == 1


def test_two_different_answers_in_one_moment_are_both_kept(store: Store) -> None:
    store.append(attempt(1))
    store.append(attempt(2, now=START + timedelta(seconds=1), response=Response(chosen=("ddp",))))
    assert len(list(store.events())) == 2


def test_a_stale_copy_is_rebased_on_the_history(store: Store) -> None:
    """Two terminals answer the same new card: the second answer follows the first, and so does its promise."""
    first = store.append(attempt(1)).card
    stale = attempt(2, now=START + timedelta(minutes=12))
    recorded = store.append(stale)
    expected = review(first, Rating.GOOD, stale.time, 60, settings=Settings(), seed=KEY.seed).card
    assert recorded.card == expected
    assert recorded.before == first
    assert isinstance(recorded.event, Attempt)
    assert recorded.event.promise == Promise(expected.due, expected.due_day) != stale.promise
    assert list(store.events())[-1] == recorded.event


def test_an_answer_over_the_rollover_is_accepted_and_rebased(store: Store) -> None:
    store.append(attempt(1, now=START))
    overnight = attempt(2, now=START + timedelta(hours=20), duration_ms=20 * 3_600_000)
    recorded = store.append(overnight)
    assert recorded.card is not None
    assert recorded.card.last_day == overnight.day == date(2026, 1, 6)


def test_an_event_that_comes_late_takes_its_place_in_the_order_of_ids(store: Store, path: Path, tmp_path: Path) -> None:
    """Another process made its id earlier and stored it later: the cards are as if in order."""
    attempts = series(5)
    for one in (attempts[i] for i in (0, 3, 1, 4, 2)):
        store.append(one)
    with Store.open(tmp_path / "other" / "history.db") as other:
        for one in attempts:
            other.append(one)
        assert other.cards("core") == store.cards("core")
    assert store.rebuild().changed == 0
    assert rows(path, "SELECT count(*) FROM events") == [(5,)]


def test_undo_takes_back_exactly_one_attempt_and_again_the_one_before(path: Path) -> None:
    attempts = series(3)
    with Store.open(path) as store:
        cards = [store.append(one).card for one in attempts]
    with Store.open(path) as store:
        undone = store.undo(START + timedelta(days=9), 60)
        assert undone is not None
        assert (undone.attempt.id, undone.card) == (attempts[2].id, cards[1])
    with Store.open(path) as store:
        undone = store.undo(START + timedelta(days=9), 60)
        assert undone is not None
        assert undone.card == cards[0]
        undone = store.undo(START + timedelta(days=9), 60)
        assert undone is not None
        assert undone.card is None
        assert store.cards("core") == {}
        assert store.undo(START + timedelta(days=9), 60) is None
        assert [event.id for event in store.events() if isinstance(event, Attempt)] == [one.id for one in attempts]
        assert store.recent() == ()
        assert store.rebuild().cards == 0


def test_an_answer_after_an_undo_starts_from_the_card_before(store: Store) -> None:
    store.append(attempt(1, verdict="incorrect", rating=Rating.AGAIN))
    store.undo(START + timedelta(minutes=1), 60)
    again = attempt(2, now=START + timedelta(minutes=2))
    recorded = store.append(again)
    assert (recorded.before, recorded.event) == (None, again)
    assert store.rebuild().changed == 0


def test_undo_goes_before_a_clock_that_ran_ahead(store: Store) -> None:
    """The clock stood a year ahead and was set right: the last answer is the one given last."""
    store.append(attempt(1, now=START + timedelta(days=365)))
    now = START + timedelta(minutes=5)
    last = replace(attempt(2, now=now, key=CardKey("core", "other")), id=store.new_id(now))
    store.append(last)
    undone = store.undo(now, 60)
    assert undone is not None
    assert undone.attempt.card.question == "other"


def test_a_new_rating_amends_the_card_and_undo_still_takes_one_attempt(store: Store) -> None:
    one = attempt()
    store.append(one)
    easy = review(None, Rating.EASY, one.time, 60, settings=Settings(), seed=KEY.seed).card
    amendment = Rerating(store.new_id(START), START, 60, one.id, Rating.EASY, Promise(easy.due, easy.due_day))
    recorded = store.append(amendment)
    assert (recorded.card, recorded.before) == (easy, None)
    assert store.cards("core") == {KEY: easy}
    assert store.rebuild().changed == 0
    undone = store.undo(START, 60)
    assert undone is not None
    assert (undone.attempt, undone.card) == (one, None)


def test_an_amendment_before_its_attempt_holds_when_the_attempt_comes(store: Store) -> None:
    one = attempt()
    later = START + timedelta(hours=1)
    assert store.append(Retraction(identity(later), later, 60, one.id)).card is None
    assert store.append(one).card is None
    assert store.cards("core") == {}
    assert store.recent() == ()
    assert store.rebuild().changed == 0


def test_a_setting_holds_from_its_place_on(store: Store) -> None:
    store.append(attempt())
    assert store.settings() == Settings()
    now = START + timedelta(hours=1)
    store.append(SettingChange(store.new_id(now), now, 60, "retention", 0.95))
    assert store.settings().retention == 0.95
    early = START - timedelta(hours=1)
    store.append(SettingChange(identity(early), early, 60, "learning_steps", [120, 1_200]))
    card = store.cards("core")[KEY]
    assert card.due == START + timedelta(minutes=20)
    assert store.rebuild().changed == 0


def test_an_event_of_a_newer_program_is_kept(store: Store) -> None:
    text = canonical(attempt()).replace('"kind":"attempt"', '"kind":"flag"')
    event = from_canonical(text)
    assert isinstance(event, Unknown)
    store.append(event)
    assert list(store.events()) == [event]
    assert store.cards("core") == {}


def test_what_was_done_today_counts_cards_and_not_answers(store: Store) -> None:
    """New: cards first answered on that day. Reviews: cards known before. Retracted answers count for neither."""
    known, new = CardKey("core", "known"), CardKey("core", "new")
    store.append(attempt(1, now=START - timedelta(days=3), key=known))
    for number, key in enumerate((known, new, new, CardKey("other", "new")), 2):
        store.append(attempt(number, now=START + timedelta(minutes=number), key=key))
    assert store.attempts_today(date(2026, 1, 5)) == DoneToday(new=2, reviews=1)
    assert store.attempts_today(date(2026, 1, 5), "core") == DoneToday(new=1, reviews=1)
    assert store.attempts_today(date(2026, 1, 2)) == DoneToday(new=1, reviews=0)
    store.undo(START, 60)
    assert store.attempts_today(date(2026, 1, 5)) == DoneToday(new=1, reviews=1)


def test_recent_answers_come_newest_first(store: Store) -> None:
    attempts = series(5)
    for one in attempts:
        store.append(one)
    assert [one.id for one in store.recent(2)] == [attempts[4].id, attempts[3].id]


def test_events_are_neither_changed_nor_deleted_nor_replaced(store: Store, path: Path) -> None:
    store.append(attempt())
    for statement in (
        "UPDATE events SET body = ''",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events SELECT * FROM events",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="events are appended and never"):
            change(path, statement)
    assert list(store.events()) == [attempt()]


def test_a_rebuild_gives_the_same_bytes(store: Store, path: Path) -> None:
    for number in range(40):
        key = CardKey("core", f"q{number % 7}")
        rating = Rating(number % 4 + 1)
        store.append(attempt(number, now=START + timedelta(hours=7 * number), key=key, rating=rating))
        if number % 9 == 8:
            store.undo(START + timedelta(hours=7 * number, minutes=1), 60)
    before = rows(path, "SELECT * FROM cards ORDER BY bank, question")
    rebuilt = store.rebuild()
    assert (rebuilt.cards, rebuilt.changed) == (7, 0)
    change(path, "DELETE FROM cards WHERE question = 'q3'", "UPDATE cards SET due_day = 800000")
    assert store.rebuild().changed == 7
    assert rows(path, "SELECT * FROM cards ORDER BY bank, question") == before


def test_a_damaged_cached_card_is_derived_from_its_events(store: Store, path: Path) -> None:
    card = store.append(attempt()).card
    change(path, "UPDATE cards SET reps = 9")
    assert store.cards("core") == {KEY: card}
    follow = store.append(attempt(2, now=START + timedelta(days=1)))
    assert follow.before == card


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET body = CAST(substr(body, 1, 40) || x'07' || substr(body, 42) AS BLOB) WHERE seq = 2",
        "UPDATE events SET body = (SELECT body FROM events WHERE seq = 1) WHERE seq = 2",
        "UPDATE events SET sum = 'x' WHERE seq = 2",
        "UPDATE events SET day = '2030-01-01' WHERE seq = 2",
        "UPDATE events SET body = x'00ff' WHERE seq = 2",
        "UPDATE events SET body = NULL WHERE seq = 2",
    ],
)
def test_a_damaged_event_is_said_and_never_used(path: Path, damage: str) -> None:
    attempts = [
        one if index != 1 else replace(one, verdict="incorrect", rating=Rating.AGAIN)
        for index, one in enumerate(series(3))
    ]
    with Store.open(path) as store:
        for one in attempts:
            store.append(one)
    with Store.open(path) as store:
        try:
            change(path, UNLOCK, damage)
        except sqlite3.IntegrityError:
            assert "NULL" in damage  # the file itself refuses this one
            return
        met = [event for event in store.events() if isinstance(event, Damaged)]
        assert [one.id for one in met] == [attempts[1].id]
        assert store.damaged == tuple(met)
        rebuilt = store.rebuild()
        assert rebuilt.damaged == tuple(met)
        assert attempts[1].id not in {one.id for one in store.recent()}
        assert store.integrity() == (f"event {attempts[1].id}: {met[0].reason}",)
        with Store.open(path.parent / "clean.db") as clean:
            for one in (attempts[0], attempts[2]):
                clean.append(one)
            assert store.cards("core") == clean.cards("core")


def test_a_whole_file_has_nothing_wrong(store: Store) -> None:
    store.append(attempt())
    assert store.integrity() == ()


def test_an_export_is_one_verified_event_a_line(store: Store, path: Path) -> None:
    for one in series(3):
        store.append(one)
    store.undo(START + timedelta(days=4), 60)
    out = io.StringIO()
    assert export.write(store.events(), out) == export.Exported(4, ())
    lines = out.getvalue().splitlines()
    assert len(lines) == 4
    for text, event in zip(lines, store.events(), strict=True):
        fields = json.loads(text)
        stated = fields.pop("checksum")
        body = json.dumps(fields, sort_keys=True, separators=(",", ":"))
        assert checksum(body) == stated
        assert from_canonical(body) == event
    change(path, UNLOCK, "UPDATE events SET sum = 'x' WHERE seq = 1")
    out = io.StringIO()
    exported = export.write(store.events(), out)
    assert (exported.events, len(exported.damaged), out.getvalue().splitlines()) == (3, 1, lines[1:])


def test_reading_only_writes_nothing(path: Path) -> None:
    with pytest.raises(StoreError, match="there is no history yet") as missing:
        Store.open(path, read_only=True)
    assert missing.value.kind == "missing"
    assert not path.parent.exists()
    with Store.open(path) as store:
        store.append(attempt())
        with Store.open(path, read_only=True) as reader:
            assert list(reader.events()) == [attempt()]
            with pytest.raises(StoreError, match="opened for reading only") as refused:
                reader.append(attempt(2))
            assert (refused.value.kind, refused.value.code) == ("read-only", 3)


def test_threads_of_one_program_may_share_a_store(store: Store) -> None:
    def answer(thread: int) -> None:
        for number in range(10):
            key = CardKey("core", f"t{thread}-{number}")
            store.append(attempt(thread * 100 + number, now=START + timedelta(minutes=number), key=key))

    threads = [threading.Thread(target=answer, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.cards("core")) == 40


def test_a_closed_store_says_so(path: Path) -> None:
    store = Store.open(path)
    store.close()
    with pytest.raises(StoreError, match="closed already") as closed:
        store.append(attempt())
    assert closed.value.kind == "closed"
