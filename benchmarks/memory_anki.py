"""Anki's side of the memory benchmark. It runs under the interpreter of an environment that holds the `anki` wheel.

    python memory_anki.py make FOLDER < courses.jsonl     # the notes' content in one line, then a line a card
    python memory_anki.py session FOLDER ANSWERS          # each of these: times as JSON on standard output
    python memory_anki.py statistics FOLDER
    python memory_anki.py backup FOLDER

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
    """Fill a collection with notes, their cards and reviews, as Anki itself would have left them."""
    from anki.collection import Collection

    content = json.loads(sys.stdin.readline())
    col = Collection(str(folder / FILE))
    for name in ("fsrs", "loadBalancerEnabled"):
        col.set_config(name, True)  # noqa: FBT003 - Anki's own
    # Where this is not set, the wheel writes a trace of the calls at each opening, which takes it 90 ms.
    col.set_config("experimentalFeatures", {})
    deck = col.decks.config_dict_for_deck_id(1)
    deck["new"]["perDay"], deck["rev"]["perDay"] = content["new"], content["reviews"]
    col.decks.update_config(deck)
    kind = col.models.new("Shardwise")
    for name in content["fields"]:
        col.models.add_field(kind, col.models.new_field(name))
    template = col.models.new_template("Card")
    template["qfmt"], template["afmt"] = content["front"], content["back"]
    col.models.add_template(kind, template)
    kind["css"] = content["css"]
    where = col.models.add_dict(kind).id, col.sched.today
    col.close(downgrade=False)  # as the program itself closes it
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as database:
        database.create_collation("unicase", lambda one, other: (one > other) - (one < other))
        database.execute("begin")
        used: set[int] = set()
        notes = content["notes"]
        for number, line in enumerate(sys.stdin, start=1):
            _fill(database, number, notes[number % len(notes)], json.loads(line), where, used)
        database.execute("commit")


def _fill(
    database: sqlite3.Connection,
    number: int,
    note: list[str],
    card: dict[str, Any],
    where: tuple[Any, int],
    used: set[int],
) -> None:
    kind, today = where
    answers = card["answers"]
    at = answers[-1][1] // 1000 if answers else 1_700_000_000
    fields = [f"{note[0]}-{number}", *note[1:]]
    joined, first = "\x1f".join(fields), fields[0]
    _insert(database, "notes", number, f"g{number}", kind, at, -1, " shardwise ", joined, first, number, 0, "")
    if not answers:
        _insert(database, "cards", number, number, 1, 0, at, -1, 0, 0, number, 0, 0, 0, 0, 0, 0, 0, 0, "{}")
        return
    _, _, wait, stability, difficulty, lapses = answers[-1]
    memory = {"s": round(stability, 4), "d": round(difficulty, 3), "dr": 0.9, "decay": 0.154, "lrt": at}
    data = json.dumps(memory, separators=(",", ":"))
    head = (number, number, 1, 0, at, -1, 2, 2, today + card["due"], wait, 2500)
    _insert(database, "cards", *head, len(answers), lapses, 0, 0, 0, 0, data)
    before = 0
    for rating, instant, days, _, hard, _ in answers:
        identity = instant
        while identity in used:
            identity += 1
        used.add(identity)
        kind_of = 1 if before else 0
        _insert(database, "revlog", identity, number, -1, rating, days, before, round(hard * 100), 20_000, kind_of)
        before = days


def _insert(database: sqlite3.Connection, table: str, *row: object) -> None:
    database.execute(f"insert into {table} values ({', '.join('?' * len(row))})", row)  # noqa: S608


Times = dict[str, list[float]]


class Clock:
    """Seconds on the wall and of the processor, all threads together, since it was made."""

    def __init__(self) -> None:
        self._wall, self._busy = perf_counter(), process_time()

    def leave_out(self, found: Times, name: str) -> None:
        """Leave out what was noted last under a name."""
        self._wall += found[name][-1]
        self._busy += found[f"{name}, processor"][-1]

    def note(self, found: Times, name: str) -> None:
        """Put them to the others."""
        wall, busy = perf_counter() - self._wall, process_time() - self._busy
        found.setdefault(name, []).append(wall)
        found.setdefault(f"{name}, processor", []).append(busy)


def _opened(folder: Path, found: Times) -> Any:  # noqa: ANN401 - it ships no types
    """Open the collection, with the library loaded before."""
    from anki import collection  # isort: skip - its other modules need it first
    from anki._backend import RustBackend
    from anki.scheduler import v3  # noqa: F401 - the library is there before the clock starts, translations and all

    backend = RustBackend()
    clock = Clock()
    col = collection.Collection(str(folder / FILE), backend=backend)
    clock.note(found, "open")
    col.db.execute("pragma synchronous = full")
    if col.db.scalar("pragma synchronous") != FULL:
        sys.exit("Anki's collection is not synchronous")
    return col


def session(folder: Path, answers: int) -> Times:
    """Open, ask, answer. A question is asked when its card is rendered, question and solution."""
    found: Times = {}
    col = _opened(folder, found)
    from anki.cards import Card
    from anki.scheduler.v3 import CardAnswer

    clock = Clock()
    queued = col.sched.get_queued_cards(fetch_limit=1)
    shown = Card(col, backend_card=queued.cards[0].card)
    if "<hr" not in shown.render_output().answer_text:
        sys.exit("Anki rendered no solution")
    clock.note(found, "first question")
    for _ in range(answers):
        card = queued.cards[0]
        shown.start_timer()
        clock = Clock()
        answer = col.sched.build_answer(card=shown, states=card.states, rating=CardAnswer.GOOD)
        col.sched.answer_card(answer)
        clock.note(found, "answer")
        clock = Clock()
        queued = col.sched.get_queued_cards(fetch_limit=1)
        shown = Card(col, backend_card=queued.cards[0].card)
        shown.render_output()
        clock.note(found, "next question")
    col.close(downgrade=False)  # as the program itself closes it
    return found


def statistics(folder: Path) -> Times:
    """Compute what the screen of statistics shows, of all cards and all days."""
    found: Times = {}
    col = _opened(folder, found)
    clock = Clock()
    col._backend.graphs(search="", days=0)  # noqa: SLF001 - what its statistics screen calls
    clock.note(found, "statistics")
    col.close(downgrade=False)  # as the program itself closes it
    return found


def backup(folder: Path) -> Times:
    """Make a backup, and wait until it is made."""
    found: Times = {}
    col = _opened(folder, found)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        clock = Clock()
        col.create_backup(backup_folder=place, force=True, wait_for_completion=True)
        clock.note(found, "backup")
        if not list(Path(place).iterdir()):
            sys.exit("Anki made no backup")
    col.close(downgrade=False)  # as the program itself closes it
    return found


def main() -> None:
    """Do what the arguments say."""
    what, folder = sys.argv[1], Path(sys.argv[2])
    if what == "make":
        make(folder)
        return
    if what == "session":
        found = session(folder, int(sys.argv[3]))
    else:
        found = statistics(folder) if what == "statistics" else backup(folder)
    found["peak"] = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
