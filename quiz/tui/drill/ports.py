"""What the screens of a drill know of the world: a laboratory that plans, runs and replays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.bank.rendered import Rendered
    from quiz.drills.events import AnyEvent
    from quiz.drills.records import Env, Prediction, Result, Spec
    from quiz.tui.ports import Echo


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over, with all that it left behind. `folder` is where that lies, `note` what to tell beside it."""

    spec: Spec
    result: Result
    events: Sequence[AnyEvent]
    env: Env | None = None
    folder: str = ""
    note: str = ""


class Running(Protocol):
    """A run that goes on in processes of its own."""

    def more(self) -> Sequence[AnyEvent]:
        """The events since the last call."""

    def now(self) -> float:
        """Seconds since it began."""

    def over(self) -> bool:
        """True when no process of it is left; its last events may still be unread."""

    def cancel(self) -> None:
        """End it. Returns at once; it is over within seconds."""

    def finish(self) -> Finished:
        """Compare, keep the result, and put the score into the history. Once, when it is over.

        Raises:
            Trouble: something outside stands in the way; the run's folder keeps what was measured.
        """


class Lab(Protocol):
    """Where drills are run."""

    def plan(self, question: Rendered) -> Spec:
        """What would be run for a question.

        Raises:
            Trouble: it cannot be run here; says why, with figures, and what to do.
        """

    def asked(self, spec: Spec) -> tuple[Prediction, ...]:
        """Two to four things to predict of a run, nothing of it answered."""

    def read(self, spec: Spec, prediction: Prediction, text: str) -> Echo:
        """How a typed prediction is read."""

    def said(self, spec: Spec, prediction: Prediction, text: str | None) -> Prediction:
        """The prediction with what was typed or chosen; None where it is skipped.

        Raises:
            Trouble: the text cannot be read.
        """

    def start(self, spec: Spec) -> Running:
        """Freeze the plan and what was predicted, and begin.

        Raises:
            Trouble: it cannot begin: no torch, no room, no space on the disk.
        """
