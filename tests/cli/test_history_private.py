"""What is stored of a person is shown, taken out as a table, and erased by one command; all of it is theirs only."""

from __future__ import annotations

import csv
import sqlite3
import stat
from contextlib import closing
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from quiz.cli.entry import main
from quiz.cli.history import history_path
from quiz.scheduling.rating import Rating
from quiz.session.attempt import Promise, Response
from quiz.session.changes import Regrade
from quiz.session.events import Rerating
from quiz.store import Store
from quiz.store.restore import restore
from quiz.store.table import FORMULA
from tests.unit.session.made import KEY, START, attempt, identity, series

if TYPE_CHECKING:
    from pathlib import Path

LATER = START + timedelta(days=30)


@pytest.fixture
def path() -> Path:
    """A history with backups and a file that was set aside."""
    path = history_path()
    for first, day in ((0, 1), (10, 2)):
        with Store.open(path, today=date(2026, 3, day)) as store:
            for one in series(first + 10)[first:]:
                store.append(one)
    restore(path)
    return path


def table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_every_file_with_answers_is_for_its_owner_only(path: Path, tmp_path: Path) -> None:
    """The history, its logs while it is open, backups, what was set aside, and exports."""
    with Store.open(path) as store:
        store.append(attempt(99, now=LATER))
        files = [one for one in path.parent.rglob("*") if one.is_file()]
        assert {one.name.partition("-")[2] for one in files} >= {"wal", "shm"}
        assert {stat.S_IMODE(one.stat().st_mode) for one in files} == {0o600}
    folders = [path.parent, *(one for one in path.parent.rglob("*") if one.is_dir())]
    assert {stat.S_IMODE(one.stat().st_mode) for one in folders} == {0o700}
    for arguments in (["a.jsonl"], ["--csv", "a.csv"]):
        assert main(["history", "export", *arguments[:-1], str(tmp_path / arguments[-1])]) == 0
        assert stat.S_IMODE((tmp_path / arguments[-1]).stat().st_mode) == 0o600


def test_erasing_takes_everything_and_says_what_is_left(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = path.parent / "notes.txt"
    mine.write_text("mine")
    assert main(["history", "erase", "--yes"]) == 0
    shown, said = capsys.readouterr()
    assert "backups/history-2026-03-02.db" in said
    assert ".aside-" in said
    assert "left in" in shown
    assert "notes.txt" in shown
    assert "Not erased: exports" in shown
    assert [one.name for one in path.parent.iterdir()] == ["notes.txt"]
    assert main(["history", "erase"]) == 0
    assert "nothing is stored" in capsys.readouterr().out


def test_a_database_of_another_program_is_not_erased(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
    before = sorted(path.parent.rglob("*"))
    assert main(["history", "erase", "--yes"]) == 3
    assert "it is a database of another program" in capsys.readouterr().err
    assert sorted(path.parent.rglob("*")) == before


def test_as_many_files_are_erased_as_were_listed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for one in path.parent.rglob("*"):
        if one.is_file() and one != path:
            one.unlink()
    assert main(["history", "erase", "--yes"]) == 0
    told = capsys.readouterr()
    assert told.err.startswith("shardwise: 1 file with ")
    assert told.out.startswith("erased: 1 file.\n")
    assert not path.exists()


def test_erasing_asks_and_does_nothing_without_an_answer(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(path.parent.rglob("*"))
    assert main(["history", "erase"]) == 2
    assert "Add --yes" in capsys.readouterr().err
    assert sorted(path.parent.rglob("*")) == before


@pytest.mark.parametrize(("answer", "goes"), [("erase\n", True), ("yes\n", False), ("\n", False), ("", False)])
def test_only_the_word_erases(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    goes: bool,  # noqa: FBT001
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return answer

    monkeypatch.setattr("sys.stdin", Terminal())
    assert main(["history", "erase"]) == (0 if goes else 1)
    assert path.exists() is not goes


def test_a_new_history_begins_after_erasing(path: Path) -> None:
    assert main(["history", "erase", "--yes"]) == 0
    with Store.open(path) as store:
        assert store.notices == ()
        store.append(attempt())


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\0=1", "＝1"])  # noqa: RUF001
def test_a_text_cannot_become_a_formula_in_a_spreadsheet(tmp_path: Path, text: str) -> None:
    with Store.open(history_path()) as store:
        store.append(attempt(1, response=Response((text,), text), slip=text))
    file = tmp_path / "answers.csv"
    assert main(["history", "export", "--csv", str(file)]) == 0
    (row,) = table(file)
    assert row["text"] == f"'{text}"
    assert not any(cell.startswith(FORMULA) for name, cell in row.items() if name != "offset")
    assert main(["history", "export", "--csv", "--no-spreadsheet-safe", "--force", str(file)]) == 0
    (row,) = table(file)
    assert row["text"] == row["slip"] == text


def test_the_table_says_what_counts_and_what_was_given(tmp_path: Path) -> None:
    one, other = series(2)
    with Store.open(history_path()) as store:
        store.append(replace(one, offset=-480))
        store.append(other)
        store.append(Regrade(identity(LATER), LATER, 0, one.id, "incorrect", "gib", (), Rating.AGAIN, "m", ("ddp",)))
        store.undo(LATER, 0)
    file = tmp_path / "answers.csv"
    assert main(["history", "export", "--csv", str(file)]) == 0
    first, second = table(file)
    assert (first["verdict"], first["verdict_given"], first["slip"], first["rating"]) == (
        "incorrect",
        "correct",
        "gib",
        "1",
    )
    assert (first["offset"], first["counts"], second["counts"]) == ("-480", "1", "0")
    assert second["variant"] == "cluster.nodes=4 model.parameters=70000000000"


def test_the_promised_day_of_the_table_goes_with_its_rating(tmp_path: Path) -> None:
    """The learner's own rating has the day that was told with it, an answer graded anew the day of its card."""
    keys = [KEY._replace(question=name) for name in ("stood", "rated", "regraded", "both")]
    answers = [attempt(number, now=START + timedelta(minutes=number), key=key) for number, key in enumerate(keys)]
    day = date(2027, 2, 18)
    promise = Promise(START.replace(year=2027), day)
    with Store.open(history_path()) as store:
        for one in answers:
            store.append(one)
        for number, one in enumerate(answers):
            if number in (2, 3):
                regraded = Regrade(identity(LATER, number), LATER, 0, one.id, "correct", None, (), Rating.EASY, "m", ())
                store.append(regraded)
            if number in (1, 3):
                own = Rerating(identity(LATER, number + 9), LATER, 0, one.id, Rating.EASY, promise, placed=False)
                store.append(own)
        card = store.card(keys[2])
        assert card is not None
        expected = [answers[0].promise.day, day, card.due_day, day]
    assert card.due_day > answers[2].promise.day
    file = tmp_path / "answers.csv"
    assert main(["history", "export", "--csv", str(file)]) == 0
    assert [(row["question"], row["promised_day"]) for row in table(file)] == [
        (key.question, promised.isoformat()) for key, promised in zip(keys, expected, strict=True)
    ]
