"""A run's folder: whole or not there, read while it grows, settled, found, erased."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
import pytest

from quiz.drills import events, folder
from quiz.drills.records import Env, Held, Leg, Shape, Spec

if TYPE_CHECKING:
    from pathlib import Path

SPEC = Spec(
    run="20261130T061500Z-trial-0000",
    tier="ranks",
    world=2,
    steps=3,
    shape=Shape(layers=1, hidden=8, heads=2, kv_heads=1, head_dim=4, ffn=16, vocab=32, sequence=4),
    legs=(Leg(name="ddp", strategy="ddp", replicate=2),),
)


def test_a_name_sorts_by_time_and_holds_no_sign_that_a_shell_minds() -> None:
    """And two of the same instant differ."""
    at = datetime(2026, 11, 30, 6, 15, tzinfo=UTC)
    names = {folder.name_of(at, "a b/../c") for _ in range(20)}
    assert len(names) > 1
    assert all(name.startswith("20261130T061500Z-a-b----c-") for name in names)


def test_a_folder_is_made_once(tmp_path: Path) -> None:
    """A second run of the same name is refused, and the first stays as it is."""
    where = folder.create(tmp_path, SPEC)
    with pytest.raises(folder.FolderError, match="File exists"):
        folder.create(tmp_path, SPEC)
    # The failed attempt must not take away what was there.
    assert folder.spec_of(where) == SPEC


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """With what to do."""
    (tmp_path / "drills").write_text("a file is in the way")
    with pytest.raises(folder.FolderError, match="SHARDWISE_DATA"):
        folder.create(tmp_path / "drills", SPEC)


def test_a_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk fills up while it is written, the old one stays and nothing is left beside it."""
    path = tmp_path / "env.json"
    folder.write(path, Env(python="3.11"))

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        folder.write(path, Env(python="3.14"))
    assert folder.read(path, Env).python == "3.11"
    assert list(tmp_path.iterdir()) == [path]


def test_half_a_line_waits_for_its_end(tmp_path: Path) -> None:
    """An event is read once it is whole, and once only."""
    where = folder.create(tmp_path, SPEC)
    tail = folder.Tail(where)
    line = events.line(events.Rest(leg="ddp", rank=0, held=Held(parameters=4)))
    with (where / folder.EVENTS).open("ab") as file:
        file.write(line + line[:10])
        file.flush()
        assert len(tail.read()) == 1
        assert tail.read() == []
        file.write(line[10:])
    assert len(tail.read()) == 1
    assert tail.damaged == 0


def test_a_damaged_line_is_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    """Two halves of lines that met are no event."""
    where = folder.create(tmp_path, SPEC)
    line = events.line(events.Done())
    (where / folder.EVENTS).write_bytes(line[:9] + line + line)
    tail = folder.Tail(where)
    assert len(tail.read()) == 1
    assert tail.damaged == 1


def test_settling_takes_away_what_an_end_in_the_middle_left(tmp_path: Path) -> None:
    """Temporary files, the meeting place, half a line; whole lines stay."""
    where = folder.create(tmp_path, SPEC)
    line = events.line(events.Done())
    (where / folder.EVENTS).write_bytes(line + line[:5])
    (where / ".rank0.json.tmp").write_text("{")
    (where / folder.SCRATCH).mkdir()
    (where / folder.SCRATCH / "meeting-0").touch()
    folder.settle(where)
    assert (where / folder.EVENTS).read_bytes() == line
    assert sorted(path.name for path in where.iterdir()) == ["events.jsonl", "spec.json"]


@pytest.mark.parametrize(
    ("text", "said"), [("{", "is damaged"), ('{"version": 2, "run": ""}', "is damaged"), (None, "cannot be read")]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, text: str | None, said: str) -> None:
    """With why."""
    if text is not None:
        (tmp_path / folder.SPEC).write_text(text)
    with pytest.raises(folder.FolderError, match=said):
        folder.spec_of(tmp_path)


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    """Its fields may mean something else."""
    folder.write(tmp_path / folder.ENV, Env(version=2))
    with pytest.raises(folder.FolderError, match="of version 2; this program knows 1"):
        folder.env_of(tmp_path)


def test_runs_are_found_by_name_end_or_path(tmp_path: Path) -> None:
    """The latest comes first; what means two is refused with both."""
    names = ["20261130T061500Z-trial-0001", "20261130T071500Z-trial-0002"]
    made = [folder.create(tmp_path, msgspec.structs.replace(SPEC, run=name)) for name in names]
    assert folder.runs(tmp_path) == tuple(reversed(made))
    assert folder.find(tmp_path, names[0]) == folder.find(tmp_path, "0001") == folder.find(tmp_path, str(made[0]))
    with pytest.raises(folder.FolderError, match="one of several runs"):
        folder.find(tmp_path, "20261130")
    with pytest.raises(folder.FolderError, match="prove --runs"):
        folder.find(tmp_path, "nothing")


def test_erasing_leaves_what_still_goes_on(tmp_path: Path) -> None:
    """A run is over when nobody holds its events."""
    import fcntl

    over, going = (folder.create(tmp_path, msgspec.structs.replace(SPEC, run=name)) for name in ("a", "b"))
    with (going / folder.EVENTS).open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert folder.live(going)
        assert not folder.live(over)
        assert folder.erase(folder.runs(tmp_path)) == 1
    assert folder.runs(tmp_path) == (going,)
