"""Histories merge without a conflict: in any order, any number of times, in any grouping."""

from __future__ import annotations

import io
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Rating
from quiz.session.attempt import Promise
from quiz.session.changes import Regrade, Rename
from quiz.session.events import Mark, Rerating, Retraction, SettingChange, canonical
from quiz.store import Damaged, Store, export
from tests.unit.session.made import START, attempt, identity

if TYPE_CHECKING:
    from quiz.session.events import Event

QUESTIONS = ("a", "b", "c")


def event(number: int, kind: int, choice: int) -> Event:  # noqa: PLR0911 - one of each kind
    """One event of any kind; amendments name one of the first attempts, which may come later or never."""
    now = START + timedelta(hours=7 * number)
    name, rating = QUESTIONS[choice % 3], Rating(choice % 4 + 1)
    target = identity(START + timedelta(hours=7 * (choice % 8)), choice % 8)
    head = (identity(now, number), now, 60)
    match kind:
        case 0:
            return Retraction(*head, target)
        case 1:
            return Rerating(*head, target, rating, Promise(now, now.date()))
        case 2:
            return Regrade(*head, target, "incorrect", "one-node", (), rating, "m", ("ddp",))
        case 3:
            return Rename(*head, "core", name, "core", QUESTIONS[(choice + 1) % 3])
        case 4:
            return SettingChange(*head, "retention", 0.8 + choice / 100)
        case 5:
            return Mark(*head, "core", name, "flag", value=True)
    return attempt(number, now=now, key=CardKey("core", name), rating=rating)


EVENTS = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 9)), max_size=14).map(
    lambda drawn: [event(number, kind, choice) for number, (kind, choice) in enumerate(drawn)]
)
State = tuple[list[str], list[tuple[object, ...]], list[tuple[object, ...]]]


def state_of(store: Store) -> State:
    """All that a history holds: its events, and what is derived from them, byte for byte."""
    read = store._connection.execute
    events = [canonical(one) for one in store.events() if not isinstance(one, Damaged)]
    counters = ("SELECT * FROM mistakes", "SELECT bank, day, cells FROM days ORDER BY bank, day", "SELECT * FROM loads")
    return events, read("SELECT * FROM cards").fetchall(), [row for each in counters for row in read(each)]


def merged(folder: Path, name: str, *groups: list[Event]) -> State:
    with Store.open(folder / name / "history.db", backup=False) as store:
        for group in groups:
            store.merge(group)
        return state_of(store)


@settings(max_examples=12, deadline=None)
@given(events=EVENTS, order=st.randoms(use_true_random=False), cut=st.integers(0, 14))
def test_the_order_the_grouping_and_repetitions_of_a_merge_do_not_matter(events: list[Event], order, cut: int) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - hypothesis' own
    shuffled = list(events)
    order.shuffle(shuffled)
    one, other = shuffled[:cut], shuffled[cut:]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        whole = merged(folder, "whole", events)
        assert merged(folder, "there", one, other) == whole
        assert merged(folder, "back", other, one, other, events) == whole
        with Store.open(folder / "stored" / "history.db", backup=False) as store:
            for single in shuffled:
                store.append(single)
            appended = state_of(store)
            assert store.stale() == (0, 0)
        assert [text for text in appended[0] if '"kind":"attempt"' not in text] == [
            text for text in whole[0] if '"kind":"attempt"' not in text
        ]


def test_what_was_exported_merges_into_the_same_history(tmp_path: Path) -> None:
    events = [event(number, number % 9, number) for number in range(20)]
    out = io.StringIO()
    with Store.open(tmp_path / "one" / "history.db", backup=False) as store:
        store.merge(events)
        here = state_of(store)
        export.write(store.events(), out)
    lines = out.getvalue().splitlines()
    with Store.open(tmp_path / "other" / "history.db", backup=False) as store:
        done = store.merge(export.read_line(line) for line in (*reversed(lines), *lines))
        assert (done.added, done.known, done.conflicts) == (20, 20, ())
        assert state_of(store) == here
