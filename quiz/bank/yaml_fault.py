"""The point at which a YAML parser gave up, in the form in which it is explained."""

from __future__ import annotations

from typing import Any


class FaultError(Exception):
    """A parser cannot go on.

    `problem` is its own phrase, lower case, and never shown; `at` the index of the character where it stopped,
    `begun` that of the construct it was in.
    """

    def __init__(self, problem: str, at: int, begun: int, context: str = "") -> None:
        super().__init__(problem, at, begun, context)
        self.problem = problem
        self.at = at
        self.begun = begun
        self.context = context


def from_yaml_error(error: Any) -> FaultError:  # noqa: ANN401, PyYAML's marked errors
    """The fault that a `yaml.MarkedYAMLError` describes."""
    at = error.problem_mark or error.context_mark
    begun = error.context_mark or at
    context = error.context or ""
    return FaultError((error.problem or "").lower(), at.index, begun.index, context.lower())
