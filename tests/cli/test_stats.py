"""`shardwise stats`: the screen's figures as text and as JSON, of one topic, since a day."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.cli.entry import main
from quiz.cli.history import history_path
from quiz.cli.outcome import Failure
from quiz.cli.stats import since_day
from quiz.statistics.given import Asked
from quiz.store import Store
from quiz.store.errors import failure
from tests.house import ROOT
from tests.unit.statistics.simulated import START, Learner

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.session.attempt import Attempt

# Ids of the bundled bank, and one that it does not hold.
QUESTIONS = (
    Asked("mb-84gb-redflag", "memory-budget", "claim"),
    Asked("mb-70b-4nodes", "memory-budget"),
    Asked("ft-young-daly", "fault-tolerance"),
    Asked("gone", "nowhere"),
)
BUNDLED = tuple(Asked(file.stem, "any") for file in sorted((ROOT / "questions").glob("*/*.yaml")))
DAYS = 50


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of the bundled bank, made once for these tests."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(autouse=True)
def _with_that_cache(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARDWISE_CACHE", str(compiled))


@pytest.fixture
def answered() -> list[Attempt]:
    """A history of fifty days up to yesterday, in the learner's own folder."""
    start = datetime.now(UTC).date() - timedelta(days=DAYS)
    made = Learner(5, diligence=1, new_a_day=1).history(QUESTIONS, DAYS, start)
    history_path().parent.mkdir(parents=True, exist_ok=True)
    with Store.open(history_path()) as store:
        store.merge(made)
    return made


def test_without_a_terminal_every_section_comes_as_text(
    answered: list[Attempt], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "64")
    assert main(["stats"]) == 0
    out = capsys.readouterr().out
    names = [line.split()[1] for line in out.splitlines() if line.startswith("── ") and line.endswith("──")]
    assert names == ["Overview", "Memory", "Topics", "Ahead", "Practice", "Confidence", "Mistakes"]
    assert f"{len(answered)} answers on" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 64
    assert "\x1b" not in out


def test_json_holds_every_figure_and_null_for_what_is_not_known(
    answered: list[Attempt], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["version"], data["bank"]) == ("shardwise.stats", 2, "shardwise")
    assert data["practice"]["answers"] == len(answered)
    assert data["set_aside"] == 1
    assert {topic["recall"] for topic in data["topics"] if not topic["seen"]} == {None}


ANSWERS = (0, 1, 2, 3, 5, 9, 10, 30, 300)


