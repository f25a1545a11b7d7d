"""The end of a run: what is left is settled, and the result is written once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.drills import folder
from quiz.drills.compare import lesson, rows, truths
from quiz.drills.fold import Fold
from quiz.drills.outcome import conclude
from quiz.drills.predictions import score
from quiz.drills.records import Result

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from quiz.drills.events import AnyEvent
    from quiz.drills.launch import Ended
    from quiz.drills.records import Measured, Spec


def finish(where: Path, ended: Ended | None) -> Result:
    """Settle the folder of a run that is over and write its `result.json`.

    Args:
        where: the folder.
        ended: how its process ended; None where nobody saw it.

    Returns the result, which says why where the run did not come to its end. What cannot be written any more (the disk
    is full) is returned all the same. Raises FolderError where the folder cannot be read.
    """
    spec = folder.spec_of(where)
    try:
        folder.settle(where)
        events = list(folder.replay(where))
    except OSError as error:
        raise folder.FolderError(f"{where} cannot be read: {error.strerror or error}") from error
    result = result_of(spec, events, measured_in(where, events), ended, str(where))
    try:
        folder.write(where / folder.RESULT, result)
    except OSError:
        # It can be made again from the events at any time; the caller shows it now.
        return result
    return result


def result_of(
    spec: Spec, events: Sequence[AnyEvent], measured: tuple[Measured, ...], ended: Ended | None, where: str = ""
) -> Result:
    """The result of a run from what is known of it."""
    outcome = conclude(events, ended, where)
    whole = outcome.outcome == "done"
    return Result(
        run=spec.run,
        outcome=outcome.outcome,
        cause=outcome.cause,
        phase=outcome.phase,
        leg=outcome.leg,
        rank=outcome.rank,
        seconds=max((event.t for event in events), default=0.0),
        measured=measured,
        rows=rows(spec, measured, whole=whole),
        lesson=lesson(spec, measured) if whole else "",
        score=score(spec.predictions, truths(spec, measured)) if whole else None,
    )


def measured_in(where: Path, events: Sequence[AnyEvent]) -> tuple[Measured, ...]:
    """What the ranks measured: from their files (of all nodes), else from events, where a rank wrote none."""
    heard = Fold(events).all()
    kept = {(one.leg, one.rank): one for rank in folder.ranked(where) for one in rank.legs}
    for one in heard:
        kept.setdefault((one.leg, one.rank), one)
    return tuple(kept.values())


def state_of(where: Path) -> str:
    """The word for how a run stands: `running`, or how it ended, `done`, `failed` or `cancelled`.

    It is the word of its result, also where nobody wrote one yet. Raises FolderError.
    """
    result = folder.result_of(where)
    if result is not None:
        return result.outcome
    if folder.live(where):
        return "running"
    try:
        return conclude(list(folder.replay(where)), None).outcome
    except OSError as error:
        raise folder.FolderError(f"{where} cannot be read: {error.strerror or error}") from error


def seen(where: Path) -> Result:
    """The result of a run that is over: as it was written, or made now where nobody did. Raises FolderError."""
    return folder.result_of(where) or finish(where, None)
