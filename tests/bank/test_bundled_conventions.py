"""What stands beside the figures of the bundled bank, and how its prose joins."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from quiz.bank.library import open_bank
from quiz.bank.problems import Report
from quiz.bank.prose import Writer
from quiz.bank.schema import QUESTION
from quiz.bank.scope import World
from quiz.bank.wording import SHORT_NAMES, short_name
from quiz.bank.yaml_reader import read_yaml
from solvers.catalogue import CATALOGUE
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


def test_no_name_of_the_program_is_in_a_box(bank: Bank) -> None:
    """A learner reads words: `no offload`, and never `layout.offload = none`."""
    for entry in bank.index:
        question = bank.question(entry.id)
        for line in (*question.conventions, question.criterion):
            assert not re.search(r"\b[a-z]+\.[a-z_]{3,}|each-micro-batch| = (?:none|true|false)", line), (
                entry.id,
                line,
            )


def test_what_is_given_is_not_said_to_be_left_out(bank: Bank) -> None:
    """Activations that the question gives are counted; where only the state decides, they come on top."""
    for entry in bank.index:
        box = "\n".join(bank.question(entry.id).conventions)
        if "Given: activations per GPU" in box:
            assert re.search(r"State(?:,| and) activations (?:and the reserve )?are counted", box), entry.id
            assert "Not counted: activations" not in box, entry.id
    assert "activations and buffers come on top" in "\n".join(bank.question("zero-order").conventions)


def test_a_box_is_read_in_a_few_seconds(bank: Bank) -> None:
    """At most eight lines; who weighs memory and traffic or idling has up to eleven, and all three at once fourteen.

    Who compares recipes has a line more for each.
    """
    for entry in bank.index:
        lines = bank.question(entry.id).conventions
        box = "\n".join(lines)
        memory, traffic, idling = (says in box for says in ("are counted", "On the wire", "Stages take equal time"))
        most = {2: 11, 3: 14}.get(memory + traffic + idling, 8)
        further = max(0, box.count("Bytes per parameter") - 1)
        assert len(lines) - further <= most, (entry.id, lines)


def test_defaults_are_those_that_matter(bank: Bank) -> None:
    """What an option says for itself is no default, and a technique that no plan uses is not mentioned."""
    assert "By default: no tensor parallelism; weights freed after forward and gathered again; no offload." in (
        bank.question("mb-70b-4nodes").conventions
    )
    assert bank.question("pp-bubble").conventions[-1] == "By default: no interleaving."
    assert "offload" not in bank.question("mb-70b-1node").conventions[-1]
    assert "Tensor parallelism" not in "\n".join(bank.question("zero3-traffic").conventions)


def test_what_decides_is_said_shortly(bank: Bank) -> None:
    """Quantities by the names that people use, edges with their values."""
    assert bank.question("mb-70b-4nodes").criterion == "memory per GPU ≤ capacity (80 GB)"
    assert bank.question("fsdp2-mapping").criterion == (
        "gradients per GPU + optimizer state per GPU ≤ 48.18 GB; then the least data-parallel bytes sent per step"
    )
    assert bank.question("zero-order").criterion == "state per GPU, largest first"
    assert bank.question("cp-ring-vs-ulysses").criterion == (
        "queries and outputs / all to alls / layer inputs / keys and values, smallest first"
    )


def test_every_short_name_is_of_a_quantity() -> None:
    """A name that left the catalogue is taken out here too; what has no short name is called by its meaning."""
    assert all(name in CATALOGUE for name in SHORT_NAMES)
    assert short_name("layout.tp") == "tensor-parallel degree"
    assert short_name("layout.replica_sync").startswith("when HSDP")
    assert short_name("no_such_figure") == "no_such_figure"


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
    question = QUESTION.read(
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


@pytest.mark.parametrize("name", ["mfu-8b-torchtitan", "cp-attn-flops"])
def test_a_dense_model_has_no_active_parameters(bank: Bank, name: str) -> None:
    """All parameters of a dense model work on each token, so its box needs no word for those that do."""
    assert "active parameters" not in "\n".join(bank.question(name).conventions).lower()


def test_the_box_keeps_back_which_peak_was_meant(bank: Bank) -> None:
    """That peaks are dense is what the question asks."""
    question = bank.question("pr-peak-denominator")
    assert question.conventions
    assert question.numeric is not None
    assert "dense" not in "\n".join((question.stem, *question.conventions, question.numeric.ask))


def test_no_derivation_says_that_a_number_is_itself(bank: Bank) -> None:
    for entry in bank.index:
        shown = bank.question(entry.id)
        parts = (shown.numeric, *shown.parts) if shown.numeric else ()
        ways = (shown.way, *(part.way for part in parts), *(option.way for option in shown.options))
        for way in ways:
            assert way is None or way.title or way.steps[-1].substituted != way.result, entry.id
