"""Questions on adapters: what stands in their box, and that no bar of full training is drawn for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.bank.library import open_bank
from tests.house import ROOT

if TYPE_CHECKING:
    from quiz.bank.rendered import Rendered


@pytest.fixture(scope="module")
def adapters() -> Rendered:
    return open_bank(ROOT / "questions", None, bundled=True).question("lora-70b-one-gpu")


def test_adapters_are_not_drawn_as_full_training(adapters: Rendered) -> None:
    """A bar shows weights, gradients and optimizer state of the whole model, which a frozen model has not."""
    assert all(option.bar is None for option in adapters.options)
    assert "57.83 GB" in next(option.verdict for option in adapters.options if option.correct)


def test_the_box_of_adapters_says_what_is_counted(adapters: Rendered) -> None:
    """Given activations are counted; splits that no plan has, and routers that no model has, are not spoken of."""
    box = "\n".join(adapters.conventions)
    assert "State and activations are counted" in box
    assert "Activations, the dequantised" not in box
    assert "router" not in box
    assert "divide base and adapters" not in box
