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
from quiz.bank.rendered import IndexEntry, Rendered
from quiz.scheduling import calendar, queue
from quiz.session import practice
from quiz.session.attempt import Response, Shown
from quiz.session.messages import Ask, Begin, Graded, Next, Record, Submit
from quiz.store import Store
from quiz.store.daily import make
from quiz.tui.counting import report
from quiz.tui.material import Shelf, for_session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.scheduling.calendar import Moment

FILE = "history.db"


def run(folder: Path, cards: int, answers: int) -> dict[str, Any]:
    """Open, ask, answer, count, back up.

    An answer is from what was given to its being durable; the next question is from there to the question, with the
    intervals of the four buttons on the reveal, which Anki computes with its next question too.
    """
    # Anki's questions lie in its collection; ours in the bank, which is open already.
    shelf = Shelf.of(questions(cards))
    with tempfile.TemporaryDirectory() as place, Store.open(Path(place) / FILE) as warm:  # load the libraries
        _session(warm, Shelf.of(questions(20)), 3)
        report(Bank(Shelf.of(questions(20))), warm, _now())
    with Store.open(folder / FILE) as store:  # as on the day before: the backup of the day is measured below
        store.unseen(BANK, shelf.entries.keys(), shelf.mark)
    clock = perf_counter()
    store = Store.open(folder / FILE)
    found: dict[str, Any] = {"open": [perf_counter() - clock]}
    found |= _session(store, shelf, answers)
    bank = Bank(shelf)
    clock = perf_counter()
    report(bank, store, _now())  # all that the screen of statistics shows
    found["statistics"] = [perf_counter() - clock]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        clock = perf_counter()
        make(store._connection, store.path, Path(place) / "history-today.db")  # noqa: SLF001 - as an opening does
        found["backup"] = [perf_counter() - clock]
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    store.close()
    return found


def _now() -> Moment:
    return calendar.moment(datetime.now(UTC), 0)


def _session(store: Store, shelf: Shelf, answers: int) -> dict[str, list[float]]:
    at = _now()
    found: dict[str, list[float]] = {"next question": [], "answer": [], "answer, processor": []}
    clock = perf_counter()
    settings = store.settings()
    entries, cards, done = for_session(store, shelf, at, settings, queue.EVERYTHING, "today", ())
    items = queue.build(entries, cards, at, settings=settings, seed="today", done=done)
    load = store.forecast(BANK)
    state = practice.begin(items, cards, settings=settings, seed="today", entries=shelf.entries, load=load)
    state, _ = practice.step(state, Begin(at.now))
    found["first question"] = [perf_counter() - clock]
    for number in range(answers):
        now = at.now + timedelta(seconds=5 * (number + 1))
        shown = Shown("3f9a", {"cluster.nodes": "4"}, ("fsdp", "zero1", "ddp", "pp8"), ("fsdp",), {"state": "35 GB"})
        clock, busy = perf_counter(), process_time()
        identity = store.new_id(now)
        submit = Submit(now, 0, identity, shown, Response(("fsdp",)), Graded("correct"), 75)
        state, effects = practice.step(state, submit)
        (record,) = [effect for effect in effects if isinstance(effect, Record)]
        recorded = store.append(record.event)
        found["answer"].append(perf_counter() - clock)
        found["answer, processor"].append(process_time() - busy)
        clock = perf_counter()
        state, _ = practice.step(state, recorded)
        state, effects = practice.step(state, Next(now))
        found["next question"].append(perf_counter() - clock)
        if not any(isinstance(effect, Ask) for effect in effects):
            sys.exit(f"no question is left after {number + 1} answers")
    return found


class Bank:
    """A bank of these questions without their texts."""

    id = title = BANK

    def __init__(self, shelf: Shelf) -> None:
        self.index = tuple(
            IndexEntry(one.key.question, "strategy", one.topic, one.difficulty, one.key.question)
            for one in shelf.entries.values()
        )

    def question(self, name: str, _axes: Mapping[str, str] | None = None) -> Rendered:
        """A question that says nothing."""
        return Rendered(BANK, name, "strategy", "", 1, "", "", (), "")

    def variants(self, _name: str) -> tuple[Mapping[str, str], ...]:
        """It has no variants."""
        return ()


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
