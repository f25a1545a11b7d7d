"""Our side of the memory benchmark, in a process of its own: what one session on a large history takes.

    python -m benchmarks.memory_ours FOLDER CARDS ANSWERS     # times as JSON on standard output
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from benchmarks.memory_made import BANK, questions
from quiz.scheduling import calendar, queue
from quiz.session import practice
from quiz.session.attempt import Response, Shown
from quiz.session.messages import Ask, Begin, Graded, Next, Record, Submit
from quiz.store import Store
from quiz.store.daily import make

if TYPE_CHECKING:
    from quiz.scheduling.calendar import Moment

FILE = "history.db"


def run(folder: Path, cards: int, answers: int) -> dict[str, Any]:
    """Open, ask, answer, count, back up."""
    bank = questions(cards)  # Anki's questions lie in its collection; ours in the bank, which is open already
    Store.open(folder / FILE).close()  # the backup of the day is measured by itself, below
    clock = perf_counter()
    store = Store.open(folder / FILE)
    found: dict[str, Any] = {"open": [perf_counter() - clock]}
    clock = perf_counter()
    state, asked = _first(store, bank, _now())
    found["first question"] = [perf_counter() - clock]
    found |= {"next question": [], "answer": [], "answer, processor": []}
    for number in range(answers):
        shown = Shown("3f9a", {"cluster.nodes": "4"}, ("fsdp", "zero1", "ddp", "pp8"), ("fsdp",), {"state": "35 GB"})
        now = asked + timedelta(seconds=5 + number)
        clock, busy = perf_counter(), process_time()
        identity = store.new_id(now)
        submit = Submit(now, 0, identity, shown, Response(("fsdp",)), Graded("correct"), 75)
        state, effects = practice.step(state, submit)
        (record,) = [effect for effect in effects if isinstance(effect, Record)]
        state, _ = practice.step(state, store.append(record.event))
        found["answer"].append(perf_counter() - clock)
        found["answer, processor"].append(process_time() - busy)
        clock = perf_counter()
        state, effects = practice.step(state, Next(now))
        found["next question"].append(perf_counter() - clock)
        assert any(isinstance(effect, Ask) for effect in effects), state.phase
    clock = perf_counter()
    statistics(store)
    found["statistics"] = [perf_counter() - clock]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        clock = perf_counter()
        make(store._connection, store.path, Path(place) / "history-today.db")  # noqa: SLF001 - what an opening does
        found["backup"] = [perf_counter() - clock]
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    store.close()
    return found


def _now() -> Moment:
    return calendar.moment(datetime.now(UTC), 0)


def _first(store: Store, bank: list[queue.Entry], at: Moment) -> tuple[practice.State, datetime]:
    """The first question of a session on all that is due."""
    settings = store.settings()
    cards = store.due(BANK, at.day, at.now + timedelta(seconds=settings.learn_ahead))
    known = store.known(BANK)
    entries = [entry for entry in bank if entry.key in cards or entry.key not in known]
    done = store.attempts_today(at.day, BANK)
    items = queue.build(entries, cards, at, settings=settings, seed="today", done=done)
    load = store.forecast(BANK)
    state = practice.begin(items, cards, settings=settings, seed="today", entries=entries, load=load)
    state, effects = practice.step(state, Begin(at.now))
    assert any(isinstance(effect, Ask) for effect in effects)
    return state, at.now


def statistics(store: Store) -> None:
    """All that the screen of statistics shows, from the tallies."""
    store.tallies(BANK)
    store.standings(BANK)


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
