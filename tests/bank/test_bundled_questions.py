"""The bundled bank: what its questions hold beyond loading; keys and answers against values worked out by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.drills.machine import Machine
from quiz.drills.plan import Options, plan
from quiz.drills.predictions import asked

if TYPE_CHECKING:
    from quiz.bank.library import Bank
    from quiz.bank.rendered import Rendered

GB = 10**9
KEYS = {
    "ddp-small-model": ("ddp",),
    "fsdp2-mapping": ("keep",),
    "hsdp-shard-size": ("four_nodes",),
    "mb-70b-1node": ("offload",),
    "mb-70b-4nodes": ("fsdp",),
    "mb-84gb-redflag": ("small_model",),
    "mesh-order": ("tp", "dp", "pp"),
    "oom-step2": ("moments",),
    "pp-state-redflag": ("divides",),
    "tp-kv-heads": ("stays",),
    "zero-order": ("ddp", "zero1", "zero2", "zero3"),
    "zero1-floor": ("floored",),
}
ANSWERS = {
    "fsdp2-mapping": 2 * 2 * Fraction("8.03e9") * 7 / 8,
    "ft-young-daly": (2 * 60 * 54 * 86_400 / 419) ** 0.5,
    "hsdp-shard-size": 16 * 70 * GB / 32 + 15 * GB,
    "inf-kv": (Fraction("0.9") * 640 * GB - 2 * 70_553_706_496) // (2 * 80 * 8 * 128 * 2 * 8192),
    "mb-70b-1node": 4 * 70 * GB / 8,
    "mb-70b-4nodes": 16 * 70 * GB / 32,
    "mb-84gb-redflag": 16 * 70 * GB,
    "oom-gib": 81_559 * 2**20,
    "oom-step2": 8 * 14.5 * GB / 8,
    "pp-bubble": Fraction(7, 39),
    "pp-state-redflag": 16 * 70 * GB / 16,
    "rc-hfu-mfu": Fraction(39, 100),
    "tp-kv-heads": 2 * 80 * 1 * 128 * 2,
    "zero1-floor": 4 * 70 * GB,
    "zero3-traffic": 3 * 2 * 7 * GB * 7 / 8,
}
"""Typed answers in base units, computed here and not by the solver."""
for _path in sorted(Path(__file__).parent.glob("worked_*.py")):
    _worked = import_module(f"tests.bank.{_path.stem}")
    KEYS.update(_worked.KEYS)
    ANSWERS.update(_worked.ANSWERS)


def test_it_loads_without_a_warning(bank: Bank) -> None:
    """The bundled bank is an example: not even a warning stands."""
    assert [str(warning) for warning in bank.warnings] == []


def test_all_five_kinds_are_there(questions: dict[str, Rendered]) -> None:
    """A learner meets every kind, and at least four typed answers."""
    kinds = Counter(question.kind for question in questions.values())
    assert set(kinds) == {"strategy", "claim", "numeric", "ordering", "open"}
    assert kinds["numeric"] >= 4


@pytest.mark.parametrize(("name", "key"), KEYS.items())
def test_each_key_is_the_one_found_by_hand(questions: dict[str, Rendered], name: str, key: tuple[str, ...]) -> None:
    """A changed relation may move a key; then this table says which, and a person decides who is right."""
    assert questions[name].key == key


def test_every_choice_and_order_is_in_the_table_of_keys(questions: dict[str, Rendered]) -> None:
    """No question is published whose key nobody has worked out by hand."""
    assert {name for name, question in questions.items() if question.key} == set(KEYS)


@pytest.mark.parametrize(("name", "value"), ANSWERS.items())
def test_each_typed_answer_is_the_one_computed_by_hand(
    questions: dict[str, Rendered], name: str, value: Fraction | float
) -> None:
    """The reference agrees with arithmetic that knows nothing of the solver."""
    part = questions[name].numeric
    assert part is not None
    assert float(Fraction(part.exact)) == pytest.approx(float(value), rel=1e-9)


def test_every_typed_answer_is_in_the_table(questions: dict[str, Rendered]) -> None:
    """No typed answer is published that nobody has computed by hand."""
    assert {name for name, question in questions.items() if question.numeric} <= set(ANSWERS)


def test_the_reveal_is_whole(questions: dict[str, Rendered]) -> None:
    """Each question tells what one wrongly says, what comes next, what to remember, where it ends and whence it is."""
    for question in questions.values():
        assert len(question.red_flags) >= 2, question.id
        assert len(question.follow_ups) >= 2, question.id
        assert all(follow_up.rubric for follow_up in question.follow_ups), question.id
        assert len(question.bullets) >= 3, question.id
        assert question.analogy, question.id
        assert question.stops_working_when, question.id
        assert question.uses, question.id
        assert all(use.source and use.as_of for use in question.uses), question.id
        assert all(source.where for source in question.sources), question.id
        assert question.sources, question.id


def test_related_questions_exist(questions: dict[str, Rendered]) -> None:
    """What is offered next can be opened."""
    for question in questions.values():
        assert set(question.related) | set(question.prerequisites) <= set(questions), question.id


def test_the_right_option_does_not_stand_out_by_its_length(questions: dict[str, Rendered]) -> None:
    """A reader who always takes the longest option gets at most half of the choices right."""
    choices = [question for question in questions.values() if question.options]
    longest = [
        question.id for question in choices if max(question.options, key=lambda option: len(option.text)).correct
    ]
    assert len(longest) <= len(choices) / 2, longest
    for question in choices:
        lengths = [len(option.text) for option in question.options]
        assert max(lengths) <= 2 * min(lengths), (question.id, lengths)


def test_no_place_in_the_file_is_the_right_one(questions: dict[str, Rendered]) -> None:
    """The right option does not always stand in the same place of the file."""
    places = Counter(
        next(place for place, option in enumerate(question.options) if option.correct)
        for question in questions.values()
        if question.options
    )
    assert max(places.values()) <= sum(places.values()) / 2, places


def test_the_first_card_has_all_its_parts(questions: dict[str, Rendered]) -> None:
    """The source card promised seventeen parts and delivered a few; its successor has them all."""
    card = questions["mb-70b-4nodes"]
    for part in (
        "answer_line",
        "analogy",
        "framing",
        "decision_rule",
        "stops_working_when",
        "uses",
        "follow_ups",
        "red_flags",
        "bullets",
        "sources",
        "related",
        "drill",
    ):
        assert getattr(card, part), part
    assert len([section for section in card.concept if section.text]) >= 5
    assert any(len(section.table) == 1 + len(card.options) for section in card.concept)
    for option in card.options:
        assert option.reasoning, option.id
        assert option.bar, option.id


def test_variants_are_many_or_none(bank: Bank) -> None:
    """Where numbers move, at least six sets of them test the method; the key is decided in every one, and only the
    order of an ordering may move with them."""
    for entry in bank.index:
        variants = bank.variants(entry.id)
        assert len(variants) == 1 or len(variants) >= 6, entry.id
        for axes in (variants[0], variants[-1]):
            assert set(bank.question(entry.id, axes).key) == set(bank.question(entry.id).key), (entry.id, axes)


def test_every_drill_can_be_planned(questions: dict[str, Rendered]) -> None:
    """On two cores and 20 GB: a name for each leg, and two to four predictions of what will be measured."""
    here = Machine(memory=20 * GB, cores=2, torch="2.13.0+cpu", gpus=0)
    for name, question in questions.items():
        if question.drill:
            spec = plan(question, Options(), here)
            legs = [leg.name for leg in spec.legs]
            assert all(legs), name
            assert len(set(legs)) == len(legs), name
            predictions = asked(spec, question.drill.get("predict", ""))
            assert 2 <= len(predictions) <= 4, name
            known = {one.key for one in spec.expected} | {"died", "died.phase"}
            assert {one.key.partition("/")[0] for one in predictions} <= known, name
