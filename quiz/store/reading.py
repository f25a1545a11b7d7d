"""Reading a history file: its events, its cards by the day they are due, its tallies."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Final, Self

from quiz.scheduling.cards import Card, CardKey
from quiz.scheduling.queue import DoneToday
from quiz.session.wire import instant_text
from quiz.statistics.standing import Standing
from quiz.store import answering, counters, derive, dues, figures, inspection, missing, stock
from quiz.store.connection import identity, snapshot
from quiz.store.errors import failure, translate
from quiz.store.rows import CARD, EVENT, Damaged, read_cached, read_event

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from quiz.scheduling.balance import Loads
    from quiz.scheduling.settings import Settings
    from quiz.session.attempt import Attempt
    from quiz.session.events import Event
    from quiz.session.history import Course
    from quiz.statistics.given import Made
    from quiz.statistics.stock import Stock
    from quiz.statistics.tally import Cell
    from quiz.store.answering import Looked
    from quiz.store.derive import Facts
    from quiz.store.inspection import Counts
    from quiz.store.missing import Holding, Missing


#: After so many questions that were read, what the log holds is moved into the file.
SETTLED: Final = 10


class _Days(dict[int, date]):
    """Days by their number, each made once."""

    def __missing__(self, number: int) -> date:
        self[number] = found = date.fromordinal(number)
        return found


class Reader:
    """One history file, for reading. Every method raises `StoreError` where the file cannot be used.

    It may be used from several threads (one at a time goes through) and beside other processes.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, *, read_only: bool, patience: float) -> None:
        self.path = path
        self.read_only = read_only
        self._connection = connection
        self._patience = patience
        self._lock = threading.RLock()
        self._damaged: dict[str, Damaged] = {}
        self._identity = identity(path)
        self._known: Facts | None = None
        self._looked: Looked | None = None
        self._asked = 0
        #: What the learner should be told about the opening, whole sentences.
        self.notices: tuple[str, ...] = ()
        #: The ids of the damaged events that a notice tells of.
        self.named: frozenset[str] = frozenset()

    def close(self) -> None:
        """Close the file. Everything appended is durable already."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def damaged(self) -> tuple[Damaged, ...]:
        """The damaged events met so far: none of them was used."""
        return tuple(self._damaged.values())

    # ------------------------------------------------------------------ events

    def last_id(self) -> str:
        """Return the greatest id stored, "" where there is none: whatever is stored from now on has a greater one."""
        with self._reading("Reading your history") as connection:
            return connection.execute("SELECT max(id) FROM events").fetchone()[0] or ""

    def version(self) -> int:
        """Return a number that is another one once another program, or another `Store`, has stored something."""
        with self._reading("Reading your history") as connection:
            found: int = connection.execute("PRAGMA data_version").fetchone()[0]
        return found

    def events(self) -> Iterator[Event | Damaged]:
        """Yield every event in the order of ids, each verified; a damaged one comes as `Damaged`."""
        last = ""
        while True:
            with self._reading("Reading your history") as connection:
                rows = connection.execute(
                    f"SELECT {EVENT} FROM events WHERE id > ? ORDER BY id LIMIT 1000",  # noqa: S608
                    (last,),
                ).fetchall()
            if not rows:
                return
            if rows[-1][0] <= last:
                raise failure("corrupt", "Reading your history", self.path, "its index is damaged")
            for row in rows:
                event = read_event(row)
                if isinstance(event, Damaged):
                    self._report(event)
                yield event
            last = rows[-1][0]

    def of_kind(self, kind: str) -> tuple[Event, ...]:
        """Return the events of a kind other than attempts, in the order of ids, damaged ones left out."""
        with self._reading("Reading your history") as connection:
            rows = connection.execute(
                f"SELECT {EVENT} FROM events WHERE kind = ? AND kind <> 'attempt' ORDER BY id",  # noqa: S608
                (kind,),
            )
            return tuple(derive.sound(rows, self._report))

    def recent(self, limit: int = 200, *, bank: str = "") -> tuple[Attempt, ...]:
        """Return the last attempts that count, of one bank or of all, the newest first."""
        with self._reading("Reading your last answers") as connection:
            return tuple(derive.counted(connection, limit, self._report, bank=bank))

    def settings(self) -> Settings:
        """Return the scheduling settings now in force."""
        with self._reading("Reading your settings") as connection:
            return self._facts(connection).timeline.now

    def attempts_today(self, day: date, bank: str | None = None) -> DoneToday:
        """Return what counts against the limits of a day: cards first seen on it, and other cards answered."""
        with self._reading("Reading your answers of today") as connection:
            values = (day.toordinal(),) if bank is None else (day.toordinal(), bank)
            one = "" if bank is None else " AND bank = ?"
            rows = connection.execute(f"SELECT cells FROM days WHERE day = ?{one}", values)  # noqa: S608
            found = [(key, count) for (text,) in rows for key, count in (counters.read_day(text) or {}).items()]
            # A day's first answer to a card counts for its recall, unless it is the first of all.
            reviews = sum(count for key, count in found if key.startswith("recall "))
            return DoneToday(new=sum(count for key, count in found if key == "new"), reviews=reviews)

    # ------------------------------------------------------------------ cards

    def card(self, key: CardKey) -> Card | None:
        """Return a card, or None where no answer to it counts."""
        with self._reading("Reading your cards") as connection:
            found = derive.cached(connection, key)
            return found[0] if found else derive.trace(connection, key, self._facts(connection), self._report).card

    def course(self, key: CardKey) -> Course:
        """Return what became of a card: its answers that count, and the card after each."""
        with self._reading("Reading your answers") as connection:
            return derive.trace(connection, key, self._facts(connection), self._report).course

    def cards(self, bank: str) -> dict[CardKey, Card]:
        """Return all cards of a bank: for figures about all of them. A queue asks for `due`."""
        return self._cards("bank = ?", (bank,))

    def due(self, bank: str, day: date, until: datetime) -> dict[CardKey, Card]:
        """Return the cards that a session may ask for: the longest due ones first, then those in their learning steps.

        Args:
            bank: its id.
            day: reviews that are due on this day or before it.
            until: learning cards that are due at this instant or before it.
        """
        reviews = self._cards(
            "bank = ? AND state = 'review' AND due_day <= ? ORDER BY due_day", (bank, day.toordinal())
        )
        return reviews | self.learning(bank, until)

    def upcoming(self, bank: str, day: date, now: datetime, among: Collection[CardKey]) -> dict[CardKey, Card]:
        """Return the cards that are not due yet and come next: the first review, and those in their learning steps.

        Args:
            bank: its id.
            day: reviews that are due after this day.
            now: learning cards that are due after this instant.
            among: only these; cards of questions that are gone are set aside.
        """
        steps = self._cards("bank = ? AND state <> 'review' AND due > ? ORDER BY due", (bank, instant_text(now)))
        found = {key: card for key, card in steps.items() if key in among}
        with self._reading("Reading your cards") as connection:
            rows = connection.execute(
                "SELECT bank, question, generation FROM cards"
                " WHERE bank = ? AND state = 'review' AND due_day > ? ORDER BY due_day, due",
                (bank, day.toordinal()),
            )
            first = next((key for row in rows if (key := CardKey(*row)) in among), None)
        card = self.card(first) if first else None
        return found if first is None or card is None else found | {first: card}

    def known(self, bank: str) -> frozenset[tuple[str, str, int]]:
        """Return the key of every card of a bank: what was ever seen."""
        with self._reading("Reading your cards") as connection:
            rows = connection.execute("SELECT bank, question, generation FROM cards WHERE bank = ?", (bank,))
            return frozenset(rows.fetchall())

    def foremost(
        self, bank: str, day: date, among: Container[CardKey], *, seed: int | str, room: int
    ) -> dict[CardKey, date]:
        """Return the reviews that a session takes of all that are due: the longest due ones first, within a day by lot.

        By each stands the day on which it is due, as an index tells it; the card is read, and verified, by `card`. It
        looks at no more of them than it returns, at what it passes over, and once more at those of the last day.

        Args:
            bank: its id.
            day: reviews that are due on this day or before it.
            among: only these; cards of questions that are gone are set aside.
            seed: decides the lot.
            room: how many reviews the day still allows.
        """
        with self._reading("Reading your cards") as connection:
            return dues.foremost(connection, bank, day, among, seed=seed, room=room)

    def learning(self, bank: str, until: datetime) -> dict[CardKey, Card]:
        """Return the cards in their learning steps that are due at an instant or before it, in that order."""
        return self._cards("bank = ? AND state <> 'review' AND due <= ? ORDER BY due", (bank, instant_text(until)))

    def chosen(self, keys: Iterable[CardKey]) -> dict[CardKey, Card]:
        """Return the cards with these keys, in this order; keys without a card are left out."""
        found: dict[CardKey, Card] = {}
        with self._reading("Reading your cards") as connection, snapshot(connection):
            for key in keys:
                cached = derive.cached(connection, key)
                card = cached[0] if cached else self.card(key)
                if card is not None:
                    found[key] = card
        return found

    def ready(self, key: CardKey, day: date) -> None:
        """Look up, while a question is read, what an answer to its card on a day rests on.

        It takes that time from the answer and changes nothing else: where something was stored since, or nothing was
        looked up, the answer looks for itself. Every now and then what the log holds is moved into the file, so that no
        answer has to do so, and the next ones are written over the old log: to make it longer takes the disk half as
        long again.
        """
        with self._reading("Reading your cards") as connection:
            self._asked += 1
            if not self._asked % SETTLED and not self.read_only:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self._looked = answering.look(connection, key, day.toordinal())

    def forecast(self, bank: str) -> Loads:
        """Return how many reviews come due on each day, past days too, in order."""
        with self._reading("Reading your cards") as connection:
            return counters.load(connection, bank)

    def standings(self, bank: str) -> list[Standing]:
        """Return what the figures need of every card of a bank."""
        with self._reading("Reading your cards") as connection:
            rows = connection.execute(
                "SELECT question, generation, stability, last_day, due_day, state, lapses, reps FROM cards"
                " WHERE bank = ?",
                (bank,),
            )
            days = _Days()
            # Built by the tuple's own constructor: there may be a hundred thousand of them.
            return [
                tuple.__new__(Standing, (question, generation, stability, days[last], days[due], state, lapses, reps))
                for question, generation, stability, last, due, state, lapses, reps in rows
            ]

    def stock(
        self,
        bank: str,
        topic_of: Mapping[str, str],
        today: date,
        *,
        decay: float,
        resting: Collection[str] = (),
        generations: Mapping[str, int] | None = None,
    ) -> Stock:
        """Return the cards of a bank added up by topic and by day: what the figures need of them on a day.

        Args:
            bank: its id.
            topic_of: its questions, each with its topic; cards of others are counted as set aside.
            today: the learner's day.
            decay: of the forgetting curve; a positive number.
            resting: ids of questions that are suspended or buried.
            generations: of its questions, where that is not 0; cards of another generation count as never asked.
        """
        with self._reading("Reading your cards") as connection:
            reset = generations or {}
            return stock.stock(connection, bank, topic_of, today, decay=decay, resting=resting, generations=reset)

    def day_sums(self, bank: str, today: date, since: date | None = None) -> figures.DaySums:
        """Return the cells of days as `quiz.statistics` wants them, from a day on."""
        with self._reading("Reading your statistics") as connection:
            return figures.days(connection, bank, today, since)

    def mistakes(
        self, bank: str, what: str, since: date | None = None, among: Collection[str] | None = None
    ) -> dict[str, Made]:
        """Return how often each `slip` or `chose` was made, and in which questions, from the quarter of a day on."""
        with self._reading("Reading your statistics") as connection:
            return figures.mistakes(connection, bank, what, since, among)

    def tallies(self, bank: str, since: str = "", until: str = "\U0010ffff") -> dict[Cell, int]:
        """Return the tallies of a bank whose names lie between two (the bounds too); by default all of them.

        Of a question's tests of memory there are those of the last quarter with any, and of the quarter before it.
        """
        with self._reading("Reading your statistics") as connection:
            found = figures.tallies(connection, bank)
            return {cell: count for cell, count in found.items() if since <= cell.name <= until}

    def tallies_of(self, bank: str, questions: Collection[str]) -> Counter[Cell]:
        """Return what the answers to some questions of a bank add to its tallies, counted from the answers.

        The cells of days cannot be divided among questions; over all questions the sum is `tallies`.
        """
        total: Counter[Cell] = Counter()
        with self._reading("Counting your answers") as connection:
            rows = connection.execute("SELECT question, generation FROM cards WHERE bank = ?", (bank,)).fetchall()
            for question, generation in rows:
                if question in questions:
                    key = CardKey(bank, question, generation)
                    traced = derive.trace(connection, key, self._facts(connection), self._report)
                    total.update(derive.cells(key, traced.course.counted))
        return total

    # ------------------------------------------------------------------ looking it over

    def counts(self) -> Counts:
        """Return what the history holds."""
        with self._reading("Counting your answers") as connection:
            return inspection.counts(connection)

    def unsound(self) -> tuple[str, ...]:
        """Return the ids of the events whose text is not what was written, reading each."""
        with self._reading("Reading your history") as connection:
            return inspection.unsound(connection)

    def integrity(self) -> tuple[str, ...]:
        """Check the whole file: SQLite's own check, and every checksum. Returns what is wrong."""
        with self._reading("Checking your history") as connection:
            return inspection.faults(connection)

    def missing(self) -> Missing | None:
        """Return how many answers the cards and days counted that are gone; None where none is."""
        with self._reading("Counting your answers") as connection:
            return missing.missing(connection)

    def holding(self) -> Holding | None:
        """Return the sound backup that holds most of the answers that are not here; None where none holds any."""
        with self._reading("Reading your backups") as connection:
            rows = connection.execute("SELECT id FROM events WHERE kind = 'attempt'")
            return missing.holding(self.path, {identity for (identity,) in rows})

    def stale(self) -> inspection.Stale:
        """Count the cards and tallies that are not what the events say: for a check, since it derives them all."""
        with self._reading("Checking your cards") as connection:
            return inspection.stale(connection, self._facts(connection))

    # ------------------------------------------------------------------ inside

    def _cards(self, where: str, values: tuple[str | int, ...]) -> dict[CardKey, Card]:
        """Cards by a condition. One whose cached row is damaged is derived from its events."""
        with self._reading("Reading your cards") as connection:
            found: dict[CardKey, Card] = {}
            for row in connection.execute(f"SELECT {CARD} FROM cards WHERE {where}", values).fetchall():  # noqa: S608
                key, card = CardKey(*row[:3]), read_cached(row)
                if card is None:
                    card = derive.trace(connection, key, self._facts(connection), self._report).card
                if card is not None:
                    found[key] = card
            return found

    def _facts(self, connection: sqlite3.Connection) -> Facts:
        self._known = derive.facts(connection, self._known, self._report)
        return self._known

    def _report(self, damaged: Damaged) -> None:
        self._damaged[damaged.id] = damaged

    @contextmanager
    def _reading(self, doing: str) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise translate(error, doing, self.path) from error
