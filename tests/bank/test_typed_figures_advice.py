"""What is proposed for a figure that is typed in prose is taken when it is written as it stands."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from quiz.bank.literals import literals
from quiz.bank.literals_advice import expression_of, instead_of
from quiz.bank.literals_words import COUNTED, SAID_AND_DONE, SCALES, SHARES, UNITS
from solvers.catalogue import CATALOGUE
from tests.trial_bank import OPEN

if TYPE_CHECKING:
    from quiz.bank.rendered import Rendered
    from tests.trial_bank import Trial

FIGURES = {
    "8×": "8", "2x": "2", "× 1.5": "1.5", "3-fold": "3", "12 times": "12", "5 %": "5 %", "5 per cent": "5 %",
    "12.5 percent": "12.5 %", "5 percentage points": "5 %", "$2.50": "2.50 $", "USD 5": "5 $", "€2": "2", "5 €": "5",
    "54-day": "54 days", "30 second": "30 seconds", "60 s": "60 s", "10s": "10 s", "12 μs": "12 µs", "3 hrs": "3 h",
    "80-GB": "80 GB", "80GB": "80 GB", "80 **GB": "80 GB", "80 gb": "80 GB", "80 giB": "80 GiB", "½ GB": "0.5 GB",
    "⅓ GB": "1/3 * 1 GB", "10³ GB": "1000 GB", "900 gigabytes": "900 GB", "10 gigabyte": "10 GB",
    "16 B/param": "16 B/param",
    "900 GB/s": "900 GB/s", "900 GBps": "900 GB/s", "400 Gbps": "400 Gbps", "5 cents": "0.05 $", "70B": "70e9",
    "70 billion": "70e9", "1.5 million dollars": "1.5e6 dollars", "2 hundred thousand": "2e5", "2 dozen": "24",
    "16k": "16e3", "4M": "4e6", "2e3 million": "2e9", "10^9 parameters": "1e9 parameters", "1,120": "1120",
    "1,000 GPU": "1000 GPU", "8-GPU": "8 GPU", "8 H100s": "8 GPUs", "8 A100 GPUs": "8 GPUs", "8 nodes": "8 nodes",
    "8 heads": "8", "32 attention heads": "32", "8 experts": "8", "8 replicas": "8", "8 micro-batches": "8",
    "3 stages": "3", "8 racks": "8", "20 km": "20", "3 months": "3",
    "8xH100": "8 GPUs", "8 x H100": "8 GPUs", "989 teraflops": "989 TFLOPS",
    "2.50 $/h": "2.50 $/h", "$2.50/GPU-hour": "2.50 $/GPU-hour", "3.5 M GPU hours": "3.5e6 GPU-hours",
    "$1.5 million": "1.5e6 $", "15 T tokens": "15e12 tokens", "1/8 of": "0.125", "into 8 shards": "8",
    "989 TFLOP/s": "989 TFLOP/s",
}  # fmt: skip
PARSER: Any = import_module("re._parser")  # reads a pattern into its parts; it has no types
LEAST_WORDS, A_TEXT_FULL = 500, 60


def spellings(pattern: str) -> list[str]:
    """Every text that a pattern of alternatives and optional parts matches."""
    return _of(PARSER.parse(pattern))


def _of(parsed: Any) -> list[str]:
    made = [""]
    for operator, argument in parsed:
        made = [before + after for before in made for after in _choices(operator, argument)]
    return made


def _choices(operator: object, argument: Any) -> list[str]:
    if operator is PARSER.LITERAL:
        return [chr(argument)]
    if operator is PARSER.IN:
        return [one for inner in argument for one in _choices(*inner)]
    if operator is PARSER.SUBPATTERN:
        return _of(argument[-1])
    if operator is PARSER.BRANCH:
        return [one for branch in argument[1] for one in _of(branch)]
    if operator is PARSER.MAX_REPEAT:
        return [*([""] if argument[0] == 0 else []), *_of(argument[2])]
    assert operator is PARSER.ASSERT_NOT, operator
    return [""]


def followed(trial: Trial, figures: list[str]) -> Rendered:
    """The question once the advice about each of these figures is followed to the letter."""
    stem = "".join(f"  {figure} and\n\n" for figure in figures)
    told = trial.problems(OPEN.replace("  State first.\n", stem))
    assert {one.code for one in told} == {"literal-figure"}
    proposed = [re.search(r"\{input: [^}]*\}", one.next) for one in told]
    named = [f"f{at}: {found[0]}" for at, found in enumerate(proposed) if found]
    assert len(named) == len(told) >= len(figures)
    shown = "".join(f"  {{{{ f{at} }}}} and\n\n" for at in range(len(named)))
    return trial.only(OPEN.replace("  State first.\n", shown) + "figures:\n  " + "\n  ".join(named) + "\n")


@pytest.mark.parametrize("figure", FIGURES)
def test_a_typed_figure_is_proposed_as_the_number_that_it_is(figure: str) -> None:
    assert expression_of(figure)[0] == FIGURES[figure]


def test_the_advice_of_each_figure_is_taken_when_it_is_followed(trial: Trial) -> None:
    figures = list(FIGURES)
    for begin in range(0, len(figures), A_TEXT_FULL):
        assert "{{" not in followed(trial, figures[begin : begin + A_TEXT_FULL]).sketch


def test_the_advice_for_every_word_that_is_looked_for_is_taken(trial: Trial) -> None:
    spelled = {word for pattern in (UNITS, SCALES, SHARES, COUNTED, SAID_AND_DONE) for word in spellings(pattern)}
    words = sorted({" ".join(word.split()) for word in spelled})
    figures = [f"over 7 {word}" for word in words if list(literals(f"over 7 {word} and"))]
    assert len(figures) > LEAST_WORDS
    for begin in range(0, len(figures), A_TEXT_FULL):
        assert "{{" not in followed(trial, figures[begin : begin + A_TEXT_FULL]).sketch


def test_what_counts_something_of_a_scenario_is_called_by_its_name() -> None:
    names = {
        counted
        for word in spellings(COUNTED)
        if (counted := expression_of(f"8 {word}")[2]) and f"{{{{ {counted} }}}}" in instead_of(f"8 {word}")
    }
    assert {"model.query_heads", "cluster.gpus", "batch.accumulation"} <= names <= set(CATALOGUE.names)


def test_a_unit_that_expressions_lack_may_be_declared() -> None:
    assert "km is no unit here: bank.yaml may declare it." in instead_of("20 km")
    assert "no unit" not in instead_of("8 racks")


@pytest.mark.parametrize("figure", ["10^" + "9" * 40 + " GB", "1e" + "9" * 40, "9" * 5000 + " GB", "10^" + "9" * 5000])
def test_a_number_of_any_length_has_an_advice(figure: str) -> None:
    assert "{input: " in instead_of(figure)
