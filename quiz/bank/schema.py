"""The form of a question file: one closed model per kind, chosen by `kind`.

What the form cannot say by itself (whether names exist, what the key is) is the compiler's business. There is
no field for a key, a verdict, a margin or a bar: these are computed.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from quiz.bank.complaints import Complaint
from quiz.bank.declared import spell_definitions
from quiz.bank.fields import Expression, Line, Model, Name, Patch, Preference, Prose, Share, Slug
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
from solvers.expr.declared import Units, units_from
from solvers.expr.units import UnitError

DECISIVE: Final = "5 %"
_MAX_PARTS: Final = 20
_MAX_FURTHER: Final = 5


class Question(Model):
    """What every kind has. `scenario` holds inputs only, `given` pins what a relation could derive.

    `waive` answers warnings of the lint: the code of each, and why it does not apply here.
    """

    id: Slug
    topic: Slug
    difficulty: Annotated[int, Field(ge=1, le=5)]
    title: Line | None = None
    prerequisites: Annotated[tuple[Slug, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    scenario: Patch = Field(default_factory=dict)
    given: Patch = Field(default_factory=dict)
    stem: Prose
    conventions: Annotated[tuple[Slug, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    figures: Annotated[dict[Name, Figure], Field(max_length=60)] = Field(default_factory=dict)
    variants: Variants | None = None
    answer_line: Prose | None = None
    framing: Prose | None = None
    decision_rule: Prose | None = None
    why: Prose | None = None
    concept: Annotated[tuple[ConceptSection, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    red_flags: Annotated[tuple[RedFlag, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    follow_ups: Annotated[tuple[FollowUp, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    bullets: Annotated[tuple[Prose, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    analogy: Prose | None = None
    stops_working_when: Annotated[tuple[Prose, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    uses: Annotated[tuple[Citation, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    sources: Annotated[tuple[SourceRef, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    related: Annotated[tuple[Slug, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    drill: Drill | None = None
    renamed_from: Annotated[tuple[Slug, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    generation: Annotated[int, Field(ge=0, le=99)] = 0
    deprecated: Line | None = None
    waive: Annotated[dict[Slug, Line], Field(max_length=_MAX_PARTS)] = Field(default_factory=dict)


class Decide(Model):
    """How the key is found: what must hold, then what is preferred among those that remain."""

    require: Expression | None = None
    prefer: Annotated[tuple[Preference, ...], Field(max_length=6, strict=False)] = ()
    decisive: Share = DECISIVE

    @model_validator(mode="after")
    def _decides(self) -> Self:
        if self.require is None and not self.prefer:
            raise Complaint("nothing decides here", next_="Give `require` (a condition) or `prefer` (least or most).")
        return self


def _sourced(asserted: bool | None, source: str | None) -> None:  # noqa: FBT001, a value and not a switch
    """An assertion names its source, and only an assertion does."""
    if asserted is not None and source is None:
        raise Complaint(
            "what is asserted needs a source",
            at=("asserted",),
            key=True,
            why="No figure proves it, so a reader must be able to look it up.",
            next_="Add `source:` with a key of sources.yaml.",
        )
    if asserted is None and source is not None:
        raise Complaint(
            "only an asserted option has a source of its own",
            at=("source",),
            key=True,
            next_="Add `asserted: true` or `asserted: false`, or move the source to `sources`.",
        )


class StrategyOption(Model):
    """A plan: a patch of the scenario; or, where no figure decides it, asserted with a source."""

    text: Prose
    set: Patch = Field(default_factory=dict)
    why: Prose | None = None
    slip: Slug | None = None
    asserted: bool | None = None
    source: Slug | None = None

    @model_validator(mode="after")
    def _is_sourced(self) -> Self:
        _sourced(self.asserted, self.source)
        return self


class Strategy(Question):
    """Which plan: `decide` computes the one that is right."""

    kind: Literal["strategy"]
    decide: Decide
    options: Annotated[dict[Name, StrategyOption], Field(min_length=2, max_length=6)]
    then: NumericPart | None = None


class ClaimOption(Model):
    """What a candidate says: it holds by an expression, or is asserted with a source."""

    text: Prose
    holds: Expression | None = None
    in_: Name | None = Field(default=None, alias="in")
    set: Patch = Field(default_factory=dict)
    why: Prose | None = None
    slip: Slug | None = None
    asserted: bool | None = None
    source: Slug | None = None

    @model_validator(mode="after")
    def _is_decided(self) -> Self:
        _sourced(self.asserted, self.source)
        if (self.holds is None) == (self.asserted is None):
            raise Complaint(
                "a claim either holds by an expression or is asserted"
                if self.holds is None
                else "this claim is both computed and asserted",
                at=("asserted",),
                key=True,
                next_="Give `holds:` with a condition, or `asserted:` with a `source:`.",
            )
        return self


class Claim(Question):
    """Which statement holds; with `wanted: false`, which one does not."""

    kind: Literal["claim"]
    wanted: bool = True
    decisive: Share = DECISIVE
    options: Annotated[dict[Name, ClaimOption], Field(min_length=2, max_length=6)]
    then: NumericPart | None = None


class OrderedItem(Model):
    """One thing to be put in order: a patch of the scenario, or an expression of its own."""

    text: Prose
    set: Patch = Field(default_factory=dict)
    by: Expression | None = None
    why: Prose | None = None


class Ordering(Question):
    """Put the items in order of one expression, read under each; or of one that each item gives."""

    kind: Literal["ordering"]
    items: Annotated[dict[Name, OrderedItem], Field(min_length=2, max_length=8)]
    by: Expression | None = None
    order: Literal["descending", "ascending"]
    decisive: Share = DECISIVE
    then: NumericPart | None = None

    @model_validator(mode="after")
    def _is_ordered(self) -> Self:
        without = [name for name, item in self.items.items() if item.by is None]
        if self.by is None and without:
            raise Complaint(
                f"nothing says what {without[0]} is ordered by",
                at=("items", without[0]),
                key=True,
                next_="Give `by:` with an expression, for all items together or for each.",
            )
        return self

    def by_of(self, item: str) -> str:
        """The expression that an item is ordered by."""
        return self.items[item].by or self.by or ""


class Numeric(Question):
    """Type a value; then those of further parts, which may rest on the ones before."""

    kind: Literal["numeric"]
    answer: Answer
    slips: Annotated[tuple[Slip, ...], Field(max_length=_MAX_PARTS, strict=False)] = ()
    parts: Annotated[tuple[NumericPart, ...], Field(max_length=_MAX_FURTHER, strict=False)] = ()


class Open(Question):
    """Answer in words and grade oneself by the rubric."""

    kind: Literal["open"]
    rubric: Annotated[tuple[Prose, ...], Field(min_length=1, max_length=_MAX_PARTS, strict=False)]
    sketch: Prose


AnyQuestion: TypeAlias = Strategy | Claim | Ordering | Numeric | Open
QUESTION: Final[TypeAdapter[AnyQuestion]] = TypeAdapter(
    Annotated[AnyQuestion, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)
_KINDS: Final[Mapping[str, type[AnyQuestion]]] = {
    "strategy": Strategy,
    "claim": Claim,
    "ordering": Ordering,
    "numeric": Numeric,
    "open": Open,
}


def question_of(data: object, units: Units) -> AnyQuestion:
    """The question that `data` is, in whose expressions `units` may stand. Raises `ValidationError`.

    Only the form of its own kind is built, which takes a fifth of the time of all five; all are where it does not fit,
    so that what is said does not depend on the way.
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    form = _KINDS.get(kind) if isinstance(kind, str) else None
    if form is not None:
        try:
            return form.model_validate(data, context={"units": units})
        except ValidationError:
            pass
    return QUESTION.validate_python(data, context={"units": units})


