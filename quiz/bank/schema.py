"""The form of a question file: one closed model per kind, chosen by `kind`.

What the form cannot say by itself (whether names exist, what the key is) is the compiler's business. There is
no field for a key, a verdict, a margin or a bar: these are computed.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal, TypeAlias

from quiz.bank.complaints import Complaint
from quiz.bank.declared import spell_definitions
from quiz.bank.fields import Expression, Line, Name, Patch, Preference, Prose, Reason, Share, Slug
from quiz.bank.forms import EMPTY, ByKey, Form, Limits, Shape
from quiz.bank.schema_parts import (
    Answer,
    Citation,
    ConceptSection,
    Drill,
    Figure,
    FollowUp,
    NumericPart,
    RedFlag,
    Slip,
    SourceRef,
    UnitForm,
    Variants,
)
from solvers.expr.declared import units_from
from solvers.expr.units import UnitError

DECISIVE: Final = "5 %"
_MAX_PARTS: Final = 20
_MAX_FURTHER: Final = 5


class Question(Form):
    """What every kind has. `scenario` holds inputs only, `given` pins what a relation could derive.

    `waive` answers warnings of the lint: the code of each, and why it does not apply here.
    """

    id: Slug
    topic: Slug
    difficulty: Annotated[int, Limits(ge=1, le=5)]
    title: Line | None = None
    prerequisites: Annotated[tuple[Slug, ...], Limits(max_length=_MAX_PARTS)] = ()
    scenario: Patch = EMPTY
    given: Patch = EMPTY
    stem: Prose
    conventions: Annotated[tuple[Slug, ...], Limits(max_length=_MAX_PARTS)] = ()
    figures: Annotated[dict[Name, Figure], Limits(max_length=60)] = EMPTY
    variants: Variants | None = None
    answer_line: Prose | None = None
    framing: Prose | None = None
    decision_rule: Prose | None = None
    why: Prose | None = None
    concept: Annotated[tuple[ConceptSection, ...], Limits(max_length=_MAX_PARTS)] = ()
    red_flags: Annotated[tuple[RedFlag, ...], Limits(max_length=_MAX_PARTS)] = ()
    follow_ups: Annotated[tuple[FollowUp, ...], Limits(max_length=_MAX_PARTS)] = ()
    bullets: Annotated[tuple[Prose, ...], Limits(max_length=_MAX_PARTS)] = ()
    analogy: Prose | None = None
    stops_working_when: Annotated[tuple[Prose, ...], Limits(max_length=_MAX_PARTS)] = ()
    uses: Annotated[tuple[Citation, ...], Limits(max_length=_MAX_PARTS)] = ()
    sources: Annotated[tuple[SourceRef, ...], Limits(max_length=_MAX_PARTS)] = ()
    related: Annotated[tuple[Slug, ...], Limits(max_length=_MAX_PARTS)] = ()
    drill: Drill | None = None
    renamed_from: Annotated[tuple[Slug, ...], Limits(max_length=_MAX_PARTS)] = ()
    generation: Annotated[int, Limits(ge=0, le=99)] = 0
    deprecated: Reason | None = None
    waive: Annotated[dict[Slug, Line], Limits(max_length=_MAX_PARTS)] = EMPTY


class Decide(Form):
    """How the key is found: what must hold, then what is preferred among those that remain."""

    require: Expression | None = None
    prefer: Annotated[tuple[Preference, ...], Limits(max_length=6)] = ()
    decisive: Share = DECISIVE

    def faults(self) -> Iterator[Complaint]:
        """Something decides."""
        if self.require is None and not self.prefer:
            yield Complaint("nothing decides here", next_="Give `require` (a condition) or `prefer` (least or most).")


def _sourced(asserted: bool | None, source: str | None) -> Iterator[Complaint]:  # noqa: FBT001, a value and not a switch
    """An assertion names its source, and only an assertion does."""
    if asserted is not None and source is None:
        yield Complaint(
            "what is asserted needs a source",
            at=("asserted",),
            key=True,
            why="No figure proves it, so a reader must be able to look it up.",
            next_="Add `source:` with a key of sources.yaml.",
        )
    if asserted is None and source is not None:
        yield Complaint(
            "only an asserted option has a source of its own",
            at=("source",),
            key=True,
            next_="Add `asserted: true` or `asserted: false`, or move the source to `sources`.",
        )


class StrategyOption(Form):
    """A plan: a patch of the scenario; or, where no figure decides it, asserted with a source."""

    text: Prose
    set: Patch = EMPTY
    why: Prose | None = None
    slip: Slug | None = None
    asserted: bool | None = None
    source: Slug | None = None

    def faults(self) -> Iterator[Complaint]:
        """An assertion has a source."""
        yield from _sourced(self.asserted, self.source)


class Strategy(Question):
    """Which plan: `decide` computes the one that is right."""

    kind: Literal["strategy"]
    decide: Decide
    options: Annotated[dict[Name, StrategyOption], Limits(min_length=2, max_length=6)]
    then: NumericPart | None = None


class ClaimOption(Form):
    """What a candidate says: it holds by an expression, or is asserted with a source."""

    text: Prose
    holds: Expression | None = None
    in_: Name | None = None
    set: Patch = EMPTY
    why: Prose | None = None
    slip: Slug | None = None
    asserted: bool | None = None
    source: Slug | None = None

    def faults(self) -> Iterator[Complaint]:
        """A claim is computed or asserted, and an assertion has a source."""
        if (self.holds is None) == (self.asserted is None):
            yield Complaint(
                "a claim either holds by an expression or is asserted"
                if self.holds is None
                else "this claim is both computed and asserted",
                at=("asserted",),
                key=True,
                next_="Give `holds:` with a condition, or `asserted:` with a `source:`.",
            )
        if self.holds is not None or self.asserted is not None:  # or the source is asked for with the assertion
            yield from _sourced(self.asserted, self.source)


class Claim(Question):
    """Which statement holds; with `wanted: false`, which one does not."""

    kind: Literal["claim"]
    wanted: bool = True
    decisive: Share = DECISIVE
    options: Annotated[dict[Name, ClaimOption], Limits(min_length=2, max_length=6)]
    then: NumericPart | None = None


class OrderedItem(Form):
    """One thing to be put in order: a patch of the scenario, or an expression of its own."""

    text: Prose
    set: Patch = EMPTY
    by: Expression | None = None
    why: Prose | None = None


class Ordering(Question):
    """Put the items in order of one expression, read under each; or of one that each item gives."""

    kind: Literal["ordering"]
    items: Annotated[dict[Name, OrderedItem], Limits(min_length=2, max_length=8)]
    by: Expression | None = None
    order: Literal["descending", "ascending"]
    decisive: Share = DECISIVE
    then: NumericPart | None = None

    def faults(self) -> Iterator[Complaint]:
        """Every item is ordered by something."""
        without = [name for name, item in self.items.items() if item.by is None] if self.by is None else []
        # Where none says it, one line for all is missing; else each item that says nothing lacks its own.
        for name in without[:1] if len(without) == len(self.items) else without:
            yield Complaint(
                f"nothing says what {name} is ordered by",
                at=("items", name),
                key=True,
                next_="Give `by:` with an expression, for all items together or for each.",
            )

    def by_of(self, item: str) -> str:
        """The expression that an item is ordered by."""
        return self.items[item].by or self.by or ""


class Numeric(Question):
    """Type a value; then those of further parts, which may rest on the ones before."""

    kind: Literal["numeric"]
    answer: Answer
    slips: Annotated[tuple[Slip, ...], Limits(max_length=_MAX_PARTS)] = ()
    parts: Annotated[tuple[NumericPart, ...], Limits(max_length=_MAX_FURTHER)] = ()


class Open(Question):
    """Answer in words and grade oneself by the rubric."""

    kind: Literal["open"]
    rubric: Annotated[tuple[Prose, ...], Limits(min_length=1, max_length=_MAX_PARTS)]
    sketch: Prose


AnyQuestion: TypeAlias = Strategy | Claim | Ordering | Numeric | Open
QUESTION: Final[Shape[AnyQuestion]] = Shape(Annotated[AnyQuestion, ByKey("kind")])
"""A question file."""


class Manifest(Form):
    """`bank.yaml`: who the bank is. `units` declares units of the bank's own, each in terms of known ones."""

    id: Slug
    title: Line
    licence: Line
    locale: Annotated[str, Limits(pattern=r"^[a-z]{2}(?:-[A-Z]{2})?$")] = "en"
    units: Annotated[dict[str, str | int | UnitForm], Limits(max_length=100)] = EMPTY
    conventions: Annotated[dict[Slug, Prose], Limits(max_length=100)] = EMPTY

    @property
    def declared(self) -> str:
        """The definitions of the bank's units as JSON; empty where there are none."""
        return spell_definitions(self.units) if self.units else ""

    def faults(self) -> Iterator[Complaint]:
        """The units are units."""
        try:
            units_from(self.declared)
        except UnitError as error:
            yield Complaint(
                str(error),
                at=("units",),
                key=True,
                next_="A unit is `base`, an amount such as `0.3048 m`, or a mapping with `is`, `prefixes`, `also`.",
            )


class SourceEntry(Form):
    """One entry of `sources.yaml`."""

    title: Line
    address: Line | None = None
    checked: str | int | None = None


MANIFEST: Final[Shape[Manifest]] = Shape(Manifest)
SOURCES: Final[Shape[dict[str, SourceEntry]]] = Shape(dict[Slug, SourceEntry])
