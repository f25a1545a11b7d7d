"""What every second computation uses: the record it returns, the register of them, rings. Nothing of the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12
MS = 1e-3
HOUR, DAY = 3_600, 86_400
TERA = 10**12
ADAM = 16
"""Bytes per parameter of mixed-precision Adam: 2 weights, 2 gradients, 12 optimizer (master copy, two moments)."""

Figure: TypeAlias = float | tuple[float, float]
"""A figure that decides, in bytes, seconds, dollars or a plain number; a pair where a claim holds two against
each other and the second one can be worked out as well."""


@dataclass(frozen=True)
class Found:
    """What one question comes to.

    Attributes:
        key: the right option's id, or the items' ids in order; empty for typed and open questions.
        figures: what decides each option, in the order in which it is shown; for an item, what it is ordered by.
        numbers: the typed answers, in order, in base units.
        carried: the typed answer under the other options, where one is shown.
        named: the numbers that an option's own text names, in order, as it rounds them.
        said: figures that the sketch of an open question has to name, as it would print them.
    """

    key: tuple[str, ...] = ()
    figures: Mapping[str, tuple[Figure, ...]] = field(default_factory=dict)
    numbers: tuple[float, ...] = ()
    carried: Mapping[str, float] = field(default_factory=dict)
    named: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Second:
    """A question's function, and which of its arguments each axis of the variants sets."""

    work: Callable[..., Found]
    axes: Mapping[str, str]


REGISTER: dict[str, Second] = {}


def second(id_: str, axes: Mapping[str, str] | None = None) -> Callable[[Callable[..., Found]], Callable[..., Found]]:
    """Registers the function as the second computation of a question; `axes` leads from axis to argument."""

    def register(work: Callable[..., Found]) -> Callable[..., Found]:
        if id_ in REGISTER:
            raise ValueError(f"{id_} has two second computations")
        REGISTER[id_] = Second(work, dict(axes or {}))
        return work

    return register


def ring(size: float, ranks: float) -> float:
    """Bytes that a rank sends in a ring all-gather or reduce-scatter of `size` bytes: its part, ranks - 1 times."""
    return size / ranks * (ranks - 1)


def all_reduce(size: float, ranks: float) -> float:
    """Bytes that a rank sends in a ring all-reduce: a reduce-scatter, then an all-gather."""
    return 2 * ring(size, ranks)


def zero_state(parameters: float, ranks: float, stage: int) -> float:
    """Bytes of weights, gradients and optimizer state on a rank under a ZeRO stage, with BF16 and Adam."""
    weights = 2 * parameters / (ranks if stage >= 3 else 1)
    gradients = 2 * parameters / (ranks if stage >= 2 else 1)
    optimizer = 12 * parameters / (ranks if stage >= 1 else 1)
    return weights + gradients + optimizer


def least(costs: Mapping[str, float]) -> tuple[str, ...]:
    """The name of the least cost, as a key; raises ValueError where two share it or none is left."""
    best = min(costs.values())
    names = [name for name, cost in costs.items() if cost == best]
    if len(names) != 1:
        raise ValueError(f"no single least among {dict(costs)}")
    return (names[0],)


def only(holds: Mapping[str, bool]) -> tuple[str, ...]:
    """The one name that holds, as a key; raises ValueError where none or several do."""
    names = [name for name, yes in holds.items() if yes]
    if len(names) != 1:
        raise ValueError(f"not exactly one holds: {dict(holds)}")
    return (names[0],)


def ordered(figures: Mapping[str, float], *, most_first: bool) -> tuple[str, ...]:
    """The names by their figures, as the key of an ordering question."""
    return tuple(sorted(figures, key=lambda name: figures[name], reverse=most_first))


def single(figures: Mapping[str, float]) -> dict[str, tuple[Figure, ...]]:
    """One figure for each name."""
    return {name: (value,) for name, value in figures.items()}
