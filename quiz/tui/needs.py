"""What a desk needs of a bank and of grading, so that a test can stand in for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.rendered import IndexEntry, NumericPart, Rendered
    from quiz.tui.ports import Answer, Echo, Mark


class BankLike(Protocol):
    """What is needed of a bank."""

    @property
    def id(self) -> str:
        """The bank's id."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def index(self) -> tuple[IndexEntry, ...]:
        """Its questions, without their bodies."""

    def question(self, id: str, axes: Mapping[str, str] | None = None) -> Rendered:  # noqa: A002 - the bank's own name for it
        """A question with one set of numbers."""

    def variants(self, id: str) -> tuple[Mapping[str, str], ...]:  # noqa: A002 - as above
        """The sets of numbers that a question may be asked with."""


class Grading(Protocol):
    """What is needed of grading."""

    def mark(self, question: Rendered, answer: Answer) -> Mark:
        """Grade an answer."""

    def read_back(self, part: NumericPart, text: str) -> Echo:
        """How a text is read."""
