from __future__ import annotations

import msgspec
import pytest

from quiz.authoring.items.figures import ENOUGH, figures_of
from quiz.authoring.items.table import Cell, Item, Responses

ITEM = Item("which", ("good", "tempting", "idle"), "good")


def class_of(answers: list[tuple[str, bool, bool]], *, missing: int = 0) -> Responses:
    """Answers to `which` (option chosen) and to two typed items; the last `missing` learners left out the third."""
    people = tuple(f"learner {one}" for one in range(len(answers)))
    cells = {
        "which": {one: Cell(int(option == "good"), option) for one, (option, _, _) in enumerate(answers)},
        "second": {one: Cell(int(right)) for one, (_, right, _) in enumerate(answers)},
        "third": {one: Cell(int(right)) for one, (_, _, right) in enumerate(answers) if one < len(answers) - missing},
    }
    return Responses(people, (ITEM, Item("second"), Item("third")), cells)


KNOWING = [("good", True, True)] * 20 + [("tempting", False, False)] * 15 + [("good", True, False)] * 5


def test_a_sound_item_gets_advice_on_its_idle_option_only() -> None:
    item = figures_of(class_of(KNOWING)).items[0]
    assert (item.n, item.right, item.difficulty) == (40, 25, 25 / 40)
    assert [(one.id, one.key, one.chosen, one.functional) for one in item.options] == [
        ("good", True, 25, None),
        ("tempting", False, 15, True),
        ("idle", False, 0, False),
    ]
    assert item.distractor_efficiency == 0.5
    assert item.options[2].correlation is None
    assert item.advice == ("fewer than 5 % choose idle: replace by a mistake that people make",)


def test_a_wrong_option_that_goes_better_with_the_rest_than_the_key_is_probably_the_key() -> None:
    swapped = [({"good": "tempting", "tempting": "good"}[option], one, two) for option, one, two in KNOWING]
    item = figures_of(class_of(swapped)).items[0]
    assert item.probably_miskeyed == ("tempting",)
    assert item.advice[0].startswith("probably miskeyed: tempting")


def test_five_percent_is_enough_for_an_option_to_work() -> None:
    answers = [*[("good", True, True)] * 19, *[("tempting", False, False)] * 20, ("idle", False, True)]
    assert figures_of(class_of(answers)).items[0].options[2].functional is False
    answers[0] = ("idle", False, True)
    assert figures_of(class_of(answers)).items[0].options[2].functional is True


def test_below_thirty_learners_figures_are_told_and_nothing_is_advised() -> None:
    found = figures_of(class_of(KNOWING[: ENOUGH - 1]))
    assert found.items[0].difficulty is not None
    assert found.items[0].n == ENOUGH - 1
    assert all(item.advice == () and item.probably_miskeyed == () for item in found.items)
    assert "nothing is advised" in found.notes[0]


def test_a_hole_in_the_table_takes_alpha_and_not_the_rest() -> None:
    found = figures_of(class_of(KNOWING, missing=1))
    assert not found.complete
    assert (found.alpha, found.kr20, found.sem, found.mean) == (None, None, None, None)
    assert found.items[2].n == 39
    assert found.items[0].correlation is not None
    assert "119 of 120 answers are there" in found.notes[0]


def test_nobody_and_nothing_are_told_without_a_fault() -> None:
    empty = figures_of(Responses((), (ITEM,), {"which": {}}))
    assert (empty.n, empty.items[0].n, empty.items[0].difficulty) == (0, 0, None)
    assert figures_of(Responses((), (), {})).items == ()


def test_who_answered_one_question_only_is_in_its_difficulty_and_not_in_its_correlation() -> None:
    cells = {"which": {0: Cell(1, "good"), 1: Cell(0, "idle"), 2: Cell(1, "good")},
             "second": {0: Cell(1), 1: Cell(0)}}  # fmt: skip
    item = figures_of(Responses(("a", "b", "c"), (ITEM, Item("second")), cells)).items[0]
    assert (item.n, item.correlation_n) == (3, 2)
    assert item.correlation == pytest.approx(1)


def test_an_item_whose_key_moved_has_no_figures_of_options() -> None:
    moved = Item("which", ("good", "tempting"), "", moved=True)
    found = figures_of(Responses(("a",), (moved,), {"which": {0: Cell(1, "good")}}))
    assert found.items[0].options == ()
    assert any("which" in note for note in found.notes)


def test_json_says_null_for_what_is_not_defined() -> None:
    text = msgspec.json.encode(figures_of(class_of(KNOWING, missing=1))).decode()
    assert '"alpha":null' in text
    assert "NaN" not in text


def test_an_item_that_only_the_knowing_have_right_is_no_guessing_however_few_they_are() -> None:
    """One in three has it right, as luck would among three options; but it is those who know the rest."""
    knowing = [("good", True, True)] * 12 + [("tempting", False, False)] * 12 + [("idle", False, False)] * 12
    assert not any("guessing" in said for said in figures_of(class_of(knowing)).items[0].advice)
    lost = [("good", at % 2 == 0, at % 3 == 0) for at in range(12)]
    lost += [(other, at % 2 == 0, at % 3 == 0) for other in ("tempting", "idle") for at in range(12)]
    assert any("guessing" in said for said in figures_of(class_of(lost)).items[0].advice)


def test_a_correlation_below_nothing_by_chance_is_not_called_knowing_less() -> None:
    """Of 40 learners a correlation of −0.05 says nothing; of −0.5 it does."""
    alike = [("good", True, True), ("good", False, True), ("tempting", True, False), ("tempting", False, False)]
    chance = figures_of(class_of([*alike * 9, *[("good", False, True), ("tempting", True, False)] * 2])).items[1]
    assert chance.correlation == pytest.approx(-0.1)
    assert any("hardly tells" in said for said in chance.advice)
    against = figures_of(class_of([*alike * 5, *[("good", False, True), ("tempting", True, False)] * 10])).items[1]
    assert against.correlation == pytest.approx(-0.5)
    assert any("miss it more" in said for said in against.advice)


def test_figures_of_a_choice_say_that_they_are_not_those_of_the_whole() -> None:
    table = class_of(KNOWING)
    assert not any("chosen" in note for note in figures_of(table, 3).notes)
    assert any(note.startswith("3 of 20 questions chosen;") for note in figures_of(table, 20).notes)
    (item,) = table.items[:1]
    one = figures_of(Responses(table.people, (item,), {"which": table.cells["which"]}), 3)
    assert any("leave the choice out" in note for note in one.notes)
