"""Verdicts and comparisons in an author's words: which are held against the figures, and which say something else."""

from __future__ import annotations

import textwrap
from datetime import date
from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.lint import lint
from tests.trial_bank import MANIFEST, SOURCES

if TYPE_CHECKING:
    from pathlib import Path

STRATEGY = """\
id: one-plan
kind: strategy
topic: memory-budget
difficulty: 2
scenario:
  model.parameters: 13e9
  recipe: zero-paper
  cluster.gpu: h100-80gb
  cluster.capacity: nominal
  cluster.nodes: 1
  cluster.gpus_per_node: 8
given:
  memory.activations_per_gpu: 20 GB
stem: |
  {{ model.parameters }} parameters on {{ cluster.gpus }} GPUs of {{ cluster.capacity_per_gpu }}. Which plan fits?
decide:
  require: memory.total_per_gpu <= cluster.capacity_per_gpu
options:
  replicated:
    text: |
      DDP on all {{ cluster.gpus }} GPUs
    set: {layout.dp: cluster.gpus, layout.zero: 0}
    why: |
      WHY-REPLICATED
  optimizer:
    text: |
      ZeRO-1 on all {{ cluster.gpus }} GPUs
    set: {layout.dp: cluster.gpus, layout.zero: 1}
    why: |
      {{ memory.total_per_gpu }} with activations.
  full:
    text: |
      ZeRO-3 on all {{ cluster.gpus }} GPUs
    set: {layout.dp: cluster.gpus, layout.zero: 3}
    why: |
      WHY-FULL
sources:
  - {source: zero-2019, where: "memory analysis"}
"""
STATE, TOTAL, CAPACITY = (
    "{{ memory.state_per_gpu }}", "{{ memory.total_per_gpu }}", "{{ cluster.capacity_per_gpu }}"
)  # fmt: skip
UNTRUE_OF_WHAT_DOES_NOT_FIT = (
    "It fits.", "Fits.", "It\nfits.", "This one fits.", "This option fits.", "The plan fits.", "DDP fits easily.",
    "So it fits.", "But it fits, and sends least.", "It fits; it sends more.", "It fits with {{ left }} to spare.",
    f"It holds {STATE} of state and fits.", "It fits on the card.", "Right: all is kept.", "Correct. It is whole.",
    "It **fits**.", "**Fits.**", "**Right:** all is kept.", f"{TOTAL} fits.", f"{TOTAL}: fits.",
    f"{TOTAL}, so it fits.",
    f"At {TOTAL} it fits.", "It fits the card.", f"The state is {STATE}. {TOTAL} fits the card.",
    "This is right.", "It is the right plan.", f"The state is {STATE}. It fits.", "You divide the batch. It fits.",
)  # fmt: skip
UNTRUE_OF_WHAT_FITS = (
    "It does not fit.", "Does not fit.", "Doesn’t fit: too little is divided.", "It can not fit.", "It overflows.",
    "It runs out\nof memory.", "It is too large.", "Too large for the card.", "ZeRO-3 does not fit.",
    "It exceeds the card.", "It needs more than the card has.", "It never fits.", "It still does not fit.",
    "It does **not** fit.", "It *does not* fit.", "It does _not_ fit.", f"{TOTAL} do not fit.",
    f"{TOTAL}: does not fit.",
    f"At {TOTAL} it does not fit.", f"{TOTAL}, which does not fit.", "It overflows the card.", "Out of memory.",
    "Not enough memory.", "It does not fit the card.",
    "Wrong: it gathers.", "This is wrong.", "No, it does not fit.", "That does not fit either.",
)  # fmt: skip
SOMETHING_ELSE_OF_WHAT_DOES_NOT_FIT = (
    "It fits only where the state is divided.", "It fits, if you recompute.", "It fits. Only where it is divided.",
    "It fits the weights and nothing else.", "It fits on two nodes.", "It fits {{ layout.dp }} times.",
    "It almost fits.",
    "That is right, and not enough.",
    "It fits — on paper.",
    "It fits, just not here.",
    "It fits, you say.",
    "That fits what you would expect of DDP, and not the card.", "You think: it fits.", "“It fits,” you say.",
    "True. But the state stays whole.", "True: the batch is divided. The state is not.", "Yes, the batch is divided.",
    "Right: the batch is divided, but the state is not.", "Right idea, wrong plan.", "It fits the rule.",
    "The buffer is small. It fits.", "{{ full.memory.total_per_gpu }} under ZeRO-3. It fits.",
    "Without activations it would do. It fits then.", f"{TOTAL} fits in {TOTAL}.", f"At {STATE} it fits.",
    f"{STATE} fits.", f"{TOTAL} fits only where it is divided.", f"{TOTAL} fits on two nodes.",
    "It fits the card game.",
    "{{ full.memory.total_per_gpu }} fits.", f"Without activations it would do. {TOTAL} fits.",
)  # fmt: skip
SOMETHING_ELSE_OF_WHAT_FITS = (
    "It does not fit on a single GPU. Divided, it does.", "It does not fit without sharding.",
    "No: nothing is gathered twice here.", "You think the state is whole. That is wrong.",
    "It does not fit the picture.", "Out of memory, you say.", "Out of memory errors stop.",
    "Not enough memory bandwidth.", "It does not fit one GPU.",
    "It overflows the buffer.", f"{TOTAL} do not fit twice.", f"{TOTAL} does not fit on a single GPU of old.",
    "It is too large a saving to pass over.", "It does not fit, if nothing is divided.",
)  # fmt: skip
UNTRUE_COMPARISONS = (
    f"{STATE} > {TOTAL}.", f"{STATE} is over {TOTAL}.", f"It holds {STATE}, more than {TOTAL}.",
    f"{STATE} is larger than the {TOTAL}.", f"{STATE} of state exceeds {TOTAL}.", f"{STATE} is more\nthan {TOTAL}.",
    f"{CAPACITY} is less than {CAPACITY}.", f"{CAPACITY} exceeds {CAPACITY}.", f"{TOTAL} fits in {STATE}.",
    f"{STATE} does not fit in {TOTAL}.", f"{STATE} ≥ {TOTAL}.", f"{TOTAL} is at most {STATE}.",
    f"{TOTAL} is within {STATE}.", f"{TOTAL} does not exceed {STATE}.", f"{TOTAL} equals {STATE}.",
    f"{TOTAL} is half of {STATE}.", f"{TOTAL} is no more than {STATE}.", f"A total of {STATE} exceeds {TOTAL}.",
)  # fmt: skip
NO_COMPARISONS = (
    f"If {STATE} exceeds {TOTAL}, stop.", f"{STATE} plus {STATE} exceeds {TOTAL}.", f"Twice {STATE} is over {TOTAL}.",
    f"{STATE} over {TOTAL} is a share.", f"{STATE} is not more than {TOTAL}.", f"{STATE} would exceed {TOTAL}.",
    f"Half of {TOTAL} is less than {STATE} times two.", f"{CAPACITY} ≤ {CAPACITY}.", f"{STATE} < {TOTAL}.",
    f"{STATE} is within {TOTAL}.", f"{STATE} does not exceed {TOTAL}.", f"{CAPACITY} equals {CAPACITY}.",
    f"{TOTAL} is within {STATE} of {CAPACITY}.", f"{TOTAL} does not exceed {STATE} by {CAPACITY}.",
    f"{TOTAL} equals {STATE} divided by {{{{ layout.dp }}}}.",
    f"{{{{ layout.dp }}}} times {TOTAL} equals {STATE}.", f"{TOTAL} on each equals {STATE}, plus the rest.",
    f"{STATE} is half of {TOTAL} and more.", f"{TOTAL} over {STATE} equals {STATE}.",
    f"{STATE} × {{{{ layout.dp }}}} exceeds {TOTAL}.", f"{STATE} is more than {{{{ layout.dp }}}}.",
)  # fmt: skip
CASES = [
    *(("replicated", said, "verdict-contradicted") for said in UNTRUE_OF_WHAT_DOES_NOT_FIT),
    *(("full", said, "verdict-contradicted") for said in UNTRUE_OF_WHAT_FITS),
    *(("replicated", said, "") for said in SOMETHING_ELSE_OF_WHAT_DOES_NOT_FIT),
    *(("full", said, "") for said in SOMETHING_ELSE_OF_WHAT_FITS),
    *(("full", said, "comparison-contradicted") for said in UNTRUE_COMPARISONS),
    *(("full", said, "") for said in NO_COMPARISONS),
]
FIGURES = "figures:\n  left: {in: full, is: memory.margin_per_gpu}\n"
TODAY = date(2026, 11, 30)


