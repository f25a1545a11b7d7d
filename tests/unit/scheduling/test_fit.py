"""Fitting the model: accepted on held-out gain only, the same for any order of input, refused with its reason."""

from __future__ import annotations

import random
import sys
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.scheduling.cards import CardKey
from quiz.scheduling.fit import LEAST, Fit, NotInstalled, fit
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import WEIGHT_BOUNDS, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

library = pytest.importorskip("fsrs_rs_python", reason="the extra `fit` is not installed")

#: A learner who forgets much faster than the default weights say.
FAST = (0.1, 0.5, 1.2, 4.0, 7.0, 1.2, 3.0, 0.01, 1.2, 0.2, 0.6, 1.8, 0.1, 0.3, 1.2, 0.4, 2.2, 0.3, 0.2, 0.1, 0.35)
DEFAULT = tuple(library.DEFAULT_PARAMETERS)
Answers = dict[CardKey, list[tuple[date, Rating]]]


def learner(cards: int, weights: Sequence[float], *, reviews: int = 10, seed: int = 1) -> Answers:
    """Answers of a learner whose memory really follows the weights."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    model = library.FSRS(list(weights))
    decay = weights[-1]
    factor = 0.9 ** (-1 / decay) - 1
    found: Answers = {}
    for number in range(cards):
        day = date(2024, 1, 1) + timedelta(days=draw.randrange(300))
        rating = draw.choices([1, 2, 3, 4], [0.25, 0.15, 0.5, 0.1])[0]
        history = [(day, Rating(rating))]
        state = _next(model, None, 0, rating)
        for _ in range(reviews - 1):
            gap = min(400, max(1, round(state.stability * draw.uniform(0.5, 1.5))))
            recalled = draw.random() < (1 + factor * gap / state.stability) ** -decay
            rating = draw.choices([2, 3, 4], [0.15, 0.75, 0.1])[0] if recalled else 1
            day += timedelta(days=gap)
            history.append((day, Rating(rating)))
            state = _next(model, state, gap, rating)
        found[CardKey("core", f"q{number}")] = history
    return found


def _next(model: object, state: object, gap: int, rating: int):  # type: ignore[no-untyped-def]  # noqa: ANN202 - untyped library
    states = model.next_states(state, 0.9, gap)  # type: ignore[attr-defined]
    return (states.again, states.hard, states.good, states.easy)[rating - 1].memory


@pytest.fixture(scope="module")
def fast() -> Answers:
    return learner(1_500, FAST)


@pytest.fixture(scope="module")
def fitted(fast: Answers) -> Fit:
    return fit(fast)


def test_a_learner_who_forgets_faster_gets_weights_that_predict_better(fitted: Fit) -> None:
    assert fitted.accepted
    assert fitted.gain > 2 * fitted.error > 0
    assert fitted.trained + fitted.held_out == fitted.reviews == 1_500 * 9
    assert fitted.held_out == pytest.approx(fitted.reviews / 5, rel=0.02)
    Settings(weights=fitted.weights)


def test_the_order_of_the_cards_does_not_matter(fast: Answers, fitted: Fit) -> None:
    keys = list(fast)
    random.Random(2).shuffle(keys)  # noqa: S311 - no secret
    assert fit({key: fast[key] for key in keys}) == fitted


def test_the_judging_reviews_are_not_trained_on(fast: Answers, fitted: Fit) -> None:
    """Other answers on the days that judge leave the weights as they are."""
    assert fitted.since is not None
    since = fitted.since
    turned = {
        key: [(day, Rating.GOOD if day >= since and n % 3 else rating) for n, (day, rating) in enumerate(history)]
        for key, history in fast.items()
    }
    other = fit(turned)
    assert other.weights == fitted.weights
    assert other.after != fitted.after


def test_a_learner_of_the_default_weights_keeps_them() -> None:
    found = fit(learner(400, DEFAULT, seed=5))
    assert not found.accepted
    assert found.refused is None
    assert found.before < found.after + found.error


def test_fitted_weights_have_to_be_beaten_themselves(fast: Answers, fitted: Fit) -> None:
    """Fitting the same answers again changes nothing."""
    again = fit(fast, fitted.weights)
    assert again.weights == fitted.weights
    assert again.gain == 0
    assert not again.accepted


def test_too_few_reviews_are_refused_with_their_number() -> None:
    found = fit(learner(30, FAST))
    assert (found.refused, found.weights, found.accepted) == ("few", (), False)
    assert found.why == f"270 reviews came on a later day than the answer before; {LEAST} are needed"
    assert fit({}).refused == "few"


@pytest.mark.parametrize("rating", [Rating.AGAIN, Rating.GOOD])
def test_a_history_all_wrong_or_all_right_is_refused(rating: Rating) -> None:
    history = {key: [(day, rating) for day, _ in answers] for key, answers in learner(60, DEFAULT).items()}
    found = fit(history)
    assert found.refused == "one-sided"
    assert "10 of each are needed" in found.why


def test_a_few_lapses_among_the_judging_reviews_are_too_few_to_tell() -> None:
    history = learner(60, DEFAULT)
    for answers in history.values():
        answers[3:] = [(day, Rating.GOOD) for day, _ in answers[3:]]
    assert fit(history).refused == "one-sided"


def test_same_day_answers_and_a_clock_that_was_set_back_are_taken_in(fast: Answers) -> None:
    """They move the memory and are not predicted themselves; weights stay within their bounds."""
    odd: Answers = {}
    for key, history in list(fast.items())[:200]:
        first = history[0][0]
        odd[key] = [(first, Rating.AGAIN), *history, (first, Rating.HARD), (history[-1][0], Rating.GOOD)]
    found = fit(odd)
    assert found.refused is None
    assert found.reviews == 200 * 9
    for weight, (low, high) in zip(found.weights, WEIGHT_BOUNDS, strict=True):
        assert low <= weight <= high


def test_without_the_extra_it_says_so_and_only_where_it_would_be_needed(
    fast: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fsrs_rs_python", None)
    assert fit({}).refused == "few"
    with pytest.raises(NotInstalled):
        fit(fast)
