"""Anki's side of the memory benchmark. It runs under the interpreter of an environment that holds the `anki` wheel.

    python memory_anki.py make FOLDER < courses.jsonl     # a line a card
    python memory_anki.py run FOLDER ANSWERS              # times as JSON on standard output

Nothing of Shardwise is imported here, and nothing of Anki anywhere else.
"""

from __future__ import annotations

import json
import resource
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

FILE = "collection.anki2"
FULL = 2


def make(folder: Path) -> None:
    """Fill a collection with cards and their reviews, as the scheduler itself would have left them."""
    from anki.collection import Collection

    col = Collection(str(folder / FILE))
    col.set_config("fsrs", True)  # noqa: FBT003 - Anki's own
    kind, today = col.models.id_for_name("Basic"), col.sched.today
    col.close()
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as database:
        database.execute("begin")
        used: set[int] = set()
        for number, line in enumerate(sys.stdin, start=1):
            _fill(database, number, json.loads(line), (kind, today), used)
        database.execute("commit")


def _fill(
    database: sqlite3.Connection, number: int, card: dict[str, Any], where: tuple[Any, int], used: set[int]
) -> None:
    kind, today = where
    _, at, wait, stability, difficulty, lapses = card["answers"][-1]
    fields = f"question {number}\x1fanswer"
    _insert(database, "notes", number, f"g{number}", kind, at // 1000, -1, "", fields, "q", 0, 0, "")
    data = json.dumps({"s": round(stability, 4), "d": round(difficulty, 3), "dr": 0.9})
    head = (number, number, 1, 0, at // 1000, -1, 2, 2, today + card["due"], wait, 2500)
    _insert(database, "cards", *head, len(card["answers"]), lapses, 0, 0, 0, 0, data)
    before = 0
    for rating, instant, days, _, hard, _ in card["answers"]:
        identity = instant
        while identity in used:
            identity += 1
        used.add(identity)
        kind_of = 1 if before else 0
        _insert(database, "revlog", identity, number, -1, rating, days, before, round(hard * 100), 20_000, kind_of)
        before = days


def _insert(database: sqlite3.Connection, table: str, *row: object) -> None:
    database.execute(f"insert into {table} values ({', '.join('?' * len(row))})", row)  # noqa: S608


def run(folder: Path, answers: int) -> dict[str, Any]:
    """Open, ask, answer, count, back up."""
    from anki.collection import Collection  # isort: skip - its other modules need it first
    from anki.cards import Card
    from anki.scheduler.v3 import CardAnswer

    with tempfile.TemporaryDirectory() as place:  # the library is loaded before the clock starts, as ours is
        Collection(str(Path(place) / FILE)).close()
    clock = perf_counter()
    col = Collection(str(folder / FILE))
    found: dict[str, Any] = {"open": [perf_counter() - clock]}
    col.db.execute("pragma synchronous = full")
    if col.db.scalar("pragma synchronous") != FULL:
        sys.exit("Anki's collection is not synchronous")
    clock = perf_counter()
    queued = col.sched.get_queued_cards(fetch_limit=1)
    found["first question"] = [perf_counter() - clock]
    found |= {"next question": [], "answer": [], "answer, processor": []}
    for _ in range(answers):
        card = queued.cards[0]
        clock, busy = perf_counter(), process_time()
        shown = Card(col, backend_card=card.card)
        shown.start_timer()
        answer = col.sched.build_answer(card=shown, states=card.states, rating=CardAnswer.GOOD)
        col.sched.answer_card(answer)
        found["answer"].append(perf_counter() - clock)
        found["answer, processor"].append(process_time() - busy)
        clock = perf_counter()
        queued = col.sched.get_queued_cards(fetch_limit=1)
        found["next question"].append(perf_counter() - clock)
    clock = perf_counter()
    col._backend.graphs(search="", days=0)  # noqa: SLF001 - what its statistics screen calls
    found["statistics"] = [perf_counter() - clock]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        clock = perf_counter()
        col.create_backup(backup_folder=place, force=True, wait_for_completion=True)
        found["backup"] = [perf_counter() - clock]
        if not list(Path(place).iterdir()):
            sys.exit("Anki made no backup")
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    col.close()
    return found


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]))
    else:
        print(json.dumps(run(Path(sys.argv[2]), int(sys.argv[3]))))
