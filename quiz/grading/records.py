"""What is graded and what comes out: responses, grades, the echo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from solvers.record import Record

if TYPE_CHECKING:
    from fractions import Fraction

Status: TypeAlias = Literal["correct", "close", "incorrect", "wrong-unit", "invalid", "unknown"]
SlipKind: TypeAlias = Literal["", "mistake", "convention", "factor", "edit"]


class Chosen(Record):
    """An option by its id; `then` is the text of the numeric part, None where it was not answered."""

    id: str
    then: str | None = None


class Ordered(Record):
    """All items by id, in the learner's order."""

    ids: tuple[str, ...]
    then: str | None = None


class Typed(Record):
    """The text of a numeric answer; `parts` are those of its further parts, None where one was left out."""

    text: str
    then: str | None = None
    parts: tuple[str | None, ...] = ()


class Unknown(Record):
    """What "I don't know" is: an answer like any other, and an honest one."""

    then: str | None = None


class SelfGraded(Record):
    """How many points of the rubric the learner ticked, of how many."""

    points: int
    of: int
    then: str | None = None


Response: TypeAlias = Chosen | Ordered | Typed | Unknown | SelfGraded


class Grade(Record):
    """The verdict on a response.

    `read_as` is how a text was read (empty where nothing was typed), `message` a short sentence or two for the
    learner, `slip` the id of the recognised mistake and `slip_kind` whose it is (the question's own mistake or
    convention, a named factor, an edit of the reference). `span` is the place of what could not be read.
    `carried` names the option for whose plan a number is right although the plan is not, or the earlier part with
    whose wrong value a later one is right. `part` is the grade of the numeric part, `parts` those of the values of a
    list or of the parts of a question, and `status` the verdict on the whole. `credit` is the share of the points of
    an estimate or a list; None where there is all or nothing. `unit_missing` marks a bare number where the
    unit has to be typed.
    """

    status: Status
    read_as: str = ""
    message: str = ""
    slip: str = ""
    slip_kind: SlipKind = ""
    span: tuple[int, int] | None = None
    carried: str = ""
    part: Grade | None = None
    unit_missing: bool = False
    parts: tuple[Grade, ...] = ()
    credit: Fraction | None = None


class Echo(Record):
    """How a text is read while it is typed; where it is not `readable`, `text` says why and `span` where.

    `warns` marks what can be read and will not be right, whatever its number: a unit of something else.
    """

    text: str
    readable: bool
    span: tuple[int, int] | None = None
    warns: bool = False
