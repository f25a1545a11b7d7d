"""An output that cannot spell a sign gets a plain one."""

from __future__ import annotations

import io
import sys

import pytest

from quiz.cli.entry import main


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_a_derivation_is_spelled_in_any_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["solve", "pipeline.bubble_of_total", "--set", "layout.pp=8", "--set", "batch.accumulation=32"]) == 0
    out.seek(0)
    assert "(8 - 1) / (32 + 8 - 1) = 17.95 %" in out.read()
