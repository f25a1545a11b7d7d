"""`shardwise author stats` from the shell, and the page that explains it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from quiz.authoring.items.beside import lines_of
from quiz.authoring.items.figures import figures_of
from quiz.authoring.items.from_csv import read_csv
from quiz.cli.entry import main
from quiz.store.export import line
from tests.authoring.items.test_from_history import answer, typed
from tests.house import ROOT
from tests.trial_bank import NUMERIC, STRATEGY

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.trial_bank import Trial

PAGE = (ROOT / "docs" / "instructors" / "statistics.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def stats(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["author", "stats", *(str(word) for word in words)])
    shown, said = capsys.readouterr()
    return code, shown, said


def write_class(folder: Path) -> list[Path]:
    """Three learners' exports."""
    events = {
        "ada": [answer(1, "whole"), typed(2, right=True)],
        "ben": [answer(3, "optimizer"), typed(4, right=False)],
        "eve": [answer(5, "whole"), typed(6, right=False)],
    }
    paths = []
    for name, given in events.items():
        paths.append(folder / f"{name}.jsonl")
        paths[-1].write_text("".join(f"{line(event)}\n" for event in given), encoding="utf-8")
    return paths


def test_the_example_of_the_page_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (table,) = [text for kind, text in BLOCKS if kind == "csv"]
    (expected,) = [text for kind, text in BLOCKS if not kind]
    command = next(text for kind, text in BLOCKS if kind == "sh" and "--csv" in text)
    (tmp_path / "answers.csv").write_text(table, encoding="utf-8")
    assert main(command.split()[1:]) == 0
    assert capsys.readouterr().out.startswith(expected)


def test_the_histories_of_a_class_are_one_table(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(STRATEGY)
    trial.write(NUMERIC, "topic/two.yaml")
    files = write_class(trial.folder.parent)
    code, shown, said = stats(capsys, trial.folder, "--history", *files, "--json")
    data = json.loads(shown)
    assert (code, said) == (0, "")
    assert (data["bank"], data["n"], data["complete"]) == ("trial", 3, True)
    assert [(item["id"], item["file"], item["n"], item["right"]) for item in data["items"]] == [
        ("which-fits", "topic/one.yaml", 3, 2),
        ("how-often", "topic/two.yaml", 3, 1),
    ]
    code, shown, _ = stats(capsys, trial.folder, "--topic", "memory-budget", "--history", *files)
    assert code == 0
    assert "how-often" not in shown


def test_a_damaged_line_is_named_and_the_rest_is_counted(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(STRATEGY)
    path = write_class(trial.folder.parent)[0]
    path.write_text("{}\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    code, shown, said = stats(capsys, trial.folder, "--history", path)
    assert code == 1
    assert f"{path}:1: it is no line of an export" in said
    assert "which-fits" in shown


def test_a_table_that_does_not_fit_is_refused_with_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("learner,a\nada,=cmd\n", encoding="utf-8")
    code, shown, said = stats(capsys, "--csv", path)
    assert (code, shown) == (2, "")
    assert said.startswith(f"shardwise: {path}:2: the answer to a is '=cmd'")


def test_what_a_table_has_beyond_the_bank_is_named_and_the_rest_is_counted(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    """With line, column and what next; a column by a former id counts for the question as it is called now."""
    trial.write(STRATEGY.replace("id: which-fits", "id: which-fits\nrenamed_from: [what-fits]"))
    path = trial.folder.parent / "answers.csv"
    path.write_text("learner,what-fits,name\nkey,whole,\nada,whole,1\nben,optimiser,1\n", encoding="utf-8")
    code, shown, said = stats(capsys, trial.folder, "--csv", path)
    assert code == 1
    assert f"{path}:1, column 3: name: the bank has no such question. Left out. " in said
    assert f"{path}:4, column 2: what-fits: 'optimiser' is none of the options" in said
    assert "Did you mean optimizer?" in said
    assert shown.startswith("question    n")
    assert "which-fits  1  100 %" in shown
    code, _, said = stats(capsys, "--csv", path, "--question", "what-fits", "--question", "elsewhere")
    assert code == 1
    assert "no column is named elsewhere" in said


def test_nothing_to_count_is_an_error_that_says_what_next(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(STRATEGY)
    assert "--history FILE" in stats(capsys, trial.folder)[2]
    code, _, said = stats(capsys, trial.folder, "--history", trial.folder / "nowhere.jsonl")
    assert code == 2
    assert "no such file" in said
    code, _, said = stats(capsys, trial.folder, "--history", trial.folder / "bank.yaml")
    assert code == 2
    assert "there are no answers to questions of the bank trial" in said


def test_beside_its_source_an_item_has_one_line() -> None:
    """What the lint and an editor can show: n first, then the figures, then what is advised."""
    rows = "".join(f"l{one},{'x' if one < 25 else 'y'},{int(one < 25)}\n" for one in range(40))
    table = read_csv(f"learner,a,b\nkey,x,\noptions,x|y|z,\n{rows}".encode())
    lines = lines_of(figures_of(table))
    assert lines["a"] == (
        "n 40, right 62 %, r 1.00, D 1.00; fewer than 5 % choose z: replace by a mistake that people make"
    )
    assert lines["b"].startswith("n 40, right 62 %")


def test_the_lint_shows_the_figures_of_a_class_at_the_line_of_each_id(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.write(f"# what fits\n{STRATEGY}")
    trial.write(NUMERIC, "topic/two.yaml")
    files = write_class(trial.folder.parent)
    main(["author", "lint", str(trial.folder), "--no-cache", "--history", *map(str, files)])
    shown = capsys.readouterr().out
    assert "\nHow 3 learners answered" in shown
    assert f"  {trial.folder}/topic/one.yaml:2:1: n 3, right 67 %, r " in shown
    assert f"  {trial.folder}/topic/two.yaml:1:1: n 3, right 33 %, r " in shown
    main(["author", "lint", str(trial.folder), "--json", "--history", *map(str, files)])
    told = json.loads(capsys.readouterr().out)["answers"]
    assert told["learners"] == 3
    first = told["items"][0]
    assert (first["file"], first["line"], first["n"]) == ("topic/one.yaml", 2, 3)
    assert round(first["difficulty"], 3) == 0.667
    main(["author", "lint", str(trial.folder), "--format", "github", "--history", *map(str, files)])
    shown = capsys.readouterr().out
    assert f"::notice file={trial.folder}/topic/one.yaml,line=2,title=answers::n 3, right 67 %25, r " in shown


def test_without_histories_the_lint_says_nothing_of_answers(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(STRATEGY)
    main(["author", "lint", str(trial.folder), "--json"])
    assert json.loads(capsys.readouterr().out)["answers"] is None
