"""Our side of the memory benchmark, each step in a process of its own.

python -m benchmarks.memory_ours make FOLDER CARDS REVIEWS
python -m benchmarks.memory_ours ready FOLDER CARDS            # what the first opening of a day does
python -m benchmarks.memory_ours session FOLDER CARDS ANSWERS  # each of these: times as JSON on standard output
python -m benchmarks.memory_ours statistics FOLDER CARDS
python -m benchmarks.memory_ours backup FOLDER CARDS
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import memory_made
from benchmarks.memory_anki import Clock
from benchmarks.memory_made import BANK, questions
from quiz.bank import bodies
from quiz.bank.rendered import IndexEntry
from quiz.grading import factors, target
from quiz.scheduling import calendar, queue, variants
from quiz.session import choosing, events, marks, practice
from quiz.session.attempt import Response, Shown
from quiz.session.messages import Ask, Begin, Graded, Next, Record, Submit
from quiz.store import Store
from quiz.store.daily import make
from quiz.tui import beforehand, telling
from quiz.tui.counting import report
from quiz.tui.material import Shelf, for_session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.memory_anki import Times
    from quiz.bank.rendered import Rendered
    from quiz.scheduling.calendar import Moment

FILE = "history.db"
#: What is made ready while a question is read, and while a solution is.
QUESTION_READ, SOLUTION_READ = "question read", "solution read"
#: Where the bank's questions lie compiled, beside the folder of the history.
CACHE = "bank"
_LOADED = (
    bodies,
    choosing,
    variants,
    marks,
    events,
    factors,
    target,
)  # what would be imported later is there before the clock starts


def ready(folder: Path, bank: Bank) -> None:
    """Open as on the day before: back up, and look through which questions were never asked."""
    shelf = bank.shelf
    with Store.open(folder / FILE) as store:
        store.unseen(BANK, shelf.entries.keys(), shelf.mark)


def session(folder: Path, bank: Bank, answers: int) -> Times:
    """Open, ask, answer.

    A question is asked when it is rendered, question and solution: all that a screen lays out. An answer is from what
    was given to its being durable; the next question is from there to that question, with the intervals of the four
    buttons, which Anki computes with its next question too. What the program makes ready while a question or a solution
    is read is noted beside it.
    """
    shelf = bank.shelf
    found: Times = {}
    clock = Clock()
    store = Store.open(folder / FILE)
    clock.note(found, "open")
    at = _now()
    clock = Clock()
    settings = store.settings()
    items, cards = for_session(store, shelf, at, settings, queue.EVERYTHING, "today", ())
    load = store.forecast(BANK)
    state = practice.begin(items, cards, settings=settings, seed="today", entries=shelf.entries, load=load)
    state, (ask,) = practice.step(state, Begin(at.now))
    telling.turn(_asked(ask), state, bank, str, None)
    clock.note(found, "first question")
    for number in range(answers):
        now = at.now + timedelta(seconds=5 * (number + 1))
        shown = Shown("3f9a", {"cluster.nodes": "4"}, ("fsdp", "zero1", "ddp", "pp8"), ("fsdp",), {"state": "35 GB"})
        clock = Clock()
        state = beforehand.ready(state, bank, store, calendar.moment(now, 0))
        clock.note(found, QUESTION_READ)
        clock = Clock()
        identity = store.new_id(now)
        submit = Submit(now, 0, identity, shown, Response(("fsdp",)), Graded("correct"), 75)
        state, effects = practice.step(state, submit)
        (record,) = [effect for effect in effects if isinstance(effect, Record)]
        recorded = store.append(record.event)
        clock.note(found, "answer")
        clock = Clock()
        state, _ = practice.step(state, recorded)
        reading = Clock()
        state = beforehand.ready(state, bank, store, calendar.moment(now, 0))
        reading.note(found, SOLUTION_READ)
        clock.leave_out(found, SOLUTION_READ)
        state, (ask,) = practice.step(state, Next(now))
        telling.turn(_asked(ask), state, bank, str, None)
        clock.note(found, "next question")
    store.close()
    return found


def _asked(effect: object) -> Ask:
    if not isinstance(effect, Ask):
        sys.exit("no question is left")
    return effect


def statistics(folder: Path, bank: Bank) -> Times:
    """Compute what the screen of statistics shows, of all cards and all days."""
    found: Times = {}
    with Store.open(folder / FILE) as store:
        clock = Clock()
        report(bank, store, _now())
        clock.note(found, "statistics")
    return found


def backup(folder: Path) -> Times:
    """Make a backup as the first opening of a day does, verified."""
    found: Times = {}
    with Store.open(folder / FILE) as store, tempfile.TemporaryDirectory(dir=folder) as place:
        clock = Clock()
        make(store._connection, store.path, Path(place) / "history-today.db")  # noqa: SLF001 - as an opening does
        clock.note(found, "backup")
    return found


def _now() -> Moment:
    return calendar.moment(datetime.now(UTC), 0)


class Bank:
    """A bank of so many questions, which say what those of the program's own bank say, again and again.

    Anki's questions lie in its collection; ours in a bank, which is open, and its questions compiled, before a clock
    starts.
    """

    id = title = BANK

    def __init__(self, cards: int, cache: Path) -> None:
        self._bodies = memory_made.opened(cache)
        self._names = [entry.id for entry in self._bodies.index]
        self.shelf = Shelf.of(questions(cards))
        self.index = tuple(
            IndexEntry(one.key.question, "strategy", one.topic, one.difficulty, one.key.question)
            for one in self.shelf.entries.values()
        )
        gc.collect()  # what was made here is not to be gone through for the first time when a clock runs

    def question(self, id: str, _axes: Mapping[str, str] | None = None) -> Rendered:  # noqa: A002 - as the bank names it
        """Another question's text."""
        return self._bodies.question(self._names[int(id.rpartition("-")[2]) % len(self._names)])

    def variants(self, id: str) -> tuple[Mapping[str, str], ...]:  # noqa: A002, ARG002 - as above
        """The author's numbers alone: a card of Anki's has no others."""
        return ()


def main() -> None:
    """Do what the arguments say."""
    what, folder, cards = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    if what == "make":
        memory_made.ours(folder / FILE, cards, int(sys.argv[4]))
        return
    found: Times = {}
    if what == "backup":
        found = backup(folder)
    else:
        bank = Bank(cards, folder.parent / CACHE)
        if what == "ready":
            ready(folder, bank)
        else:
            found = session(folder, bank, int(sys.argv[4])) if what == "session" else statistics(folder, bank)
    found["peak"] = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
