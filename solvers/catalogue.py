"""What may be named: every quantity with its unit, meaning, letter and domain.

The subject modules under `solvers/relations/` declare their symbols here at import; a name is
`namespace.quantity`, lower case. A quantity "per GPU" has the unit of the thing itself (GB, not GB/GPU):
the degrees of a layout are plain numbers, so that `4 P + 12 P / N` adds.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from solvers.expr.units import PLAIN_UNIT, Unit, parse_unit
from solvers.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solvers.expr.tree import Expr

Domain: TypeAlias = Literal["positive", "non-negative", "positive integer", "non-negative integer", "fraction", "any"]

LARGEST: Final = 10**36
"""No count, byte or second of this field comes near; beyond it stands a slip of the keyboard."""


class SymbolInfo(Record):
    """One quantity of the catalogue.

    `unit` is the unit it is shown in (and its dimension the one it must have); `letter` the spelling in a
    derivation (`P`, `N`); `choices` is set for a named choice such as `layout.offload`, which has no unit;
    `default` is what holds when nothing is said, and is always shown as a default; `short` spells 70e9 as 70B.
    `statable` says that a scenario may state it although a relation gives it too (the data-parallel degree);
    any other derived quantity can only be pinned. `example` is how a person would state it. A `bare` count is
    shown without its unit (32, not 32 GPUs): prose names what is counted.
    """

    name: str
    meaning: str
    unit: Unit = PLAIN_UNIT
    letter: str = ""
    domain: Domain = "positive"
    choices: tuple[str, ...] = ()
    default: Expr | None = None
    short: bool = False
    decimals: int | None = None
    statable: bool = False
    example: str = ""
    most: Fraction | None = None
    bare: bool = False

    @property
    def is_choice(self) -> bool:
        """Whether the value is a name and not a number."""
        return bool(self.choices)

    @property
    def is_integer(self) -> bool:
        """Whether only whole numbers are in the domain."""
        return "integer" in self.domain

    def complaint(self, value: Fraction) -> str:  # noqa: PLR0911 - one return for each kind
        """Say why `value` (in base units) is outside the domain, or nothing."""
        if abs(value) > LARGEST:
            return f"{self.name} is larger than anything that can be meant here"
        if self.domain.startswith("positive") and value <= 0:
            return f"{self.name} must be above zero"
        if self.domain.startswith("non-negative") and value < 0:
            return f"{self.name} cannot be negative"
        if self.domain == "fraction" and not 0 <= value <= 1:
            return f"{self.name} lies between 0 and 1 (0 % and 100 %)"
        if self.is_integer and value.denominator != 1:
            return f"{self.name} must be a whole number"
        if self.most is not None and value > self.most:
            return f"{self.name} is at most {self.most}"
        return ""


class UnknownNameError(LookupError):
    """A name that is not in the catalogue; `nearest` holds names that look like it."""

    def __init__(self, name: str, known: tuple[str, ...], kind: str = "quantity") -> None:
        self.name = name
        self.kind = kind
        low = name.lower()
        last = low.rsplit(".", maxsplit=1)[-1]
        # A half-typed name is nearer to what it begins or ends than any spelling distance says.
        parts = [other for other in known if last == other.rsplit(".", maxsplit=1)[-1] or
                 (len(name) > 2 and other.startswith(low))]  # noqa: PLR2004 - two letters begin everything
        if kind != "quantity":
            # H100 begins h100-80gb and h100-80gb-pcie.
            parts = [other for other in known if len(name) > 1 and _plain(name) in _plain(other)]
        self.nearest = tuple(dict.fromkeys([*parts, *_close(low, known)]))[:3]
        hint = f"; did you mean {' or '.join(self.nearest)}?" if self.nearest else ""
        if not hint and kind != "quantity":
            hint = f"; known: {', '.join(known)}"
        super().__init__(f"no {kind} is named {name!r}{hint}")


@lru_cache(maxsize=64)
def _close(name: str, known: tuple[str, ...]) -> list[str]:
    """Names that are spelled like `name`; one that is unknown is met again under every option."""
    # Imported for whom the name is unknown only: everyone else need not wait for it.
    from difflib import get_close_matches

    return get_close_matches(name, known, n=3, cutoff=0.6)


def _plain(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


class Catalogue:
    """All declared symbols by name, in the order of declaration."""

    def __init__(self) -> None:
        self._symbols: dict[str, SymbolInfo] = {}

    def declare(self, name: str, meaning: str, unit: str = "", *, letter: str = "", domain: Domain = "positive",  # noqa: PLR0913 - the fields of a symbol
                choices: tuple[str, ...] = (), default: Expr | None = None, short: bool = False,
                decimals: int | None = None, statable: bool = False, example: str = "",
                most: int | None = None, bare: bool = False) -> str:
        """Add a symbol and return its name; a second declaration of a name is a `ValueError`."""
        if name in self._symbols:
            message = f"{name} is declared twice"
            raise ValueError(message)
        self._symbols[name] = SymbolInfo(name, meaning, parse_unit(unit), letter or name.rsplit(".", maxsplit=1)[-1],
                                         domain, choices, default, short, decimals, statable, example,
                                         None if most is None else Fraction(most), bare)
        return name

    def __getitem__(self, name: str) -> SymbolInfo:
        """Look a symbol up; raises `UnknownNameError` with the nearest names."""
        info = self._symbols.get(name)
        if info is None:
            raise UnknownNameError(name, tuple(self._symbols))
        return info

    def __contains__(self, name: object) -> bool:
        return name in self._symbols

    def __iter__(self) -> Iterator[SymbolInfo]:
        return iter(self._symbols.values())

    def __len__(self) -> int:
        return len(self._symbols)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, in the order of declaration."""
        return tuple(self._symbols)


CATALOGUE: Final = Catalogue()
