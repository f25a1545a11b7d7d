"""The things that a drill measures, by their keys: what each is called, and what a run found of it.

A key is `what@leg`, a ratio `what@leg/other`, or `died` and `died.phase`, which are of the whole run.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quiz.drills.records import High, Measured

LABELS: Final = {
    "rest.state": "state at rest",
    "rest.parameters": "parameters at rest",
    "rest.gradients": "gradients at rest",
    "rest.optimizer": "optimizer state at rest",
    "traffic.payload": "payload of a step",
    "peak.total": "peak of a step",
    "peak.forward": "peak in forward",
    "peak.backward": "peak in backward",
    "peak.optimizer": "peak in optimizer",
    "peak.phase": "phase of the peak",
    "resident": "resident peak",
    "loss.parity": "largest difference in loss to one process",
    "step.seconds": "time of a step",
    "died": "which one dies",
    "died.phase": "in which phase it dies",
}
FAKE: Final = " (fake)"
"""Ends the name of a leg that repeats another on fake tensors."""
NOBODY: Final = "none"
_REST: Final = {"rest.parameters": "parameters", "rest.gradients": "gradients", "rest.optimizer": "optimizer"}


class Found(NamedTuple):
    """What a run found: a number in base units, or a name; None where it did not come so far."""

    value: float | None = None
    choice: str | None = None


class Key(NamedTuple):
    """A key taken apart."""

    what: str
    leg: str = ""
    other: str = ""

    @classmethod
    def of(cls, text: str) -> Key:
        """Take a key apart."""
        what, _, rest = text.partition("@")
        leg, _, other = rest.partition("/")
        return cls(what, leg, other)

    @property
    def label(self) -> str:
        """The thing in words."""
        said = LABELS.get(self.what, self.what)
        if self.other:
            return f"{said}, {self.leg} over {self.other}"
        return f"{said}, {self.leg}" if self.leg else said


def found(key: str, measured: Sequence[Measured]) -> Found:
    """What the ranks measured of a thing: of bytes the most that any of them has."""
    what, leg, other = Key.of(key)
    if what == "died":
        return Found(choice=next((one.leg for one in measured if one.died is not None), NOBODY))
    if what == "died.phase":
        return Found(choice=next((one.died for one in measured if one.died is not None), NOBODY))
    if other:
        over, under = found(f"{what}@{leg}", measured).value, found(f"{what}@{other}", measured).value
        return Found(over / under) if over is not None and under else Found()
    ranks = [one for one in measured if one.leg == leg]
    if what == "peak.phase":
        high = highest(ranks)
        return Found(choice=None if high is None else high.phase)
    if what == "loss.parity":
        return Found(parity(ranks, [one for one in measured if one.leg == "single"]))
    return Found(max((size for one in ranks if (size := _size(what, one)) is not None), default=None))


def highest(ranks: Iterable[Measured]) -> High | None:
    """The highest peak of any rank."""
    return max((one.peak for one in ranks if one.peak is not None), key=lambda high: high.held.total, default=None)


def parity(ranks: Sequence[Measured], alone: Sequence[Measured], steps: int | None = None) -> float | None:
    """The largest difference between losses of a leg and of one process, step by step; of the first `steps` only."""
    if not ranks or not alone:
        return None
    theirs = {step.step: step.loss for step in alone[0].steps}
    pairs = [
        abs(step.loss - other)
        for one in ranks
        for step in one.steps
        if step.loss is not None
        and (other := theirs.get(step.step)) is not None
        and (steps is None or step.step < steps)
    ]
    return max(pairs, default=None)


def _size(what: str, one: Measured) -> float | None:
    if what in _REST:
        return None if one.rest is None else float(getattr(one.rest, _REST[what]))
    if what == "rest.state":
        return None if one.rest is None else float(one.rest.state)
    if what == "traffic.payload":
        return _payload(one)
    if what == "resident":
        return max((float(high.resident) for high in one.peaks if high.resident is not None), default=None)
    if what == "step.seconds":
        times = [step.seconds for step in one.steps if not step.tracked and step.step > 0]
        return median(times) if times else None
    return _peak(what, one)


def _payload(one: Measured) -> float | None:
    """What a rank hands to its collectives in a step; what it receives is what another one sent."""
    # A plan tells its traffic when it is through, and then its rest as well: before that nothing is known of it.
    if not one.traffic and one.rest is None:
        return None
    return float(sum(sent.bytes for sent in one.traffic if sent.op != "receive"))


def _peak(what: str, one: Measured) -> float | None:
    if what == "peak.total":
        return None if one.peak is None else float(one.peak.held.total)
    phase = what.removeprefix("peak.")
    return next((float(high.held.total) for high in one.peaks if high.phase == phase), None)
