"""A figure is derived, an assumption, or somebody else's: a number in place of a formula is none of these."""

from __future__ import annotations

import pytest

from quiz.authoring.own_figures import check_figures
from quiz.bank.bench import ALONE
from quiz.bank.compile import compile_text
from quiz.bank.diagnostics import BankError
from tests.trial_bank import STRATEGY, Trial

STATE = "  state: memory.state_total\n"


@pytest.mark.parametrize(
    "figure", ["1120 GB", "{is: 1120 GB}", "2 * 560 GB", "208", "1120 GB + 0 B", "min(1120 GB, 2 TB)"]
)
def test_a_figure_in_which_no_name_stands_is_refused_and_told_how_to_write_it(figure: str) -> None:
    text = STRATEGY.replace(STATE, f"  state: {figure}\n")
    with pytest.raises(BankError) as refused:
        compile_text(text, "t/one.yaml", ALONE)
    [told] = refused.value.diagnostics
    assert told.code == "typed-figure"
    advised = told.next[told.next.index("{") : told.next.index("}") + 1]
    compile_text(STRATEGY.replace(STATE, f"  state: {advised}\n"), "t/one.yaml", ALONE)


def test_a_typed_figure_is_told_beside_another_mistake() -> None:
    text = STRATEGY.replace(STATE, "  state: 1120 GB\n").replace("layout.zero: 1}", "layout.zer: 1}")
    with pytest.raises(BankError) as refused:
        compile_text(text, "t/one.yaml", ALONE)
    assert {one.code for one in refused.value.diagnostics} == {"typed-figure", "unknown-name"}


@pytest.mark.parametrize("figure", ["1 GiB / 1 GB - 1", "1 MiB", "2 * memory.state_total", "2 * state_of / 2"])
def test_a_conversion_of_units_and_a_formula_with_a_name_are_figures(figure: str) -> None:
    more = f"  state: {figure}\n  state_of: memory.state_total\n"
    compile_text(STRATEGY.replace(STATE, more), "t/one.yaml", ALONE)


def test_the_quick_half_tells_it_too(trial: Trial) -> None:
    trial.write(STRATEGY.replace(STATE, "  state: 1120 GB\n"), "t/one.yaml")
    assert [one.code for one in check_figures(trial.folder, workers=1).diagnostics] == ["typed-figure"]
