"""Where the errors of a question lie, and what they leave untouched: what decides it, its words, its typed answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.bank.diagnostics import format_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quiz.bank.diagnostics import Diagnostic
    from quiz.bank.document import Document, Path

_STEP: Final = re.compile(r"[.\[]")
_APART: Final = frozenset(
    {
        "analogy",
        "answer_line",
        "bullets",
        "concept",
        "decision_rule",
        "deprecated",
        "difficulty",
        "drill",
        "follow_ups",
        "framing",
        "generation",
        "id",
        "prerequisites",
        "red_flags",
        "related",
        "renamed_from",
        "rubric",
        "sketch",
        "sources",
        "stem",
        "stops_working_when",
        "title",
        "topic",
        "uses",
        "variants",
        "waive",
        "why",
    }
)
"""Keys of a question below which nothing stands that its own numbers rest on."""
_APART_IN: Final = {
    "options": frozenset({"text", "why", "source", "slip"}),
    "items": frozenset({"text", "why"}),
}
_REVEAL: Final = frozenset(
    {"analogy", "bullets", "concept", "follow_ups", "red_flags", "stops_working_when", "uses", "why"}
)
_SILENCED: Final = frozenset({"answer", "conventions", "figures", "given", "parts", "scenario", "slips", "then"})
"""Keys below which a value that was told has none in a `LenientWorld`, so that nothing rests on a guess."""
_OF_THE_FORM: Final = frozenset({"invalid", "unknown-key"})
_NO_NAMES: Final = frozenset({"duplicate", "not-allowed", "out-of-range", "unknown-source", "wrong-form"})
"""Codes of errors that are mended without naming a figure."""
_OF_THE_NUMBERS: Final = frozenset({"missing", "no-value", "solver"})
"""Codes of errors that are told where a quantity is named, and lie in what is stated."""
_ENTRY: Final = 2
_IN_OPTION: Final = 3


class Errors:
    """The errors of a question by their places. `meant` has the keys that were read in the place of misspelled ones."""

    def __init__(self, found: Sequence[Diagnostic], document: Document, meant: Mapping[str, str]) -> None:
        self._document, self._meant = document, meant
        self._found = [one for one in found if one.severity == "error"]

    @property
    def spare_the_decision(self) -> bool:
        """Whether what decides the question does not rest on what a key may mean that has an error."""
        return all(self._spares_the_decision(one) for one in self._found)

    @property
    def are_apart(self) -> bool:
        """Whether no number of the question rests on anything that has an error, nor what is said of its numbers."""
        return all(self._is_apart(one) and not isinstance(self._below(one), list) for one in self._found)

    @property
    def spare_names(self) -> bool:
        """Whether no error can hide where a figure is named."""
        return self.are_apart and all(one.code in _NO_NAMES for one in self._found)

    @property
    def spare_the_reveal(self) -> bool:
        """Whether every part of the reveal that was written was read."""
        # An entry that is no entry may be one of the next part, whose key is not there.
        told = (_STEP.split(one.path) for one in self._found)
        return not self.hold_unknown_keys and not any(steps[0] in _REVEAL and len(steps) <= _ENTRY for steps in told)

    @property
    def hold_unknown_keys(self) -> bool:
        """Whether the question has a key of which nobody knows what it means."""
        return any(one.code == "unknown-key" and self._is_unknown(one) for one in self._found)

    def touch(self, path: Path) -> bool:
        """Whether there is one at `path`, above it or below it."""
        here = format_path(path)
        return any(_holds(here, one.path) or _holds(one.path, here) for one in self._found)

    def hide(self, path: Path) -> bool:
        """Whether `path` lies at or below a key that nobody knows."""
        here = format_path(path)
        return any(
            one.code == "unknown-key" and self._is_unknown(one) and _holds(one.path, here) for one in self._found
        )

    def _is_unknown(self, one: Diagnostic) -> bool:
        return one.path not in self._meant

    def _below(self, one: Diagnostic) -> object:
        """What stands below a key of the question that nobody knows; None for any other error."""
        data = self._document.data
        is_one = one.code == "unknown-key" and self._is_unknown(one) and isinstance(data, dict)
        return data.get(one.path) if is_one else None  # type: ignore[attr-defined]  # a mapping, as was asked

    def _steps(self, one: Diagnostic) -> list[str]:
        steps = _STEP.split(one.path)
        return [*steps[:-1], self._meant[one.path]] if one.code == "unknown-key" and one.path in self._meant else steps

    def _is_apart(self, one: Diagnostic) -> bool:
        steps = self._steps(one)
        if one.code in _OF_THE_NUMBERS:
            return False
        if one.code == "unknown-key" and self._is_unknown(one) and len(steps) == 1:
            below = self._below(one)  # what decides is a mapping or a word
            return isinstance(below, list) or (isinstance(below, str) and len(below.split()) > 1)
        within = _APART_IN.get(steps[0], frozenset())
        return steps[0] in _APART or (len(steps) >= _IN_OPTION and steps[2] in within)

    def _spares_the_decision(self, one: Diagnostic) -> bool:
        if self._is_apart(one):
            return True
        steps = self._steps(one)
        if one.code in _OF_THE_FORM:
            return False
        return steps[0] in _SILENCED or (steps[0] in _APART_IN and steps[2:3] == ["set"])


def _holds(path: str, other: str) -> bool:
    """Whether `other` is `path` or lies below it."""
    return other == path or other.startswith((f"{path}.", f"{path}["))
