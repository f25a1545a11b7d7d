"""A laboratory that plays the example run from its events instead of starting processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from quiz.drills import events
from quiz.drills.records import Env, Prediction, Result, Spec
from quiz.tui.drill.ports import Finished
from quiz.tui.ports import Echo, Trouble
from tests.house import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from quiz.bank.rendered import Rendered
    from quiz.drills.events import AnyEvent

EXAMPLE = ROOT / "tests" / "unit" / "drills" / "example-run"


def spec_of(folder: Path = EXAMPLE) -> Spec:
    return msgspec.json.decode((folder / "spec.json").read_bytes(), type=Spec)


def events_of(folder: Path = EXAMPLE) -> list[AnyEvent]:
    read = [events.read(line) for line in (folder / "events.jsonl").read_bytes().splitlines()]
    return [event for event in read if event is not None]


def finished(folder: Path = EXAMPLE) -> Finished:
    result = msgspec.json.decode((folder / "result.json").read_bytes(), type=Result)
    env = msgspec.json.decode((folder / "env.json").read_bytes(), type=Env)
    return Finished(spec_of(folder), result, events_of(folder), env, str(folder))


@dataclass
class PlayedRun:
    """The example run: a batch of its events at each look, until it is cancelled or over."""

    done: Finished
    batch: int = 10
    holds_at: int = 1_000_000
    at: int = 0
    cancelled: int = 0

    def more(self) -> Sequence[AnyEvent]:
        fresh = self.done.events[self.at : min(self.at + self.batch, self.holds_at)]
        self.at += len(fresh)
        return fresh

    def now(self) -> float:
        return self.done.events[min(self.at, len(self.done.events) - 1)].t

    def over(self) -> bool:
        return bool(self.cancelled) or self.at >= len(self.done.events)

    def cancel(self) -> None:
        self.cancelled += 1

    def finish(self) -> Finished:
        if not self.cancelled:
            return self.done
        ended = structs.replace(self.done.result, outcome="cancelled", cause="you", rows=(), score=None, lesson="")
        return Finished(self.done.spec, ended, self.done.events[: self.at], self.done.env)


@dataclass
class MemoryLab:
    """It has a drill for every question, and fails when it is told to."""

    done: Finished = field(default_factory=finished)
    batch: int = 10
    holds_at: int = 1_000_000
    cannot: str = ""
    starts: list[Spec] = field(default_factory=list)
    runs: list[PlayedRun] = field(default_factory=list)

    def plan(self, question: Rendered) -> Spec:
        if self.cannot:
            raise Trouble(self.cannot)
        return structs.replace(self.done.spec, question=question.id, predictions=())

    def asked(self, spec: Spec) -> tuple[Prediction, ...]:
        assert not spec.predictions
        return tuple(structs.replace(one, raw=None, value=None) for one in self.done.spec.predictions)

    def read(self, spec: Spec, prediction: Prediction, text: str) -> Echo:
        assert spec.legs
        return Echo(f"= {text} for {prediction.key}", readable="?" not in text)

    def said(self, spec: Spec, prediction: Prediction, text: str | None) -> Prediction:
        assert spec.legs
        if text and "?" in text:
            raise Trouble("This is not a number.")
        if prediction.options:
            return structs.replace(prediction, raw=text, choice=text)
        return structs.replace(prediction, raw=text, value=None if text is None else float(text.split()[0]))

    def start(self, spec: Spec) -> PlayedRun:
        self.starts.append(spec)
        self.runs.append(PlayedRun(self.done, self.batch, self.holds_at))
        return self.runs[-1]
