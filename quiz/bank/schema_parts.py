"""The parts that kinds of question share: figures, numeric parts, variants, what the reveal shows, citations."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Final, Literal, TypeAlias

from quiz.bank.complaints import Complaint
from quiz.bank.fields import (
    AsOf,
    Expression,
    Line,
    Name,
    Patch,
    Prose,
    Quantity,
    Raw,
    Slug,
    Tolerance,
)
from quiz.bank.forms import EMPTY, Form, Limits, Told

_MAX_PARTS: Final = 20
MAX_AXES: Final = 6
_LARGEST_FACTOR: Final = 10**12
UnitText: TypeAlias = Annotated[str, Limits(max_length=30)]
Decimals: TypeAlias = Annotated[int, Limits(ge=0, le=8)]


class Derived(Form):
    """A figure computed from the scenario (of an option with `in`, patched by `set`)."""

    is_: Expression
    in_: Name | None = None
    set: Patch = EMPTY
    unit: UnitText | None = None
    decimals: Decimals | None = None


class Input(Form):
    """A number of the author's own, said to be an assumption."""

    input: Expression
    unit: UnitText | None = None
    decimals: Decimals | None = None


class Quote(Form):
    """A figure of somebody else's, even a wrong one, with its source."""

    quote: Expression
    source: Slug
    where: Line | None = None
    as_of: AsOf | None = None
    unit: UnitText | None = None
    decimals: Decimals | None = None


class Fewest(Form):
    """The fewest of a symbol, in steps of `step`, for which a condition holds."""

    fewest: Quantity
    such_that: Expression
    step: Annotated[int, Limits(ge=1, le=1_000_000)] = 1
    in_: Name | None = None
    set: Patch = EMPTY
    unit: UnitText | None = None
    decimals: Decimals | None = None


class Largest(Form):
    """The largest of a symbol, in steps of `step`, for which a condition holds."""

    largest: Quantity
    such_that: Expression
    step: Annotated[int, Limits(ge=1, le=1_000_000)] = 1
    in_: Name | None = None
    set: Patch = EMPTY
    unit: UnitText | None = None
    decimals: Decimals | None = None


_FIGURES: Final = ("figure-text", "figure-is", "figure-input", "figure-quote", "figure-fewest", "figure-largest")


def _figure_form(value: object) -> str:
    """Which of the forms is meant, by the key that only it has. The tags are no keys: they stand in no file."""
    if isinstance(value, dict):
        return next((f"figure-{key}" for key in ("input", "quote", "fewest", "largest") if key in value), "figure-is")
    return "figure-text"


Figure: TypeAlias = Annotated[
    Expression | Derived | Input | Quote | Fewest | Largest,
    Told(_figure_form, _FIGURES),
]


class Estimate(Form):
    """How far off an estimate may be, as a factor: all points within `full`, none from `none` on."""

    full: int | Fraction
    none: int | Fraction | None = None

    def faults(self) -> Iterator[Complaint]:
        """The factors widen."""
        if not 1 < self.full <= (self.full if self.none is None else self.none) <= _LARGEST_FACTOR:
            yield Complaint(
                "the factors of an estimate are above one, and `none` is no smaller than `full`",
                next_="For example {full: 2, none: 10}.",
            )


class UnitForm(Form):
    """A unit of the bank's own: what it is (`base`, or an amount), whether it takes prefixes, other words for it."""

    is_: Annotated[str, Limits(max_length=100)]
    prefixes: bool = False
    also: Annotated[tuple[Annotated[str, Limits(max_length=30)], ...], Limits(max_length=20)] = ()


