"""What the lint must leave alone: sound questions that look, to a careless rule, as if something were wrong."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.lint import lint

if TYPE_CHECKING:
    from tests.trial_bank import Trial

BAD = Path(__file__).resolve().parents[1] / "bad"
CLAIM = (BAD / "near-duplicate" / "a-first.yaml").read_text(encoding="utf-8")
ASKED = "What does a GPU hold?"
WHY_SMALL = "It holds {{ memory.state_per_gpu }}."
OPTION = "A copy of the whole optimizer state"


def codes_of(trial: Trial, text: str) -> set[str]:
    trial.write(text)
    return {one.code for one in lint(trial.folder, date(2026, 11, 30), workers=1).diagnostics}


def test_the_specimen_itself_is_sound(trial: Trial) -> None:
    assert codes_of(trial, CLAIM) == set()


@pytest.mark.parametrize(
    ("sound", "old", "new"),
    [
        ("a word that only contains another", ASKED, "What does a GPU hold, note by note?"),
        ("a negative outside the question", ASKED, f"The optimizer is not offloaded. {ASKED}"),
        ("what has gone wrong", ASKED, "A colleague says nothing. What has gone wrong?"),
        ("a blank at the end", ASKED, "A GPU holds ____."),
        ("a name of code with underscores", ASKED, f"Set `__init__` of the plan. {ASKED}"),
        ("an ellipsis of a series", ASKED, f"Ranks 0 … 7 take part. {ASKED}"),
        ("a choice of yes or no", ASKED, "Is a GPU full or not, and why?"),
        ("a false positive", ASKED, "Which rate of false positives has a GPU?"),
        ("a question for the reason", ASKED, "Why is a GPU not full?"),
        ("a sentence that is quoted", ASKED, f'"It does not fit," they say. {ASKED}'),
        ("a belief taken up", WHY_SMALL, f"True, the optimizer is divided. {WHY_SMALL}"),
        ("a thing that fits, and is not the plan", WHY_SMALL, f"The weights alone would fit. {WHY_SMALL}"),
        ("a comparison that holds", WHY_SMALL, "{{ memory.state_per_gpu }} exceeds {{ few }}."),
        ("braces around what is no name", WHY_SMALL, f"A set {{ of }} parts. {WHY_SMALL}"),
        ("hedges that are no absolutes", OPTION, "A copy of almost the whole optimizer"),
        ("an option that begins like one about the others", OPTION, "All of the optimizer state and no more"),
        ("both of what moves", OPTION, "Both of them, its moments and master copy"),
        ("any of what is counted", OPTION, "Any of these moments is kept once"),
        ("a comment beyond doubt", "difficulty: 1", "difficulty: 1  # for beginners"),
    ],
)  # fmt: skip
def test_nothing_is_said_of(trial: Trial, sound: str, old: str, new: str) -> None:
    assert old in CLAIM, sound
    assert codes_of(trial, CLAIM.replace(old, new)) == set()


def test_two_questions_that_share_options_and_little_of_the_wording_are_two(trial: Trial) -> None:
    trial.write(CLAIM, "a.yaml")
    other = "Sixty-four ranks run stage one; somebody reads a memory profile. Which entry would you expect?"
    start = CLAIM.index("  ZeRO-1 trains")
    stem = CLAIM[start : CLAIM.index("\n", start)]
    trial.write(CLAIM.replace("id: first", "id: other").replace(stem, f"  {other}"), "b.yaml")
    assert {one.code for one in lint(trial.folder, date(2026, 11, 30), workers=1).diagnostics} == set()


def test_the_date_of_a_publication_does_not_go_stale(trial: Trial) -> None:
    cited = CLAIM.replace("figures:\n", "figures:\n  told: {quote: 7 s, source: zero-2019, as_of: 2019-10}\n")
    assert codes_of(trial, cited.replace(WHY_SMALL, f"{WHY_SMALL} It took {{{{ told }}}}.")) == set()
