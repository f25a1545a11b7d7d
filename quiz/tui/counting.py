"""From a bank and a history to the report: what the figures are made from, and the bank's words for mistakes."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from itertools import compress
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from msgspec import structs

from quiz.statistics.given import Asked, ByDay, Given, Mistaken
from quiz.statistics.mistakes import CLAIM, EDIT
from quiz.statistics.report import Report
from quiz.statistics.report import report as figures
from quiz.statistics.standing import DECAY
from quiz.tui.ports import Trouble

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterator
    from datetime import date

    from quiz.bank.rendered import Rendered
    from quiz.scheduling.calendar import Moment
    from quiz.statistics.mistakes import Missed, Slip
    from quiz.statistics.standing import Standing
    from quiz.statistics.tally import Cell
    from quiz.store import Store
    from quiz.tui.needs import BankLike

#: For so many of the most frequent mistakes the bank is asked what it says to them; each is a question to read.
TOLD: Final = 10

#: In so many of its questions a mistake that none of them names is looked for among the named factors.
_TRIED: Final = 3

#: What the figures need of a question of the bank, in the order of `Asked`.
_ASKED: Final = attrgetter("id", "topic", "kind", "title")

_RECALL: Final = "recall "

_EDITED: Final = "The formula was one step off: a factor, a term or a letter. Write it down before you put numbers in."


def report(bank: BankLike, store: Store, at: Moment, topic: str = "", since: date | None = None) -> Report:
    """What the history amounts to on a day. Raises Trouble."""
    with _uncollected():
        return _report(bank, store, at, topic, since)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Hold the collector of cycles back: figures make none, and it would go through all questions again and again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _report(bank: BankLike, store: Store, at: Moment, topic: str, since: date | None) -> Report:
    from quiz.session import marks
    from quiz.session.events import Mark
    from quiz.store import StoreError

    # What is retired is in no figure of what there is, is due or is to be gone over; its past answers count.
    index = [entry for entry in bank.index if not entry.deprecated]
    names: dict[str, str] = {}
    # One text a topic, or each of the questions would bring another one into the processor's cache.
    topic_of = {entry.id: names.setdefault(entry.topic, entry.topic) for entry in index}
    generations = {entry.id: entry.generation for entry in index if entry.generation}
    try:
        settings = store.settings()
        said = [event for event in store.of_kind("mark") if isinstance(event, Mark)]
        resting = marks.resting(marks.of(said, bank.id), at.day)
        decay = settings.weights[-1] if settings.weights else DECAY
        stock = None
        cards: list[Standing] = []
        mistaken: Mistaken = {}
        by_day: ByDay = {}
        if topic:
            questions = [entry for entry in index if entry.topic == topic]
            topics = {topic}
            answered = {entry.id for entry in bank.index if entry.topic == topic}
            cells: Collection[tuple[Cell, int]] = store.tallies_of(bank.id, answered).items()
            # What has left the bank has left its topics too: it is set aside of the whole, and of no topic.
            kept = {one.id: one.generation for one in questions}
            cards = [card for card in store.standings(bank.id) if kept.get(card.question) == card.generation]
        else:
            cells, by_day = store.day_sums(bank.id, at.day, since)
            stock = store.stock(bank.id, topic_of, at.day, decay=decay, resting=resting, generations=generations)
            topics = set(stock.topics)
            claims = [entry for entry in index if entry.kind == CLAIM]
            asked = {one.id for one in claims}
            leeches = {card.question for card in stock.leeches} - asked
            questions = [*claims, *compress(index, map(leeches.__contains__, topic_of))] if leeches else claims
            chosen = store.mistakes(bank.id, "chose", since, asked) if asked else {}
            mistaken = {"slip": store.mistakes(bank.id, "slip", since), "chose": chosen}
        reviews = _reviews(store, bank.id, at.day) if topic or since else None
    except StoreError as error:
        raise Trouble(str(error), error.code) from error
    made = figures(
        Given(
            today=at.day,
            questions=tuple(Asked._make(_ASKED(entry)) for entry in questions),
            cells=cells,
            by_day=by_day,
            mistakes=mistaken,
            stock=stock,
            reviews=reviews,
            cards=cards,
            since=since,
            topic=topic,
            targets={name: settings.target(name, at.day) for name in topics},
            target=settings.target(topic, at.day),
            new_per_day=settings.new_per_day,
            interview=settings.interview_date,
            resting=resting,
            decay=decay,
        )
    )
    return _worded(made, bank, {entry.id for entry in bank.index} if made.mistakes.slips else topic_of)


def _reviews(store: Store, bank: str, today: date) -> int:
    """How many tests of memory the whole history holds."""
    cells, by_day = store.day_sums(bank, today, None)
    found = sum(count for cell, count in cells if cell.key.startswith(_RECALL))
    return found + sum(sum(counts.values()) for key, counts in by_day.items() if key.startswith(_RECALL))


def _worded(made: Report, bank: BankLike, known: Container[str]) -> Report:
    """The report with what the bank says to the most frequent mistakes, as far as it still has their questions."""
    found = made.mistakes
    slips = tuple(_slip(slip, bank, known) if place < TOLD else slip for place, slip in enumerate(found.slips))
    flags = tuple(_flag(flag, bank) if place < TOLD else flag for place, flag in enumerate(found.flags))
    return structs.replace(made, mistakes=structs.replace(found, slips=slips, flags=flags))


def _slip(slip: Slip, bank: BankLike, known: Container[str]) -> Slip:
    """A slip with the words of the question in which it was made most, or with those of the named factors."""
    if slip.id == EDIT:
        return structs.replace(slip, says=_EDITED)
    asked = [question.id for question in slip.questions if question.id in known]  # those with most of it first
    said = next((own for name in asked if (own := _own(bank.question(name), slip.id))), "")
    if not said:  # a named factor is one of each question in which it was recognised
        said = next((text for name in asked[:_TRIED] if (text := _factor(bank.question(name), slip.id))), "")
    return structs.replace(slip, says=said) if said else slip


def _own(question: Rendered, slip: str) -> str:
    """What a question says to a slip of its own; "" where it is none."""
    option = next((option for option in question.options if option.slip == slip), None)
    if option is not None:
        return option.reasoning
    parts = [part for part in (question.numeric, *question.parts) if part is not None]
    return next((one.says for part in parts for one in part.slips if one.id == slip), "")


def _factor(question: Rendered, slip: str) -> str:
    """What is said to a slip that is a named factor; "" where it is none."""
    parts = [part for part in (question.numeric, *question.parts) if part is not None]
    if not parts:
        return ""
    from quiz.grading.factors import factor_candidates, other_prefix_candidates
    from quiz.grading.target import target_of

    target = target_of(parts[0])
    candidates = (*factor_candidates(target), *other_prefix_candidates(target))
    return next((one.text for one in candidates if one.id == slip), "")


def _flag(flag: Missed, bank: BankLike) -> Missed:
    """A claim that was let pass, with the first red flag of its question and what to say instead."""
    flags = bank.question(flag.question).red_flags
    return structs.replace(flag, flag=flags[0].says, instead=flags[0].instead) if flags else flag
