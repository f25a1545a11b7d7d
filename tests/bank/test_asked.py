"""How a typed answer is asked for, over the whole bundled bank with all its variants, and what the lint says of it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec
import pytest

from quiz.bank.asked import copied_inputs, names_unit
from quiz.bank.library import open_bank
from quiz.bank.numeric import Reference
from quiz.bank.rendered import Rendered
from quiz.bank.schema import QUESTION
from quiz.bank.scope import World
from quiz.bank.variants import values_of
from quiz.bank.yaml_reader import read_yaml
from quiz.grading import Typed, grade, read_back
from solvers.expr.show import show_number
from solvers.expr.units import parse_unit
from tests.house import ROOT
from tests.trial_bank import NUMERIC, STRATEGY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quiz.bank.library import Bank
    from quiz.bank.rendered import NumericPart
    from tests.trial_bank import Trial

NAMED = """\
id: named
kind: numeric
topic: t
difficulty: 1
scenario: {cluster.memory_reported: 81559 MiB}
stem: |
  The card shows {{ cluster.memory_reported }}. How many GB is that?
answer: {is: cluster.memory_reported, unit: GB}
"""


@pytest.fixture(scope="module")
def bank() -> Bank:
    return open_bank(ROOT / "questions", None, bundled=True)


@pytest.fixture(scope="module")
def typed(bank: Bank) -> dict[str, Rendered]:
    found = {entry.id: bank.question(entry.id) for entry in bank.index}
    return {name: question for name, question in found.items() if question.numeric}


def references(bank: Bank, name: str) -> Iterator[Reference]:
    """The reference of a question's typed part under each of its variants."""
    form = QUESTION.read(read_yaml(bank.source_of(name).read_bytes(), name).data)
    then = getattr(form, "then", None)
    for axes in bank.variants(name):
        world = World(form, values_of(form, axes), checked=False)
        key = bank.question(name).key
        world.key_option = key[0] if len(key) == 1 else None
        yield Reference(world, form.answer if then is None else then.answer, ("answer",))  # type: ignore[union-attr]


def test_no_hint_gives_the_answer_away(bank: Bank, typed: dict[str, Rendered]) -> None:
    """Whatever cannot be read, the example beside it is right for no question and no variant."""
    for name, question in typed.items():
        assert question.numeric is not None
        hints = [read_back(question.numeric, text).text for text in ("frogs", "!", "+")]
        for reference in references(bank, name):
            part = msgspec.structs.replace(
                question.numeric, exact=str(reference.value.value), slips=(), expression="", need_unit=False
            )
            for hint in hints:
                assert reference.text not in hint, (name, reference.world.axes)
                example = hint.partition("such as ")[2].rstrip(".").partition(" or ")[0]
                if example:
                    assert grade(numeric(part), Typed(example)).status != "correct", (name, reference.world.axes)


def test_no_answer_can_be_copied_from_its_question(bank: Bank, typed: dict[str, Rendered]) -> None:
    """An input, typed as it is stated, is nowhere judged right."""
    for name in typed:
        for reference in references(bank, name):
            assert copied_inputs(reference) == [], (name, reference.world.axes)


def test_a_question_that_names_its_unit_takes_a_bare_number(typed: dict[str, Rendered]) -> None:
    """`How many GB …?` is answered by a number, and the echo says in which unit it is read."""
    named = 0
    for question in typed.values():
        part = question.numeric
        assert part is not None
        if part.unit and names_unit(part.ask or question.stem, part.unit):
            named += 1
            bare = bare_text(part)
            assert grade(numeric(part), Typed(bare)).status == "correct", (question.id, bare)
            assert part.unit.rstrip("s") in read_back(part, bare).text, question.id
    assert named >= 10


def test_one_question_wants_its_unit_typed(typed: dict[str, Rendered]) -> None:
    """Where no unit is named, choosing one is part of the answer."""
    part = typed["ft-young-daly"].numeric
    assert part is not None
    assert part.need_unit
    assert grade(numeric(part), Typed(bare_text(part))).status == "invalid"


def bare_text(part: NumericPart) -> str:
    """The reference as a number in the unit of the question."""
    return show_number(Fraction(part.exact) / parse_unit(part.unit).factor).replace(",", "")


def numeric(part: NumericPart) -> Rendered:
    return Rendered("b", "q", "numeric", "t", 1, "r", "", (), "", numeric=part)


@pytest.mark.parametrize(("ask", "unit", "names"), [
    ("How many GB does it hold?", "GB", True), ("How many bytes?", "B", True), ("How long, in minutes?", "min", True),
    ("How many {{ x | GB }}?", "GB", False), ("How many GB/s?", "GB", False), ("How long?", "min", False),
    ("How many sequences of it?", "sequence", True), ("What GBs?", "GB", False), ("In percent?", "%", True),
])  # fmt: skip
def test_a_unit_is_found_in_words(ask: str, unit: str, names: bool) -> None:  # noqa: FBT001 - a row of a table
    """Its name or its word; not a figure's own unit, nor a part of another unit."""
    assert names_unit(ask, unit) is names


def test_a_unit_asked_for_twice_is_a_warning(trial: Trial) -> None:
    """An author who writes `How many GB` hears that a bare number would be refused."""
    trial.write(NAMED)
    found = {one.code: one for one in trial.open().problems}
    assert found["unit-asked-twice"].severity == "warning"
    assert "the question names GB, and a bare number is refused" in found["unit-asked-twice"].what
    assert "cluster.memory_reported, which the question states as 81,559 MiB," in found["answer-in-question"].what
    trial.write(NAMED.replace("unit: GB}", "unit: GB, need_unit: false, in_unit: true}"))
    assert trial.open().problems == ()


def test_a_unit_that_is_not_named_is_none_asked_for_twice(trial: Trial) -> None:
    """The trial questions name no unit in their questions."""
    trial.write(STRATEGY, "a.yaml")
    trial.write(NUMERIC, "b.yaml")
    assert {one.code for one in trial.open().problems} <= {"few-variants"}
