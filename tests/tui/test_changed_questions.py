"""What becomes of answers when the bank changes: renamed, begun anew, retired, gone, corrected."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from quiz.scheduling import calendar
from quiz.session.attempt import Attempt
from quiz.store import Store
from quiz.tui.desk import HistoryDesk
from quiz.tui.marking import Marking
from quiz.tui.ports import Answer, Ended, Trouble, Wanted
from quiz.tui.regrading import regrade
from tests.tui.fixtures import NUMERIC, STRATEGY
from tests.tui.real_desk import MORNING, OPENED, RIGHT, Clock, Shelf, first

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.bank.rendered import IndexEntry, Rendered
    from quiz.tui.regrading import Moved as Regraded


@dataclass
class Changing(Shelf):
    """A shelf whose index says more of one question."""

    said: dict[str, object] = field(default_factory=dict)

    @property
    def index(self) -> tuple[IndexEntry, ...]:
        return tuple(structs.replace(entry, **self.said) for entry in super().index)


def desk(folder: Path, question: Rendered = STRATEGY, days: int = 0, **said: object) -> HistoryDesk:
    """A desk opened some days later on a bank of one question, of which the bank says this."""
    clock = Clock(MORNING + timedelta(days=days))
    made = HistoryDesk(lambda: Changing((question,), said=said), folder / "history.db", Marking(), clock=clock)
    made.open()
    return made


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    """A folder whose history has an answer to the question."""
    made = desk(tmp_path)
    first(made)
    made.submit(RIGHT, 75)
    made.close()
    return tmp_path


def cards(folder: Path) -> list[tuple[str, int]]:
    with Store.open(folder / "history.db", read_only=True) as store:
        return [(key.question, key.generation) for key in store.cards("shardwise")]


def test_a_renamed_question_goes_on_where_it_was_and_it_is_said_once(answered: Path) -> None:
    renamed = structs.replace(STRATEGY, id="new-name")
    made = desk(answered, renamed, 9, renamed_from=(STRATEGY.id,))
    assert cards(answered) == [("new-name", 0)]
    assert any("has a new name" in told for told in made.standing().warnings)
    assert first(made).reason == "learning"
    made.close()
    again = desk(answered, renamed, 9, renamed_from=(STRATEGY.id,))
    assert not any("new name" in told for told in again.standing().warnings)
    again.close()


def test_a_question_that_the_author_begins_anew_is_new_and_its_history_stays(answered: Path) -> None:
    made = desk(answered, days=9, generation=1)
    assert first(made).reason == "new"
    made.submit(RIGHT, 75)
    made.close()
    assert cards(answered) == [(STRATEGY.id, 0), (STRATEGY.id, 1)]


def test_a_retired_question_is_asked_by_its_name_only(answered: Path) -> None:
    made = desk(answered, days=9, deprecated="the hardware is gone")
    assert made.standing().due == made.standing().unseen == 0
    assert isinstance(made.begin(Wanted()), Ended)
    assert first(made, Wanted(questions=(STRATEGY.id,))).reason == "asked"
    made.close()
    assert cards(answered) == [(STRATEGY.id, 0)]


SIX = tuple(structs.replace(STRATEGY, id=name) for name in ("retired", "anew", "old", "due", "also", "asked"))


@dataclass
class Moved(Shelf):
    """A bank of which one question is retired, one is begun anew, one has another name; one is gone."""

    @property
    def index(self) -> tuple[IndexEntry, ...]:
        said: dict[str, dict[str, object]] = {
            "retired": {"deprecated": "the hardware is gone"},
            "anew": {"generation": 1},
            "new-name": {"renamed_from": ("old",)},
        }
        return tuple(structs.replace(entry, **said.get(entry.id, {})) for entry in super().index)


def test_the_statistics_and_the_list_count_what_the_home_screen_counts(tmp_path: Path) -> None:
    clock = Clock()
    before = HistoryDesk(lambda: Shelf(SIX), tmp_path / "history.db", Marking(), clock=clock)
    OPENED.append(before)
    before.open()
    step = before.begin(Wanted())
    while not isinstance(step, Ended):
        before.submit(RIGHT, None)
        before.rerate("easy")
        step = before.next()
    clock.now += timedelta(days=90)
    kept = [question for question in SIX if question.id not in ("old", "asked")]
    bank = Moved((*kept, structs.replace(STRATEGY, id="new-name")))
    after = HistoryDesk(lambda: bank, tmp_path / "history.db", Marking(), clock=clock)
    OPENED.append(after)
    home = after.open()
    assert (home.due, home.unseen) == (3, 1)
    for topic in ("", STRATEGY.topic):
        found = after.statistics(topic)
        assert (found.whole.questions, found.whole.seen, found.forecast.overdue) == (4, 3, 3)
        assert (found.ready.topics[0].unseen, found.forecast.week, found.forecast.later) == (1, 0, 0)
        assert found.set_aside == (0 if topic else 2)
    stands = {line.id: line.stands for line in after.browse()}
    assert stands == {"retired": "retired", "anew": "new", "due": "due", "also": "due", "new-name": "due"}


def test_a_question_that_is_gone_is_set_aside_and_comes_back_with_its_history(answered: Path) -> None:
    without = desk(answered, NUMERIC, 9)
    assert (without.standing().due, without.standing().unseen) == (0, 1)
    with pytest.raises(Trouble, match="no longer in this bank"):
        without.undo()
    without.close()
    again = desk(answered, days=10)
    assert again.standing().unseen == 1  # its one answer was taken back
    again.close()


def corrected() -> Rendered:
    """The question after a correction: another option is right."""
    right = next(option.id for option in STRATEGY.options if not option.correct)
    options = tuple(structs.replace(option, correct=option.id == right) for option in STRATEGY.options)
    return structs.replace(STRATEGY, options=options, revision="corrected")


def graded_anew(folder: Path, question: Rendered, *, dry: bool = False) -> list[Regraded]:
    with Store.open(folder / "history.db") as store:
        at = calendar.moment(MORNING + timedelta(days=20), 0)
        return regrade(Changing((question,)), store, at, Marking(), dry=dry)


def test_a_corrected_answer_is_graded_anew_and_what_was_said_then_stays(answered: Path) -> None:
    with Store.open(answered / "history.db") as store:
        (before,) = store.cards("shardwise").values()
    assert graded_anew(answered, corrected(), dry=True) == graded_anew(answered, corrected())
    with Store.open(answered / "history.db") as store:
        (attempt,) = (event for event in store.events() if isinstance(event, Attempt))
        (change,) = store.of_kind("regrade")
        (after,) = store.cards("shardwise").values()
        assert attempt.verdict == "correct"
        assert attempt.shown.key == STRATEGY.key
        assert change.verdict == "incorrect"  # type: ignore[union-attr]
        assert after.stability < before.stability
        assert store.stale() == (0, 0)


def test_what_changed_and_why_is_told_and_a_second_time_changes_nothing(answered: Path) -> None:
    (moved,) = graded_anew(answered, corrected())
    assert moved.question == STRATEGY.id
    assert moved.verdicts == [("correct", "incorrect")]
    assert moved.was.split(", ")[0] in STRATEGY.key
    assert moved.now.split(", ")[0] in corrected().key
    assert graded_anew(answered, corrected()) == []


def test_a_correction_that_is_taken_back_restores_the_verdict(answered: Path) -> None:
    graded_anew(answered, corrected())
    (moved,) = graded_anew(answered, STRATEGY)
    assert moved.verdicts == [("incorrect", "correct")]


def test_a_question_whose_answer_did_not_move_is_left_alone(answered: Path) -> None:
    assert graded_anew(answered, structs.replace(STRATEGY, revision="another", stem="A typo is gone.")) == []


@pytest.mark.parametrize("given", [Answer(text="35 GB"), Answer(text="1 GB")])
def test_a_typed_answer_is_read_again(tmp_path: Path, given: Answer) -> None:
    made = desk(tmp_path, NUMERIC)
    first(made)
    was = made.submit(given, 75).mark.status
    made.close()
    assert NUMERIC.numeric is not None
    part = structs.replace(NUMERIC.numeric, exact="1000000000", text="1 GB", slips=(), expression="", unit="GB")
    found = graded_anew(tmp_path, structs.replace(NUMERIC, numeric=part))
    now = "correct" if given.text == "1 GB" else "incorrect"
    assert [verdict for moved in found for verdict in moved.verdicts] == ([(was, now)] if was != now else [])
