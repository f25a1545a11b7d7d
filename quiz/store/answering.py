"""The usual answer: a card that is known, answered by one program, is looked up by one statement and written by four.

Whatever is out of the ordinary (a first answer, an event that is there already, another program's answer in between,
an amendment that came before its attempt, weights that changed) is left to `quiz.store.derive`, which derives the card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import structs

from quiz.scheduling.balance import BLOCK
from quiz.session.attempt import Promise
from quiz.session.history import SAME_MOMENT, advance
from quiz.session.messages import Recorded
from quiz.statistics.tally import mistakes, of_day, quarter_of
from quiz.store import counters, derive
from quiz.store.rows import CARD, EVENT, EVENT_MARKS, card_row, event_row, read_cached, read_kept

if TYPE_CHECKING:
    import sqlite3

    from quiz.session.attempt import Attempt
    from quiz.store.derive import Facts

#: Whether the event is here, whether an amendment of it is, how many facts of the history there are, the counters of
#: the day, the loads around the day on which the card was due and around the promised one, and the card.
_LOOK: Final = (
    f"SELECT EXISTS (SELECT 1 FROM events WHERE id = ?1), EXISTS (SELECT 1 FROM events WHERE target = ?1),"  # noqa: S608
    f" (SELECT count(*) FROM events WHERE {derive.FACTS}),"
    f" (SELECT cells FROM days WHERE bank = ?2 AND day = ?5),"
    f" (SELECT counts FROM loads WHERE bank = ?2 AND block = due_day / {BLOCK}),"
    f" (SELECT counts FROM loads WHERE bank = ?2 AND block = ?6), {CARD}"
    " FROM cards WHERE bank = ?2 AND question = ?3 AND generation = ?4"
)
_INSERT: Final = f"INSERT INTO events ({EVENT}) VALUES ({EVENT_MARKS})"  # noqa: S608
_KEYS: Final = 3
_CARD: Final = 6
_SET: Final = ", ".join(f"{name.strip()} = ?" for name in CARD.split(",")[_KEYS:])
_UPDATE: Final = f"UPDATE cards SET {_SET} WHERE {derive.THIS_CARD}"  # noqa: S608


def append(connection: sqlite3.Connection, attempt: Attempt, through: Facts) -> Recorded | None:
    """Store an answer inside a transaction, with all that follows from it; None where it is not the usual one.

    Args:
        connection: in a transaction.
        attempt: the answer.
        through: what is known to hold for the whole history; where more is known by now, the answer is not usual.
    """
    key = through.names.key(attempt)
    day = attempt.day.toordinal()
    promised = attempt.promise.day.toordinal() // BLOCK
    row = connection.execute(_LOOK, (attempt.id, *key, day, promised)).fetchone()
    if row is None or row[0] or row[1] or row[2] != through.seen:
        return None
    before, last = read_cached(row[_CARD:]), row[_CARD + _KEYS]
    settings = through.timeline.at(attempt.id)
    if (
        before is None
        or attempt.id <= last
        or attempt.time - before.last <= SAME_MOMENT
        or settings.weights != through.timeline.now.weights
    ):
        return None
    card = advance(before, attempt, attempt.rating, settings)
    promise = Promise(card.due, card.due_day)
    if attempt.promise != promise:
        attempt = structs.replace(attempt, promise=promise)
    connection.execute(_INSERT, event_row(attempt))
    kept = read_kept(row[_CARD:]).after(attempt, before, attempt.rating)
    connection.execute(_UPDATE, (*card_row(key, card, attempt.id, kept)[_KEYS:], *key))
    loads = {before.due_day.toordinal() // BLOCK: row[_CARD - 2], promised: row[_CARD - 1]}
    counters.shift(connection, key.bank, before, card, loads)
    counters.add_day(connection, key.bank, day, row[_CARD - 3], of_day(attempt, before, attempt.rating))
    if made := mistakes(attempt):
        quarter = quarter_of(attempt.day)
        more = [((what, which, key.question, quarter), 1) for what, which in made]
        counters.add_mistakes(connection, key.bank, more)
    return Recorded(attempt.id, attempt, card, before, settings=settings)
