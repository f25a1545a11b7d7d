"""What a drill asks a learner to predict is a quantity that there is."""

from __future__ import annotations

import pytest

from quiz.bank.bench import ALONE
from quiz.bank.compile import compile_text
from quiz.bank.diagnostics import BankError
from tests.trial_bank import CLAIM, STRATEGY

DRILL = "drill: {tier: ranks, predict: [memory.state_per_gpu, memory.peak_per_gp]}\n"


@pytest.mark.parametrize("text", [STRATEGY, CLAIM])
@pytest.mark.parametrize("also", ["", "bulets: []\n"])
def test_an_unknown_quantity_to_predict_is_told_with_the_nearest(text: str, also: str) -> None:
    with pytest.raises(BankError) as refused:
        compile_text(text + DRILL + also, "t/one.yaml", ALONE)
    [found] = [one for one in refused.value.diagnostics if one.code == "unknown-name"]
    assert found.path == "drill.predict[1]"
    assert "memory.peak_per_gpu" in found.what
