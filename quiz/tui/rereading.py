"""A bank whose files may change while it is open: it is read again where one has, and the session goes on with it.

An author practises what they write. A question that was edited is asked as it is now; its history stays with its id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from quiz.tui.ports import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quiz.bank.rendered import IndexEntry, Rendered
    from quiz.tui.needs import BankLike

_T = TypeVar("_T")


class GoneError(Trouble):
    """A question is no longer in the bank, or not with the numbers that were drawn; the others are."""


class Reread:
    """A bank as `open_bank` gives it, opened again where one of its files has changed. Raises what `open_bank` does.

    A question that was renamed meanwhile is found by its former id.
    """

    def __init__(self, open_bank: Callable[[], BankLike]) -> None:
        self._open = open_bank
        self._bank = open_bank()
        self._names: dict[str, str] = {}

    @property
    def id(self) -> str:
        """The bank's id."""
        return self._bank.id

    @property
    def title(self) -> str:
        """Its title."""
        return self._bank.title

    @property
    def index(self) -> tuple[IndexEntry, ...]:
        """Its questions, without their bodies."""
        return self._bank.index

    def question(self, id: str, axes: Mapping[str, str] | None = None) -> Rendered:  # noqa: A002 - the bank's own name for it
        """A question with one set of numbers. Raises `GoneError`, and Trouble where the bank no longer opens."""
        return self._read(lambda bank, name: bank.question(name, axes), id)

    def variants(self, id: str) -> tuple[Mapping[str, str], ...]:  # noqa: A002 - as above
        """The sets of numbers that a question may be asked with. Raises as `question` does."""
        return self._read(lambda bank, name: bank.variants(name), id)

    def _read(self, read: Callable[[BankLike, str], _T], name: str) -> _T:
        from quiz.bank.diagnostics import BankError

        try:
            return read(self._bank, self._names.get(name, name))
        except (BankError, LookupError):
            self._bank = self._again()
            self._names = _renamed(self._bank)
        try:
            return read(self._bank, self._names.get(name, name))
        except (BankError, LookupError) as error:
            what = f"The question {name} was left out: its bank was changed while you practised ({error})."
            raise GoneError(what) from error

    def _again(self) -> BankLike:
        try:
            return self._open()
        except Trouble as trouble:
            what = "The bank was changed while you practised, and cannot be opened any more. Your answers are stored."
            raise Trouble(f"{what}\n{trouble.message}", trouble.code) from trouble


def _renamed(bank: BankLike) -> dict[str, str]:
    """The id of today by each former one; a former id that is in use again is none."""
    ids = {entry.id for entry in bank.index}
    return {former: entry.id for entry in bank.index for former in entry.renamed_from if former not in ids}
