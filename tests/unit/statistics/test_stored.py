"""The tallies of a history file: what was added answer by answer is what the answers say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from quiz.session.events import Rerating
from quiz.statistics.given import Asked, Given
from quiz.statistics.mistakes import CLAIM
from quiz.statistics.report import Report, document, report
from quiz.store import Store, stock
from tests.unit.session.made import KEY, START, attempt, identity
from tests.unit.statistics.simulated import Learner, bank, told

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.session.attempt import Attempt
    from quiz.statistics.standing import Standing

QUESTIONS = bank(2)


def history(days: int = 60) -> list[Attempt]:
    return Learner(3).history(QUESTIONS, days)


def standings(store: Store) -> list[Standing]:
    return sorted(store.standings("shardwise"))


def test_a_merged_history_has_the_tallies_and_the_cards_of_its_answers(tmp_path: Path) -> None:
    cells, cards = told(history())
    with Store.open(tmp_path / "history.db") as store:
        store.merge(history())
        assert store.tallies("shardwise") == cells
        assert standings(store) == sorted(cards)


def test_answers_one_by_one_make_the_tallies_of_a_merge(tmp_path: Path) -> None:
    cells, _ = told(history(20))
    with Store.open(tmp_path / "history.db") as store:
        for attempt in history(20):
            store.append(attempt)
        assert store.tallies("shardwise") == cells


def test_the_tallies_of_all_questions_together_are_those_of_the_bank(tmp_path: Path) -> None:
    with Store.open(tmp_path / "history.db") as store:
        store.merge(history())
        ids = sorted({question.id for question in QUESTIONS})
        total: Counter[object] = Counter()
        for name in ids:
            total.update(store.tallies_of("shardwise", {name}))
        assert total == store.tallies("shardwise")
        assert store.tallies_of("shardwise", ids) == store.tallies("shardwise")
        assert store.tallies_of("shardwise", {"gone"}) == {}


def test_answers_taken_back_or_rated_anew_change_the_tallies_as_if_they_had_been_so(tmp_path: Path) -> None:
    """And what is kept after each is what a rebuild finds."""
    made = history(20)
    last, other = made[-1], made[-2]
    with Store.open(tmp_path / "history.db") as store:
        store.merge(made)
        undone = store.undo(last.time + timedelta(minutes=1), 0)
        assert undone is not None
        cells, _ = told(made[:-1])
        assert store.tallies("shardwise") == cells
        rerated = Rerating(
            identity(last.time + timedelta(hours=1)), last.time, 0, other.id, type(other.rating)(1), other.promise
        )
        store.append(rerated)
        after = store.tallies("shardwise")
        assert store.rebuild().tallies == 0
        assert store.tallies("shardwise") == after
        assert sum(count for cell, count in after.items() if cell.key == "answers") == len(made) - 1


def rounded(made: Report) -> object:
    """A report's document, whose floating-point sums do not depend on their order."""

    def plain(value: object) -> object:
        if isinstance(value, dict):
            return {key: plain(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [plain(one) for one in value]
        return round(value, 9) if isinstance(value, float) else value

    return plain(document(made))


@pytest.mark.parametrize("lost", [0, 1])
@pytest.mark.parametrize("resting", [frozenset(), frozenset({QUESTIONS[1].id, "gone"})])
@pytest.mark.parametrize("reset", [0, 1, 2])
@pytest.mark.parametrize("halves", [False, True])
def test_what_is_added_up_in_the_file_makes_the_report_that_the_single_cells_make(
    tmp_path: Path,
    lost: int,
    resting: frozenset[str],
    reset: int,
    halves: bool,  # noqa: FBT001 - a case
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where questions have left the bank, rest, or were reset by their author (and answered since, or not), too.

    And in two halves.
    """
    monkeypatch.setattr(stock, "_MANY", 1 if halves else 10_000)
    made, questions = history(), QUESTIONS[lost:]
    today = max(attempt.day for attempt in made)
    claims = {question.id for question in questions if question.kind == CLAIM}
    topics = {question.id: question.topic for question in questions}
    if reset:
        again = structs.replace(made[-1], id=identity(made[-1].time + timedelta(days=1)))
        made.append(structs.replace(again, card=again.card._replace(generation=1)))
    with Store.open(tmp_path / "history.db") as store:
        store.merge(made)
        name = made[-1].card.question
        generations = {name: reset} if reset else {}
        cells = store.tallies("shardwise")
        every = store.standings("shardwise")
        cards = [card for card in every if card.generation == generations.get(card.question, 0)]
        assert len(every) - len(cards) == reset
        for since in (None, today - timedelta(days=9)):
            given = Given(today, questions, cells.items(), cards, since, resting=resting)
            mistakes = {
                "slip": store.mistakes("shardwise", "slip", since),
                "chose": store.mistakes("shardwise", "chose", since, claims),
            }
            by_cell, by_day = store.day_sums("shardwise", today, since)
            added = replace(
                given,
                cells=by_cell,
                by_day=by_day,
                cards=(),
                stock=store.stock(
                    "shardwise", topics, today, decay=given.decay, resting=resting, generations=generations
                ),
                mistakes=mistakes,
            )
            assert rounded(report(added)) == rounded(report(given))


def test_cards_that_were_all_answered_today_are_recalled_for_sure_however_many_they_are(tmp_path: Path) -> None:
    """And where all of them rest, no review is to come: rounding leaves neither sum below nothing."""
    with Store.open(tmp_path / "history.db") as store:
        for count in range(1, 41):
            made = attempt(count, now=START + timedelta(minutes=count), key=KEY._replace(question=f"q{count}"))
            store.append(made)
            asked = {f"q{number}": "t" for number in range(1, count + 1)}
            found = store.stock(KEY.bank, asked, made.day, decay=0.1542, resting=set(asked))
            assert (found.topics["t"].chance, found.topics["t"].variance, found.load) == (count, 0.0, 0.0)
            questions = tuple(Asked(name, "t", CLAIM, name) for name in asked)
            whole = report(Given(made.day, questions, {}.items(), (), stock=found, reviews=20)).whole
            sure = 1.0 if count >= whole.least else None
            assert (whole.recall_low, whole.recall, whole.recall_high) == (sure, sure, sure)
