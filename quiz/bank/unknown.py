"""A name of an expression that does not exist, with those of the same question that are near it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Collection

_MOST: Final = 3


class UnknownHereError(UnknownNameError):
    """A name that a question does not have; `hint` says what to do where the names that are near do not."""

    def __init__(self, name: str, figures: Collection[str], options: Collection[str]) -> None:
        """Look for what is meant among the catalogue, and the figures and options of the question."""
        super().__init__(name, (*figures, *CATALOGUE.names), "figure or quantity")
        self.hint = ""
        head, _, tail = name.partition(".")
        if tail and head in options:
            under = UnknownHereError(tail, figures, ())
            self._say(f"no figure or quantity is named {tail!r}", tuple(f"{head}.{one}" for one in under.nearest))
        elif tail and (tail in CATALOGUE or (tail in figures and _near(head, options))):
            said = f"there is no option {head!r}" + ("" if options else ": this question has none")
            self._say(said, tuple(f"{one}.{tail}" for one in _near(head, options, 1)) if options else (tail,))
            self.hint = f"The options are {', '.join(options)}." if options else ""
        elif name in options:
            self._say(f"{name} is an option, and no figure or quantity", ())
            self.hint = f"Write which of its quantities is meant, such as {name}.memory.state_per_gpu."
        else:
            own = _near(name, figures)
            self._say(f"no figure or quantity is named {name!r}", tuple(dict.fromkeys([*own, *self.nearest]))[:_MOST])

    def _say(self, what: str, nearest: tuple[str, ...]) -> None:
        self.nearest = nearest
        self.args = (f"{what}; did you mean {' or '.join(nearest)}?" if nearest else what,)


def _near(name: str, among: Collection[str], most: int = _MOST) -> list[str]:
    return get_close_matches(name.lower(), among, n=most)
