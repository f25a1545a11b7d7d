"""The usual answer: what it rests on is looked up while its question is read, and it is written by four statements.

Where anything was stored since, it is looked up again. Whatever is out of the ordinary (a first answer, an event that
is there already, another program's answer in between, an amendment that came before its attempt, weights that changed)
is left to `quiz.store.derive`, which derives the card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from quiz.session.attempt import Promise
from quiz.session.history import SAME_MOMENT, advance
from quiz.session.messages import Recorded
from quiz.statistics.tally import mistakes, of_day, quarter_of
from quiz.store import counters, derive
from quiz.store.connection import snapshot
from quiz.store.rows import CARD, EVENT, EVENT_MARKS, card_row, event_row, read_cached, read_kept

if TYPE_CHECKING:
    import sqlite3

    from quiz.scheduling.cards import Card, CardKey
    from quiz.session.attempt import Attempt
    from quiz.statistics.tally import Kept
    from quiz.store.derive import Facts

#: The greatest id of an event and the greatest that an amendment names, how many facts of the history there are, the
#: counters of the day, and the card.
_LOOK: Final = (
    "SELECT (SELECT max(id) FROM events), (SELECT max(target) FROM events WHERE target IS NOT NULL),"  # noqa: S608
    f" (SELECT count(*) FROM events WHERE {derive.FACTS}),"
    f" (SELECT cells FROM days WHERE bank = ?1 AND day = ?4), {CARD}"
    " FROM cards WHERE bank = ?1 AND question = ?2 AND generation = ?3"
)
_INSERT: Final = f"INSERT INTO events ({EVENT}) VALUES ({EVENT_MARKS})"  # noqa: S608
_KEYS: Final = 3
_CARD: Final = 4
_SET: Final = ", ".join(f"{name.strip()} = ?" for name in CARD.split(",")[_KEYS:])
_UPDATE: Final = f"UPDATE cards SET {_SET} WHERE {derive.THIS_CARD}"  # noqa: S608


class Looked(NamedTuple):
    """What an answer to a card on a day rests on, as one state of the history has it.

    Attributes:
        state: as `state_of` tells it.
        key, day: of which card, and of which day, by its ordinal.
        greatest: the greatest id of an event.
        amended: the greatest id that an amendment names; "" where there is none.
        seen: how many events hold for the whole history.
        cells: the counters of the day, as they are stored.
        loads: of the days, as they are stored.
        card, kept: the card, None where it is damaged, and what it holds of its answers.
    """

    state: tuple[int, int]
    key: CardKey
    day: int
    greatest: str
    amended: str
    seen: int
    cells: object
    loads: dict[int, bytes]
    card: Card | None
    kept: Kept


def state_of(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return what changes with whatever is stored: what other connections have stored, and what this one has."""
    return connection.execute("PRAGMA data_version").fetchone()[0], connection.total_changes


def look(connection: sqlite3.Connection, key: CardKey, day: int) -> Looked | None:
    """Look up what an answer to a card rests on, on a day by its ordinal; None where there is no such card."""
    with snapshot(connection):
        state = state_of(connection)
        row = connection.execute(_LOOK, (*key, day)).fetchone()
        if row is None:
            return None
        greatest, amended, seen, cells, *columns = row
        loads = counters.rows_of_loads(connection, key.bank)
    return Looked(
        *(state, key, day, greatest or "", amended or "", seen, cells, loads),
        read_cached(tuple(columns)),
        read_kept(tuple(columns)),
    )


def append(
    connection: sqlite3.Connection, attempt: Attempt, through: Facts, looked: Looked | None = None
) -> Recorded | None:
    """Store an answer inside a transaction, with all that follows from it; None where it is not the usual one.

    Args:
        connection: in a transaction.
        attempt: the answer.
        through: what is known to hold for the whole history; where more is known by now, the answer is not usual.
        looked: what was looked up before, which counts where nothing was stored since.
    """
    key = through.names.key(attempt)
    day = attempt.day.toordinal()
    if looked is None or looked.key != key or looked.day != day or looked.state != state_of(connection):
        looked = look(connection, key, day)
    if looked is None or looked.card is None or looked.seen != through.seen:
        return None
    before, settings = looked.card, through.timeline.at(attempt.id)
    if (
        attempt.id <= looked.greatest
        or attempt.id <= looked.amended
        or attempt.time - before.last <= SAME_MOMENT
        or settings.weights != through.timeline.now.weights
    ):
        return None
    card = advance(before, attempt, attempt.rating, settings)
    promise = Promise(card.due, card.due_day)
    if attempt.promise != promise:
        attempt = structs.replace(attempt, promise=promise)
    connection.execute(_INSERT, event_row(attempt))
    kept = looked.kept.after(attempt, before, attempt.rating)
    connection.execute(_UPDATE, (*card_row(key, card, attempt.id, kept)[_KEYS:], *key))
    counters.shift(connection, key.bank, before, card, looked.loads)
    counters.add_day(connection, key.bank, day, looked.cells, of_day(attempt, before, attempt.rating))
    if made := mistakes(attempt):
        quarter = quarter_of(attempt.day)
        more = [((what, which, key.question, quarter), 1) for what, which in made]
        counters.add_mistakes(connection, key.bank, more)
    return Recorded(attempt.id, attempt, card, before, settings=settings)
