"""A bank that is edited while it is practised goes on as it is now; what cannot go on says why, and nothing is lost."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.cli.practice import open_bank
from quiz.tui.desk import HistoryDesk
from quiz.tui.marking import Marking
from quiz.tui.ports import Answer, Trouble, Turn, Wanted
from quiz.tui.rereading import GoneError, Reread
from tests.trial_bank import MANIFEST, NUMERIC, SOURCES, STRATEGY, Trial
from tests.tui.real_desk import Clock

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trial:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = Trial(tmp_path / "bank", tmp_path / "cache")
    made.write(MANIFEST, "bank.yaml")
    made.write(SOURCES, "sources.yaml")
    made.write(STRATEGY)
    made.write(NUMERIC, "topic/two.yaml")
    return made


def test_a_question_that_was_edited_is_asked_as_it_is_now(trial: Trial) -> None:
    bank = Reread(lambda: open_bank(trial.folder))
    assert bank.question("how-often").stem.endswith("How often?")
    axes = next(one for one in bank.variants("which-fits") if one)
    trial.write(STRATEGY.replace("stem: |\n", "stem: |\n  Read twice.\n", 1))
    assert bank.question("which-fits", axes).stem.startswith("Read twice.")


def test_a_bank_that_no_longer_opens_says_where_and_that_the_answers_are_stored(trial: Trial) -> None:
    bank = Reread(lambda: open_bank(trial.folder))
    trial.write(STRATEGY.replace("difficulty: ", "difficulty: 9"))
    with pytest.raises(Trouble, match="Your answers are stored") as caught:
        bank.variants("which-fits")
    assert "topic/one.yaml:" in caught.value.message


def test_a_question_that_is_gone_says_so_as_often_as_it_is_wanted(trial: Trial) -> None:
    bank = Reread(lambda: open_bank(trial.folder))
    (trial.folder / "topic" / "one.yaml").unlink()
    for _ in range(2):
        with pytest.raises(GoneError, match="which-fits was left out"):
            bank.variants("which-fits")
        with pytest.raises(GoneError, match="which-fits was left out"):
            bank.question("which-fits")
    assert bank.question("how-often").id == "how-often"


def test_a_question_that_was_renamed_is_found_by_its_former_id(trial: Trial) -> None:
    bank = Reread(lambda: open_bank(trial.folder))
    trial.write(STRATEGY.replace("id: which-fits\n", "id: which-one-fits\nrenamed_from: [which-fits]\n", 1))
    assert bank.variants("which-fits")
    assert bank.question("which-fits").id == "which-one-fits"


def test_a_session_leaves_out_the_questions_that_are_gone_and_says_which(trial: Trial, tmp_path: Path) -> None:
    # Questions without variants are at hand since the bank was opened; these are drawn when they are asked.
    (trial.folder / "topic" / "two.yaml").unlink()
    trial.write(STRATEGY.replace("id: which-fits\n", "id: which-too\n", 1), "topic/three.yaml")
    clock = Clock()
    desk = HistoryDesk(lambda: open_bank(trial.folder), tmp_path / "history.db", Marking(), clock=clock)
    desk.open()
    first = desk.begin(Wanted())
    assert isinstance(first, Turn)
    gone = next(name for name in ("which-fits", "which-too") if name != first.question.id)
    (trial.folder / "topic" / ("one.yaml" if gone == "which-fits" else "three.yaml")).unlink()
    desk.submit(Answer(), None)
    desk.ready()
    clock.now += timedelta(minutes=2)
    then = desk.next()
    assert isinstance(then, Turn)
    assert then.question.id == first.question.id
    assert f"{gone} was left out" in then.note
    desk.close()
