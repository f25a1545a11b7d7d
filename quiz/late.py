"""Patterns that are compiled where one is first asked for: most runs of a command need few of a module's many."""

from __future__ import annotations

import re
from functools import cached_property


class Late:
    """A regular expression, compiled when it is first used."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self._flags = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """As `re.Pattern.match`."""
        return self._compiled.match(text, start)

    def fullmatch(self, text: str, start: int = 0) -> re.Match[str] | None:
        """As `re.Pattern.fullmatch`."""
        return self._compiled.fullmatch(text, start)

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        return self._compiled.search(text, start)
