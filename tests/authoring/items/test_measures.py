from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.authoring.items import measures
from quiz.authoring.items.figures import figures_of
from quiz.authoring.items.table import Cell, Item, Responses

# How many of 1,000 took each pattern of right and wrong, 00000 to 11111: facts published with the two tests of the Law
# School Admission Council (Bock and Lieberman 1970; Thissen 1982).
LSAT7 = (12, 19, 1, 7, 3, 19, 3, 17, 10, 5, 3, 7, 7, 23, 8, 28,
         7, 39, 11, 34, 14, 51, 15, 90, 6, 25, 7, 35, 18, 136, 32, 308)  # fmt: skip
LSAT6 = (3, 6, 2, 11, 1, 1, 3, 4, 1, 8, 0, 16, 0, 3, 2, 15,
         10, 29, 14, 81, 3, 28, 15, 80, 16, 56, 21, 173, 11, 61, 28, 298)  # fmt: skip


def columns(counts: tuple[int, ...]) -> list[list[int]]:
    rows = [row for row, count in zip(product((0, 1), repeat=5), counts, strict=True) for _ in range(count)]
    return [list(column) for column in zip(*rows, strict=True)]


def table(items: list[list[int]]) -> Responses:
    names = [f"item-{number}" for number in range(len(items))]
    cells = {
        name: {person: Cell(score) for person, score in enumerate(column)}
        for name, column in zip(names, items, strict=True)
    }
    return Responses(tuple(f"p{one}" for one in range(len(items[0]))), tuple(Item(name) for name in names), cells)


def rounded(values: object, digits: int = 3) -> list[float]:
    return [round(value, digits) for value in values]  # type: ignore[attr-defined]


def test_lsat7_comes_out_as_published() -> None:
    """n = 1000: difficulties, corrected correlations, alpha, its standard error, alpha if deleted."""
    found = figures_of(table(columns(LSAT7)))
    assert found.n == 1000
    assert rounded(item.difficulty for item in found.items) == [0.828, 0.658, 0.772, 0.606, 0.843]
    assert rounded(item.correlation for item in found.items) == [0.246, 0.247, 0.313, 0.223, 0.175]
    assert rounded(item.alpha_if_deleted for item in found.items) == [0.396, 0.394, 0.345, 0.415, 0.438]
    assert rounded([found.alpha, found.kr20, found.sem, found.mean, found.deviation]) == [
        0.453,
        0.453,
        0.886,
        3.707,
        1.199,
    ]


def test_lsat6_comes_out_as_published() -> None:
    found = figures_of(table(columns(LSAT6)))
    assert rounded(item.difficulty for item in found.items) == [0.924, 0.709, 0.553, 0.763, 0.87]
    assert rounded(item.correlation for item in found.items) == [0.113, 0.153, 0.173, 0.144, 0.122]
    assert rounded(item.alpha_if_deleted for item in found.items) == [0.275, 0.238, 0.217, 0.246, 0.266]
    assert rounded([found.alpha, found.sem]) == [0.295, 0.869]


def test_ties_at_the_edge_belong_to_the_group() -> None:
    """LSAT7: a total of 3 and less is the lower group (371 learners), of 5 the upper one (308)."""
    found = figures_of(table(columns(LSAT7))).items
    assert {(item.upper, item.lower) for item in found} == {(308, 371)}
    assert rounded((item.discrimination for item in found), 6) == [0.38814, 0.679245, 0.520216, 0.695418, 0.336927]


def test_the_order_of_the_learners_changes_nothing() -> None:
    items = columns(LSAT6)
    turned = [column[::-1] for column in items]
    assert figures_of(table(items)).items == figures_of(table(turned)).items


@given(st.integers(2, 6).flatmap(lambda k: st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=2)))
def test_alpha_is_kr20_for_items_of_zero_and_one(rows: list[list[int]]) -> None:
    items = [list(column) for column in zip(*rows, strict=True)]
    one, other = measures.alpha(items), measures.kr20(items)
    assert one == pytest.approx(other) if one is not None else other is None


def test_an_item_without_spread_has_no_correlation() -> None:
    """Neither 0 nor NaN: it is not defined, whether all were right or all were wrong."""
    found = figures_of(table([[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 1, 1]]))
    assert found.items[0].correlation is None
    assert found.items[1].correlation is not None


def test_reliability_needs_two_items_and_learners_who_differ() -> None:
    assert figures_of(table([[1, 0, 1]])).alpha is None
    assert figures_of(table([[1, 0], [0, 1]])).alpha is None
    assert figures_of(table([[1, 0], [1, 0]])).items[0].alpha_if_deleted is None


def test_groups_that_would_meet_have_no_discrimination() -> None:
    assert measures.discrimination([1, 0, 1, 0], [2, 2, 2, 2]) == (None, 0, 0)
    assert measures.discrimination([], []) == (None, 0, 0)
    assert measures.discrimination([1], [1]) == (None, 0, 0)
