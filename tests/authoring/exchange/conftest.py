"""The fixtures of the bank's tests serve here too, and a bank whose texts are full of other formats' signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.authoring.exchange.drawn import draw
from tests.bank.conftest import trial
from tests.trial_bank import CLAIM, MANIFEST, NUMERIC, OPEN, ORDERING, SOURCES, STRATEGY, Trial

if TYPE_CHECKING:
    from quiz.authoring.exchange.drawn import Sheet

__all__ = ["trial"]

HOSTILE = r"""id: hostile
kind: claim
topic: zero-stages
difficulty: 1
title: "=HYPERLINK(evil)"
stem: |
  <script>alert(1)</script> {a} ~b =c #d :e: \f | _g_ [h](i) &amp; $j$ `</code>|` **<b>**

  # no heading

  - +1 no list
options:
  one: {text: "=1+1 <img src=x onerror=y>", asserted: true, source: memo, why: "@SUM ~ {x}"}
  two: {text: "-2 | %x%x", asserted: false, source: memo}
"""


@pytest.fixture(scope="session")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Sheet:
    """One question of each kind, and the hostile one, with their authors' numbers."""
    folder = tmp_path_factory.mktemp("sheet")
    every = Trial(folder / "bank", folder / "cache")
    every.write(MANIFEST, "bank.yaml")
    every.write(SOURCES, "sources.yaml")
    for number, text in enumerate((STRATEGY, NUMERIC, CLAIM, ORDERING, OPEN, HOSTILE)):
        every.write(text, f"topic/{number}.yaml")
    bank = every.open()
    return draw(bank, [entry.id for entry in bank.index])
