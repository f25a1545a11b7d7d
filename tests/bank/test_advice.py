"""What a refused form advises: something that can be done about it."""

from __future__ import annotations

import pytest

from quiz.bank.bench import ALONE
from quiz.bank.compile import compile_text
from quiz.bank.diagnostics import BankError
from tests.trial_bank import CLAIM, STRATEGY


@pytest.mark.parametrize(
    ("text", "said", "advice"),
    [
        (
            STRATEGY.replace("figures:", "figures:\n  held: {input: 5 GB, quote: 3 GB}", 1),
            "`quote` does not go together with the others",
            "each form of this has keys of its own",
        ),
        (CLAIM.replace("kind: claim", "kind:"), "the value is missing here", "claim"),
        (CLAIM.replace("kind: claim", "kind: 1"), "the number 1 is not among", "claim"),
        (STRATEGY.replace("difficulty: 2", "difficulty: 9"), "must be at most 5", "a number that is at most 5"),
        (STRATEGY.replace("  whole:", "  full-shard:", 1), "does not have the form", "digits and underscores"),
    ],
)
def test_the_advice_fits_the_form_that_is_asked_for(text: str, said: str, advice: str) -> None:
    with pytest.raises(BankError) as refused:
        compile_text(text, "t/one.yaml", ALONE)
    told = "\n".join(f"{one.what}\n{one.next}" for one in refused.value.diagnostics)
    assert said in told, told
    assert advice in told, told