def written(said: dict[str, str]) -> str:
    """The question with these rationales."""
    text = STRATEGY
    for option in ("replicated", "full"):
        why = textwrap.indent(said.get(option, "All of it."), "      ").strip()
        text = text.replace(f"WHY-{option.upper()}", why)
    return text + FIGURES


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The codes of errors that each sentence has; one bank holds them all, two in a question."""
    folder = tmp_path_factory.mktemp("said")
    (folder / "bank.yaml").write_text(MANIFEST)
    (folder / "sources.yaml").write_text(SOURCES)
    of = {option: [said for other, said, _ in CASES if other == option] for option in ("replicated", "full")}
    files = dict(enumerate(zip_longest(of["replicated"], of["full"], fillvalue="All of it.")))
    for number, pair in files.items():
        text = written(dict(zip(of, pair, strict=True))).replace("id: one-plan", f"id: case-{number}")
        (folder / f"{number}.yaml").write_text(text, encoding="utf-8")
    found: dict[str, set[str]] = {}
    for one in lint(folder, TODAY, workers=1).diagnostics:
        if one.severity == "error" and one.code != "cue-robot":
            said = files[int(one.place.file.removesuffix(".yaml"))][
                ["replicated", "full"].index(one.path.split(".")[1])
            ]
            found.setdefault(said, set()).add(one.code)
    return found


@pytest.mark.parametrize("number", range(len(CASES)), ids=[" ".join(said.split()) for _, said, _ in CASES])
def test_what_is_stated_outright_is_held_against_the_figures_and_nothing_else(
    number: int, told: dict[str, set[str]]
) -> None:
    _, said, code = CASES[number]
    assert told.get(said, set()) == ({code} if code else set())


MANY = STRATEGY.replace("require:", "prefer: [least memory.total_per_gpu]\n  require:").replace("13e9", "3e9") + (
    FIGURES + "variants:\n  axes:\n    model.parameters: [3e9, 2e9, 13e9, 1e9]\n"
    "    memory.activations_per_gpu: [18 GB, 20 GB]\n"
)


def findings(folder: Path, text: str) -> list[tuple[str, int, int, str]]:
    (folder / "bank.yaml").write_text(MANIFEST)
    (folder / "sources.yaml").write_text(SOURCES)
    (folder / "one.yaml").write_text(text, encoding="utf-8")
    found = lint(folder, TODAY, workers=1).diagnostics
    return [(one.code, one.place.line, one.place.column, one.what) for one in found if one.severity == "error"]


def test_a_verdict_is_held_against_every_draw_that_is_kept(tmp_path: Path) -> None:
    """DDP fits with 3 billion parameters and not with 13: true in the question's own numbers, not in a variant's."""
    text = MANY.replace("WHY-REPLICATED", "It fits, but holds more than is needed.").replace(
        "WHY-FULL", "Least of all."
    )
    (found,) = findings(tmp_path, text)
    code, line, column, what = found
    assert (code, line, column) == ("verdict-contradicted", 25, 7)
    assert "with model.parameters = 13000000000, memory.activations_per_gpu = 18 GB" in what
    assert what.endswith("this option does not fit: 226.0 GB of 80 GB")
    assert findings(tmp_path, text.replace("It fits", "Here: {{ verdict }}")) == []


def test_a_verdict_that_is_untrue_already_is_told_once(tmp_path: Path) -> None:
    text = MANY.replace("WHY-REPLICATED", "It does not fit.").replace("WHY-FULL", "Least of all.")
    assert [code for code, *_ in findings(tmp_path, text)] == ["verdict-contradicted"]


def test_a_verdict_has_the_place_of_its_sentence(tmp_path: Path) -> None:
    why = "{{ memory.state_per_gpu }} of state.\n      With {{ left }} left elsewhere. Fits."
    found = findings(tmp_path, written({}).replace("All of it.", why, 1))
    assert [(code, line, column) for code, line, column, _ in found] == [("verdict-contradicted", 25, 39)]


def test_a_verdict_is_quoted_in_the_words_of_the_file(tmp_path: Path) -> None:
    """What holds the place of a name while a sentence is read is nothing that an author wrote."""
    why = "It does not fit into {{ cluster.capacity_per_gpu }}."
    ((code, _, _, what),) = findings(tmp_path, written({"full": why}))
    assert (code, what.split(", but")[0]) == ("verdict-contradicted", repr(why.removesuffix(".")))


CLAIM = """\
id: claims
kind: claim
topic: zero-stages
difficulty: 1
scenario: {model.parameters: 70e9, recipe: zero-paper, layout.zero: 1, layout.dp: 64}
stem: |
  Which holds for {{ layout.dp }} GPUs?
