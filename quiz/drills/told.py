"""What is said of a drill in words, the same on the screens and in the shell: its plans, its end, how far it came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from quiz.drills.causes import bytes_of, plain
from quiz.drills.expect_cap import BESIDE
from quiz.drills.sizes import shown, size
from quiz.drills.things import found

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quiz.drills.records import Leg, Measured, Result, Spec

_ORDINALS: Final = ("first", "second", "third")
NOTHING: Final = "It ended before anything was measured."
PARTIAL: Final = "Partial: the run did not come to its end. What it had measured so far:"


class Told(NamedTuple):
    """A sentence, and beneath it the words of the library that it explains ("" where there are none)."""

    sentence: str
    beneath: str = ""


def plans(legs: Iterable[Leg]) -> list[tuple[str, str]]:
    """Each plan by its name, and what it is; that it computes in another precision is always among it."""
    return [(leg.name, _says(leg)) for leg in legs]


def _says(leg: Leg) -> str:
    if leg.computes_in == "fp32" or "BF16" in leg.says.upper():
        return leg.says
    return f"{leg.says}{'; it' if leg.says else 'it'} computes in BF16 and reduces in {leg.reduce_dtype.upper()}"


def ended(result: Result) -> Told:
    """How a run ended that did not come to its end: in which phase of which plan, on which rank, of what."""
    if result.outcome == "done":
        return Told("")
    if result.outcome == "cancelled":
        return Told(f"the run was cancelled: {result.cause}")
    place = "" if result.rank is None else f" on rank {result.rank}"
    if result.phase:
        place += f", in {result.phase} of {result.leg}" if result.leg else f", in {result.phase}"
    elif result.leg:
        place += f", in {result.leg}"
    words = plain(result.cause)
    return Told(f"the run failed{place}: {words or result.cause}", result.cause if words else "")


def deaths(spec: Spec, measured: Sequence[Measured]) -> list[Told]:
    """Of each plan that died: on which rank, in which phase of which step, what it held, asked for and had left."""
    said = []
    for leg in spec.legs:
        dead = [one for one in measured if one.leg == leg.name and one.died is not None]
        if dead:
            said.append(_death(spec, dead))
    return said


def _death(spec: Spec, dead: list[Measured]) -> Told:
    own = [one for one in dead if one.death is None or not one.death.echo] or dead
    first, death = own[0], own[0].death
    if spec.tier == "fake":
        return Told(f"{first.leg} does not run on fake tensors: {first.cause}")
    if death is None:  # a record of an earlier version
        return Told(f"{first.leg} died in {first.died} on rank {first.rank}.", first.cause or "")
    when = "while it was built" if first.died == "build" else f"in {first.died} of the {_ordinal(death.step)} step"
    took = bytes_of(death, spec.cap)
    said = f"{first.leg} ran out of memory on rank {first.rank}, {when}" + (f": it {took}" if took else "")
    others = [one.rank for one in own[1:]]
    if others:
        said += f". {_ranks(others)} did too"
    lost = [one.rank for one in dead if one not in own]
    if lost:
        said += f". {_ranks(lost)} lost {'its' if len(lost) == 1 else 'their'} neighbour"
    return Told(f"{said}.", first.cause or "")


def _ranks(ranks: list[int]) -> str:
    return f"Rank {ranks[0]}" if len(ranks) == 1 else f"{len(ranks)} other ranks"


def _ordinal(step: int) -> str:
    return _ORDINALS[step] if step < len(_ORDINALS) else f"{step + 1}th"


def relations(spec: Spec) -> str:
    """What the relations say of a run under a cap: the peak of each plan against it; empty where there is no cap."""
    peaks = {one.key: one.value for one in spec.expected}
    needs = [(leg.name, peaks.get(f"peak.total@{leg.name}")) for leg in spec.legs]
    if spec.cap is None or any(need is None for _, need in needs):
        return ""
    room = spec.cap - BESIDE
    against = ", and ".join(
        f"{size(need or 0)} under {name}, which {'does not fit' if (need or 0) > room else 'fits'}"
        for name, need in needs
    )
    return (
        f"By the relations a rank's tensors take at their peak {against}: it may have {size(spec.cap)}, of which torch "
        f"needs about {size(BESIDE)} for itself."
    )


def so_far(spec: Spec, measured: Sequence[Measured]) -> list[tuple[str, str]]:
    """How far each plan came: its steps, its loss, the time of a step."""
    return [(leg.name, _far(spec, leg.name, measured)) for leg in spec.legs]


def _far(spec: Spec, leg: str, measured: Sequence[Measured]) -> str:
    ranks = [one for one in measured if one.leg == leg]
    furthest = max(ranks, key=lambda one: len(one.steps), default=None)
    died = next((f"died in {one.died}" for one in ranks if one.died is not None), "")
    if furthest is None or not furthest.steps:
        return died or "no step done"
    words = [f"{len(furthest.steps)} of {spec.steps} steps done"]
    losses = [step.loss for step in furthest.steps if step.loss is not None]
    if losses:
        words.append(f"loss {losses[0]:.3f}" + (f" to {losses[-1]:.3f}" if len(losses) > 1 else ""))
    seconds = found(f"step.seconds@{leg}", ranks).value
    if seconds is not None:
        words.append(f"{shown(seconds, 's')} a step")
    return ", ".join(filter(None, (*words, died)))
