"""The instructors' page tells the truth: its question loads, its parts are of the form, its error is the real one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.trial_bank import NUMERIC

if TYPE_CHECKING:
    from tests.trial_bank import Trial

PAGE = Path(__file__).resolve().parents[2] / "docs" / "instructors" / "writing-questions.md"


def blocks(language: str) -> list[str]:
    """The fenced blocks of the page in one language; every second part between fences is inside."""
    inside = PAGE.read_text(encoding="utf-8").split("\n```")[1::2]
    return [block.partition("\n")[2] + "\n" for block in inside if block.partition("\n")[0] == language]


def test_the_question_on_the_page_loads_and_has_the_key_that_the_page_says(trial: Trial) -> None:
    shown = trial.only(blocks("yaml")[0])
    assert shown.key == ("sharded",)
    assert shown.options[0].reasoning == "35 GB of state, fits, 30.0 GB (37.5 %) free."
    assert [option.bar is not None and option.bar.fits for option in shown.options] == [True, False]


def test_the_figures_on_the_page_have_values(trial: Trial) -> None:
    question, figures = blocks("yaml")[0], blocks("yaml")[1]
    text = question.replace("  replicated:", "  zero1:").replace("layout.zero: 0}", "layout.zero: 1}")
    names = ", ".join(f"{{{{ {name} }}}}" for name in re.findall(r"^  (\w+):", figures, re.MULTILINE))
    shown = trial.only(f"{text}{figures.replace('some-report', 'memo')}bullets: ['{names}']\n")
    assert shown.bullets == ("1,120 GB, 280 GB, 46.7 GB, 5 GB, 7.9 h, 19",)


def test_the_slips_on_the_page_are_of_the_form(trial: Trial) -> None:
    numeric = blocks("yaml")[2].replace("  - {id: one-node", "  # ").replace("  - {id: zero1", "  # ")
    head = NUMERIC[: NUMERIC.index("answer:")]
    part = trial.only(head + numeric).numeric
    assert part is not None
    assert [slip.id for slip in part.slips] == ["forgot-the-2", "daly"]


def test_the_variants_on_the_page_are_enough(trial: Trial) -> None:
    trial.write(blocks("yaml")[0] + blocks("yaml")[3])
    assert len(trial.open().variants("which-fits")) == 12


def test_the_error_on_the_page_is_the_one_that_is_told(trial: Trial) -> None:
    text = blocks("yaml")[0].replace("15 GB", "43 GB").replace("{{ verdict }}", "so")
    (problem,) = trial.problems(text)
    told = problem.render(text).split("\n")
    page = blocks("")[-1].strip().split("\n")
    assert [line.split("error:")[-1] for line in told if "| " not in line[:8]] == [
        line.split("error:")[-1] for line in page if "| " not in line[:8]
    ]