@pytest.mark.parametrize("count", ANSWERS)
def test_every_figure_has_enough_answers_or_is_null_beside_its_n_and_the_least(
    count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """One rule: 20 of the answers that a figure rests on, 40 where it is split into parts."""
    made = Learner(5, diligence=1, new_a_day=6).history(BUNDLED, 120)[:count]
    start = datetime.now(UTC).date() - ((made[-1].day if made else START) - START)
    made = Learner(5, diligence=1, new_a_day=6).history(BUNDLED, 120, start)[:count]
    history_path().parent.mkdir(parents=True, exist_ok=True)
    with Store.open(history_path()) as store:
        store.merge(made)
    assert main(["stats", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    seen: set[tuple[str, str]] = set()
    for one in made:
        seen.add((one.card.question, str(one.day)))
    reviews = len(seen) - len({name for name, _ in seen})
    told = {"reviews": reviews >= 20, "answers": count >= 20}
    for topic in (data["whole"], *data["topics"]):
        enough = told["reviews"] and topic["answers"] >= 20
        assert (topic["reviews"], topic["least"]) == (reviews, 20)
        assert {topic[name] is not None for name in ("recall", "recall_low", "recall_high", "known")} == {enough}
        assert (topic["seconds"] is not None) == (topic["answers"] >= 20)
    shares = [row["passed"] for row in data["memory"]["rows"]] + [month["passed"] for month in data["memory"]["months"]]
    shares += [one["right"] for one in (*data["calibration"]["bins"], *data["practice"]["hours"])]
    shares += [topic["tested"] for topic in (data["whole"], *data["topics"])]
    for share in shares:
        assert share["least"] == 20
        assert {share[name] is not None for name in ("share", "low", "high")} == {share["n"] >= 20}
    calibration = data["calibration"]
    parts = ("brier", "reliability", "resolution", "uncertainty", "gap", "gap_low", "gap_high")
    assert {calibration[name] is not None for name in parts} == {calibration["n"] >= calibration["least"] == 40}
    times = data["practice"]["times"]
    assert {times[name] is not None for name in ("median", "lower", "upper")} == {told["answers"]}
    assert (times["answers"], times["least"]) == (count, 20)
    ahead = data["forecast"]
    assert (ahead["load"] is not None) == told["reviews"]
    assert (ahead["reviews"], ahead["least"]) == (reviews, 20)
    ready = data["ready"]
    assert (ready["pace"] is not None) == (ready["pace_days"] >= ready["least_days"] and ready["pace_n"] >= 5)
    assert [one["own"] for one in ready["topics"] if ready["pace"] is None and one["own"] is not None] == []
    assert [one for one in ready["topics"] if not one["unseen"] and one["recall"] is None and one["limit"]] == []
    assert [one["topic"] for one in ready["topics"] if one["never"]] == []
    if count == 300:
        assert told == {"reviews": True, "answers": True}


def test_the_reviews_that_a_forecast_rests_on_are_those_of_the_whole_history(
    answered: list[Attempt], capsys: pytest.CaptureFixture[str]
) -> None:
    """Looking at one topic, or at the last days, takes nothing from what the memory model has been tested on."""
    found = []
    for more in ([], ["--since", "1d"], ["--topic", "memory-budget"], ["--topic", "memory-budget", "--since", "3d"]):
        assert main(["stats", "--json", *more]) == 0
        data = json.loads(capsys.readouterr().out)
        found.append((data["whole"]["reviews"], data["forecast"]["reviews"], data["topics"][0]["reviews"]))
    assert len(set(found)) == 1
    assert 20 <= found[0][0] < len(answered)


def test_a_topic_has_figures_of_its_own_and_since_a_day_the_past_is_counted_from_it(
    answered: list[Attempt], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", "--json", "--topic", "Memory budget", "--since", "20d"]) == 0
    data = json.loads(capsys.readouterr().out)
    since = date.fromisoformat(data["since"])
    assert date.fromisoformat(data["day"]) - since == timedelta(days=19)
    mine = [one for one in answered if one.card.question.startswith("mb-")]
    assert (data["topic"], data["set_aside"]) == ("memory-budget", 0)
    assert [topic["topic"] for topic in data["topics"]] == ["memory-budget"]
    assert data["topics"][0]["answers"] == len(mine)
    assert data["practice"]["answers"] == sum(one.day >= since for one in mine)


def test_mistakes_come_with_what_the_bank_says_to_them(capsys: pytest.CaptureFixture[str]) -> None:
    made = Learner(5, diligence=1, new_a_day=1, skill=0.1).history(
        QUESTIONS[:1], 12, datetime.now(UTC).date() - timedelta(12)
    )
    history_path().parent.mkdir(parents=True, exist_ok=True)
    with Store.open(history_path()) as store:
        store.merge(made)
    assert main(["stats", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["mistakes"]
    said = {slip["id"]: slip["says"] for slip in found["slips"]}
    assert "left out the fp32 master copy" in said["no-master"]
    assert [flag["question"] for flag in found["flags"]] == ["mb-84gb-redflag"]
    assert found["flags"][0]["flag"].startswith("About 84 GB")
    assert found["flags"][0]["instead"]


def test_output_that_cannot_spell_the_plots_gets_plain_signs(
    answered: list[Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["stats"]) == 0
    out.flush()
    text = out.buffer.getvalue().decode("ascii")
    assert "Recall today" in text
    assert "#" in text
    assert "?" not in text.replace("memory table?", "")
    assert answered


@pytest.mark.parametrize("form", ["--json", "--text"])
def test_printing_the_figures_of_no_history_begins_none(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", form]) == 0
    assert "mb-84gb-redflag" not in capsys.readouterr().out
    assert not history_path().exists()


def test_a_history_that_was_lost_is_not_shown_as_one_that_was_never_begun(capsys: pytest.CaptureFixture[str]) -> None:
    path = history_path()
    with Store.open(path) as store:
        store.merge(Learner(3).history(QUESTIONS, 2))
    Store.open(path).close()
    path.unlink()
    assert main(["stats", "--json"]) != 0
    assert "history restore" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("2026-01-31", "2026-01-31"),
        ("1d", "2026-03-03"),
        ("90d", "2025-12-04"),
        ("2w", "2026-02-18"),
        ("1Y", "2025-03-04"),
    ],
)
def test_since_takes_a_day_or_a_span_back_that_ends_today(words: str, day: str) -> None:
    assert since_day(words, date(2026, 3, 3)).isoformat() == day


@pytest.mark.parametrize(
    ("words", "says"),
    [("soon", "is no day"), ("99999y", "is no day"), ("2026-03-04", "lies ahead"), ("0d", "1d is today")],
)
def test_since_what_is_no_day_is_refused_with_what_to_write(words: str, says: str) -> None:
    with pytest.raises(Failure, match=says) as refused:
        since_day(words, date(2026, 3, 3))
    assert refused.value.code == 2


def test_a_history_that_cannot_be_written_is_looked_at_as_it_is(
    answered: list[Attempt], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise failure("read-only", "Opening your history", path, "the file cannot be written")

    monkeypatch.setattr("quiz.store.connection._require_writable", refuse)
    assert main(["stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["practice"]["answers"] == len(answered)
    assert main(["browse", "--json"]) == 0
    assert main(["mark", QUESTIONS[0].id, "--flag"]) == 3


def test_a_history_that_is_none_is_refused_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    history_path().parent.mkdir(parents=True, exist_ok=True)
    history_path().write_bytes(b"not a database at all" * 500)
    assert main(["stats", "--json"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
