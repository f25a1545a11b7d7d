"""Which numbers a question is given with and in which order its options stand: by a seed, the same everywhere.

The draw rests on a hash and not on a generator of random numbers, so that a sheet can be printed again in another
year, on another machine and by another version of Python.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quiz.bank.library import Bank
    from quiz.bank.rendered import Rendered

LETTERS = "ABCDEFGHIJ"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A question with its numbers; `order` are the ids of its options or items as they stand on the page."""

    question: Rendered
    title: str
    order: tuple[str, ...] = ()

    @property
    def key_letters(self) -> tuple[str, ...]:
        """The key as letters: one for a choice, all in the right order for an ordering."""
        return tuple(self.letter(one) for one in self.question.key)

    def letter(self, id_: str) -> str:
        """The letter of an option on the page."""
        return LETTERS[self.order.index(id_)]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Questions that are given together. `code` tells two sheets apart: other numbers, another code."""

    bank: str
    title: str
    licence: str
    locale: str
    seed: str
    questions: tuple[Drawn, ...]

    @property
    def code(self) -> str:
        """Six digits and letters that stand for bank, questions, numbers and order."""
        parts = [f"{one.question.id} {one.question.revision} {' '.join(one.order)}" for one in self.questions]
        return _digest(self.bank, self.seed, *parts).hex()[:6]


def draw(bank: Bank, ids: Sequence[str], seed: str = "") -> Sheet:
    """The questions `ids` of a bank. Without a seed each has the numbers that its author wrote.

    Raises what opening a variant raises: `BankError` where a file has changed meanwhile.
    """
    return Sheet(bank.id, bank.title, bank.licence, bank.locale, seed, tuple(_drawn(bank, id_, seed) for id_ in ids))


def _drawn(bank: Bank, id_: str, seed: str) -> Drawn:
    axes = {}
    if seed:
        variants = bank.variants(id_)
        axes = dict(variants[int.from_bytes(_digest(bank.id, id_, seed)) % len(variants)])
    question = bank.question(id_, axes)
    names = [option.id for option in question.options] or [item.id for item in question.items]
    order = sorted(names, key=lambda name: _digest(bank.id, id_, seed, name))
    if question.items and tuple(order) == question.key:
        order.reverse()  # an order that is right already would be no question
    return Drawn(question, bank.entry(id_).title, tuple(order))


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).digest()
