"""Two answers of a sound file were altered: each command says so with one number, and the advice puts it right."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.cli.entry import main
from quiz.cli.history import history_path
from quiz.scheduling.cards import CardKey
from quiz.store import Store, export
from tests.unit.session.made import START, attempt

if TYPE_CHECKING:
    from pathlib import Path

ANSWERS = [
    attempt(number, now=START + timedelta(days=number), key=CardKey("shardwise", f"q{number}")) for number in range(12)
]
ALTERED = [ANSWERS[3].id, ANSWERS[7].id]


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """An export from before the damage to the history, which has no backup from before it."""
    with Store.open(history_path(), backup=False) as store:
        for one in ANSWERS:
            store.append(one)
        with (file := tmp_path / "whole.jsonl").open("w", encoding="utf-8") as out:
            export.write(store.events(), out)
    with closing(sqlite3.connect(history_path())) as raw:
        raw.execute("DROP TRIGGER events_are_not_updated")
        body = "CAST(substr(body, 1, 40) || x'07' || substr(body, 42) AS BLOB)"
        raw.execute(f"UPDATE events SET body = {body} WHERE id IN (?, ?)", ALTERED)  # noqa: S608
        raw.commit()
    return file


def test_the_history_says_how_many_entries_are_damaged(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 1
    out = capsys.readouterr().out
    assert f"damaged  2 that cannot be read as written ({ALTERED[0]}, …); `shardwise history restore` brings" in out
    assert main(["history", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["damaged"] == ALTERED
    assert main(["history", "restore"]) == 0
    assert main(["history", "merge", str(whole)]) == 0
    capsys.readouterr()
    assert main(["history"]) == 0
    assert "damaged" not in capsys.readouterr().out


def test_what_is_damaged_here_is_not_said_to_be_here_already(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The advice brings it in."""
    assert main(["history", "merge", str(whole)]) == 1
    told = capsys.readouterr()
    assert told.out == "0 events added, 10 were here already; 12 cards now.\n"
    for identity in ALTERED:
        assert f"left out: event {identity}: it is here and damaged; `shardwise history restore` leaves out" in told.err
    assert main(["history", "restore"]) == 0
    capsys.readouterr()
    assert main(["history", "merge", str(whole)]) == 0
    assert capsys.readouterr().out == "2 events added, 10 were here already; 12 cards now.\n"


@pytest.mark.usefixtures("whole")
def test_damage_is_told_once_with_what_still_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """By the first opening of the day with what it means; by later ones as far as it is met."""
    assert main(["stats", "--json"]) == 0
    first = capsys.readouterr()
    said = [line for line in first.err.splitlines() if "cannot be read as written" in line or "damaged" in line]
    assert len(said) == 1
    assert f"2 entries of {history_path()} cannot be read as written ({ALTERED[0]}, …). What they added" in said[0]
    assert json.loads(first.out)["practice"]["answers"] == 12
    assert main(["stats", "--json"]) == 0
    later = capsys.readouterr().err
    assert (
        later
        == "shardwise: Your history holds entries that cannot be read as written; `shardwise history` says how many.\n"
    )
