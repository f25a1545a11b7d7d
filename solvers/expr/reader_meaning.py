"""What only the whole answer can settle: `70B`, `70×10⁹`, `1 h 30 min`, a unit behind everything, a range."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from solvers.expr.dimension import Dimension
from solvers.expr.reader_limits import MAX_EXPONENT_WRITTEN, AmbiguousError, ReadError
from solvers.expr.reader_spelling import RANGE_DASHES, TWO_MEANINGS
from solvers.expr.reader_tokens import Token
from solvers.expr.show import show_short_count
from solvers.expr.units import Unit, parse_unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solvers.expr.evaluate import Quantity

LARGE: Final = 1_000_000
_TEN: Final = 10
_BYTE: Final = "byte"
_TWO_NUMBERS: Final = ["number", "operator", "number", "end"]
_SECOND: Final = Dimension.of(second=1)


def with_powers_of_ten(source: str, tokens: list[Token]) -> list[Token]:
    """Make one number of `70 × 10^9`, except behind `/` and `^`, where it would change the grouping."""
    texts = [token.text for token in tokens]
    if "^" not in texts or "10" not in texts:
        return tokens
    folded: list[Token] = []
    place = 0
    while place < len(tokens):
        length, token = _scientific(source, tokens, place)
        folded.append(token)
        place += length
    return folded


def _scientific(source: str, tokens: list[Token], place: int) -> tuple[int, Token]:
    first = tokens[place]
    before = tokens[place - 1].text if place else ""
    signs = [token.text for token in tokens[place + 1 : place + 4]]
    if before in ("/", "^") or not (first.mantissa and first.unit is None and first.suffix == 1):
        return 1, first
    if signs[:1] != ["*"] or signs[1:] != ["10", "^"]:
        return 1, first
    at = place + 4
    negative = tokens[at].text == "-"
    at += tokens[at].text in ("-", "+")
    power, behind = tokens[at], tokens[min(at + 1, len(tokens) - 1)]
    if power.kind != "number" or power.unit is not None or power.value.denominator != 1 or behind.text == "^":
        return 1, first
    if power.value > MAX_EXPONENT_WRITTEN:
        raise ReadError(source, power.start, power.end, "The exponent is too large.")
    exponent = -int(power.value) if negative else int(power.value)
    at += 1
    unit = None
    if behind.kind == "number" and not behind.written and behind.unit is not None:
        unit, at = behind.unit, at + 1
    end = tokens[at - 1].end
    return at - place, first._replace(
        end=end,
        value=first.value * Fraction(_TEN) ** exponent,
        unit=unit,
        written=source[first.start : end],
        exponent=first.exponent + exponent,
    )


def with_settled_letters(
    source: str,
    tokens: list[Token],
    variables: Mapping[str, Quantity | None],
    expects: Dimension | None,
    *,
    small: bool = False,
) -> list[Token]:
    """Decide for each `B` and `b` whether it counts billions or bytes (bits).

    Where no bytes are asked for it counts; where the answer names bytes elsewhere it counts; in a product of
    small numbers it counts. Alone, or beside another large number, both readings are sound: `AmbiguousError`,
    unless a `small` unit is asked for (B and not GB), which makes it a byte.
    """
    lettered = [token for token in tokens if token.letter]
    if not lettered:
        return tokens
    bytes_wanted = expects is None or _BYTE in dict(expects.powers)
    bytes_named = any(token.unit is not None and _BYTE in dict(token.unit.dimension.powers) for token in tokens)
    as_bytes: set[int] = set()
    if bytes_wanted and not bytes_named:
        as_bytes = _bytes_among(source, tokens, lettered, variables, small=small)
    return [_settled(token, is_byte=token.start in as_bytes) if token.letter else token for token in tokens]


def _bytes_among(
    source: str, tokens: list[Token], lettered: list[Token], variables: Mapping[str, Quantity | None], *, small: bool
) -> set[int]:
    """The places of the letters that are bytes, because they stand apart while others do not."""
    apart = [token for token in lettered if token.written[-2:-1].isspace()]
    if 0 < len(apart) < len(lettered):
        return {token.start for token in apart}
    one, word = lettered[0], TWO_MEANINGS[lettered[0].letter]
    if len(lettered) > 1:
        first, second = (_number_of(token) for token in lettered[:2])
        readings = (f"{first} {word} × {second}e9", f"{first}e9 × {second} {word}")
        raise AmbiguousError(source, one.start, lettered[-1].end, readings, "Write out the unit.")
    others = [token for token in tokens if not token.letter and token.kind in ("number", "name")]
    if others and not any(_is_large(token, variables) for token in others):
        return set()
    # Zero is zero in both readings; and where the space sets a byte apart from a large number, it is one: 2 B * 70e9.
    if small or not one.value or (others and apart):
        return {one.start}
    number = _number_of(one)
    readings = (f"{number}e9", f"{number} {word}")
    raise AmbiguousError(source, one.start, one.end, readings, "Write the one that you mean.")


def _number_of(token: Token) -> str:
    return token.written.rstrip("Bb ")


def _is_large(token: Token, variables: Mapping[str, Quantity | None]) -> bool:
    if token.kind == "number":
        return abs(token.value) >= LARGE
    value = variables.get(token.text)
    return value is not None and abs(value.value) >= LARGE


def _settled(token: Token, *, is_byte: bool) -> Token:
    if not is_byte:
        return token._replace(letter="")
    unit = parse_unit("B" if token.letter == "B" else "bit")
    return token._replace(letter="", unit=unit, value=token.value / token.suffix, suffix=Fraction(1))


def with_mixed_times(tokens: list[Token]) -> list[Token]:
    """Read `1 h 30 min` as a sum, where nothing but ever smaller times is written."""
    times = tokens[:-1]
    if len(times) < 2 or any(token.unit is None for token in times):  # noqa: PLR2004 - at least two
        return tokens
    units = [token.unit for token in times if token.kind == "number" and token.written]
    sizes = [unit.factor for unit in units if unit is not None and unit.dimension == _SECOND]
    if len(sizes) != len(times) or sizes != sorted(set(sizes), reverse=True):
        return tokens
    mixed: list[Token] = []
    for token in times:
        if mixed:
            mixed.append(Token("operator", "+", token.start, token.start))
        mixed.append(token)
    return [*mixed, tokens[-1]]


def with_mixed_numbers(tokens: list[Token]) -> list[Token]:
    """Read `1 1/2` as one and a half: two whole numbers side by side, the second over a larger one."""
    if not any(left.kind == right.kind == "number" for left, right in pairwise(tokens)):
        return tokens
    mixed: list[Token] = []
    place = 0
    while place < len(tokens):
        whole, above, over, below = (*tokens[place : place + 4], *[tokens[-1]] * 4)[:4]
        parts = (whole, above, below)
        is_mixed = (
            over.text == "/"
            and all(_is_whole_number(part) for part in parts)
            and whole.unit is None
            and above.unit is None
            and above.value < below.value
        )
        if is_mixed and not (mixed and mixed[-1].text in ("/", "^")):
            start, end = whole.start, below.end
            signs = (Token("(", "(", start, start), whole, Token("operator", "+", start, start), above, over,
                     below._replace(unit=None), Token(")", ")", end, end))  # fmt: skip
            mixed.extend(signs)
            if below.unit is not None:
                mixed.append(Token("number", below.unit.name, start, end, Fraction(1), below.unit))
            place += 4
        else:
            mixed.append(whole)
            place += 1
    return mixed


def _is_whole_number(token: Token) -> bool:
    return (
        token.kind == "number"
        and token.mantissa.isdigit()
        and not token.exponent
        and token.suffix == 1
        and (not token.letter)
    )


def range_sign(source: str, tokens: list[Token], expects: Dimension | None) -> int:
    """The place of the sign that makes a range or a ± of the answer; -1 for none.

    A hyphen makes a range only between two bare numbers that rise, and only where a unit is written or asked
    for (or a real dash is typed): `60-70 GB`, never `80-15` and never `3-5` in plain arithmetic.
    """
    for place, token in enumerate(tokens):
        if token.kind == "operator" and token.text in ("±", "to") and 0 < place < len(tokens) - 2:
            return place
    if len(tokens) != 4 or [token.kind for token in tokens] != _TWO_NUMBERS or tokens[1].text != "-":  # noqa: PLR2004 - as in _TWO_NUMBERS
        return -1
    low, high = tokens[0], tokens[2]
    measured = low.unit is not None or high.unit is not None or (expects is not None and not expects.is_plain)
    if not measured and source[tokens[1].start] not in RANGE_DASHES:
        return -1
    low, high = inherited(low, high)
    return 1 if _in_base(low) < _in_base(high) else -1


def inherited(low: Token, high: Token) -> tuple[Token, Token]:
    """Give the unit and the count suffix of one end of a range to the other end, if that has none."""
    if low.unit is None and high.unit is not None:
        low = low._replace(unit=high.unit)
    elif high.unit is None and low.unit is not None:
        high = high._replace(unit=low.unit)
    if low.suffix == 1 and high.suffix > 1 and low.value <= high.value / high.suffix:
        low = low._replace(value=low.value * high.suffix, suffix=high.suffix)
    return low, high


def _in_base(token: Token) -> Fraction:
    return token.value * token.unit.factor if token.unit is not None else token.value


def unit_of_all(
    tokens: list[Token], variables: Mapping[str, Quantity | None], expects: Dimension | None
) -> tuple[list[Token], Unit | None]:
    """Split off the unit at the end, if it measures the whole: `140/8 GB` is 17.5 GB, not 140 per 8 GB.

    It does where it is the only unit and no name has one, unless what is asked for says otherwise
    (`1/8 s` where a rate is asked for).
    """
    last = tokens[-2]
    unit = last.unit
    if unit is None or len(tokens) < 4 or any(token.unit is not None for token in tokens[:-2]):  # noqa: PLR2004 - a sign and a side
        return tokens, None
    names = [variables.get(token.text) for token in tokens if token.kind == "name"]
    if any(value and not value.dimension.is_count for value in names) or (
        expects is not None and unit.dimension.without_counts != expects.without_counts
    ):
        return tokens, None
    if last.written:
        if not _changes_grouping(tokens):
            return tokens, None
        return [*tokens[:-2], last._replace(unit=None, written=_without_unit(last)), tokens[-1]], unit
    kept = tokens[:-2]
    if kept[-1].kind == "operator":
        if kept[-1].text != "*":
            return tokens, None
        kept = kept[:-1]
    return [*kept, tokens[-1]], unit


def _without_unit(token: Token) -> str:
    return token.text if token.suffix == 1 else show_short_count(token.value)


def _changes_grouping(tokens: list[Token]) -> bool:
    """Whether the last number stands behind a division or in a sum, so that its unit may be meant for all."""
    if tokens[-3].text == "/":
        return True
    depth = 0
    for place, token in enumerate(tokens[:-2]):
        depth += {"(": 1, ")": -1}.get(token.kind, 0)
        if place and not depth and token.text in ("+", "-") and tokens[place - 1].kind != "operator":
            return True
    return False


def refuse_remark(source: str, tokens: list[Token], expects: Dimension | None) -> None:
    """Refuse `140 GB (2 bytes per param)`: a remark behind the whole answer would multiply it."""
    if expects is None or expects.is_plain:
        return
    for place, (amount, sign) in enumerate(pairwise(tokens)):
        if sign.text != "(" or sign.kind != "(" or amount.unit is None:
            continue
        if amount.unit.dimension.without_counts != expects.without_counts:
            continue
        behind = tokens[place + 2 :]
        if any(token.unit is not None and not token.unit.dimension.is_count for token in behind):
            raise ReadError(
                source,
                sign.start,
                tokens[-2].end,
                f"This would be multiplied with {source[amount.start : amount.end].strip()}.",
                "Leave the remark out; or, if it is meant, write * in front of it.",
            )
