"""Answers graded anew where a correction of the bank moved the right one. What was given and graded stays beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quiz.scheduling.rating import rate
from quiz.session.attempt import Attempt
from quiz.session.changes import Names, Regrade, Rename
from quiz.session.events import SettingChange
from quiz.session.history import Amendments, Timeline
from quiz.tui import history
from quiz.tui.ports import Answer, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.rendered import IndexEntry, Rendered
    from quiz.scheduling.calendar import Moment
    from quiz.scheduling.rating import Rating
    from quiz.session.attempt import Shown
    from quiz.session.messages import Graded
    from quiz.store import Store
    from quiz.tui.needs import BankLike, Grading


@dataclass
class Moved:
    """A question whose right answer moved: what it was and is, and how the answers were graded before and are now."""

    question: str
    was: str
    now: str
    verdicts: list[tuple[str, str]] = field(default_factory=list)
    unreadable: int = 0


def regrade(bank: BankLike, store: Store, at: Moment, grading: Grading, *, dry: bool = False) -> list[Moved]:
    """Grade the answers anew whose right answer has moved, and append what changed; in order of the questions.

    Answers whose numbers the bank does not have any more, and those that are taken back, are left alone.

    Args:
        bank: its questions as they are now.
        store: the history.
        at: when it is done.
        grading: the engine.
        dry: only say what would change.

    Raises:
        StoreError: the history cannot be read or written.
    """
    amendments = Amendments.of(event for kind in ("retraction", "regrade") for event in store.of_kind(kind))
    names = Names(event for event in store.of_kind("rename") if isinstance(event, Rename))
    settings = Timeline.of(event for event in store.of_kind("setting") if isinstance(event, SettingChange))
    entries = {entry.id: entry for entry in bank.index}
    found: dict[str, Moved] = {}
    changes: list[tuple[Attempt, Graded, Rendered, Rating | None]] = []
    for attempt in store.events():
        if not isinstance(attempt, Attempt) or attempt.id in amendments.retracted:
            continue
        entry = _entry(names, attempt, bank, entries)
        question = _asked(bank, entry, attempt) if entry else None
        if entry is None or question is None:
            continue
        before = amendments.regrades.get(attempt.id)
        was, now = _answers(attempt.shown), _answers(_now(question, attempt))
        if now == was and before is None:
            continue
        moved = found.setdefault(entry.id, Moved(entry.id, _said(was), _said(now)))
        graded = history.graded(grading.mark(question, answer_of(question, attempt)))
        if graded.invalid:
            moved.unreadable += 1
            continue
        stands = before.applied(attempt) if before else attempt
        if (graded.status, graded.slip, graded.parts) == (stands.verdict, stands.slip, stands.parts):
            continue
        moved.verdicts.append((stands.verdict, graded.status))
        quick = settings.at(attempt.id).quick_ms
        rating = rate(graded.status, attempt.confidence, attempt.duration_ms, quick_ms=quick)
        changes.append((attempt, graded, question, None if rating is attempt.rating else rating))
    if not dry:
        for change in changes:
            store.append(_change(store.new_id(at.now), at, *change))
    return [found[name] for name in sorted(found) if found[name].verdicts or found[name].unreadable]


def _change(
    identity: str, at: Moment, attempt: Attempt, graded: Graded, question: Rendered, rating: Rating | None
) -> Regrade:
    return Regrade(
        id=identity,
        time=at.now,
        offset=at.offset,
        target=attempt.id,
        verdict=graded.status,
        slip=graded.slip,
        parts=graded.parts,
        rating=rating,
        meaning=question.revision,
        key=_now(question, attempt).key,
    )


def _entry(names: Names, attempt: Attempt, bank: BankLike, entries: Mapping[str, IndexEntry]) -> IndexEntry | None:
    """The question of an attempt as the bank has it; None where it is gone, or was begun anew since."""
    key = names.key(attempt)
    entry = entries.get(key.question) if key.bank == bank.id else None
    return entry if entry is not None and entry.generation == key.generation else None


def _asked(bank: BankLike, entry: IndexEntry, attempt: Attempt) -> Rendered | None:
    """The question with the numbers of the attempt; None where it cannot be asked like this any more."""
    response, shown = attempt.response, attempt.shown
    if not response.chosen and response.text is None:
        return None  # "I don't know" is neither right nor wrong
    try:
        question = bank.question(entry.id, dict(shown.variant) or None)
    except LookupError:
        return None
    there = {one.id for one in question.options} | {one.id for one in question.items}
    return question if there.issuperset(response.chosen) and question.kind != "open" else None


def _now(question: Rendered, attempt: Attempt) -> Shown:
    """What would stand on the screen now."""
    return history.shown(Turn(question, question.id, 1, 1, "due", attempt.shown.options))


def _answers(shown: Shown) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """What is right: the options, and the typed parts."""
    typed = {name: text for name, text in shown.figures.items() if name == "answer" or name.startswith("part ")}
    return shown.key, tuple(sorted(typed.items()))


def _said(answers: tuple[tuple[str, ...], tuple[tuple[str, str], ...]]) -> str:
    key, typed = answers
    return ", ".join(dict.fromkeys((*key, *(text for _, text in typed))))


def answer_of(question: Rendered, attempt: Attempt) -> Answer:
    """What was given, as a screen gives it."""
    chosen, text = attempt.response.chosen, attempt.response.text
    match question.kind:
        case "numeric":
            first, *more = (text or "").split("\n")
            return Answer(text=first, parts=tuple(one or None for one in more))
        case "ordering":
            return Answer(ordered=chosen, then=text)
    return Answer(chosen=chosen[0] if chosen else "", then=text)
