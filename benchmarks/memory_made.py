"""A learner of three years for the benchmark: what was answered when, as our history and for Anki's collection.

Each question is met on some day, and answered on every day on which it is due until yesterday; one answer in seven is
wrong. So the reviews that are due today are about as many as on any day before.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.authoring.exchange.as_anki import BACK, FIELDS, FRONT
from quiz.authoring.exchange.as_html import blocks_html
from quiz.authoring.exchange.drawn import draw
from quiz.authoring.exchange.page import asked, solved
from quiz.authoring.exchange.style import CARD
from quiz.bank import library
from quiz.scheduling.cards import Card, CardKey, review
from quiz.scheduling.queue import Entry
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import Settings
from quiz.session.attempt import Attempt, Promise, Response, Shown, event_id
from quiz.store import Store
from quiz.store.rows import EVENT, EVENT_MARKS, event_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.bank.library import Bank

BANK: Final = "shardwise"
DAYS: Final = 3 * 365
#: Courses that are simulated; every card follows one of them.
_COURSES: Final = 2_000
_TOPICS: Final = 14
_BATCH: Final = 5_000
_OPTIONS: Final = ("fsdp-one-node", "zero1-tp8", "ddp", "pp8-1f1b")
_SLIPS: Final = ("one-node", "no-master", "gib-for-gb")
_NOTES: Final = [["question", "topic", "question", "answer"]]


class Answer(NamedTuple):
    """One answer: its rating, and the card after it."""

    rating: Rating
    card: Card


def key_of(number: int) -> CardKey:
    """The card of a question by its number."""
    return CardKey(BANK, f"memory-budget-{number:06d}")


def opened(cache: Path) -> Bank:
    """The bank that comes with the program, its questions compiled into `cache`."""
    return library.open_bank(Path(__file__).parents[1] / "questions", cache, bundled=True)


def questions(cards: int) -> list[Entry]:
    """The bank: a question for each card, and one in twenty more that were never asked."""
    return [
        Entry(key_of(number), f"topic-{number % _TOPICS:02d}", (), 1 + number % 5)
        for number in range(cards + cards // 20)
    ]


def courses(cards: int, reviews: int) -> Iterator[list[Answer]]:
    """Yield what became of each card; together they have `reviews` answers, or nearly."""
    chance, today = random.Random(11), datetime.now(UTC).date()  # noqa: S311 - a sample, not a secret
    made = sorted((_course(chance, number, today) for number in range(_COURSES)), key=len)
    wanted = reviews / cards
    while sum(map(len, made)) > wanted * len(made):  # the longest ones go until the mean is right
        made.pop()
    while sum(map(len, made)) < wanted * len(made):
        made.pop(0)
    chance.shuffle(made)
    for number in range(cards):
        yield made[number % len(made)]


def _course(chance: random.Random, number: int, today: date) -> list[Answer]:
    settings, card, answers = Settings(), None, []
    day = today - timedelta(days=chance.randrange(1, DAYS))
    while day < today:
        rating = Rating(chance.choices((1, 2, 3, 4), (14, 12, 64, 10))[0])
        at = datetime.combine(day, time(chance.randrange(7, 22), chance.randrange(60), chance.randrange(60)), UTC)
        if card is not None:
            at = max(at, card.last + timedelta(seconds=61), card.due if card.is_learning else at)
        card = review(card, rating, at, 0, settings=settings, seed=str(number)).card
        answers.append(Answer(rating, card))
        day = card.due_day
    return answers


def ours(path: Path, cards: int, reviews: int) -> int:
    """Write the history: its events in one bulk, by id, and the caches derived from them. Returns the answers."""
    chance, count = random.Random(12), 0  # noqa: S311 - a sample, not a secret
    with Store.open(path, backup=False) as store:
        connection = store._connection  # noqa: SLF001 - a million answers one by one would take an hour
        names = ", ".join(f"c{number}" for number in range(EVENT.count(",") + 1))
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"CREATE TEMP TABLE bulk ({names})")
        rows = []
        for number, course in enumerate(courses(cards, reviews)):
            rows += [event_row(_attempt(chance, number, answer)) for answer in course]
            if len(rows) >= _BATCH or number == cards - 1:
                connection.executemany(f"INSERT INTO bulk VALUES ({EVENT_MARKS})", rows)  # noqa: S608
                count += len(rows)
                rows.clear()
        connection.execute(f"INSERT INTO events ({EVENT}) SELECT {names} FROM bulk ORDER BY c0")  # noqa: S608
        connection.execute("DROP TABLE bulk")
        connection.execute("COMMIT")
        connection.execute("PRAGMA synchronous = FULL")
        store.rebuild()
    return count


def _attempt(chance: random.Random, number: int, answer: Answer) -> Attempt:
    nodes, size = chance.choice((2, 4, 8, 16)), chance.choice((7, 13, 34, 70, 123, 405))
    right = answer.rating is not Rating.AGAIN
    at = answer.card.last + timedelta(microseconds=chance.randrange(1_000_000))
    return Attempt(
        id=event_id(at, None, chance.randbytes(10)),
        time=at,
        offset=0,
        day=answer.card.last_day,
        card=key_of(number),
        shown=Shown(
            meaning=f"{chance.getrandbits(64):016x}",
            variant={"cluster.nodes": str(nodes), "model.parameters": str(size * 10**9)},
            options=tuple(chance.sample(_OPTIONS, 4)),
            key=(_OPTIONS[0],),
            figures={name: f"{chance.randrange(10, 9_999):,} GB" for name in _OPTIONS},
        ),
        response=Response(chosen=(_OPTIONS[0] if right else chance.choice(_OPTIONS[1:]),)),
        verdict="correct" if right else "incorrect",
        rating=answer.rating,
        promise=Promise(answer.card.due, answer.card.due_day),
        duration_ms=chance.randrange(4_000, 90_000),
        slip=None if right else chance.choice(_SLIPS),
        confidence=chance.choice((25, 50, 75, 95)),
    )


def for_anki(cards: int, reviews: int, bank: Bank, *, short: bool = False) -> Iterator[str]:
    """Yield lines for `memory_anki.py`: what the notes say, then a card a line, first those that were answered.

    Args:
        cards, reviews: as of `ours`.
        bank: the notes hold what the exporter writes of its questions, again and again.
        short: they hold a word each instead.
    """
    settings, today = Settings(), datetime.now(UTC).date()
    notes = _NOTES if short else _notes(bank)
    made = {"fields": FIELDS, "front": FRONT, "back": BACK, "css": CARD, "notes": notes}
    yield json.dumps(made | {"new": settings.new_per_day, "reviews": settings.reviews_per_day})
    for course in courses(cards, reviews):
        answers = [
            (
                int(rating),
                int(card.last.timestamp() * 1000),
                (card.due_day - card.last_day).days,
                card.stability,
                card.difficulty,
                card.lapses,
            )
            for rating, card in course
        ]
        yield json.dumps({"due": (course[-1].card.due_day - today).days, "answers": answers})
    for _ in range(cards // 20):
        yield json.dumps({"answers": []})


def _notes(bank: Bank) -> list[list[str]]:
    sheet = draw(bank, [entry.id for entry in bank.index])
    return [
        [one.question.id, one.question.topic, blocks_html(asked(one)), blocks_html(solved(one))]
        for one in sheet.questions
    ]
