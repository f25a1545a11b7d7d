"""Fitting the memory model to one learner's own answers. Pure; needs the extra `fit` (`fsrs-rs-python`).

The weights are trained on the earlier reviews and judged by the later ones, which they have not seen: by the log loss
of the predicted chance of recall, the mean over reviews of -ln p for what was recalled and -ln(1 - p) for what was not.
They are accepted only where the mean gain on those reviews is more than its standard error.

A review can be predicted where it came on a later day than the answer before it; what came on the same day only moves
the memory. The library's result depends on the order of its input, so that is put into one order first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from quiz.nouns import count
from quiz.scheduling.calendar import days_between
from quiz.scheduling.rating import Rating
from quiz.scheduling.settings import WEIGHT_BOUNDS

if TYPE_CHECKING:
    from quiz.scheduling.cards import CardKey

#: The answers of each card in order: the learner's day, and the rating that counts.
Histories = Mapping["CardKey", Sequence[tuple[date, Rating]]]

#: So many reviews that can be predicted are needed; fewer would fit chance.
LEAST: Final = 400
#: The later part of them that judges.
HELD_OUT: Final = 0.2
#: So many of each kind, recalled and forgotten, have to be in either part.
LEAST_OF_EACH: Final = 10

_DIGITS: Final = 5
_DEFAULT_DECAY: Final = 0.1542

Refusal = Literal["few", "one-sided", "failed"]


class NotInstalled(Exception):
    """The extra `fit` is not installed."""


class Fit(msgspec.Struct, frozen=True):
    """What came of a fit.

    Attributes:
        reviews, cards: reviews that can be predicted, and the questions they are of.
        trained, held_out: how many of the reviews were trained on, and how many judged.
        since: the first day of those that judged; None where it was refused.
        before, after: log loss on them under the weights of now and the fitted ones.
        error: standard error of the gain, before - after.
        weights: the fitted weights; empty where there are none.
        refused: why there are none: too `few` reviews, `one-sided` ones (nearly all recalled or nearly all forgotten),
            or the library `failed`.
        why: the reason in figures, for a person.
    """

    reviews: int
    cards: int
    trained: int = 0
    held_out: int = 0
    since: date | None = None
    before: float = 0.0
    after: float = 0.0
    error: float = 0.0
    weights: tuple[float, ...] = ()
    refused: Refusal | None = None
    why: str = ""

    @property
    def gain(self) -> float:
        """How much less the log loss is; negative where it is more."""
        return self.before - self.after

    @property
    def accepted(self) -> bool:
        """True where the gain is more than its standard error."""
        return self.refused is None and self.gain > self.error


class _Review(NamedTuple):
    """A review to be predicted: its day, its card's answers up to and with it (rating, days since the one before)."""

    day: date
    card: int
    past: tuple[tuple[int, int], ...]

    @property
    def recalled(self) -> bool:
        return self.past[-1][0] > Rating.AGAIN


