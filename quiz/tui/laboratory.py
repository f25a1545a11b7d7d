"""Drills for the screens: planned here, run in processes of their own, kept in folders and in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.drills import finish, folder, machine, plan, predictions
from quiz.drills.launch import LaunchError, Running
from quiz.drills.sizes import shown
from quiz.tui.drill.ports import Finished
from quiz.tui.ports import Echo, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from quiz.bank.rendered import Rendered
    from quiz.drills.events import AnyEvent
    from quiz.drills.records import Prediction, Result, Spec


class LocalRun:
    """A run on this machine."""

    def __init__(self, where: Path, spec: Spec, keep: Callable[[Spec, Result], str]) -> None:
        self._where, self._spec, self._keep = where, spec, keep
        self._running = Running(where, spec)

    def more(self) -> Sequence[AnyEvent]:
        """The events since the last call."""
        return self._running.poll()

    def now(self) -> float:
        """Seconds since it began."""
        return self._running.seconds

    def over(self) -> bool:
        """True when no process of it is left."""
        return self._running.ended is not None

    def cancel(self) -> None:
        """End it; it is over within seconds."""
        self._running.cancel()

    def close(self) -> None:
        """End it now, and wait until it is over."""
        self._running.close()

    def finish(self) -> Finished:
        """Compare, write the result down, and put the score into the history."""
        self._running.wait()
        try:
            result = finish.finish(self._where, self._running.ended)
        except folder.FolderError as error:
            raise Trouble(str(error)) from error
        return _finished(self._where, self._spec, result, self._keep(self._spec, result))


class LocalLab:
    """Drills on this machine.

    Args:
        root: where the folders of runs lie.
        keep: puts the score of a run that came to its end into the history; returns what to tell, mostly nothing.
        title: the title of a question.
    """

    def __init__(
        self, root: Path, keep: Callable[[Spec, Result], str], title: Callable[[str], str] = lambda name: name
    ) -> None:
        self._root, self._keep, self._title = root, keep, title
        self._asked_for: dict[str, str] = {}

    def plan(self, question: Rendered) -> Spec:
        """What would be run for a question here. Raises Trouble with the reason and what to do."""
        self._asked_for[question.id] = question.drill.get("predict", "")
        try:
            return plan.plan(question, plan.Options(), machine.look(), self._title(question.id))
        except plan.CannotRun as error:
            raise Trouble("\n".join(part for part in (error.reason, error.advice) if part)) from error

    def asked(self, spec: Spec) -> tuple[Prediction, ...]:
        """What is asked before the run."""
        return predictions.asked(spec, self._asked_for.get(spec.question, ""))

    def read(self, spec: Spec, prediction: Prediction, text: str) -> Echo:
        """How a typed prediction is read."""
        try:
            made = predictions.read(prediction, text, spec)
        except predictions.Unreadable as error:
            return Echo(str(error), readable=False)
        if made.value is None:
            return Echo("nothing", readable=True)
        return Echo(f"= {shown(made.value, 'B' if prediction.kind == 'bytes' else '')}", readable=True)

    def said(self, spec: Spec, prediction: Prediction, text: str | None) -> Prediction:
        """The prediction with what was typed or chosen; None where it is skipped. Raises Trouble."""
        try:
            return predictions.read(prediction, text or "", spec)
        except predictions.Unreadable as error:
            raise Trouble(str(error)) from error

    def start(self, spec: Spec) -> LocalRun:
        """Write the plan with what was predicted, then begin. Raises Trouble."""
        try:
            where = folder.create(self._root, spec)
            return LocalRun(where, spec, self._keep)
        except (folder.FolderError, LaunchError) as error:
            raise Trouble(str(error)) from error


def replayed(where: Path) -> Finished:
    """A run that is over, as its folder has it. Raises Trouble."""
    try:
        return _finished(where, folder.spec_of(where), finish.seen(where))
    except folder.FolderError as error:
        raise Trouble(str(error)) from error


def _finished(where: Path, spec: Spec, result: Result, note: str = "") -> Finished:
    return Finished(spec, result, list(folder.replay(where)), folder.env_of(where), str(where), note)