class Answer(Form):
    """The reference of a typed answer. `in: key` reads it under the option that is right.

    `followed_by` are the further values of an ordered list. With `estimate` an answer is judged by the factor that it
    is off, and `within` says nothing.

    A `range` that is typed must be contained in the tolerance; with `overlapping` it need only touch it.

    `need_unit` is false where the question names the unit: a bare number is then in it. With `in_unit` no other
    unit is taken, since the conversion is what is asked for.
    """

    is_: Expression
    unit: UnitText = ""
    within: Tolerance = "3 %"
    need_unit: bool = True
    in_unit: bool = False
    in_: Name | None = None
    set: Patch = EMPTY
    followed_by: Annotated[tuple[Expression, ...], Limits(max_length=11)] = ()
    estimate: Estimate | None = None
    range: Literal["contained", "overlapping"] | None = None


class Slip(Form):
    """A wrong value that can be recognised: the reference under another patch, or another expression."""

    id: Slug
    says: Prose
    is_: Expression | None = None
    in_: Name | None = None
    set: Patch = EMPTY
    kind: Literal["mistake", "convention"] = "mistake"

    def faults(self) -> Iterator[Complaint]:
        """A slip differs from the answer."""
        if self.is_ is None and self.in_ is None and not self.set:
            yield Complaint(
                "this slip says nothing that differs from the answer",
                next_="Give `set` (other inputs), `in` (another option) or `is` (another expression).",
            )


class NumericPart(Form):
    """A typed part of a question of another kind, or a further part of a numeric one."""

    ask: Prose
    answer: Answer
    slips: Annotated[tuple[Slip, ...], Limits(max_length=_MAX_PARTS)] = ()


class Variants(Form):
    """Other numbers for the same question: the product of the axes, in the order written, within `where`."""

    axes: Annotated[
        dict[Quantity, Annotated[tuple[Raw, ...], Limits(min_length=1, max_length=16)]],
        Limits(min_length=1, max_length=MAX_AXES),
    ]
    where: Annotated[tuple[Expression, ...], Limits(max_length=_MAX_PARTS)] = ()
    key: Literal["same", "may-move"] = "same"


class RedFlag(Form):
    """What a candidate says, why it sounds junior, what to say instead; `spot` are words that mark it in a text."""

    says: Prose
    why: Prose
    instead: Prose
    spot: Annotated[tuple[Line, ...], Limits(max_length=_MAX_PARTS)] = ()


class FollowUp(Form):
    """What an interviewer asks next, with the sketch of an answer and what a good one does."""

    ask: Prose
    sketch: Prose
    rubric: Annotated[tuple[Prose, ...], Limits(max_length=_MAX_PARTS)] = ()


class Row(Form):
    """One row of a table; names in its cells are read in the option that `in` names."""

    in_: Name | None = None
    cells: Annotated[tuple[Prose, ...], Limits(min_length=1, max_length=8)]


class Table(Form):
    """A table of rendered cells."""

    columns: Annotated[tuple[Prose, ...], Limits(min_length=1, max_length=8)]
    rows: Annotated[tuple[Row, ...], Limits(min_length=1, max_length=16)]

    def faults(self) -> Iterator[Complaint]:
        """Every row has a cell for each column."""
        for place, row in enumerate(self.rows, 1):
            if len(row.cells) != len(self.columns):
                yield Complaint(
                    f"row {place} has {len(row.cells)} cells under {len(self.columns)} columns",
                    at=("rows", place - 1),
                    next_="Give each row a cell for every column.",
                )


class ConceptSection(Form):
    """One part of the explanation."""

    heading: Prose
    text: Prose | None = None
    table: Table | None = None


class Citation(Form):
    """A use in the world, as its source tells it: figures may be typed here, so source and date are required."""

    text: Prose
    source: Slug
    as_of: AsOf
    where: Line | None = None


class SourceRef(Form):
    """An entry of the bank's sources, and the place in it."""

    source: Slug
    where: Line | None = None
    as_of: AsOf | None = None


class Drill(Form):
    """What a learner could measure: the tier, the plans that it runs, what is predicted first."""

    tier: Literal["ranks", "fake", "oom"]
    plans: Annotated[tuple[Name, ...], Limits(max_length=_MAX_PARTS)] = ()
    set: Patch = EMPTY
    predict: Annotated[tuple[Quantity, ...], Limits(max_length=_MAX_PARTS)] = ()
