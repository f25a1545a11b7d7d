"""Taking an answer back, as a desk does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui import when
from quiz.tui.ports import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.cards import Card
    from quiz.session.attempt import Attempt
    from quiz.session.scratch import Scratch
    from quiz.store import Store


def back(
    store: Store, at: Moment, bank: str, mine: list[str], before: str, title: Callable[[str], str]
) -> tuple[Attempt, Card | None, str]:
    """Retract an answer: it, its card without it, and what to tell. Raises Trouble.

    `mine` are the answers given at this desk, the last one last, which leaves the list; where none is left, the last
    one up to the event `before` is taken back.
    """
    from quiz.store import StoreError

    try:
        if mine:
            undone = store.undo(at.now, at.offset, attempt=mine[-1])
            mine.pop()
            if undone is None:
                raise Trouble("That answer was taken back already, on another terminal.")
            note = f"Taken back: your answer to “{title(undone.attempt.card.question)}”."
            return undone.attempt, undone.card, note
        undone = store.undo(at.now, at.offset, bank=bank, until=before) if before else None
        if undone is None and store.recent(1, bank=bank):
            raise Trouble("The answers since this screen was opened were given on another terminal: undo them there.")
    except StoreError as error:
        raise Trouble(str(error), error.code) from error
    if undone is None:
        raise Trouble("There is no answer to take back.")
    named = title(undone.attempt.card.question)
    told = f"Taken back: the answer to “{named}”, {when.given(undone.attempt, at.day)}."
    return undone.attempt, undone.card, told


def wiped(scratch: Scratch, title: Callable[[str], str]) -> tuple[Attempt, Card | None, str]:
    """Take back the last answer of those that are not stored. Raises Trouble where there is none."""
    gone = scratch.undo()
    if gone is None:
        raise Trouble("There is no answer of this session to take back.")
    return gone.attempt, gone.card, f"Taken back: your answer to “{title(gone.attempt.card.question)}”."
