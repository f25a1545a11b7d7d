"""What stands beside the figures of the bundled bank, and how its prose joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.bank.library import open_bank
from quiz.bank.problems import Report
from quiz.bank.prose import Writer
from quiz.bank.schema import QUESTION
from quiz.bank.scope import World
from quiz.bank.yaml_reader import read_yaml
from tests.house import ROOT

if TYPE_CHECKING:
    from quiz.bank.library import Bank

SPLIT = "Bytes per parameter (zero-paper): 2 weights + 2 gradients + 4 master copy + 4 first moment + 4 second moment"


@pytest.fixture(scope="module")
def bank() -> Bank:
    return open_bank(ROOT / "questions", None, bundled=True)


@pytest.mark.parametrize("name", ["ddp-small-model", "mb-84gb-redflag", "oom-step2", "pp-state-redflag"])
def test_the_recipe_is_said_once_and_whole(bank: Bank, name: str) -> None:
    """A box that named only the parts which one figure uses would contradict the question's own sums."""
    recipes = [line for line in bank.question(name).conventions if line.startswith("Bytes per parameter")]
    assert recipes == [f"{SPLIT} = 16 B/param."]


def test_all_that_decides_is_said(bank: Bank) -> None:
    """Where a plan must fit, then idle least, then send least, the box says what each of the three rests on."""
    box = "\n".join(bank.question("ddp-small-model").conventions)
    for said in (
        SPLIT,
        "Capacity: nominal, 80 GB",
        "Convention: of the whole step",
        "On the wire: ",
        "Ring collectives",
    ):
        assert said in box


def test_the_wire_is_said_once(bank: Bank) -> None:
    """A line that says less than another is left out."""
    wires = [line for line in bank.question("ddp-small-model").conventions if line.startswith("On the wire")]
    assert wires == ["On the wire: gathered weights 2 B/param, reduced gradients 2 B/param."]


def test_a_count_of_parameters_is_said_as_people_say_it(bank: Bank) -> None:
    """An author's own count reads like the scenario's: 7B and not 7,000,000,000."""
    card = bank.question("mb-84gb-redflag")
    assert "7B parameters" in card.answer_line
    assert not any("7,000,000,000" in option.verdict for option in card.options)


def test_a_value_at_the_start_of_a_line_makes_no_list() -> None:
    """Lines are joined as the author wrote them; `4.` is a list where it was typed and not where it was put in."""
    source = "scenario: {layout.pp: 4}\nstem: |\n  in stages of\n  {{ layout.pp }}. Then\n"
    document = read_yaml(source, "question.yaml")
    assert isinstance(document.data, dict)
    question = QUESTION.validate_python(
        {
            "id": "joined",
            "kind": "open",
            "topic": "prose",
            "difficulty": 1,
            "rubric": ["Reads well."],
            "sketch": "It does.",
            **document.data,
        }
    )
    text = Writer(Report(document)).text(question.stem, World(question).base, ("stem",))
    assert text == "in stages of 4. Then"
