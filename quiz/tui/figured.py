"""The statistics of a desk, mixed into it; what they are counted with is imported when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import date

    from quiz.scheduling.calendar import Moment
    from quiz.statistics.report import Report
    from quiz.store import Store
    from quiz.tui.needs import BankLike


class Opened(Protocol):
    """What is needed of a desk."""

    @property
    def bank(self) -> BankLike:
        """The open bank."""

    @property
    def store(self) -> Store:
        """The open history."""

    def _at(self) -> Moment:
        """Now."""


class Figured:
    """For a desk: its statistics."""

    def statistics(self: Opened, topic: str = "", since: date | None = None) -> Report:
        """What the history amounts to, of one topic or ("") of all. Raises Trouble."""
        from quiz.tui import counting

        return counting.report(self.bank, self.store, self._at(), topic, since)
