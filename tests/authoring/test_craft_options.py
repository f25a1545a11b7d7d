"""Options seen by their form: each case with its near miss, all in one bank that is looked at once."""

from __future__ import annotations

import textwrap
from datetime import date
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.lint import lint
from quiz.authoring.sounds import article_of
from tests.trial_bank import MANIFEST, SOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TODAY = date(2026, 11, 30)
ASKED = "What happens to the state?"
PLAIN = ("It shrinks to the weights", "It stays where it was", "It grows with the ranks")
FIGURES = {
    "small": "model.parameters * 2 B/param", "middle": "model.parameters * 4 B/param",
    "large": "model.parameters * 8 B/param", "hours": "{input: 2 h}", "same": "{input: 120 min}",
    "minutes": "{input: 30 min}", "seconds": "{input: 10 s}",
}  # fmt: skip


def others(last: str) -> tuple[str, ...]:
    return (*PLAIN, last)


WARNED: list[tuple[str, str, Sequence[str]]] = [
    ("mixed-units", ASKED, ("{{ hours }} each", "{{ minutes }} each", "{{ seconds }} each")),
    ("mixed-units", ASKED, ("{{ hours }}", "{{ minutes }}", "{{ seconds }}")),
    ("unsorted-numbers", ASKED, ("{{ small }} per GPU", "{{ large }} per GPU", "{{ middle }} per GPU")),
    ("unsorted-numbers", ASKED, ("About {{ small }}", "About {{ large }}", "About {{ middle }}")),
    ("unsorted-numbers", ASKED, ("It takes {{ small }}", "It takes {{ large }}", "It takes {{ middle }}")),
    ("unsorted-numbers", ASKED, ("-4", "-16", "-8")),
    ("unsorted-numbers", ASKED, ("1/4", "1/16", "1/8")),
    ("unsorted-numbers", ASKED, ("`4`", "`16`", "`8`")),
    ("unsorted-numbers", ASKED, ("1st", "3rd", "2nd")),
    ("options-equal", ASKED, ("`0.5`", "`1/2`", "about as much")),
    ("options-equal", ASKED, ("½", "1/2", "about as much")),
    ("options-equal", ASKED, ("{{ hours }} each", "{{ same }} each", "about as much")),
    ("options-equal", ASKED, ("**It grows**", "It grows.", "about as much")),
    ("all-or-none", ASKED, others("Both A and B")),
    ("all-or-none", ASKED, others("A and C")),
    ("all-or-none", ASKED, others("All three")),
    ("all-or-none", ASKED, others("It is all of the above")),
    ("all-or-none", ASKED, others("Every one of them")),
    ("all-or-none", ASKED, others("Any of these would do")),
    ("all-or-none", ASKED, others("No other option is right")),
    ("word-in-key", "A run fills the optimizer. What changes?", ("Run optimizer less often", "As large", "A lot more")),
    ("convergence", ASKED, (
        "weights host sharded early", "weights host sharded late", "weights host whole early",
        "weights disk sharded early", "moments host sharded early",
    )),
    ("convergence", ASKED, ("weights host sharded", "weights host whole", "moments host sharded")),
    ("negative-stem", "Choose the plan that does not fit.", PLAIN),
    ("negative-stem", "Name the option that is not true", PLAIN),
    ("negative-stem", "All of these hold EXCEPT:", PLAIN),
    ("negative-stem", "Which of these statements is wrong?", PLAIN),
    ("negative-stem", "Which plan cannot fit?", PLAIN),
    ("negative-stem", "Which is never true?", PLAIN),
    ("negative-stem", "Which of these isn’t true?", PLAIN),
    ("negative-stem", "Which plan does not\nfit?", PLAIN),
    ("blank-in-stem", "The state … under this plan. Why?", PLAIN),
    ("blank-in-stem", "The state ... under this plan. Why?", PLAIN),
    ("blank-in-stem", "The state [ ] under this plan. Why?", PLAIN),
    ("grammar-cue", "The plan is an ____?", ("offload", "shard", "replica")),
    ("grammar-cue", "The best word is a", ("uniform split", "hour", "replica")),
]  # fmt: skip
LET_PASS: list[tuple[str, str, Sequence[str]]] = [
    ("mixed-units", ASKED, ("1/4", "1/8", "1/16")),
    ("mixed-units", ASKED, ("1:2", "1:3", "1:4")),
    ("mixed-units", ASKED, ("1st", "2nd", "3rd")),
    ("mixed-units", ASKED, ("2x4", "4x2", "8x1")),
    ("mixed-units", ASKED, ("4 to 8", "8", "16")),
    ("unsorted-numbers", ASKED, ("1/16", "1/8", "1/4")),
    ("unsorted-numbers", ASKED, ("ZeRO-3", "ZeRO-1", "ZeRO-2")),
    ("unsorted-numbers", ASKED, ("4, and whole", "16, and sharded", "8, and whole")),
    ("options-equal", ASKED, ("1/3", "0.333", "about as much")),
    ("options-equal", ASKED, ("1:2", "1/2", "about as much")),
    ("options-equal", ASKED, ("{{ hours }} each", "{{ same }} in all", "about as much")),
    ("all-or-none", ASKED, others("Both of them move: gradients and weights")),
    ("all-or-none", ASKED, others("Any of these gradients is kept once")),
    ("all-or-none", ASKED, others("None of the gradients are kept")),
    ("all-or-none", "LoRA adds matrices A and B. Which are trained?", ("A alone", "B alone", "A and B")),
    ("all-or-none", "Of the three states, which are sharded?", others("All three")),
    ("word-in-key", "The optimizer and gradients need room. What now?", ("Optimizer shrinks", "Gradients", "More")),
    ("convergence", ASKED, ("weights host sharded", "weights host whole", "moments disk sharded", "moments disk cut")),
    ("convergence", ASKED, PLAIN),
    ("negative-stem", "Does it fit or not, and why?", PLAIN),
    ("negative-stem", "What is the rate of false positives here?", PLAIN),
    ("negative-stem", "What is wrong with this plan?", PLAIN),
    ("negative-stem", "Why does this plan not fit?", PLAIN),
    ("negative-stem", "It does not fit. Choose a plan.", PLAIN),
    ("blank-in-stem", "Set `__init__` of the plan. What happens?", PLAIN),
    ("blank-in-stem", "`torch.nn.Module.__call__` of the plan runs. What happens?", PLAIN),
    ("grammar-cue", "The best word is an", ("hour", "MLP", "early copy")),
    ("grammar-cue", "The best word is a", ("uniform split", "one-way gather", "unit shard")),
    ("grammar-cue", "The best word is a/an", ("offload", "shard", "replica")),
]  # fmt: skip


