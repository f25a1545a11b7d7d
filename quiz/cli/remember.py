"""A drill that came to its end, added to this person's history."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quiz.drills.records import Result, Spec


def remember(spec: Spec, result: Result) -> str:
    """Add what was predicted of a run, and what it showed, to the history.

    Nothing is added where nothing was predicted or the run did not come to its end. That it fails does not take the
    result away: the sentence that is returned says why ("" where all is well).
    """
    from datetime import UTC, datetime

    from quiz.cli.history import history_path
    from quiz.drills.history import event_of
    from quiz.store import Store, StoreError

    now = datetime.now(UTC)
    offset = datetime.now().astimezone().utcoffset()
    minutes = 0 if offset is None else int(offset.total_seconds() // 60)
    if event_of("", now, minutes, spec, result) is None:
        return ""
    try:
        with Store.open(history_path()) as store:
            event = event_of(store.new_id(now), now, minutes, spec, result)
            if event is not None:
                store.append(event)
    except StoreError as error:
        return f"the result stands, and could not be added to your history: {error}"
    return ""
