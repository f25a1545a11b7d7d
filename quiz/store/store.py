"""The history file: append events, and keep the cards and tallies beside them."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import structs

from quiz.scheduling.cards import Card, CardKey
from quiz.session.attempt import ENTROPY_BYTES, Attempt, Promise, event_id, is_event_id
from quiz.session.changes import Regrade, Rename
from quiz.session.events import Rerating, Retraction, SettingChange
from quiz.session.history import SAME_MOMENT, Counted, advance, fold, same_moment
from quiz.session.messages import Recorded
from quiz.store import answering, counters, derive
from quiz.store.begin import warning
from quiz.store.connection import connect, snapshot, transaction
from quiz.store.daily import local_day
from quiz.store.errors import StoreError, from_os
from quiz.store.merging import Merged, merge
from quiz.store.rebuild import rebuild
from quiz.store.rows import EVENT, EVENT_MARKS, Damaged, event_row
from quiz.store.schema import is_derived, mark_derived
from quiz.store.writing import Writer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Container, Iterable, Mapping
    from datetime import date, datetime
    from pathlib import Path

    from quiz.session.events import Event
    from quiz.session.messages import Reoffered
    from quiz.store.derive import Facts

#: Seconds that an answer waits for another program before it gives up.
PATIENCE: Final = 10.0

#: What is being done, where it is no answer that is stored.
_STORING: Final = {
    "setting": "Storing your setting",
    "mark": "Storing your mark",
    "drill": "Storing what you predicted",
}

Amendment = Retraction | Rerating | Regrade


class Undo(msgspec.Struct, frozen=True):
    """What an undo did: the retraction, the attempt it took back, the card as it stands now."""

    retraction: Retraction
    attempt: Attempt
    card: Card | None


class Rebuilt(msgspec.Struct, frozen=True):
    """What a rebuild did: cards derived, cards and tallies that differed from the cache, events that are damaged."""

    cards: int
    changed: int
    damaged: tuple[Damaged, ...]
    tallies: int = 0


def _first(
    keys: Iterable[tuple[str, str, int]], among: Container[tuple[str, str, int]] | None, most: int | None
) -> list[tuple[str, str, int]]:
    """Return the first ones of those that are wanted."""
    return list(islice((key for key in keys if among is None or key in among), most))


class Store(Writer):
    """One history file. Every method raises `StoreError` where the file cannot be used.

    It may be used from several threads (one at a time goes through) and beside other processes.
    """

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

        With `backup` the first opening of a day backs the history up, and on a later day the first write while it is
        open; `today` is the day of the opening, by default the local one.

        Raises:
            StoreError: kind `read-only`, `corrupt`, `lost`, `not-a-database`, `newer`, `network`, `locked`, `full`,
                or `missing` (read-only and not there).
        """
        try:
            notices = warning(path)
            if notices and not read_only:
                path.chmod(0o600)  # an empty file that stands there becomes a history, which is its owner's only
            connection = connect(path, read_only=read_only, patience=patience)
        except OSError as error:  # the folder cannot even be looked into
            raise from_os(error, "Opening your history", path) from error
        store = cls(connection, path, read_only=read_only, patience=patience)
        store.notices = notices
        try:
            if backup and not read_only:
                with store._reading("Backing up your history"):
                    store._back_up(connection, today or local_day())
            store._bring_up_to_date()
        except BaseException:
            store.close()
            raise
        return store

    def _bring_up_to_date(self) -> None:
        """Derive the caches where an older program left them, or where they are read from a copy in memory."""
        with self._reading("Opening your history") as connection:
            in_memory = self.read_only and connection.execute("PRAGMA database_list").fetchone()[2] == ""
            if (self.read_only and not in_memory) or is_derived(connection):
                return
            with transaction(connection, self._patience):
                if not is_derived(connection):
                    self._rebuild(connection)

    # ------------------------------------------------------------------ writing

    def new_id(self, now: datetime) -> str:
        """Return an id for a new event, greater than that of every event stored."""
        greatest = self.last_id()
        after = greatest if is_event_id(greatest) else None
        return event_id(now, after, os.urandom(ENTROPY_BYTES))

    def append(self, event: Event) -> Recorded:
        """Make an event durable and bring its card up to date, in one transaction.

        Appending the same event again changes nothing. An attempt is derived from the card as the history
        has it, not from the caller's copy; where that moved on, the promise is made again. Two equal
        answers to the same card in the same moment count once: the first one stands.

        Returns:
            The event as stored, its card after and before it, and whether it was there already.
        """
        with self._writing(_STORING.get(event.kind, "Storing your answer")) as connection:
            if isinstance(event, Attempt):
                usual = answering.append(connection, event, self._known or self._facts(connection), self._looked)
                if usual is not None:
                    return usual
            known = self._find(connection, event.id)
            if known is not None:
                return self._again(connection, event.id, known)
            match event:
                case Attempt():
                    return self._append_attempt(connection, event)
                case Retraction() | Rerating() | Regrade():
                    return self._amend(connection, event)
                case Rename():
                    self._rename(connection, event)
                case SettingChange():
                    late = connection.execute("SELECT 1 FROM events WHERE id > ? LIMIT 1", (event.id,)).fetchone()
                    self._insert(connection, event)
                    if late or event.name == "weights":
                        self._rebuild(connection)
                case _:
                    self._insert(connection, event)
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
            return Undo(retraction, found, self._amend(connection, retraction).card)

    def follow(self, bank: str, renamed: Mapping[str, str], now: datetime, offset: int) -> tuple[Rename, ...]:
        """Record that questions have other names now, where answers or marks still stand under the old ones.

        Args:
            bank: its id.
            renamed: the new name by the old one.
            now, offset: when it is recorded.

        Returns:
            The renames that were recorded: none of what is recorded already.
        """
        with self._reading("Reading your history") as connection:
            names = self._facts(connection).names
            wanted = [(old, new) for old, new in renamed.items() if derive.stands(connection, names, (bank, old))]
        if not wanted:
            return ()
        made = []
        with self._writing("Recording new names of questions") as connection:
            for old, new in wanted:
                if derive.stands(connection, self._facts(connection).names, (bank, old)):
                    made.append(Rename(self.new_id(now), now, offset, bank, old, bank, new))
                    self._rename(connection, made[-1])
        return tuple(made)

    def reoffered(self, attempt: Attempt) -> Reoffered | None:
        """Return an answer as it stands, with what each rating of it would leave; None where it was taken back."""
        from quiz.session.reoffering import reoffered

        with self._reading("Reading your answers") as connection, snapshot(connection):
            through = self._facts(connection)
            key = through.names.key(attempt)
            _, attempts, amendments, _ = derive.trace(connection, key, through, self._report)
            return reoffered(attempt, attempts, amendments, through.timeline, counters.load(connection, key.bank))

    def unseen(
        self,
        bank: str,
        keys: Collection[CardKey],
        mark: str,
        *,
        among: Container[tuple[str, str, int]] | None = None,
        most: int | None = None,
    ) -> list[tuple[str, str, int]]:
        """Return which questions of a bank have no card, in the order of `keys`.

        What was found is kept with the mark and brought up to date with each answer, so that a bank that did not change
        is not looked through again.

        Args:
            bank: its id.
            keys: of all its questions, in the order in which they are to be asked.
            mark: a text that is another one where the keys, or their order, are others.
            among: only these; by default all.
            most: the first so many; by default all.
        """
        with self._reading("Reading your cards") as connection:
            row = connection.execute("SELECT mark FROM shelves WHERE bank = ?", (bank,)).fetchone()
            if row is not None and row[0] == mark:
                rows = connection.execute(
                    "SELECT bank, question, generation FROM unseen WHERE bank = ? ORDER BY place", (bank,)
                )
                return _first(rows, among, most)
            if self.read_only:
                return _first(self._lacking(bank, keys), among, most)
        try:
            with self._writing("Looking the questions through") as connection:
                lacking = self._lacking(bank, keys)
                connection.execute("DELETE FROM unseen WHERE bank = ?", (bank,))
                connection.executemany(
                    "INSERT INTO unseen (bank, question, generation, place) VALUES (?, ?, ?, ?)",
                    [(*key, place) for place, key in enumerate(lacking)],
                )
                connection.execute("INSERT OR REPLACE INTO shelves (bank, mark) VALUES (?, ?)", (bank, mark))
        except StoreError as error:
            if error.kind not in ("full", "locked"):
                raise
            lacking = self._lacking(bank, keys)  # to be kept another time: asking goes on
        return _first(lacking, among, most)

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

    # ------------------------------------------------------------------ inside

    def _lacking(self, bank: str, keys: Collection[CardKey]) -> list[tuple[str, str, int]]:
        known = self.known(bank)
        return [key for key in keys if key not in known]

    def _append_attempt(self, connection: sqlite3.Connection, attempt: Attempt) -> Recorded:
        through = self._facts(connection)
        key = through.names.key(attempt)
        found = derive.cached(connection, key)
        # No twin where every answer to this card is older by more than a moment.
        if found is None or attempt.time - found.card.last <= SAME_MOMENT:
            twin = self._twin(connection, attempt, through)
            if twin is not None:
                return self._again(connection, attempt.id, twin)
        amended = connection.execute("SELECT 1 FROM events WHERE target = ?", (attempt.id,)).fetchone()
        if found is None:
            traced = derive.trace(connection, key, through, self._report)
            before, last, kept = traced.card, traced.last, counters.kept(traced.course.counted)
        else:
            before, last, kept = found
        reweighed = through.timeline.at(attempt.id).weights != through.timeline.now.weights
        if attempt.id > last and not amended and not reweighed:
            settings = through.timeline.at(attempt.id)
            card = advance(before, attempt, attempt.rating, settings)
            attempt = structs.replace(attempt, promise=Promise(card.due, card.due_day))
            self._insert(connection, attempt)
            counted = Counted(attempt, before, card, attempt.rating)
            derive.write(connection, key, card, attempt.id, kept.after(attempt, before, attempt.rating))
            counters.add(connection, key.bank, counters.added(key, [counted]))
            return Recorded(attempt.id, attempt, card, before, settings=settings)
        # Another process made its id later and stored it sooner, or an amendment came before its attempt.
        self._change(connection, (key,), through, attempt)
        return self._recorded(connection, attempt.id, attempt, attempt)

    def _amend(self, connection: sqlite3.Connection, event: Amendment) -> Recorded:
        """Store an amendment and derive the card of its attempt again; before that is here there is none."""
        target = self._find(connection, event.target)
        if not isinstance(target, Attempt):
            self._insert(connection, event)
            return Recorded(event.id, event)
        through = self._facts(connection)
        self._change(connection, (through.names.key(target),), through, event)
        return self._recorded(connection, event.id, event, target)

    def _rename(self, connection: sqlite3.Connection, event: Rename) -> None:
        """Store a rename and derive the cards of every name that is linked with it."""
        through = self._facts(connection)
        touched = {*through.names.touched, (event.bank, event.question), (event.to_bank, event.to_question)}
        generations = {
            generation
            for bank, question in touched
            for (generation,) in connection.execute(
                "SELECT DISTINCT generation FROM events WHERE kind = 'attempt' AND question = ? AND bank = ?",
                (question, bank),
            )
        }
        keys = tuple(CardKey(*name, one) for name in sorted(touched) for one in sorted(generations))
        self._change(connection, keys, through, event)

    def _change(self, connection: sqlite3.Connection, keys: tuple[CardKey, ...], through: Facts, event: Event) -> None:
        """Store an event and bring the caches of the cards that it touches up to date."""
        before = [derive.trace(connection, key, through, self._report) for key in keys]
        self._insert(connection, event)
        through = self._facts(connection)
        for key, was in zip(keys, before, strict=True):
            derive.replace_card(connection, key, was, derive.trace(connection, key, through, self._report))

    def _again(self, connection: sqlite3.Connection, asked: str, known: Event) -> Recorded:
        """Answer for an event that is there already, with its card as it stands."""
        target: Event | None = known
        if isinstance(known, (Retraction, Rerating, Regrade)):
            target = self._find(connection, known.target)
        if not isinstance(target, Attempt):
            return Recorded(asked, known, duplicate=True)
        return structs.replace(self._recorded(connection, asked, known, target), duplicate=True)

    def _recorded(self, connection: sqlite3.Connection, asked: str, event: Event, target: Attempt) -> Recorded:
        """Tell of an event: the card of its attempt as it stands, and as it stood before the attempt."""
        through = self._facts(connection)
        traced = derive.trace(connection, through.names.key(target), through, self._report)
        earlier = [one for one in traced.attempts if one.id < target.id]
        before = fold(earlier, traced.amendments, through.timeline, until=target.id)
        return Recorded(asked, event, traced.card, before, settings=through.timeline.at(target.id))

    def _twin(self, connection: sqlite3.Connection, attempt: Attempt, through: Facts) -> Attempt | None:
        """Return a counted attempt that is the same answer, given in the same moment."""
        for other in derive.attempts_of(connection, attempt.card, through.names, self._report):
            if same_moment(other, attempt):
                amendments = derive.amendments_of(connection, [other], self._report)
                if other.id not in amendments.retracted:
                    return other
        return None

    def _rebuild(self, connection: sqlite3.Connection) -> Rebuilt:
        met: dict[str, Damaged] = {}

        def report(damaged: Damaged) -> None:
            met[damaged.id] = damaged
            self._report(damaged)

        found = rebuild(connection, self._facts(connection), report)
        mark_derived(connection)
        return Rebuilt(found.cards, len(found.stale_keys), tuple(met.values()), found.stale_tallies)

    def _insert(self, connection: sqlite3.Connection, event: Event) -> None:
        connection.execute(f"INSERT INTO events ({EVENT}) VALUES ({EVENT_MARKS})", event_row(event))  # noqa: S608

    def _find(self, connection: sqlite3.Connection, identity: str) -> Event | None:
        row = connection.execute(f"SELECT {EVENT} FROM events WHERE id = ?", (identity,)).fetchone()  # noqa: S608
        return next(derive.sound([row], self._report), None) if row else None
