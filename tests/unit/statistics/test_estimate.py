"""Shares and their intervals, medians of histograms: known values, bounds, and nothing from too few."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.statistics.estimate import quantile, share, wilson
from quiz.statistics.tally import class_end, class_of


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_has_the_published_values(hits: int, n: int, low: float, high: float) -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998) 857, table I, score method without correction."""
    assert wilson(hits, n) == pytest.approx((low, high), abs=5e-5)


@settings(max_examples=50)
@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share_and_lies_within_nothing_and_all(counts: tuple[int, int]) -> None:
    hits, n = counts
    low, high = wilson(hits, n)
    assert 0 <= low <= hits / n <= high <= 1
    assert wilson(n - hits, n) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (3, 2), (-1, 2)])
def test_what_is_no_share_is_refused(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"{hits} of {n}"):
        wilson(hits, n)


def test_a_share_from_too_few_has_counts_and_no_figures() -> None:
    few, enough = share(3, 9, least=10), share(3, 10, least=10)
    assert (few.n, few.hits, few.share, few.low, few.high) == (9, 3, None, None, None)
    assert enough.share == 0.3
    assert share(0, 0, least=0).share is None


@settings(max_examples=50)
@given(st.lists(st.integers(0, 600_000), min_size=1, max_size=60), st.floats(0, 1))
def test_a_quantile_lies_in_the_class_of_the_value_at_its_place(values: list[int], q: float) -> None:
    values.sort()
    classes = [(low, class_end(low), sum(class_of(v) == low for v in values)) for low in {class_of(v) for v in values}]
    found = quantile(sorted(classes), q)
    assert found is not None
    # The value at the place q, and the next one: the quantile lies in the class of one of them.
    place = min(len(values) - 1, int(q * len(values)))
    around = {class_of(values[max(0, place - 1)]), class_of(values[place])}
    assert any(low <= found <= class_end(low) for low in around)


def test_a_histogram_without_values_has_no_quantile() -> None:
    assert quantile([], 0.5) is None
    assert quantile([(0, 10, 0)], 0.5) is None


def test_values_are_spread_evenly_within_a_class() -> None:
    assert quantile([(0, 10, 1), (10, 20, 2), (20, 30, 1)], 0.5) == 15
