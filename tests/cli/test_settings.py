"""`shardwise settings` and `shardwise mark`: each change is an event, told back, and can be taken back."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from quiz.cli.entry import main
from quiz.cli.history import history_path
from quiz.session.events import Mark, SettingChange
from quiz.store import Store

QUESTION = "mb-70b-4nodes"


def events() -> list[object]:
    with Store.open(history_path(), read_only=True) as store:
        return list(store.events())


def test_settings_are_shown_with_their_bounds_before_there_is_a_history(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings"]) == 0
    out = capsys.readouterr().out
    assert "new_per_day       10" in out
    assert "(0.7 to 0.99)" in out
    assert not history_path().exists()
    assert max(map(len, out.splitlines())) <= 100


def test_a_setting_is_changed_and_reset_as_events(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "set", "new-per-day", "20"]) == 0
    assert main(["settings", "set", "retention.Memory budget", "0.95"]) == 0
    assert main(["settings", "set", "new_per_day", "20"]) == 0
    assert main(["settings", "reset", "new_per_day"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "new_per_day: 20 from now on (it was 10).",
        "retention.memory-budget: 0.95 from now on (it was default).",
        "new_per_day is 20 already.",
        "new_per_day: 10 from now on (it was 20).",
    ]
    changes = [(event.name, event.value) for event in events() if isinstance(event, SettingChange)]
    assert changes == [("new_per_day", 20), ("retention.memory-budget", 0.95), ("new_per_day", None)]
    assert main(["settings", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["new_per_day"], data["retention_by_topic"]) == (10, {"memory-budget": 0.95})


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["set", "new_per_dy", "3"], "Did you mean new_per_day?"),
        (["set", "retention", "2"], "choose 0.7 to 0.99. Nothing was changed."),
        (["set", "retention.memory", "0.9"], "Did you mean memory-budget?"),
        (["set", "interview_date", "soon"], "write it as 2027-03-03 or 3 March"),
        (["set", "easy_days", "mon", "tue", "wed", "thu", "fri", "sat", "sun"], "all seven"),
        (["set", "learning_steps", "10m", "1m"], "write 1m 10m. Nothing was changed."),
        (["reset", "colour"], "there is no setting 'colour'"),
    ],
)
def test_a_wrong_setting_changes_nothing_and_says_what_next(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["settings", *words]) == 2
    assert says in capsys.readouterr().err
    assert not history_path().exists() or events() == []


def test_a_question_is_marked_shown_and_unmarked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mark"]) == 0
    assert main(["mark", QUESTION, "--suspend", "--flag", "--note", "the master copy"]) == 0
    assert main(["mark"]) == 0
    assert main(["mark", QUESTION, "--unsuspend", "--unflag", "--note", "", "--bury"]) == 2
    assert main(["mark", QUESTION, "--unsuspend", "--unflag", "--note", ""]) == 0
    out = capsys.readouterr().out.splitlines()
    told = f"{QUESTION}: suspended; flagged; note: the master copy"
    assert out == ["No question is marked.", f"{told}.", told, f"{QUESTION}: no marks."]
    assert len([event for event in events() if isinstance(event, Mark)]) == 6
    assert main(["mark", QUESTION, "--bury"]) == 0
    assert "buried, back tomorrow" in capsys.readouterr().out
    assert main(["mark", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {QUESTION}


@pytest.mark.parametrize(
    ("note", "told"),
    [("the master copy\nand its bytes", "the master copy / and its bytes"), ("a\r\n\r\n b  c\u2028d", "a / b c / d")],
)
def test_a_note_with_line_breaks_is_listed_on_one_line(
    note: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """So each line of the list is one question; the JSON has the note as it was written."""
    assert main(["mark", QUESTION, "--note", note]) == 0
    assert main(["mark"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{QUESTION}: note: {told}.", f"{QUESTION}: note: {told}"]
    assert main(["mark", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[QUESTION]["note"] == note


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["mb-70b-4node", "--flag"], f"Did you mean {QUESTION}"),
        (["--flag"], "name the question"),
        ([QUESTION, "--flag", "--unflag"], "not allowed with"),
        ([QUESTION, "--note", "x" * 2_001], "2,000 is the most"),
    ],
)
def test_a_mark_that_cannot_be_made_says_why(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mark", *words]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("command", [["mark", "mb-70b-4nodes", "--flag"], ["settings", "set", "fuzz", "off"]])
def test_a_command_that_begins_anew_in_an_empty_file_says_so(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    history_path().parent.mkdir(parents=True)
    history_path().touch()
    assert main(command) == 0
    assert "was empty (0 bytes)" in capsys.readouterr().err


def test_a_mark_of_a_question_that_is_gone_is_listed_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mark", QUESTION, "--flag"]) == 0
    with Store.open(history_path()) as store:
        now = datetime.now(UTC)
        store.append(Mark(store.new_id(now), now, 0, "shardwise", "gone", "flag", value=True))
    capsys.readouterr()
    assert main(["mark"]) == 0
    assert capsys.readouterr().out == f"gone (not in this bank now): flagged\n{QUESTION}: flagged\n"
