"""`shardwise mark` knows a question by the names that it had before, and forgets what no longer holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from quiz.bank.rendered import IndexEntry
from quiz.cli import practice
from quiz.cli.entry import main
from quiz.cli.history import history_path
from quiz.cli.mark import now_called
from quiz.session.changes import Rename
from quiz.store import Store
from quiz.tui import desk

INDEX = (
    IndexEntry("mb-84gb-redflag", "claim", "memory-budget", 2, "An 84 GB claim", renamed_from=("mb-84gb",)),
    IndexEntry("mb-70b-4nodes", "strategy", "memory-budget", 2, "Four nodes", renamed_from=("mb-84gb-redflag",)),
)


def test_a_question_that_was_renamed_is_found_by_its_former_name_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert now_called("mb-84gb", INDEX) == "mb-84gb-redflag"
    assert "mb-84gb is called mb-84gb-redflag now." in capsys.readouterr().err


@pytest.mark.parametrize("question", ["mb-84gb-redflag", "mb-84", ""])
def test_a_name_that_is_in_use_or_never_was_stays_as_it_was_given(
    question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A former name that another question bears now is that other question's."""
    assert now_called(question, INDEX) == question
    assert capsys.readouterr().err == ""


@dataclass
class Bank:
    """As much of a bank as marks need."""

    index: tuple[IndexEntry, ...]
    id: str = "trial"


BEFORE, AFTER = (
    Bank((IndexEntry("old", "strategy", "t", 1, "A question"), IndexEntry("other", "strategy", "t", 1, "Another"))),
    Bank((IndexEntry("new", "strategy", "t", 1, "A question", renamed_from=("old",)),)),
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """A clock that shows the last of these."""
    found = [datetime(2026, 3, 2, 9, tzinfo=UTC)]
    monkeypatch.setattr(desk, "wall_clock", lambda: found[-1])
    return found


def held(bank: Bank, *words: str) -> int:
    """Run `shardwise mark` on a bank."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(practice, "open_bank", lambda _folder: bank)
        return main(["mark", *words])


def renames() -> int:
    with Store.open(history_path(), read_only=True) as store:
        return sum(isinstance(event, Rename) for event in store.events())


@pytest.mark.usefixtures("clock")
def test_marks_follow_a_question_to_its_new_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Where they are listed nothing is recorded; where one more is made, the new name is, and that is said."""
    assert held(BEFORE, "old", "--flag", "--note", "mine") == 0
    capsys.readouterr()
    assert held(AFTER) == 0
    assert held(AFTER, "old") == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == ["new: flagged; note: mine"] * 2
    assert "old is called new now." in told.err
    assert renames() == 0
    assert held(AFTER, "new", "--suspend") == 0
    told = capsys.readouterr()
    assert told.out == "new: suspended; flagged; note: mine.\n"
    assert "A question has a new name" in told.err
    assert renames() == 1


def test_a_question_that_is_no_longer_buried_has_no_mark(
    clock: list[datetime], capsys: pytest.CaptureFixture[str]
) -> None:
    assert held(BEFORE, "old", "--bury") == 0
    assert held(BEFORE, "other", "--bury", "--flag") == 0
    assert held(BEFORE) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[2:] == ["old: buried, back tomorrow (Tue 3 Mar)", "other: buried, back tomorrow (Tue 3 Mar); flagged"]
    clock.append(clock[-1] + timedelta(days=1))
    assert held(BEFORE) == 0
    assert held(BEFORE, "old") == 0
    assert held(BEFORE, "--json") == 0
    *listed, found = capsys.readouterr().out.split("\n", 2)
    assert listed == ["other: flagged", "old: no marks."]
    assert json.loads(found) == {"other": {"flagged": True, "suspended": False, "buried": None, "note": ""}}
