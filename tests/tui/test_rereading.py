"""A bank that is edited while it is practised goes on as it is now; what cannot go on says why, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.cli.practice import open_bank
from quiz.tui.ports import Trouble
from quiz.tui.rereading import Reread
from tests.trial_bank import MANIFEST, NUMERIC, SOURCES, STRATEGY, Trial

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


def test_a_question_that_is_gone_says_so(trial: Trial) -> None:
    bank = Reread(lambda: open_bank(trial.folder))
    (trial.folder / "topic" / "one.yaml").unlink()
    with pytest.raises(Trouble, match="which-fits cannot be asked any more"):
        bank.variants("which-fits")
