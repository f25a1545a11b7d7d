"""Whoever lost a history learns it on the first screen, and not months later by reviews that never came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.tui.ports import Trouble
from tests.tui.real_desk import Clock, opened

if TYPE_CHECKING:
    from pathlib import Path


def test_a_history_that_begins_in_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "history.db").touch()
    desk = opened(tmp_path, Clock())
    (told,) = desk.standing().warnings
    assert "was empty (0 bytes)" in told
    desk.close()
    desk = opened(tmp_path, Clock())
    assert desk.standing().warnings == ()
    desk.close()


def test_a_history_that_is_gone_while_backups_are_there_is_not_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "history-2026-03-01.db").touch()
    with pytest.raises(Trouble, match="shardwise history restore") as refused:
        opened(tmp_path, Clock())
    assert refused.value.code == 3
    assert not (tmp_path / "history.db").exists()
