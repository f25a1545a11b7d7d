"""One card and its tallies from the events in the file, and the caches that hold them. Called inside a transaction."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from quiz.session.attempt import Attempt
from quiz.session.changes import Names, Rename
from quiz.session.events import SettingChange
from quiz.session.history import Amendments, Counted, Course, Timeline, course
from quiz.statistics.tally import Cell, contributions
from quiz.store import counters
from quiz.store.rows import CARD, CARD_MARKS, EVENT, Damaged, card_row, read_cached, read_event, read_kept

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from quiz.scheduling.cards import Card, CardKey
    from quiz.session.events import Event
    from quiz.statistics.tally import Kept

    Report = Callable[[Damaged], None]

THIS_CARD = "bank = ? AND question = ? AND generation = ?"

#: Events that hold for a whole history: settings through time, and names.
FACTS = "kind IN ('setting', 'rename') AND kind <> 'attempt'"


class Facts(NamedTuple):
    """What holds for a whole history; `seen` is how many events say it, which tells whether one came since."""

    seen: int
    timeline: Timeline
    names: Names


class Traced(NamedTuple):
    """A card from its events: what became of it, from what, and the id of its last answer ("" without one)."""

    course: Course
    attempts: list[Attempt]
    amendments: Amendments
    last: str

    @property
    def card(self) -> Card | None:
        """The card as it stands; None where no answer counts."""
        return self.course.card


def sound(rows: Iterable[tuple[object, ...]], report: Report) -> Iterator[Event]:
    """Yield the events of rows; a damaged one is reported and left out."""
    for row in rows:
        event = read_event(row)
        if isinstance(event, Damaged):
            report(event)
        else:
            yield event


def facts(connection: sqlite3.Connection, known: Facts | None, report: Report) -> Facts:
    """Return what holds for the whole history; what is known already, where nothing came since."""
    (count,) = connection.execute(f"SELECT count(*) FROM events WHERE {FACTS}").fetchone()  # noqa: S608
    if known is not None and known.seen == count:
        return known
    rows = connection.execute(f"SELECT {EVENT} FROM events WHERE {FACTS} ORDER BY id")  # noqa: S608
    events = list(sound(rows, report))
    return Facts(
        count,
        Timeline.of(event for event in events if isinstance(event, SettingChange)),
        Names(event for event in events if isinstance(event, Rename)),
    )


def counted(
    connection: sqlite3.Connection, limit: int, report: Report, *, attempt: str = "", bank: str = "", until: str = ""
) -> Iterator[Attempt]:
    """Yield up to `limit` attempts that count, the newest first, passing over damaged ones; "" asks for any."""
    # By id, whatever the planner thinks: the newest are asked for, and a bank may hold nearly all of them.
    rows = connection.execute(
        f"SELECT {EVENT} FROM events WHERE +kind = 'attempt'"  # noqa: S608
        f" AND {'id = ?1' if attempt else '?1 = ?1'}"
        " AND (?2 = '' OR +bank = ?2) AND (?3 = '' OR id <= ?3) AND NOT EXISTS"
        " (SELECT 1 FROM events AS later WHERE later.target = events.id AND later.kind = 'retraction')"
        " ORDER BY id DESC",
        (attempt, bank, until),
    )
    for event in sound(rows, report):
        if limit <= 0:
            return
        if isinstance(event, Attempt):
            limit -= 1
            yield event


def attempts_of(connection: sqlite3.Connection, key: CardKey, names: Names, report: Report) -> list[Attempt]:
    """Return the attempts on a card, under whatever names they were given, retracted ones too, in the order of ids."""
    found: list[Attempt] = []
    for source in names.sources(key):
        rows = connection.execute(
            f"SELECT {EVENT} FROM events WHERE kind = 'attempt' AND {THIS_CARD}",  # noqa: S608
            source,
        )
        found += [one for one in sound(rows, report) if isinstance(one, Attempt) and names.key(one) == key]
    return sorted(found, key=lambda one: one.id)


def amendments_of(connection: sqlite3.Connection, attempts: Iterable[Attempt], report: Report) -> Amendments:
    """Return what later events say of some attempts."""
    events: list[Event] = []
    for attempt in attempts:
        rows = connection.execute(f"SELECT {EVENT} FROM events WHERE target = ?", (attempt.id,))  # noqa: S608
        events += sound(rows, report)
    return Amendments.of(events)


def trace(connection: sqlite3.Connection, key: CardKey, through: Facts, report: Report) -> Traced:
    """Derive a card from its events, answer by answer."""
    attempts = attempts_of(connection, key, through.names, report)
    amendments = amendments_of(connection, attempts, report)
    told = course(attempts, amendments, through.timeline)
    return Traced(told, attempts, amendments, attempts[-1].id if attempts else "")


class Cached(NamedTuple):
    """A card from the cache: the id of its last attempt, and what it holds of its answers."""

    card: Card
    last: str
    kept: Kept


def cached(connection: sqlite3.Connection, key: CardKey) -> Cached | None:
    """Return the cached card, or None where there is none that is whole."""
    row = connection.execute(f"SELECT {CARD} FROM cards WHERE {THIS_CARD}", key).fetchone()  # noqa: S608
    card = read_cached(row) if row else None
    return Cached(card, row[3], read_kept(row)) if card else None


def write(connection: sqlite3.Connection, key: CardKey, card: Card | None, last_event: str, kept: Kept) -> None:
    """Put a card into the cache with what it holds of its answers, or take it out where no attempt counts."""
    row = connection.execute(f"SELECT {CARD} FROM cards WHERE {THIS_CARD}", key).fetchone()  # noqa: S608
    was = read_cached(row) if row else None
    if row and was is None:
        counters.derive_anew(connection)  # on which day it stood cannot be told
    counters.shift(connection, key.bank, was, card)
    if card is None:
        connection.execute(f"DELETE FROM cards WHERE {THIS_CARD}", key)  # noqa: S608
        connection.execute("DELETE FROM shelves WHERE bank = ?", key[:1])
    else:
        connection.execute(f"DELETE FROM unseen WHERE {THIS_CARD}", key)  # noqa: S608
        connection.execute(
            f"INSERT OR REPLACE INTO cards ({CARD}) VALUES ({CARD_MARKS})",  # noqa: S608
            card_row(key, card, last_event, kept),
        )


def cells(key: CardKey, answers: Iterable[Counted]) -> Counter[Cell]:
    """Return what answers that count for a card add to the tallies of its bank."""
    total: Counter[Cell] = Counter()
    for one in answers:
        attempt = one.attempt if one.attempt.card == key else structs.replace(one.attempt, card=key)
        for cell, count in contributions(attempt, one.before, one.rating).items():
            total[cell] = total.get(cell, 0) + count
    return total


def replace_card(connection: sqlite3.Connection, key: CardKey, before: Traced, after: Traced) -> None:
    """Bring the caches of a card from one course of its answers to another."""
    write(connection, key, after.card, after.last, counters.kept(after.course.counted))
    change = counters.added(key, after.course.counted)
    change.subtract(counters.added(key, before.course.counted))
    counters.add(connection, key.bank, change)


def stands(connection: sqlite3.Connection, names: Names, name: tuple[str, str]) -> bool:
    """Tell whether cards stand under a name, a bank and a question, or marks that no rename has moved."""
    if connection.execute("SELECT 1 FROM cards WHERE bank = ? AND question = ? LIMIT 1", name).fetchone():
        return True
    (last,) = connection.execute(
        "SELECT max(id) FROM events WHERE kind = 'mark' AND kind <> 'attempt' AND bank = ? AND question = ?", name
    ).fetchone()
    return last is not None and names.now(name, last) == name
