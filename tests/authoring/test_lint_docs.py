"""What is documented of the author's commands can be typed: command lines, the hook, the job, codes, the waiver."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest
import yaml

from quiz.authoring.codes import codes
from quiz.cli import author
from quiz.cli.entry import main
from quiz.cli.parser import CommandParser
from tests.house import ROOT
from tests.trial_bank import CLAIM

if TYPE_CHECKING:
    from argparse import Namespace

    from tests.trial_bank import Trial

PAGE = (ROOT / "docs" / "instructors" / "lint.md").read_text(encoding="utf-8")
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
TYPED = re.compile(r"shardwise author [^`\n#>]+")
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs" / "instructors").glob("*.md"))]
LINES = sorted({line.strip() for path in DOCUMENTS for line in TYPED.findall(path.read_text(encoding="utf-8"))})


def parsed(line: str) -> Namespace:
    """The arguments of a command line; a line that cannot be typed ends in SystemExit."""
    parser = CommandParser(prog="shardwise author", description=author.HELP)
    author.add_arguments(parser)
    return parser.parse_args(shlex.split(line.partition("|")[0])[2:])


def blocks() -> list[object]:
    """The YAML of the page, block by block."""
    return [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]


@pytest.mark.parametrize("line", LINES)
def test_every_documented_command_line_can_be_typed(line: str) -> None:
    """A line of three words names an action, which may want more; any longer one is typed as it stands."""
    words = shlex.split(line.partition("|")[0])
    assert words[2] in author.ACTIONS
    if len(words) > 3:
        assert parsed(line).act is not None


def test_the_documents_have_command_lines() -> None:
    assert len(LINES) >= 5


def test_the_hook_runs_a_command_and_is_the_one_that_the_page_names() -> None:
    (hook,) = HOOKS
    assert parsed(f"{hook['entry']} my-bank/memory/one.yaml my-bank/memory/two.yaml").paths == [
        "my-bank/memory/one.yaml",
        "my-bank/memory/two.yaml",
    ]
    (config,) = (block for block in blocks() if isinstance(block, dict) and "repos" in block)
    assert [one["id"] for one in config["repos"][0]["hooks"]] == [hook["id"]]


def test_the_job_runs_the_lint_on_every_change() -> None:
    (job,) = (block for block in blocks() if isinstance(block, dict) and "jobs" in block)
    assert job[True] == ["push", "pull_request"]  # YAML reads the key `on` as true: why a bank file does not
    assert parsed(job["jobs"]["lint"]["steps"][-1]["run"]).format == "github"


def test_the_finding_on_the_page_is_the_one_that_is_told(
    trial: Trial, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a bank like that of the page every command of its first block runs, and the mistyped name is told so."""
    (shown,) = re.findall(r"^```\n(my-bank/.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    line = int(shown.split(":")[1])
    text = CLAIM.replace("Weights and gradients stay whole", "{{ kpt }} stay whole.") + "  kept: {input: 5 GB}\n"
    before = text[: text.index("kpt")].count("\n")
    trial.write("# so that the line is that of the page\n" * (line - 1 - before) + text, "memory/which-fits.yaml")
    folder = trial.folder.rename(trial.folder.parent / "my-bank")
    monkeypatch.chdir(folder.parent)
    (commands,) = re.findall(r"^```\n(shardwise author lint my-bank/ .*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    codes_of = []
    for command in commands.splitlines():
        codes_of.append(main(shlex.split(command.partition("#")[0])[1:]))
        told = capsys.readouterr().out
        if "--explain" not in command:
            assert shown in told, told
    assert codes_of == [1, 1, 0, 0]


def test_every_code_on_the_page_exists() -> None:
    named = set(re.findall(r"\(`([a-z-]+)`(?:, `([a-z-]+)`)?", PAGE))
    assert {name for pair in named for name in pair if name} <= codes().keys()
    assert len(named) >= 7


def test_the_waiver_on_the_page_answers_what_it_says(trial: Trial) -> None:
    from datetime import date

    from quiz.authoring.lint import lint

    (waiver,) = re.findall(r"^waive:\n.*?\n(?=```)", PAGE, re.DOTALL | re.MULTILINE)
    trial.write(CLAIM.replace("Which holds for", "Which does not hold for") + "sources: [{source: memo}]\n" + waiver)
    found = lint(trial.folder, date(2026, 11, 30), workers=1)
    assert [one.code for one, _ in found.waived] == ["negative-stem"]
    assert "negative-stem" not in {one.code for one in found.diagnostics}
