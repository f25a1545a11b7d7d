"""Banks of a few questions, written for the test at hand, and the bundled one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.bank.library import open_bank
from tests.house import ROOT
from tests.trial_bank import MANIFEST, SOURCES, Trial

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.bank.library import Bank
    from quiz.bank.rendered import Rendered


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    """An empty bank with a manifest and two sources."""
    folder = tmp_path / "trial-bank"
    folder.mkdir()
    (folder / "bank.yaml").write_text(MANIFEST, encoding="utf-8")
    (folder / "sources.yaml").write_text(SOURCES, encoding="utf-8")
    return Trial(folder, tmp_path / "trial-cache")


@pytest.fixture(scope="module")
def bank() -> Bank:
    """The bundled bank."""
    return open_bank(ROOT / "questions", None, bundled=True)


@pytest.fixture(scope="module")
def questions(bank: Bank) -> dict[str, Rendered]:
    """Its questions with their authors' numbers, by id."""
    return {entry.id: bank.question(entry.id) for entry in bank.index}
