"""The history file: append events, read them, and keep the cards beside them."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Final, Self

import msgspec
from msgspec import structs

from quiz.scheduling.calendar import add_time
from quiz.scheduling.cards import Card, CardKey
from quiz.scheduling.queue import DoneToday
from quiz.session.attempt import ENTROPY_BYTES, Attempt, Promise, event_id, is_event_id
from quiz.session.events import Rerating, Retraction, SettingChange
from quiz.session.history import SAME_MOMENT, Timeline, advance, fold, same_moment
from quiz.session.messages import Recorded
from quiz.session.wire import instant_text
from quiz.store import derive, inspection
from quiz.store.begin import warning
from quiz.store.connection import connect, identity, transaction
from quiz.store.daily import daily
from quiz.store.errors import failure, translate
from quiz.store.merging import Merged, merge
from quiz.store.rows import CARD, EVENT, EVENT_MARKS, Damaged, event_row, read_cached, read_event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date
    from pathlib import Path

    from quiz.scheduling.settings import Settings
    from quiz.session.events import Event
    from quiz.store.inspection import Counts

#: Seconds that an answer waits for another program before it gives up.
PATIENCE: Final = 10.0


class Undo(msgspec.Struct, frozen=True):
    """What an undo did: the retraction, the attempt it took back, the card as it stands now."""

    retraction: Retraction
    attempt: Attempt
    card: Card | None


class Rebuilt(msgspec.Struct, frozen=True):
    """What a rebuild did: cards derived, cards that differed from the cache, events that are damaged."""

    cards: int
    changed: int
    damaged: tuple[Damaged, ...]


class Store:
    """One history file. Every method raises `StoreError` where the file cannot be used.

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
        #: What the learner should be told about the opening, whole sentences.
        self.notices: tuple[str, ...] = ()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        read_only: bool = False,
        patience: float = PATIENCE,
        backup: bool = True,
        today: date | None = None,
    ) -> Store:
        """Open a history; a missing one is begun, an older one brought up to date, unless `read_only`.

        With `backup` the first opening of a day backs the history up; `today` is that day, by default the local one.

        Raises:
            StoreError: kind `read-only`, `corrupt`, `lost`, `not-a-database`, `newer`, `network`, `locked`, `full`,
                or `missing` (read-only and not there).
        """
        notices = warning(path)
        connection = connect(path, read_only=read_only, patience=patience)
        store = cls(connection, path, read_only=read_only, patience=patience)
        try:
            if backup and not read_only:
                with store._reading("Backing up your history"):
                    notices += daily(connection, path, today or datetime.now().astimezone().date())
        except BaseException:
            store.close()
            raise
        store.notices = notices
        return store

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

    # ------------------------------------------------------------------ writing

    def new_id(self, now: datetime) -> str:
        """Return an id for a new event, greater than that of every event stored."""
        greatest = self.last_id()
        after = greatest if is_event_id(greatest) else None
        return event_id(now, after, os.urandom(ENTROPY_BYTES))

    def last_id(self) -> str:
        """Return the greatest id stored, "" where there is none: whatever is stored from now on has a greater one."""
        with self._reading("Reading your history") as connection:
            return connection.execute("SELECT max(id) FROM events").fetchone()[0] or ""

    def append(self, event: Event) -> Recorded:
        """Make an event durable and bring its card up to date, in one transaction.

        Appending the same event again changes nothing. An attempt is derived from the card as the history
        has it, not from the caller's copy; where that moved on, the promise is made again. Two equal
        answers to the same card in the same moment count once: the first one stands.

        Returns:
            The event as stored, its card after and before it, and whether it was there already.
        """
        with self._writing("Storing your answer") as connection:
            known = self._find(connection, event.id)
            if known is not None:
                return self._again(connection, event.id, known)
            match event:
                case Attempt():
                    return self._append_attempt(connection, event)
                case Retraction() | Rerating():
                    self._insert(connection, event)
                    return self._amend(connection, event)
                case _:
                    late = connection.execute("SELECT 1 FROM events WHERE id > ?", (event.id,)).fetchone()
                    self._insert(connection, event)
                    if isinstance(event, SettingChange) and (late or event.name == "weights"):
                        self._rebuild(connection)
                    return Recorded(event.id, event)

    def undo(self, now: datetime, offset: int, *, attempt: str = "", bank: str = "", until: str = "") -> Undo | None:
        """Take back one attempt that still counts; None where there is none.

        It stays in the history, with a retraction after it. Calling again takes back the one before; it works
        across restarts.

        Args:
            now, offset: when it is taken back.
            attempt: this one, by its id, whatever other programs have stored since; by default the last one.
            bank: by default, the last one of any bank.
            until: the last one up to this event id; what was stored after it is left alone.
        """
        with self._writing("Taking back your answer") as connection:
            counted = list(derive.counted(connection, 1, self._report, attempt=attempt, bank=bank, until=until))
            if not counted:
                return None
            found = counted[0]
            retraction = Retraction(self.new_id(now), now, offset, found.id)
            self._insert(connection, retraction)
            return Undo(retraction, found, self._amend(connection, retraction).card)

    def merge(self, events: Iterable[Event]) -> Merged:
        """Take events from elsewhere in, by their ids and as they are, then derive the cards again: all or nothing."""
        with self._writing("Merging histories") as connection:
            merged = merge(connection, events)
            if merged.added:
                self._rebuild(connection)
            return merged

    def rebuild(self) -> Rebuilt:
        """Derive every card again from the events; the result has the same bytes as the cache should have."""
        with self._writing("Deriving your cards again") as connection:
            return self._rebuild(connection)

    # ------------------------------------------------------------------ reading

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
        """Return the sound events of one kind (`mark`, `setting`), in the order of ids."""
        with self._reading("Reading your history") as connection:
            rows = connection.execute(f"SELECT {EVENT} FROM events WHERE kind = ? ORDER BY id", (kind,)).fetchall()  # noqa: S608
            return tuple(derive.sound(iter(rows), self._report))

    def cards(self, bank: str) -> dict[CardKey, Card]:
        """Return the cards of a bank. One whose cached row is damaged is derived from its events."""
        with self._reading("Reading your cards") as connection:
            found: dict[CardKey, Card] = {}
            for row in connection.execute(f"SELECT {CARD} FROM cards WHERE bank = ?", (bank,)).fetchall():  # noqa: S608
                key = CardKey(*row[:3])
                card = read_cached(row) or derive.derive(connection, key, self._timeline(connection), self._report)[0]
                if card is not None:
                    found[key] = card
            return found

    def settings(self) -> Settings:
        """Return the scheduling settings now in force."""
        with self._reading("Reading your settings") as connection:
            return self._timeline(connection).now

    def attempts_today(self, day: date, bank: str | None = None) -> DoneToday:
        """Return what counts against the limits of a day: cards first seen on it, and other cards answered."""
        with self._reading("Reading your answers of today") as connection:
            rows = connection.execute(
                f"SELECT {EVENT} FROM events WHERE kind = 'attempt' AND day = ?"  # noqa: S608
                " AND (? IS NULL OR bank = ?) AND NOT EXISTS"
                " (SELECT 1 FROM events AS later WHERE later.target = events.id AND later.kind = 'retraction')"
                " ORDER BY id",
                (day.isoformat(), bank, bank),
            ).fetchall()
            first: dict[CardKey, str] = {}
            for event in derive.sound(iter(rows), self._report):
                if isinstance(event, Attempt):
                    first.setdefault(event.card, event.id)
            new = sum(not self._seen_before(connection, key, identity) for key, identity in first.items())
            return DoneToday(new=new, reviews=len(first) - new)

    def recent(self, limit: int = 200, *, bank: str = "") -> tuple[Attempt, ...]:
        """Return the last attempts that count, of one bank or of all, the newest first."""
        with self._reading("Reading your last answers") as connection:
            return tuple(derive.counted(connection, limit, self._report, bank=bank))

    def counts(self) -> Counts:
        """Return what the history holds."""
        with self._reading("Counting your answers") as connection:
            return inspection.counts(connection)

    def integrity(self) -> tuple[str, ...]:
        """Check the whole file: SQLite's own check, and every checksum. Returns what is wrong."""
        with self._reading("Checking your history") as connection:
            return inspection.faults(connection)

    def stale_cards(self) -> int:
        """Count the cards that are not what the events say. It derives all of them: for a check, not for a start."""
        with self._reading("Checking your cards") as connection:
            return inspection.stale_cards(connection)

    # ------------------------------------------------------------------ inside

    def _append_attempt(self, connection: sqlite3.Connection, attempt: Attempt) -> Recorded:
        twin = self._twin(connection, attempt)
        if twin is not None:
            return self._again(connection, attempt.id, twin)
        key = attempt.card
        through_time = self._timeline(connection)
        found = derive.cached(connection, key)
        before, last = found or derive.derive(connection, key, through_time, self._report)
        amended = connection.execute("SELECT 1 FROM events WHERE target = ?", (attempt.id,)).fetchone()
        reweighed = through_time.at(attempt.id).weights != through_time.now.weights
        if attempt.id > last and not amended and not reweighed:
            card = advance(before, attempt, attempt.rating, through_time.at(attempt.id))
            attempt = structs.replace(attempt, promise=Promise(card.due, card.due_day))
            self._insert(connection, attempt)
            derive.write(connection, key, card, attempt.id)
            return Recorded(attempt.id, attempt, card, before)
        # Another process made its id later and stored it sooner, or an amendment came before its attempt.
        self._insert(connection, attempt)
        after, last = derive.derive(connection, key, through_time, self._report)
        derive.write(connection, key, after, last)
        return Recorded(attempt.id, attempt, after, before)

    def _amend(self, connection: sqlite3.Connection, event: Retraction | Rerating) -> Recorded:
        """Derive the card of an amended attempt again; before its attempt is here there is none."""
        target = self._find(connection, event.target)
        if not isinstance(target, Attempt):
            return Recorded(event.id, event)
        through_time = self._timeline(connection)
        card, last = derive.derive(connection, target.card, through_time, self._report)
        derive.write(connection, target.card, card, last)
        return Recorded(event.id, event, card, self._before(connection, target, through_time))

    def _again(self, connection: sqlite3.Connection, asked: str, known: Event) -> Recorded:
        """Answer for an event that is there already, with its card as it stands."""
        target = self._find(connection, known.target) if isinstance(known, (Retraction, Rerating)) else known
        if not isinstance(target, Attempt):
            return Recorded(asked, known, duplicate=True)
        through_time = self._timeline(connection)
        card, _ = derive.derive(connection, target.card, through_time, self._report)
        return Recorded(asked, known, card, self._before(connection, target, through_time), duplicate=True)

    def _before(self, connection: sqlite3.Connection, attempt: Attempt, through_time: Timeline) -> Card | None:
        """Derive the card as it stood before an attempt."""
        earlier = [
            other for other in derive.attempts_of(connection, attempt.card, self._report) if other.id < attempt.id
        ]
        retracted, reratings = derive.amendments_of(connection, attempt.card, self._report)
        return fold(earlier, retracted, reratings, through_time, until=attempt.id)

    def _twin(self, connection: sqlite3.Connection, attempt: Attempt) -> Attempt | None:
        """Return a counted attempt that is the same answer, given in the same moment."""
        around = [instant_text(add_time(attempt.time, span)) for span in (-SAME_MOMENT, SAME_MOMENT)]
        rows = connection.execute(
            f"SELECT {EVENT} FROM events WHERE kind = 'attempt' AND bank = ? AND question = ?"  # noqa: S608
            " AND generation = ? AND time BETWEEN ? AND ? AND NOT EXISTS"
            " (SELECT 1 FROM events AS later WHERE later.target = events.id AND later.kind = 'retraction')",
            (*attempt.card, *around),
        ).fetchall()
        for event in derive.sound(iter(rows), self._report):
            if isinstance(event, Attempt) and same_moment(event, attempt):
                return event
        return None

    def _seen_before(self, connection: sqlite3.Connection, key: CardKey, identity: str) -> bool:
        found = connection.execute(
            "SELECT 1 FROM events WHERE kind = 'attempt' AND bank = ? AND question = ? AND generation = ?"
            " AND id < ? AND NOT EXISTS"
            " (SELECT 1 FROM events AS later WHERE later.target = events.id AND later.kind = 'retraction') LIMIT 1",
            (*key, identity),
        ).fetchone()
        return found is not None

    def _rebuild(self, connection: sqlite3.Connection) -> Rebuilt:
        old = {tuple(row) for row in connection.execute(f"SELECT {CARD} FROM cards")}  # noqa: S608
        connection.execute("DELETE FROM cards")
        met: dict[str, Damaged] = {}

        def report(damaged: Damaged) -> None:
            met[damaged.id] = damaged
            self._report(damaged)

        for key, card, last in list(derive.derive_all(connection, report)):
            derive.write(connection, key, card, last)
        new = {tuple(row) for row in connection.execute(f"SELECT {CARD} FROM cards")}  # noqa: S608
        changed = len({row[:3] for row in old ^ new})
        return Rebuilt(cards=len(new), changed=changed, damaged=tuple(met.values()))

    def _insert(self, connection: sqlite3.Connection, event: Event) -> None:
        connection.execute(f"INSERT INTO events ({EVENT}) VALUES ({EVENT_MARKS})", event_row(event))  # noqa: S608

    def _find(self, connection: sqlite3.Connection, identity: str) -> Event | None:
        row = connection.execute(f"SELECT {EVENT} FROM events WHERE id = ?", (identity,)).fetchone()  # noqa: S608
        return next(derive.sound(iter([row]), self._report), None) if row else None

    def _timeline(self, connection: sqlite3.Connection) -> Timeline:
        return derive.timeline(connection, self._report)

    def _report(self, damaged: Damaged) -> None:
        self._damaged[damaged.id] = damaged

    @contextmanager
    def _reading(self, doing: str) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise translate(error, doing, self.path) from error

    @contextmanager
    def _writing(self, doing: str) -> Iterator[sqlite3.Connection]:
        if self.read_only:
            raise failure("read-only", doing, self.path, "it was opened for reading only")
        with self._reading(doing) as connection:
            if identity(self.path) != self._identity:
                # SQLite would go on writing to a file that nobody finds again. What lies in its log goes into the
                # file before that, wherever it is now: the log keeps the old name and would be left behind.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                raise failure("moved", doing, self.path, "it is no longer the file that was opened")
            with transaction(connection, self._patience):
                yield connection
