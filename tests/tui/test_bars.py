"""The bars: one scale for all, the capacity where it belongs, nothing told by colour alone."""

from __future__ import annotations

import pytest

from quiz.tui import bars
from tests.tui.fixtures import GB, STRATEGY, bar

PLANS = [bars.Plan(str(n), option.text, option.bar) for n, option in enumerate(STRATEGY.options, 1) if option.bar]


@pytest.mark.parametrize("width", [*range(1, 12), 36, 40, 76, 116, 300])
def test_no_line_is_wider_than_the_room(width: int) -> None:
    assert all(line.cell_length <= width for line in bars.lay(PLANS, width))


def test_all_bars_share_one_scale_and_one_capacity_line() -> None:
    scale = bars.scale_for([plan.bar for plan in PLANS], 70)
    lines = [bars.draw(plan.bar, scale).plain for plan in PLANS]
    assert {line.index(bars.LIMIT) for line in lines} == {scale.limit_cell}


def test_a_plan_that_fits_ends_before_the_line_and_one_that_does_not_beyond_it() -> None:
    for total in (1, 79, 80, 80.1, 81, 500, 5000):
        drawn = bar(total * GB / 3, total * GB / 3, total * GB / 3, 0)
        scale = bars.scale_for([drawn, PLANS[2].bar], 60)
        cells = [cell for cell, owner in enumerate(bars._cells(drawn, scale)) if owner is not None]
        assert (max(cells) < scale.limit_cell) is drawn.fits


def test_the_scale_is_broken_only_where_one_scale_would_crush_what_decides() -> None:
    near, far = bar(50 * GB, 50 * GB, 50 * GB), bar(140 * GB, 140 * GB, 840 * GB)
    assert bars.scale_for([near], 60).knee is None
    assert bars.scale_for([near, far], 60).knee is not None
    assert any(bars.BREAK in line.plain for line in bars.lay([bars.Plan("1", "far", far)], 80))


def test_the_order_of_sizes_survives_the_break() -> None:
    scale = bars.scale_for([PLANS[2].bar], 70)
    sizes = [n * 10 * GB for n in range(1, 114)]
    cells = [scale.cell(size) for size in sizes]
    assert cells == sorted(cells)


def test_each_term_has_its_letter_and_what_is_given_is_hatched() -> None:
    drawn = bars.draw(PLANS[0].bar, bars.scale_for([PLANS[0].bar], 120)).plain
    letters = [drawn.index(f" {letter} ") for letter in "WGOA"]
    assert letters == sorted(letters)
    assert drawn.index(bars.HATCH) > letters[-1]


def test_a_part_above_nothing_keeps_a_cell() -> None:
    tiny = bar(0.01 * GB, 0.01 * GB, 60 * GB)
    owners = bars._cells(tiny, bars.scale_for([tiny], 40))
    assert {owner.term for owner in owners if owner} == {"weights", "gradients", "optimizer", "activations"}


def test_without_colours_each_term_has_a_fill_of_its_own_that_the_legend_shows() -> None:
    made = [line.plain for line in bars.lay(PLANS, 100, colourless=True)]
    for term in ("weights", "gradients", "optimizer"):
        fill = bars.FILLS[term]
        assert sum(fill in line for line in made) > 1
        assert f"{fill}{bars.LETTERS[term]}{fill} {term}" in made[-1]
    assert len(set(bars.FILLS.values())) == len(bars.FILLS)