options:
  small:
    text: "The state is below {{ few }}"
    holds: memory.state_per_gpu < few
    why: "WHY-SMALL"
  whole:
    text: "Weights stay whole on every GPU"
    holds: memory.weights_per_gpu == whole
    why: "WHY-WHOLE"
figures:
  few: {input: 100 GB}
  whole: recipe.weights * model.parameters
sources:
  - {source: zero-2019, where: "stage one"}
"""


@pytest.mark.parametrize(
    ("wanted", "small", "whole", "untrue"),
    [
        ("true", "False: it holds more.", "True. It is whole.", 0),
        ("true", "True. All of it is.", "It stays.", 1),
        ("true", "It holds more.", "False: it is whole.", 1),
        ("false", "False: it holds more.", "True. It is whole.", 0),
        ("false", "True. All of it is.", "It stays.", 1),
    ],
)
def test_true_and_false_are_said_of_the_claim_also_where_the_false_one_is_asked_for(
    wanted: str, small: str, whole: str, untrue: int, tmp_path: Path
) -> None:
    text = CLAIM.replace("WHY-SMALL", small).replace("WHY-WHOLE", whole)
    text += f"wanted: {wanted}\n"
    assert [code for code, *_ in findings(tmp_path, text)] == ["verdict-contradicted"] * untrue
