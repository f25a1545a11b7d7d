"""What a run shows while it goes on: its events folded, one by one, into what a screen or a line of progress needs.

Pure: the same events give the same picture, so a finished run is replayed by folding its file again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from quiz.drills import events
from quiz.drills.records import Held

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quiz.drills.events import AnyEvent
    from quiz.drills.records import High, Leg, Sent, Spec

State = Literal["waiting", "running", "done", "died"]
Ending = Literal["", "done", "failed", "cancelled"]
_FAKE_STEPS: Final = 2
"""Steps of a leg on fake tensors: the first counts global shapes, the second is read."""


@dataclass(slots=True)
class LegNow:
    """How far a leg is. Bytes and phases are kept by rank; losses are those of the least rank that told any."""

    leg: Leg
    state: State = "waiting"
    phase: str = ""
    step: int = -1
    began: float | None = None
    ended: float | None = None
    held: dict[int, Held] = field(default_factory=dict)
    most: dict[int, Held] = field(default_factory=dict)
    resident: dict[int, int] = field(default_factory=dict)
    rest: dict[int, Held] = field(default_factory=dict)
    peaks: dict[int, dict[str, High]] = field(default_factory=dict)
    losses: dict[int, dict[int, float]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    sent: dict[int, tuple[Sent, ...]] = field(default_factory=dict)
    died_in: str = ""
    cause: str = ""

    @property
    def curve(self) -> dict[int, float]:
        """Loss by step."""
        return self.losses[min(self.losses)] if self.losses else {}

    @property
    def took(self) -> float | None:
        """Seconds from its begin to its end; None where it is not over."""
        return self.ended - self.began if self.ended is not None and self.began is not None else None

    @property
    def highest(self) -> High | None:
        """The phase in which most was held on any rank."""
        found = [high for by_phase in self.peaks.values() for high in by_phase.values()]
        return max(found, key=lambda high: high.held.total, default=None)


@dataclass(slots=True)
class Live:
    """A run as its events tell it so far. `t` is the time of the last event, in seconds from the start."""

    spec: Spec
    legs: dict[str, LegNow] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    ending: Ending = ""
    cause: str = ""
    t: float = 0.0
    torch: str = ""
    launch: str = ""

    def __post_init__(self) -> None:
        """Every leg waits."""
        self.legs = {leg.name: LegNow(leg) for leg in self.spec.legs}

    def take(self, some: Iterable[AnyEvent]) -> None:
        """Take events in, in the order in which they were written."""
        for event in some:
            self._take(event)

    @property
    def running(self) -> LegNow | None:
        """The leg that is running, else the last that ran."""
        begun = [leg for leg in self.legs.values() if leg.state != "waiting"]
        return next((leg for leg in reversed(begun) if leg.state == "running"), begun[-1] if begun else None)

    @property
    def steps(self) -> int:
        """Steps of each leg."""
        return _FAKE_STEPS if self.spec.tier == "fake" else self.spec.steps

    @property
    def share(self) -> float:
        """How much of the work is done, 0 to 1, by steps."""
        if self.ending == "done":
            return 1.0
        parts = [1.0 if leg.state in ("done", "died") else self._share_of(leg) for leg in self.legs.values()]
        return sum(parts) / max(1, len(parts))

    def left(self, now: float) -> float | None:
        """Seconds that are left at `now` seconds from the start; None while too little is known to say."""
        # Who died was not through, and says nothing of how long the others take.
        finished = [leg.took for leg in self.legs.values() if leg.took is not None and leg.state == "done"]
        waiting = sum(leg.state == "waiting" for leg in self.legs.values())
        active = self.running
        if active is None or self.ending:
            return None
        rest = 0.0
        whole = sum(finished) / len(finished) if finished else None
        if active.state == "running" and active.began is not None:
            spent, done = now - active.began, self._share_of(active)
            if done >= 0.1:  # noqa: PLR2004 - the first steps carry the start
                whole = spent / done
            elif whole is None or spent >= whole:  # nobody was through yet, or it takes longer than the others did
                return None
            rest = whole - spent
        return None if whole is None else rest + waiting * whole

    def _share_of(self, leg: LegNow) -> float:
        return min(1.0, (leg.step + 1) / max(1, self.steps)) if leg.state == "running" else 0.0

    def _take(self, event: AnyEvent) -> None:
        self.t = max(self.t, event.t)
        leg = self.legs.get(event.leg or "")
        rank = event.rank if event.rank is not None else 0
        match event:
            case events.Started():
                self.torch, self.launch = event.torch or self.torch, event.launch or self.launch
            case events.Log():
                self.log.append(_said(event.leg, event.rank, event.text))
            case events.Failed():
                self.log.append(_said(event.leg, event.rank, event.cause))
                if not event.echo and not self.cause:
                    self.ending, self.cause = "failed", event.cause
            case events.Cancelled():
                self.ending, self.cause = "cancelled", event.by
            case events.Done() if event.rank is None and event.leg is None:
                self.ending = self.ending or "done"
            case _ if leg is not None:
                _take_of_leg(leg, event, rank)
            case _:
                pass  # of no leg that this run has


def _take_of_leg(leg: LegNow, event: AnyEvent, rank: int) -> None:  # noqa: C901 - a case for each kind
    match event:
        case events.LegEvent():
            _turn(leg, event)
        case events.PhaseEvent():
            leg.phase, leg.step = event.phase, max(leg.step, event.step - 1)
        case events.Memory():
            leg.held[rank] = event.held
            if event.held.total >= leg.most.get(rank, Held()).total:
                leg.most[rank] = event.held
            if event.resident is not None:
                leg.resident[rank] = event.resident
        case events.Rest():
            leg.rest[rank] = event.held
        case events.Peak():
            leg.peaks.setdefault(rank, {})[event.high.phase] = event.high
        case events.Traffic():
            leg.sent[rank] = event.sent
        case events.Step():
            leg.step = max(leg.step, event.done.step)
            if not event.done.tracked and rank == 0:
                leg.seconds.append(event.done.seconds)
            if event.done.loss is not None:
                leg.losses.setdefault(rank, {})[event.done.step] = event.done.loss
        case _:
            pass


def _turn(leg: LegNow, event: events.LegEvent) -> None:
    if event.state == "begin":
        leg.state = "running"
        leg.began = event.t if leg.began is None else min(leg.began, event.t)
        return
    if event.state == "died":
        if leg.state != "died":
            leg.died_in, leg.cause = event.phase or leg.phase, event.cause or ""
        leg.state = "died"
    elif leg.state != "died":
        leg.state = "done"
    leg.ended = event.t if leg.ended is None else max(leg.ended, event.t)


def _said(leg: str | None, rank: int | None, text: str) -> str:
    who = " ".join(part for part in (leg or "", f"rank {rank}" if rank is not None else "") if part)
    return f"{who}: {text}" if who else text


def folded(spec: Spec, some: Iterable[AnyEvent]) -> Live:
    """The picture after all these events."""
    live = Live(spec)
    live.take(some)
    return live
