"""`shardwise mark` knows a question by the names that it had before."""

from __future__ import annotations

import pytest

from quiz.bank.rendered import IndexEntry
from quiz.cli.mark import now_called

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
