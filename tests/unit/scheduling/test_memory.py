"""The memory model: its figures are those of the `fsrs` package, to the last bit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import fsrs
from hypothesis import example, given
from hypothesis import strategies as st

from quiz.scheduling.memory import WEIGHTS, Model, Standing, State, Told
from quiz.scheduling.settings import WEIGHT_BOUNDS

START = datetime(2022, 11, 29, 12, 30, tzinfo=UTC)
STATES: dict[State, fsrs.State] = {
    "learning": fsrs.State.Learning,
    "review": fsrs.State.Review,
    "relearning": fsrs.State.Relearning,
}
NAMES: dict[fsrs.State, State] = {state: name for name, state in STATES.items()}
STEPS = st.lists(st.floats(1, 86_399), max_size=3)
FITTED = st.tuples(*(st.floats(low, high) for low, high in WEIGHT_BOUNDS))


@st.composite
def standings(draw: st.DrawFn) -> Standing:
    state: State = draw(st.sampled_from(["learning", "review", "relearning"]))
    step = None if state == "review" else draw(st.integers(0, 3))
    return Standing(state, step, draw(st.floats(0.001, 36_500)), draw(st.floats(1, 10)))


def test_the_default_weights_are_the_package_s() -> None:
    assert fsrs.scheduler.DEFAULT_PARAMETERS == WEIGHTS


MODELS = st.tuples(
    st.just(WEIGHTS) | FITTED,
    st.floats(0.7, 0.99),
    STEPS,
    STEPS,
    st.integers(1, 36_500),
)


@given(st.none() | standings(), st.integers(1, 4), st.integers(0, 5) | st.integers(0, 100_000), MODELS)
@example(Standing("learning", 1, 2.3, 5.0), 2, 0, (WEIGHTS, 0.9, [60.0, 600.0, 700.0], [600.0], 36_500))
def test_any_answer_makes_the_same_of_any_memory(
    before: Standing | None,
    rating: int,
    elapsed: int,
    made: tuple[tuple[float, ...], float, list[float], list[float], int],
) -> None:
    """State, step, stability, difficulty and wait are equal, not only near."""
    weights, retention, learning, relearning, maximum = made
    first, again = ([timedelta(seconds=step) for step in steps] for steps in (learning, relearning))
    scheduler = fsrs.Scheduler(weights, retention, first, again, maximum, enable_fuzzing=False)
    card = fsrs.Card(card_id=1, due=START)
    if before is not None:
        card = fsrs.Card(1, STATES[before.state], before.step, before.stability, before.difficulty, START, START)
    at = START + timedelta(days=elapsed if before else 0)
    theirs, _ = scheduler.review_card(card, fsrs.Rating(rating), at)
    ours = Model(*made).told(before, rating, elapsed)
    assert theirs.stability is not None
    assert theirs.difficulty is not None
    told = Told(NAMES[theirs.state], theirs.step, theirs.stability, theirs.difficulty, theirs.due - at)
    assert ours == told
