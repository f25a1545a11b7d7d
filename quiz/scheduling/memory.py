"""The FSRS-6 memory model for one answer: the figures of the `fsrs` package, to the last bit, without its objects.

An answer asks the model five times (each button, and what is stored), and a history of years a million times. The
package takes 20 µs for each, most of it for copies and a log; this takes 2. The operations are those of the package, in
its order, so that a card is the same whichever of the two it was told by: a test holds them equal on any card.

Source: https://github.com/open-spaced-repetition/awesome-fsrs/wiki/The-Algorithm (FSRS-6).
"""

from __future__ import annotations

from datetime import timedelta
from math import e
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from quiz.scheduling import calendar

if TYPE_CHECKING:
    from collections.abc import Sequence

State = Literal["learning", "review", "relearning"]

#: The default weights of FSRS-6.
WEIGHTS: Final = (
    *(0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796),
    *(1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542),
)

_AGAIN: Final = 1
_HARD: Final = 2
_GOOD: Final = 3
_EASY: Final = 4
_LEAST: Final = 0.001


class Standing(msgspec.Struct, frozen=True, gc=False):
    """A memory: its state, the index of its step (None in review), stability in days, difficulty from 1 to 10."""

    state: State
    step: int | None
    stability: float
    difficulty: float


class Told(msgspec.Struct, frozen=True, gc=False):
    """A memory after an answer, and how long it waits: whole days in review, a step else."""

    state: State
    step: int | None
    stability: float
    difficulty: float
    wait: timedelta


class Model:
    """The model under one set of weights and one retention.

    Args:
        weights: 21 of them.
        retention: the chance of recall aimed at.
        learning_steps, relearning_steps: waits in seconds.
        maximum: longest wait in days.
    """

    def __init__(
        self,
        weights: Sequence[float],
        retention: float,
        learning_steps: Sequence[float],
        relearning_steps: Sequence[float],
        maximum: int,
    ) -> None:
        self._weights = w = tuple(weights)
        self._maximum = maximum
        self._decay = -w[20]
        self._factor: float = 0.9 ** (1 / self._decay) - 1
        self._aim: float = retention ** (1 / self._decay) - 1
        self._steps = {
            "learning": [timedelta(seconds=step) for step in learning_steps],
            "relearning": [timedelta(seconds=step) for step in relearning_steps],
        }
        self._growth: float = e ** w[8]
        self._floor: float = e ** (w[17] * w[18])
        self._reverted = w[7] * self._first_difficulty(_EASY)
        self._kept = 1 - w[7]

    def told(self, before: Standing | None, rating: int, elapsed: int) -> Told:
        """Return what an answer makes of a memory.

        Args:
            before: the memory, None at the first answer.
            rating: 1 again, 2 hard, 3 good, 4 easy.
            elapsed: whole days since the answer before.
        """
        if before is None:
            stability = max(self._weights[rating - 1], _LEAST)
            difficulty = min(max(self._first_difficulty(rating), 1.0), 10.0)
            return self._stepped("learning", 0, stability, difficulty, rating)
        state, stability, difficulty = before.state, before.stability, before.difficulty
        if elapsed < 1:
            stability = self._same_day(stability, rating)
        else:
            stability = self._later(stability, difficulty, rating, elapsed)
        difficulty = self._next_difficulty(difficulty, rating)
        if state != "review":
            return self._stepped(state, before.step or 0, stability, difficulty, rating)
        steps = self._steps["relearning"]
        if rating == _AGAIN and steps:
            return Told("relearning", 0, stability, difficulty, steps[0])
        return self._reviewed(stability, difficulty)

    def _stepped(self, state: State, step: int, stability: float, difficulty: float, rating: int) -> Told:
        """Go on within the steps of a state, or leave them."""
        steps = self._steps[state]
        if not steps or rating == _EASY or (rating != _AGAIN and step >= len(steps)):
            return self._reviewed(stability, difficulty)
        if rating == _AGAIN:
            return Told(state, 0, stability, difficulty, steps[0])
        if rating == _GOOD:
            if step + 1 == len(steps):
                return self._reviewed(stability, difficulty)
            return Told(state, step + 1, stability, difficulty, steps[step + 1])
        # A hard answer at the first step waits half as long again, or half the way to the second.
        first = steps[0] * 1.5 if len(steps) == 1 else (steps[0] + steps[1]) / 2.0
        return Told(state, step, stability, difficulty, steps[step] if step else first)

    def _reviewed(self, stability: float, difficulty: float) -> Told:
        days = min(max(round((stability / self._factor) * self._aim), 1), self._maximum)
        return Told("review", None, stability, difficulty, calendar.days(days))

    def _first_difficulty(self, rating: int) -> float:
        w = self._weights
        difficulty: float = w[4] - e ** (w[5] * (rating - 1)) + 1
        return difficulty

    def _next_difficulty(self, difficulty: float, rating: int) -> float:
        change = -(self._weights[6] * (rating - 3))
        damped: float = difficulty + (10.0 - difficulty) * change / 9.0
        return min(max(self._reverted + self._kept * damped, 1.0), 10.0)

    def _same_day(self, stability: float, rating: int) -> float:
        w = self._weights
        rise: float = e ** (w[17] * (rating - 3 + w[18])) * stability ** -w[19]
        return max(stability * (rise if rating == _AGAIN else max(rise, 1.0)), _LEAST)

    def _later(self, stability: float, difficulty: float, rating: int, elapsed: int) -> float:
        w = self._weights
        forgotten: float = 1 - (1 + self._factor * elapsed / stability) ** self._decay
        if rating == _AGAIN:
            lapsed: float = w[11] * difficulty ** -w[12] * ((stability + 1) ** w[13] - 1) * e ** (forgotten * w[14])
            return max(min(lapsed, stability / self._floor), _LEAST)
        rise: float = self._growth * (11 - difficulty) * stability ** -w[9] * (e ** (forgotten * w[10]) - 1)
        if rating == _HARD:
            rise *= w[15]
        elif rating == _EASY:
            rise *= w[16]
        return max(stability * (1 + rise), _LEAST)