def fit(histories: Histories, weights: tuple[float, ...] = (), *, relearning_steps: int = 1) -> Fit:
    """Fit the weights and judge them against others.

    Args:
        histories: the answers of each card, in order; the cards in any order.
        weights: those of now, empty for the default ones.
        relearning_steps: how many steps a forgotten card has.

    Raises:
        NotInstalled: the extra is not there, and there are answers enough to need it.
    """
    reviews = _reviews(histories)
    cards = len({review.card for review in reviews})
    if len(reviews) < LEAST:
        few = count(len(reviews), "review")
        told = f"{few} came on a later day than the answer before; {LEAST:,} are needed"
        return Fit(len(reviews), cards, refused="few", why=told)
    cut = reviews[round(len(reviews) * (1 - HELD_OUT))].day
    past = [review for review in reviews if review.day < cut]
    later = [review for review in reviews if review.day >= cut]
    for part, name in ((past, "earlier"), (later, "later")):
        recalled = sum(review.recalled for review in part)
        if min(recalled, len(part) - recalled) < LEAST_OF_EACH:
            told = (
                f"of the {len(part):,} {name} reviews {recalled:,} were recalled, {len(part) - recalled:,} forgotten;"
                f" {LEAST_OF_EACH} of each are needed to tell how memory fades"
            )
            return Fit(len(reviews), cards, len(past), len(later), refused="one-sided", why=told)
    library = _library()
    fitted = _train(library, past, relearning_steps)
    if not fitted:
        return Fit(len(reviews), cards, len(past), len(later), refused="failed", why="the library could not fit them")
    old, new = (losses(library, later, one) for one in (weights, fitted))
    gains = [before - after for before, after in zip(old, new, strict=True)]
    mean = math.fsum(gains) / len(gains)
    spread = math.fsum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1)
    return Fit(
        len(reviews),
        cards,
        len(past),
        len(later),
        cut,
        math.fsum(old) / len(old),
        math.fsum(new) / len(new),
        math.sqrt(spread / len(gains)),
        fitted,
    )


def losses(library: Any, reviews: Sequence[_Review], weights: tuple[float, ...]) -> list[float]:  # noqa: ANN401 - untyped
    """Return the log loss of each review under weights (empty: the default ones)."""
    model = library.FSRS(list(weights or library.DEFAULT_PARAMETERS))
    states = model.memory_state_batch([_item(library, review.past[:-1]) for review in reviews])
    decay = weights[-1] if weights else _DEFAULT_DECAY
    factor = 0.9 ** (-1 / decay) - 1
    found = []
    for review, state in zip(reviews, states, strict=True):
        chance = (1 + factor * review.past[-1][1] / state.stability) ** -decay
        chance = min(max(chance, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
        found.append(-math.log(chance if review.recalled else 1 - chance))
    return found


_LEAST_CHANCE: Final = 1e-4


def _reviews(histories: Histories) -> list[_Review]:
    """Return the reviews that can be predicted, by day, then by card: one order for any order of the input."""
    found = []
    for number, key in enumerate(sorted(histories)):
        past: list[tuple[int, int]] = []
        last: date | None = None
        for day, rating in histories[key]:
            today = day if last is None else max(day, last)
            apart = 0 if last is None else days_between(last, today)
            past.append((int(rating), apart))
            last = today
            if apart:
                found.append(_Review(today, number, tuple(past)))
    return sorted(found, key=lambda review: (review.day, review.card, len(review.past)))


def _train(library: Any, reviews: Sequence[_Review], relearning_steps: int) -> tuple[float, ...]:  # noqa: ANN401 - untyped
    """Return the fitted weights within their bounds; none where the library gives up."""
    items = [_item(library, review.past) for review in reviews]
    try:
        found = library.FSRS(list(library.DEFAULT_PARAMETERS)).compute_parameters(
            items, [review.card for review in reviews], num_relearning_steps=relearning_steps
        )
    except BaseException as error:
        # The library's own faults are no `Exception`; its class cannot be imported.
        if type(error).__name__ != "PanicException" and not isinstance(error, ValueError):
            raise
        return ()
    if len(found) != len(WEIGHT_BOUNDS) or not all(map(math.isfinite, found)):
        return ()
    return tuple(
        min(max(round(weight, _DIGITS), low), high) for weight, (low, high) in zip(found, WEIGHT_BOUNDS, strict=True)
    )


def _item(library: Any, past: Sequence[tuple[int, int]]) -> Any:  # noqa: ANN401 - untyped
    return library.FSRSItem([library.FSRSReview(rating, apart) for rating, apart in past])


def _library() -> Any:  # noqa: ANN401 - untyped
    try:
        import fsrs_rs_python
    except ModuleNotFoundError as missing:
        if missing.name != "fsrs_rs_python":
            raise
        raise NotInstalled from missing
    return fsrs_rs_python
