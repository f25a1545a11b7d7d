"""The settings, as a desk gives them to the screens and takes them back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from quiz.tui.ports import Setting, Trouble

if TYPE_CHECKING:
    from quiz.scheduling.calendar import Moment
    from quiz.store import Store


class SettingDesk(ABC):
    """The part of a desk that shows and changes settings; `HistoryDesk` has the rest."""

    @property
    @abstractmethod
    def store(self) -> Store:
        """The open history."""

    @abstractmethod
    def topics(self) -> tuple[str, ...]:
        """The topics of the bank."""

    @abstractmethod
    def _at(self) -> Moment:
        """The instant, and the learner's day of it."""

    def settings(self) -> tuple[Setting, ...]:
        """All that can be set, the topics' retentions last. Raises Trouble."""
        from quiz.scheduling import spoken
        from quiz.store import StoreError

        try:
            now = self.store.settings()
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        found = []
        for name in spoken.names(self.topics()):
            value, told = spoken.value_of(now, name), spoken.told(name)
            on = value if isinstance(value, bool) else None
            found.append(Setting(name, spoken.shown(name, value), told.what, told.allowed, on))
        return tuple(found)

    def change_setting(self, name: str, text: str) -> str:
        """Set something from now on, as it is typed ("" for the default): what to tell. Raises Trouble."""
        from quiz.scheduling import spoken
        from quiz.session.events import SettingChange
        from quiz.store import StoreError

        at = self._at()
        try:
            before = self.store.settings()
            value = spoken.heard(name, text, at.day) if text.strip() else None
            after = before.with_value(name, value)
            told = spoken.shown(name, spoken.value_of(after, name))
            if after == before:
                return f"{name} is {told} already."
            self.store.append(SettingChange(self.store.new_id(at.now), at.now, at.offset, name, value))
        except ValueError as error:
            raise Trouble(f"{error}.", 2) from error
        except StoreError as error:
            raise Trouble(str(error), error.code) from error
        return f"{name}: {told} from now on (it was {spoken.shown(name, spoken.value_of(before, name))})."