class Manifest(Model):
    """`bank.yaml`: who the bank is. `units` declares units of the bank's own, each in terms of known ones."""

    id: Slug
    title: Line
    licence: Line
    locale: Annotated[str, Field(pattern=r"^[a-z]{2}(?:-[A-Z]{2})?$")] = "en"
    units: Annotated[dict[str, str | int | UnitForm], Field(max_length=100)] = Field(default_factory=dict)
    conventions: Annotated[dict[Slug, Prose], Field(max_length=100)] = Field(default_factory=dict)

    @property
    def declared(self) -> str:
        """The definitions of the bank's units as JSON; empty where there are none."""
        return spell_definitions(self.units) if self.units else ""

    @model_validator(mode="after")
    def _units_are_units(self) -> Self:
        try:
            units_from(self.declared)
        except UnitError as error:
            raise Complaint(
                str(error),
                at=("units",),
                key=True,
                next_="A unit is `base`, an amount such as `0.3048 m`, or a mapping with `is`, `prefixes`, `also`.",
            ) from None
        return self


class SourceEntry(Model):
    """One entry of `sources.yaml`."""

    title: Line
    address: Line | None = None
    checked: str | int | None = None


MANIFEST: Final[TypeAdapter[Manifest]] = TypeAdapter(Manifest)
SOURCES: Final[TypeAdapter[dict[str, SourceEntry]]] = TypeAdapter(
    dict[Slug, SourceEntry], config=ConfigDict(defer_build=True)
)
