"""How the bundled bank asks: figures decide, options are alike in form, keys stand in every place, numbers move."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any, cast

import pytest

from quiz.bank.fields import percent
from quiz.bank.yaml_reader import read_yaml
from tests.house import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.library import Bank
    from quiz.bank.rendered import Rendered

LEAST_APART = "5 %"
LONGEST = 1.3
"""No option is longer than so many times the median of its question."""


@pytest.fixture(scope="module")
def files() -> dict[str, Mapping[str, Any]]:
    paths = sorted((ROOT / "questions").glob("*/*.yaml"))
    return {path.stem: cast("Mapping[str, Any]", read_yaml(path.read_bytes(), path.name).data) for path in paths}


def test_strategies_offer_four_plans_and_each_loser_loses_by_a_figure(questions: dict[str, Rendered]) -> None:
    """The reveal of each plan that is not right names a figure: it does not fit, or another one does better."""
    for name, question in questions.items():
        if question.kind == "strategy":
            assert len(question.options) == 4, name
            losers = [option for option in question.options if not option.correct]
            assert not any(option.asserted for option in losers), name
            fails = [option.id for option in losers if any(one in option.verdict for one in ("too much", "fails by"))]
            beaten = [option.id for option in losers if " is possible" in option.verdict]
            assert {*fails, *beaten} == {option.id for option in losers}, name


def test_claims_offer_four_readings_and_each_is_held_against_figures(questions: dict[str, Rendered]) -> None:
    """A claim that does not hold fails in a figure, and its reason says what it is instead."""
    for name, question in questions.items():
        if question.kind == "claim":
            assert len(question.options) == 4, name
            for option in question.options:
                assert option.reasoning, (name, option.id)
                assert ("fails" in option.verdict) == (not option.correct), (name, option.id)


def test_nothing_is_decided_by_less_than_a_twentieth(files: dict[str, Mapping[str, Any]]) -> None:
    """The program refuses what lies closer than the share that a file asks for; no file asks for less than 5 %."""
    for name, data in files.items():
        decisive = [data.get("decisive"), data.get("decide", {}).get("decisive")]
        assert all(percent(share) >= percent(LEAST_APART) for share in decisive if share), name


def test_orderings_have_three_items_or_more(questions: dict[str, Rendered]) -> None:
    """Two would be a choice; each item shows the figure that it is ordered by, and no two show the same."""
    for name, question in questions.items():
        if question.kind == "ordering":
            figures = [item.figure for item in question.items]
            assert len(set(figures)) == len(figures) >= 3, name


def test_no_option_stands_out_by_its_length(bank: Bank, questions: dict[str, Rendered]) -> None:
    """At most 1.3 times the median, in the author's numbers and in the last draw."""
    for name, base in questions.items():
        if base.options:
            for question in (base, bank.question(name, bank.variants(name)[-1])):
                lengths = [len(option.text) for option in question.options]
                assert max(lengths) <= LONGEST * median(lengths), (name, lengths)


def test_the_key_stands_in_each_place_about_as_often(questions: dict[str, Rendered]) -> None:
    """Between the place that has most keys and the one that has fewest lies less than half of a fair share."""
    places = Counter(
        next(place for place, option in enumerate(question.options) if option.correct)
        for question in questions.values()
        if question.options
    )
    assert set(places) == {0, 1, 2, 3}
    assert max(places.values()) - min(places.values()) <= sum(places.values()) / 4 / 2, places


def test_forty_questions_come_with_other_numbers(bank: Bank, files: dict[str, Mapping[str, Any]]) -> None:
    """At least 40 have three values or more on their axes, and every one of these can be drawn in six ways or more."""
    moving = {
        name: sum(len(values) for values in data["variants"]["axes"].values())
        for name, data in files.items()
        if "variants" in data
    }
    assert len([name for name, values in moving.items() if values >= 3]) >= 40
    assert [name for name in moving if len(bank.variants(name)) < 6] == []
