"""One line of `shardwise doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one thing. `state` is ok, absent (something optional) or problem."""

    subject: str
    state: str
    value: str
    advice: str = ""
