"""The events of a run: one JSON object a line in `events.jsonl`, appended and never changed.

`{"kind": …, "v": 1, "t": seconds, "leg": …, "rank": …, …}`. `t` counts from the start of the run by a clock that all
processes of a machine share; `rank` is None where the runner speaks. A reader skips kinds that it does not know,
and a last line without an end is not there yet. The screen, the result and a replay are all made from these lines.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from quiz.drills.records import Death, Held, High, Sent, Stepped

VERSION: Final = 1


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """What every event has. Whoever emits fills in what it knows; `emit` adds the time and the rank."""

    v: int = msgspec.field(default_factory=lambda: VERSION)  # by a factory: written even though it is the default
    t: float = -1.0
    leg: str | None = None
    rank: int | None = None


class Started(Event, tag="started", frozen=True, kw_only=True):
    """The run began: the runner, or a rank whose group is ready."""

    pid: int
    world: int = 0
    torch: str = ""
    backend: str = ""
    device: str = ""
    launch: str = ""


class LegEvent(Event, tag="leg", frozen=True, kw_only=True):
    """A leg begins, is done, or died; `phase`, `cause` and `death` say of a death where, in whose words, how."""

    state: Literal["begin", "done", "died"]
    phase: str | None = None
    cause: str | None = None
    death: Death | None = None


class PhaseEvent(Event, tag="phase", frozen=True, kw_only=True):
    """A rank enters a phase (`build`, `forward`, `backward`, `optimizer`) of a step."""

    phase: str
    step: int = 0


class Rest(Event, tag="rest", frozen=True, kw_only=True):
    """Bytes at rest on a rank, after the last step: exact."""

    held: Held


class Memory(Event, tag="memory", frozen=True, kw_only=True):
    """Live bytes of a rank now, for the bars of the screen; `resident` is what the system counts for the process."""

    held: Held
    phase: str = ""
    step: int = 0
    resident: int | None = None


class Traffic(Event, tag="traffic", frozen=True, kw_only=True):
    """Payload of one step by collective, dtype, group and phase: exact."""

    step: int
    sent: tuple[Sent, ...]


class Step(Event, tag="step", frozen=True, kw_only=True):
    """A step is done."""

    done: Stepped


class Peak(Event, tag="peak", frozen=True, kw_only=True):
    """The most that a rank held in a phase, over the tracked steps."""

    high: High


class Log(Event, tag="log", frozen=True, kw_only=True):
    """A sentence for the person who looks at the log."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


class Failed(Event, tag="failed", frozen=True, kw_only=True):
    """The run cannot go on. The earliest of these that is no echo of another rank's end is the cause."""

    cause: str
    error: str = ""
    phase: str = ""
    echo: bool = False


class Cancelled(Event, tag="cancelled", frozen=True, kw_only=True):
    """The run was ended from outside: by the learner, the parent's death, or a limit."""

    by: str


class Done(Event, tag="done", frozen=True, kw_only=True):
    """A rank, or the run, came to its end."""

    seconds: float = 0.0


AnyEvent = (
    Started | LegEvent | PhaseEvent | Rest | Memory | Traffic | Step | Peak | Log | Failed | Cancelled | Done
)  # fmt: skip


class _Head(msgspec.Struct):
    kind: str
    v: int = VERSION


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(AnyEvent)
_HEAD: Final = msgspec.json.Decoder(_Head)
KINDS: Final = frozenset(
    str(kind.__struct_config__.tag)
    for kind in (Started, LegEvent, PhaseEvent, Rest, Memory, Traffic, Step, Peak, Log, Failed, Cancelled, Done)
)


def line(event: AnyEvent) -> bytes:
    """Return the line of an event, with its end."""
    return _ENCODER.encode(event) + b"\n"


def read(text: bytes) -> AnyEvent | None:
    """Read a line; None where it is of a kind or version that this program does not know.

    Raises:
        ValueError: it is no event, or one whose fields are not as they should be.
    """
    try:
        head = _HEAD.decode(text)
        if head.kind not in KINDS or head.v != VERSION:
            return None
        return _DECODER.decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(f"not an event: {error}") from error
