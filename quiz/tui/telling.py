"""What a session says, as values for the screens: a question, a stored answer, what is waited for, the end. Pure."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Final

from quiz.tui import when
from quiz.tui.ports import Answer, Back, Choice, Ended, Given, Mark, Result, Turn, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.cards import Card, CardKey
    from quiz.scheduling.queue import Entry
    from quiz.session.attempt import Attempt
    from quiz.session.messages import Ask, Cause, ShowReveal, Summary, Wait
    from quiz.session.practice import State
    from quiz.tui.needs import BankLike

    Titles = Callable[[str], str]


def entries(bank: BankLike) -> list[Entry]:
    """The questions of a bank, as the queue knows them."""
    from quiz.scheduling.cards import CardKey
    from quiz.scheduling.queue import Entry

    return [
        Entry(
            CardKey(bank.id, entry.id, entry.generation),
            entry.topic,
            entry.prerequisites,
            entry.difficulty,
            entry.related,
        )
        for entry in bank.index
    ]


@cache
def _tools() -> tuple[Callable[[int, str, int], int], Callable[[State, datetime], Sequence[object]]]:
    """What `turn` needs and no start without a question: to import it each time takes longer than to use it."""
    from quiz.scheduling.variants import variant
    from quiz.session.practice import returning

    return variant, returning


class _Draw:
    """What a seed decides, draw after draw. To seed the generator of the library takes ten times as long."""

    def __init__(self, seed: str) -> None:
        self._left = int.from_bytes(hashlib.blake2b(seed.encode()).digest(), "big")

    def below(self, count: int) -> int:
        """Return a whole number from 0 to one less than `count`, small beside 2**512."""
        self._left, drawn = divmod(self._left, count)
        return drawn

    def shuffle(self, order: list[str]) -> None:
        """Put a list of some ten into an order, each as likely as any other."""
        for last in range(len(order) - 1, 0, -1):
            place = self.below(last + 1)
            order[last], order[place] = order[place], order[last]


def turn(ask: Ask, state: State, bank: BankLike, title: Titles, again: Attempt | None) -> Turn:
    """The question with the numbers and the order that the seed draws.

    `again` is an answer that was taken back: then it is the question as it stood on the screen, as far as the bank
    still has it, with what was written to it.
    """
    variant, returning = _tools()
    draw = _Draw(ask.seed)
    name = ask.item.key.question
    variants = bank.variants(name)
    axes: Mapping[str, str] | None
    if again is not None and again.shown.variant in [{}, *map(dict, variants)]:
        axes = again.shown.variant or None
    else:
        # A first meeting is with the numbers of the author; later ones test the method and not the memory.
        card = state.cards.get(ask.item.key)
        place = variant(len(variants) or 1, ask.item.key.seed, card.reps if card else 0)
        if state.mode != "practice" and not (card and card.reps):
            place = draw.below(len(variants) or 1)  # what is not practised is not met in turn either
        axes = variants[place] if variants else None
    question = bank.question(name, axes)
    order = [option.id for option in question.options] or [item.id for item in question.items]
    draw.shuffle(order)
    if again is not None and sorted(again.shown.options) == sorted(order):
        order = list(again.shown.options)
    elif question.items and tuple(order) == question.key:
        order.reverse()  # an order that is right already would be no question
    number, back = len(state.answered) + 1, len(returning(state, ask.shown_at))
    return Turn(
        question=question,
        title=title(name),
        number=number,
        total=number + len(state.queue) + back,
        reason=ask.item.reason,
        order=tuple(order),
        back=back,
        mode=state.mode,
        text=(again.response.text or "") if again is not None and question.kind == "open" else "",
    )


def result(shown: ShowReveal, mark: Mark, state: State, at: Moment) -> Result:
    """What the reveal shows of the answer that is stored now."""
    from quiz.scheduling.rating import why
    from quiz.session import practice

    attempt = shown.attempt
    own = shown.rating is not attempt.rating
    reason = why(attempt.verdict, attempt.confidence, attempt.duration_ms, quick_ms=state.settings.quick_ms)
    here = any(key == attempt.card for key, _ in practice.returning(state, at.now))
    return Result(
        mark=mark,
        rating=shown.rating.label,  # type: ignore[arg-type]  # the four names are those of the port
        why="you said so" if own else reason,
        back=back(state.cards[attempt.card], at),
        choices=tuple(
            Choice(rating.label, back(after.card, at))  # type: ignore[arg-type]  # as above
            for rating, after in sorted(shown.choices.items())
        ),
        here=here,
        note=note(shown, state),
    )


def looked_at(bank: BankLike, name: str, title: Titles) -> Given:
    """A question with its author's numbers, as if it had been shown and not answered."""
    question = bank.question(name)
    order = tuple(option.id for option in question.options) or tuple(item.id for item in question.items)
    shown = Turn(question=question, title=title(name), number=1, total=1, reason="asked", order=order)
    return Given(shown, Answer(), Result(Mark("unknown"), "again", "", "", counts=False), None, 0.0)


def uncounted(shown: ShowReveal, mark: Mark, state: State) -> Result:
    """What the reveal shows of an answer that is not stored: nothing comes back because of it."""
    from quiz.session import practice

    here = any(key == shown.attempt.card for key, _ in practice.returning(state, shown.attempt.time))
    return Result(mark=mark, rating=shown.rating.label, why="", back="", here=here, counts=False)  # type: ignore[arg-type]  # as above


#: What happened between the question and its answer, by what moved the day.
_MOVED: Final[dict[Cause, str]] = {
    "answer": "another terminal answered this question",
    "undo": "another terminal took back an answer to this question",
    "rating": "another terminal changed the rating of an earlier answer to this question",
    "settings": "your settings were changed",
}


def note(shown: ShowReveal, state: State) -> str:
    """What is to be told of a stored answer beside its grade."""
    from quiz.scheduling.leeches import ADVICE

    told = []
    if shown.moved:
        happened = " and ".join(_MOVED[cause] for cause in shown.moved)
        happened = f"{happened[:1].upper()}{happened[1:]} meanwhile"
        told.append(f"{happened}, so the day was worked out again; your answer is stored.")
    if shown.leech:
        told.append(ADVICE.format(lapses=state.cards[shown.attempt.card].lapses))
    return " ".join(told)


def waiting(wait: Wait, state: State, title: Titles) -> Waiting:
    """What comes back, and how long it takes until then."""
    coming = tuple((title(key.question), when.wait(due, wait.now)) for key, due in wait.back)
    return Waiting(coming, len(state.answered))


def ended(summary: Summary, state: State, at: Moment, title: Titles, next_due: str) -> Ended:
    """What the session came to; `next_due` is told where nothing was answered."""
    last: dict[CardKey, Attempt] = {attempt.card: attempt for attempt in state.answered.values()}
    coming = tuple(
        Back(title(key.question), attempt.verdict == "correct", back(state.cards[key], at))
        for key, attempt in last.items()
        if key in state.cards
    )
    return Ended(
        summary.answered,
        summary.right,
        summary.left,
        coming,
        "" if summary.answered else next_due,
        summary.unrecorded,
    )


def back(card: Card, at: Moment) -> str:
    """When a card comes back, in words: minutes in its learning steps, else a day.

    A step is shorter than a day; where the clock was set back it is far ahead all the same.
    """
    near = card.is_learning and card.due - at.now < timedelta(days=1)
    return when.wait(card.due, at.now) if near else when.day(card.due_day, at.day)
