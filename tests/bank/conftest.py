"""Banks of a few questions, written for the test at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.trial_bank import MANIFEST, SOURCES, Trial

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    """An empty bank with a manifest and two sources."""
    folder = tmp_path / "trial-bank"
    folder.mkdir()
    (folder / "bank.yaml").write_text(MANIFEST, encoding="utf-8")
    (folder / "sources.yaml").write_text(SOURCES, encoding="utf-8")
    return Trial(folder, tmp_path / "trial-cache")
