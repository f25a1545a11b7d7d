"""`shardwise author lint` from the shell: forms of output, order of words, several paths, what is kept."""

from __future__ import annotations

import json
from datetime import date
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.codes import codes
from quiz.authoring.lint import lint
from quiz.cli.author_lint import bar
from quiz.cli.entry import main
from tests.trial_bank import MANIFEST, OPEN, SOURCES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.trial_bank import Trial

CLEAN = OPEN + "sources: [{source: memo}]\nwaive: {missing-reveal: A trial is short.}\n"
TODAY = date(2026, 11, 30)


def author(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["author", *(str(word) for word in words)])
    shown, said = capsys.readouterr()
    return code, shown, said


def test_words_may_stand_in_any_order(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(CLEAN)
    for words in permutations(["--json", str(trial.folder), "--no-cache"]):
        code, shown, said = author(capsys, "lint", *words)
        assert (code, said) == (0, ""), words
        assert json.loads(shown)["bank"] == str(trial.folder)
    for said_so in (["--format", "json", str(trial.folder)], [str(trial.folder), "--format=json"]):
        assert json.loads(author(capsys, "lint", *said_so)[1])["questions"][0]["id"] == "say-it"


def test_a_finding_opens_in_an_editor_and_says_the_fix(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    path = trial.write(CLEAN.replace("source: memo", "source: mmo"))
    code, shown, _ = author(capsys, "lint", trial.folder)
    assert code == 1
    assert f"{path}:10:20: unknown-source: sources.yaml has no 'mmo'" in shown
    assert "  Did you mean memo?" in shown
    assert shown.index("Errors: facts") < shown.index("unknown-source")


def test_github_annotations_name_file_line_and_code(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    path = trial.write(CLEAN.replace("waive: {missing-reveal", "waive: {key-longest: None., missing-reveal"))
    code, shown, _ = author(capsys, "lint", "--format", "github", trial.folder)
    assert code == 0
    assert shown.splitlines()[0].startswith(f"::warning file={path},line=11,col=9,title=waiver-unused::")
    path = trial.write(CLEAN.replace('first"]', 'first", "80 % of it"]'))
    assert f"::error file={path}," in author(capsys, "lint", "--format", "github", trial.folder)[1]
    assert "80 %25" in author(capsys, "lint", "--format", "github", trial.folder)[1]


def test_files_of_several_banks_are_checked_each_in_its_own(
    trial: Trial, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "bank.yaml").write_text(MANIFEST.replace("trial", "other"))
    (other / "sources.yaml").write_text(SOURCES)
    (other / "q.yaml").write_text(CLEAN)
    first, second = trial.write(CLEAN, "a.yaml"), trial.write(CLEAN.replace("say-it", "say-that"), "b.yaml")
    code, shown, _ = author(capsys, "lint", "--json", first, other / "q.yaml", second)
    assert code == 0
    banks = {bank["bank"]: [row["file"] for row in bank["questions"]] for bank in json.loads(shown)["banks"]}
    assert banks == {str(trial.folder): ["a.yaml", "b.yaml"], str(other): ["q.yaml"]}


def test_a_manifest_stands_for_its_whole_bank(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(CLEAN)
    _, shown, _ = author(capsys, "lint", "--json", trial.folder / "bank.yaml")
    assert len(json.loads(shown)["robot"]) == 7


def test_a_mistyped_option_is_met_with_the_nearest_of_this_action(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = author(capsys, "lint", "--jsn", "my-bank")
    assert code == 2
    assert "Did you mean --json?" in said
    assert "Usage: shardwise author lint" in said


def test_every_code_is_explained_with_a_bad_and_a_good_example(capsys: pytest.CaptureFixture[str]) -> None:
    for name, code in codes().items():
        ended, shown, _ = author(capsys, "lint", "--explain", name)
        assert ended == 0
        assert shown.startswith(f"{name} ({code.severity}, ")
        assert code.bad.strip()
        assert code.good.strip()
        assert code.bad != code.good
        assert ("waive:" in shown) == (code.severity == "warning")
    _, listed, _ = author(capsys, "lint", "--explain")
    assert all(f"  {name} " in listed for name in codes())


def test_an_unknown_code_is_met_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = author(capsys, "lint", "--explain", "key-longst")
    assert code == 2
    assert "Did you mean key-longest?" in said


def test_what_has_not_changed_is_not_examined_again(trial: Trial) -> None:
    first = trial.write(CLEAN, "a.yaml")
    trial.write(CLEAN.replace("say-it", "say-that"), "b.yaml")
    told: list[tuple[int, int]] = []

    def run() -> tuple[int, tuple[str, ...]]:
        found = lint(trial.folder, TODAY, cache=trial.cache, progress=lambda *counts: told.append(counts))
        return found.compiled, tuple(one.code for one in found.diagnostics)

    assert run() == (2, ())
    assert told == [(1, 2), (2, 2)]
    assert run() == (0, ())
    first.write_text(CLEAN.replace("source: memo", "source: mmo"))
    assert run() == (1, ("unknown-source",))
    (trial.folder / "sources.yaml").write_text(SOURCES.replace("memo:", "mmo:"))
    assert run() == (2, ("unknown-source",))
    first.unlink()
    assert run() == (0, ("unknown-source",))


def test_a_damaged_cache_costs_time_and_nothing_else(trial: Trial) -> None:
    trial.write(CLEAN)
    lint(trial.folder, TODAY, cache=trial.cache)
    (kept,) = (trial.cache / "lint").iterdir()
    kept.write_bytes(b"{")
    assert lint(trial.folder, TODAY, cache=trial.cache).compiled == 1


def test_a_waiver_answers_its_warning_and_is_listed_with_its_reason(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.write(CLEAN)
    _, shown, _ = author(capsys, "lint", trial.folder)
    assert ":1:5: missing-reveal: A trial is short." in shown
    assert "0 errors, 0 warnings, 1 waived" in shown


def test_many_files_are_examined_in_processes_with_the_same_findings(trial: Trial) -> None:
    for number in range(41):
        trial.write(
            CLEAN.replace("say-it", f"say-{number}").replace("memo", "memo" if number % 5 else "mmo"), f"{number}.yaml"
        )
    several = lint(trial.folder, TODAY, workers=2)
    alone = lint(trial.folder, TODAY, workers=1)
    assert several.diagnostics == alone.diagnostics
    assert [row.id for row in several.rows] == [row.id for row in alone.rows]
    assert sum(one.code == "unknown-source" for one in alone.diagnostics) == 9


@pytest.mark.parametrize("columns", [4, 15, 20, 40, 60, 80, 120])
def test_the_bar_fits_on_one_line_of_every_terminal(columns: int) -> None:
    """On a narrow one it says less; a line that wraps would stay on the screen."""
    lines = [bar(done, 10_000, 123.0, columns) for done in (1, 5_000, 10_000)]
    assert all(len(line) < columns for line in lines)
    assert all(("Ctrl+C stops" in line, "s left" in line) == (columns >= 60, columns >= 40) for line in lines)


def test_a_folder_in_a_bank_stands_for_its_files(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.write(CLEAN)
    trial.write(CLEAN.replace("id: say-it", "id: say-more").replace("kind: open", "kind: opn"), "other/two.yaml")
    code, shown, _ = author(capsys, "lint", trial.folder / "other", "--json")
    found = json.loads(shown)
    assert code == 1
    assert {one["file"] for one in found["diagnostics"]} == {"other/two.yaml"}
    assert author(capsys, "lint", trial.folder / "topic")[0] == 0
    (trial.folder / "bare").mkdir()
    code, _, said = author(capsys, "lint", trial.folder / "bare")
    assert code == 2
    assert "holds no question" in said
