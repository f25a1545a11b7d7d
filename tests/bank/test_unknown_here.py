"""What is proposed for a name that a question does not have: what is its own comes first, and under the same option."""

from __future__ import annotations

import pytest

from quiz.bank.bench import ALONE
from quiz.bank.compile import compile_text
from quiz.bank.diagnostics import BankError, Diagnostic
from tests.trial_bank import NUMERIC, STRATEGY

WHY = "{{ memory.state_per_gpu }} of state"


def refused(old: str, new: str, text: str = STRATEGY) -> Diagnostic:
    assert old in text
    with pytest.raises(BankError) as error:
        compile_text(text.replace(old, new, 1), "t/one.yaml", ALONE)
    [found] = [one for one in error.value.diagnostics if one.code != "unknown-source"]
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [(WHY, "{{ whol.memory.state_per_gpu }} of state"), ("state: memory.", "state: whol.memory.")],
)
def test_a_misspelled_option_is_told_with_the_option_that_is_near(old: str, new: str) -> None:
    found = refused(old, new)
    assert found.code == "unknown-name"
    assert "there is no option 'whol'; did you mean whole.memory.state_" in found.what


def test_where_no_option_is_near_they_are_named() -> None:
    found = refused(WHY, "{{ zzz.memory.state_per_gpu }} of state")
    assert found.what == "there is no option 'zzz'"
    assert "whole, optimizer, nothing" in found.next


def test_a_question_without_options_is_told_so() -> None:
    found = refused("The MTBF is {{ run.mtbf }}", "The MTBF is {{ whole.run.mtbf }}", NUMERIC)
    assert found.what == "there is no option 'whole': this question has none; did you mean run.mtbf?"


def test_a_misspelled_quantity_of_an_option_keeps_its_option() -> None:
    found = refused("state: memory.state_total", "state: whole.memory.state_totl")
    assert "did you mean whole.memory.state_total" in found.what


def test_a_figure_of_the_question_is_proposed_before_the_catalogue() -> None:
    found = refused("{{ state }} in all", "{{ stat }} in all")
    assert "did you mean state or " in found.what


def test_the_name_of_an_option_alone_is_told_to_be_one() -> None:
    found = refused("{{ state }} in all", "{{ whole }} in all")
    assert "whole is an option" in found.what
    assert "whole.memory.state_per_gpu" in found.next