def question(number: int, stem: str, options: Sequence[str]) -> str:
    """A claim whose first option is the key; all are asserted."""
    said = "".join(
        f"  o{place}:\n    text: |\n{textwrap.indent(text, '      ')}\n"
        f"    asserted: {'true' if place == 0 else 'false'}\n    source: zero-2019\n"
        for place, text in enumerate(options)
    )
    used = "".join(f"  {name}: {value}\n" for name, value in FIGURES.items())
    return (
        f"id: case-{number}\nkind: claim\ntopic: t\ndifficulty: 1\n"
        "scenario: {model.parameters: 8e9, recipe: zero-paper, layout.dp: 16, layout.zero: 2}\n"
        f"stem: |\n{textwrap.indent(stem, '  ')}\noptions:\n{said}figures:\n{used}"
    )


CASES = [*WARNED, *LET_PASS]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    folder: Path = tmp_path_factory.mktemp("craft")
    (folder / "bank.yaml").write_text(MANIFEST)
    (folder / "sources.yaml").write_text(SOURCES)
    for number, (_, stem, options) in enumerate(CASES):
        (folder / f"{number}.yaml").write_text(question(number, stem, options), encoding="utf-8")
    found: dict[str, set[str]] = {}
    for one in lint(folder, TODAY, workers=1).diagnostics:
        found.setdefault(one.place.file, set()).add(one.code)
    return found


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[f"{code}: {stem} {' / '.join(options)}" for code, stem, options in CASES]
)
def test_a_cue_is_told_and_its_near_miss_is_not(number: int, told: dict[str, set[str]]) -> None:
    code = CASES[number][0]
    found = told.get(f"{number}.yaml", set())
    assert not found & {"literal-figure", "wrong-form", "not-a-mapping"}
    assert (code in found) is (number < len(WARNED))


@pytest.mark.parametrize(
    ("text", "article"),
    [
        ("hour", "an"), ("honest rank", "an"), ("MLP", "an"), ("H100", "an"), ("8-bit copy", "an"), ("18 GB", "an"),
        ("update", "an"), ("unused rank", "an"), ("`all_gather`", "an"), ("offload", "an"), ("SSD", "an"),
        ("uniform split", "a"), ("one-way gather", "a"), ("user", "a"), ("180 GB", "a"), ("shard", "a"), ("union", "a"),
        ("unidirectional ring", "a"), ("European site", "a"), ("U-shape", "a"),
        ("RAM disk", ""), ("LoRA adapter", ""), ("NCCL call", ""), ("…", ""),
    ],
)  # fmt: skip
def test_an_article_goes_by_the_sound(text: str, article: str) -> None:
    """Where both are said, as before RAM and LoRA, neither is held against the stem."""
    assert article_of(text) == article


def test_options_with_other_numbers_are_other_options(tmp_path: Path) -> None:
    """Their key is another one, so that whoever has met one question does not know the other."""
    (tmp_path / "bank.yaml").write_text(MANIFEST)
    (tmp_path / "sources.yaml").write_text(SOURCES)
    stems = ("How many heads share one cache here?", "How many heads share one cache there today?")
    for number, (stem, options) in enumerate(zip(stems, (("4", "8", "16"), ("3", "5", "7")), strict=True)):
        (tmp_path / f"{number}.yaml").write_text(question(number, stem, options))
    assert "near-duplicate" not in {one.code for one in lint(tmp_path, TODAY, workers=1).diagnostics}
    (tmp_path / "1.yaml").write_text(question(1, stems[1], ("4", "8", "16")))
    assert "near-duplicate" in {one.code for one in lint(tmp_path, TODAY, workers=1).diagnostics}
    for number, figure in enumerate(("4", "5")):
        options = (f"It shrinks to {figure} parts", "It stays as it was", "It grows with the ranks")
        (tmp_path / f"{number}.yaml").write_text(question(number, stems[number], options))
    assert "near-duplicate" in {one.code for one in lint(tmp_path, TODAY, workers=1).diagnostics}
