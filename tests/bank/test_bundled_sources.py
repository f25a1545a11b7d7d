"""What the bundled bank cites: each published source was opened by an author, and none stands there uncited."""

from __future__ import annotations

import re
from pathlib import Path

from quiz.bank.compile import read_sources

QUESTIONS = Path(__file__).resolve().parents[2] / "questions"
_FILE = QUESTIONS / "sources.yaml"


def test_every_published_source_says_when_its_place_was_last_read() -> None:
    entries = read_sources(_FILE.read_bytes(), _FILE.name)
    unread = sorted(key for key, entry in entries.items() if entry.address and not entry.checked)
    assert unread == []
    assert all(
        re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", str(entry.checked)) for entry in entries.values() if entry.checked
    )
    assert sum(not entry.address for entry in entries.values()) <= 1  # the study card, which nobody can look up


def test_every_source_is_cited_by_a_question() -> None:
    cited = {
        key for path in QUESTIONS.glob("*/*.yaml") for key in re.findall(r"\bsource: ([a-z0-9.-]+)", path.read_text())
    }
    assert set(read_sources(_FILE.read_bytes(), _FILE.name)) == cited
