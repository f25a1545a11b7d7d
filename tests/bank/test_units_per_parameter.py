"""An amount per parameter is shown as one per parameter, and no other amount is."""

from __future__ import annotations

import pytest

from quiz.bank.bench import ALONE
from quiz.bank.compile import compile_text
from quiz.bank.diagnostics import BankError
from tests.trial_bank import STRATEGY

WHY = "{{ memory.state_per_gpu }} of state"
STATE = "  state: memory.state_total\n"
ANSWER = "is: memory.state_per_gpu, unit: GB"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (WHY, "{{ memory.state_per_gpu | B/param }} of state"),
        (WHY, "{{ memory.state_per_gpu | GB/param 1 }} of state"),
        (WHY, "{{ recipe.bytes_per_parameter | GB 3 }} of state"),
        (WHY, "{{ recipe.weights | kB }} of state"),
        (STATE, "  state: {is: recipe.bytes_per_parameter, unit: GB}\n"),
        (STATE, "  state: {is: memory.state_total, unit: B/param}\n"),
        (ANSWER, "is: memory.state_per_gpu, unit: B/param"),
        (ANSWER, "is: recipe.bytes_per_parameter, unit: GB"),
    ],
)
def test_bytes_are_not_shown_as_bytes_per_parameter_nor_the_other_way(old: str, new: str) -> None:
    assert old in STRATEGY
    with pytest.raises(BankError) as refused:
        compile_text(STRATEGY.replace(old, new), "t/one.yaml", ALONE)
    assert "unit" in {one.code for one in refused.value.diagnostics}


@pytest.mark.parametrize(
    "shown",
    [
        "{{ recipe.bytes_per_parameter | B }} of state",
        "{{ recipe.bytes_per_parameter | bit/param }} of state",
        "{{ recipe.bytes_per_parameter | B/param }} of state",
        "{{ model.parameters | 0 }} of state",
    ],
)
def test_a_base_unit_may_stand_for_one_per_parameter(shown: str) -> None:
    compile_text(STRATEGY.replace(WHY, shown), "t/one.yaml", ALONE)
