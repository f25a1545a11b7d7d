"""What a quantity measures: integer or rational powers of a few base dimensions.

Counts (parameters, tokens, GPUs, …) are dimensions too, so that a relation that forgets to multiply by
the number of parameters is caught; in answers they are transparent, so that `16P` is bytes. The field needs
the bases of `HARD` and `COUNTS`; a bank may declare others (metre, kilogram), which behave as those of `HARD`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final

from solvers.record import Record

HARD: Final = ("byte", "second", "flop", "watt", "dollar")
COUNTS: Final = ("parameter", "token", "gpu", "node", "layer", "step", "sequence")
_SINGULARS: Final = {"flop": "FLOP", "gpu": "GPU"}
_PLURALS: Final = {"flop": "FLOP", "gpu": "GPUs"}
_ORDER: Final = {name: index for index, name in enumerate((*HARD, *COUNTS))}


class Dimension(Record):
    """Powers of base dimensions, zero powers left out: those of `HARD`, then of `COUNTS`, then others by name."""

    powers: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, **powers: int | Fraction) -> Dimension:
        """Build from keyword powers, as in `Dimension.of(byte=1, second=-1)`.

        Raises `ValueError` for a name that is no base dimension.
        """
        unknown = [name for name in powers if name not in _ORDER]
        if unknown:
            message = f"no base dimension named {unknown[0]!r}"
            raise ValueError(message)
        return _canonical({name: Fraction(power) for name, power in powers.items()})

    @classmethod
    def base(cls, name: str) -> Dimension:
        """The base dimension of that name, whether the field has it or a bank declares it."""
        return cls(((name, Fraction(1)),))

    def __mul__(self, other: Dimension) -> Dimension:
        return _combined(self, other, 1)

    def __truediv__(self, other: Dimension) -> Dimension:
        return _combined(self, other, -1)

    def __pow__(self, exponent: int | Fraction) -> Dimension:
        return _canonical({name: power * exponent for name, power in self.powers})

    @property
    def without_counts(self) -> Dimension:
        """The same without parameters, tokens, GPUs and the other counts."""
        return Dimension(tuple(item for item in self.powers if item[0] not in COUNTS))

    @property
    def is_plain(self) -> bool:
        """Whether this is a pure number."""
        return not self.powers

    @property
    def is_count(self) -> bool:
        """Whether only counts occur (a pure number included)."""
        return all(name in COUNTS for name, _ in self.powers)

    @property
    def said(self) -> str:
        """The dimension in words: `bytes`, `bytes per second`, `a plain number`; its spelling where it has powers."""
        above = [name for name, power in self.powers if power == 1]
        below = [name for name, power in self.powers if power == -1]
        if len(above) != 1 or len(above) + len(below) != len(self.powers):
            return str(self)
        return " per ".join([_PLURALS.get(above[0], f"{above[0]}s"), *(_SINGULARS.get(name, name) for name in below)])

    def __str__(self) -> str:
        """Spell the dimension for a person: `byte/parameter`, `byte^2`, `a plain number`."""
        if not self.powers:
            return "a plain number"
        above = [_spelled(name, power) for name, power in self.powers if power > 0]
        below = [_spelled(name, -power) for name, power in self.powers if power < 0]
        return "/".join(["·".join(above) or "1", *below])


PLAIN: Final = Dimension()


def _spelled(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{power}"


def _canonical(powers: dict[str, Fraction]) -> Dimension:
    kept = [(name, power) for name, power in powers.items() if power]
    return Dimension(tuple(sorted(kept, key=lambda item: (_ORDER.get(item[0], len(_ORDER)), item[0]))))


@lru_cache(maxsize=4096)
def _combined(left: Dimension, right: Dimension, sign: int) -> Dimension:
    powers = dict(left.powers)
    for name, power in right.powers:
        powers[name] = powers.get(name, Fraction(0)) + sign * power
    return _canonical(powers)
