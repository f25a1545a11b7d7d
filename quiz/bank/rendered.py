"""A question as it is shown: every number already derived, every text already plain.

This is what the bank's cache holds and what screens, sessions and grading read. It needs neither pydantic
nor yaml nor the solver, so that a warm start decodes it in a few milliseconds. Texts may carry Markdown's
paragraphs, lists, `code` and **bold**; they never carry terminal markup.

Annotations are evaluated when the module is loaded: msgspec would compile each of them anew from its text, which took
four times as long, before the first question.
"""

from typing import Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["strategy", "claim", "numeric", "ordering", "open"]
Term: TypeAlias = Literal["weights", "gradients", "optimizer", "activations", "buffers"]
SCHEMA = 6
PLAN = "plan "
"""What stands before an option's id as a key of `Rendered.drill`: what is stated of that plan, `name=value, …`."""
PLANNED_FROM = (
    "model", "layout.dp", "layout.zero", "layout.shard", "layout.tp", "layout.pp", "layout.cp", "layout.ep",
    "layout.sequence_parallel", "layout.reshard", "layout.interleave", "layout.sync", "layout.offload", "batch.micro",
    "batch.sequence", "batch.accumulation", "compute.recompute", "pipeline.schedule", "recipe.gather", "recipe.reduce",
    "transient.bucket_view", "transient.step",
)  # fmt: skip
"""The quantities that a drill is planned from, where a question states them."""


class Frozen(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The base of all records here."""


class BarPart(Frozen, frozen=True):
    """One segment of a memory bar. `size` in bytes; `given` marks what the question pins, not derives."""

    term: Term
    size: float
    text: str
    given: bool = False


class Bar(Frozen, frozen=True):
    """What one GPU holds under one plan, against its capacity, in bytes.

    `capacity_name` is nominal, reported or usable.
    """

    parts: tuple[BarPart, ...]
    total: float
    total_text: str
    capacity: float
    capacity_text: str
    capacity_name: str
    margin_text: str
    fits: bool
    binding: Term


class Line(Frozen, frozen=True):
    """One line of a derivation: `letter = symbolic = substituted = value`, why it holds and where that stands."""

    letter: str
    meaning: str
    symbolic: str
    substituted: str
    value: str
    origin: Literal["stated", "preset", "default", "pinned", "derived"]
    because: str = ""
    source: str = ""


class Way(Frozen, frozen=True):
    """A derivation ready to show: inputs first, then steps; `title` says what is derived, `result` its value."""

    title: str
    result: str
    inputs: tuple[Line, ...]
    steps: tuple[Line, ...]

    def repeats(self, other: "Way") -> bool:
        """Whether it says nothing that another one does not say, except perhaps its result in another unit."""
        ours, theirs = ([(line.letter, line.substituted) for line in way.steps] for way in (self, other))
        return self.inputs == other.inputs and ours == theirs


class Amount(Frozen, frozen=True):
    """A figure that decides: what it is, its text, and how it stands to the criterion (empty for none)."""

    label: str
    text: str
    note: str = ""


class Option(Frozen, frozen=True):
    """One option with its verdict; `reasoning` is the author's, figures rendered in this option's scenario."""

    id: str
    text: str
    correct: bool
    verdict: str
    reasoning: str
    amounts: tuple[Amount, ...] = ()
    bar: Bar | None = None
    way: Way | None = None
    asserted: bool = False
    source: str = ""
    slip: str = ""


class Item(Frozen, frozen=True):
    """One item of an ordering question, with the figure it is ordered by; `place` counts from 0 in the right order."""

    id: str
    text: str
    figure: str
    place: int
    reasoning: str = ""


class SlipFigure(Frozen, frozen=True):
    """A recognised wrong value: exact (a rational as text, in base units), as shown, and what it says."""

    id: str
    exact: str
    text: str
    says: str
    kind: Literal["mistake", "convention"] = "mistake"


class Variable(Frozen, frozen=True):
    """A symbol that a learner may use in an answer: its letter, meaning, exact value in base units, unit."""

    letter: str
    meaning: str
    exact: str
    unit: str
    text: str


class Carried(Frozen, frozen=True):
    """The numeric part under another option: right for the plan that was chosen, though the plan is not."""

    option: str
    exact: str
    text: str


class NumericPart(Frozen, frozen=True):
    """A typed answer: the exact reference (a rational as text, in base units) with unit and tolerance.

    `relative` (a plain rational) and `absolute` (a rational in base units) are texts too; empty for none.
    `expression` is the reference in strict spelling over the letters of `variables`, so that a wrong answer can
    be recognised as one edit of it; empty where the letters do not suffice. With `in_unit` only `unit` is taken:
    the question asks for a conversion.

    `values` are the exact values of an ordered list, of which `exact` is the first; empty for one value. `estimate`
    holds two factors: within the first an answer is right, from the second on it earns nothing. `units` are the
    definitions of the bank's own units, as JSON. `follow` is the reference over the letters and the values of the parts
    before, `part_1` and so on, so that a wrong one is carried forward; empty where it does not rest on them. With
    `overlapping` a range that is typed need only touch the tolerance.
    """

    ask: str
    exact: str
    text: str
    unit: str
    need_unit: bool
    relative: str = ""
    absolute: str = ""
    slips: tuple[SlipFigure, ...] = ()
    variables: tuple[Variable, ...] = ()
    way: Way | None = None
    carried: tuple[Carried, ...] = ()
    expression: str = ""
    in_unit: bool = False
    values: tuple[str, ...] = ()
    estimate: tuple[str, str] | None = None
    units: str = ""
    follow: str = ""
    overlapping: bool = False


class RedFlag(Frozen, frozen=True):
    """What a candidate says, why it sounds junior, what to say instead."""

    says: str
    why: str
    instead: str
    spot: tuple[str, ...] = ()


class FollowUp(Frozen, frozen=True):
    """What an interviewer asks next; the sketch stays covered until it is asked for."""

    ask: str
    sketch: str
    rubric: tuple[str, ...] = ()


class Cited(Frozen, frozen=True):
    """A text with its source (a use, or a source itself: then `text` is its title and `where` the place in it)."""

    text: str
    source: str = ""
    where: str = ""
    address: str = ""
    as_of: str = ""


class Section(Frozen, frozen=True):
    """A part of the concept explanation: heading, prose, or a table of rendered cells (first row is the head)."""

    heading: str
    text: str = ""
    table: tuple[tuple[str, ...], ...] = ()


class Rendered(Frozen, frozen=True):
    """A whole question with one set of numbers. `axes` are the variant's values (empty: the base).

    `parts` are the typed parts of a numeric question behind `numeric`.
    """

    bank: str
    id: str
    kind: Kind
    topic: str
    difficulty: int
    revision: str
    stem: str
    conventions: tuple[str, ...]
    answer_line: str
    options: tuple[Option, ...] = ()
    items: tuple[Item, ...] = ()
    numeric: NumericPart | None = None
    parts: tuple[NumericPart, ...] = ()
    rubric: tuple[str, ...] = ()
    sketch: str = ""
    why: str = ""
    criterion: str = ""
    way: Way | None = None
    red_flags: tuple[RedFlag, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    bullets: tuple[str, ...] = ()
    analogy: str = ""
    framing: str = ""
    decision_rule: str = ""
    concept: tuple[Section, ...] = ()
    stops_working_when: tuple[str, ...] = ()
    uses: tuple[Cited, ...] = ()
    sources: tuple[Cited, ...] = ()
    related: tuple[str, ...] = ()
    prerequisites: tuple[str, ...] = ()
    axes: dict[str, str] = {}
    drill: dict[str, str] = {}

    @property
    def key(self) -> tuple[str, ...]:
        """The right answer as ids: one option, or the items in order; empty for numeric and open questions."""
        if self.items:
            return tuple(item.id for item in sorted(self.items, key=lambda item: item.place))
        return tuple(option.id for option in self.options if option.correct)


class IndexEntry(Frozen, frozen=True):
    """What the queue and the home screen need of a question, without its body.

    Attributes:
        renamed_from: ids under which it was known before: their history is its own.
        generation: raised by the author where everybody is to begin the question anew.
        deprecated: why it is not asked any more; empty where it is.
    """

    id: str
    kind: Kind
    topic: str
    difficulty: int
    title: str
    prerequisites: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    renamed_from: tuple[str, ...] = ()
    generation: int = 0
    deprecated: str = ""
