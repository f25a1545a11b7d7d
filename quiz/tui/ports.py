"""What the screens need of the rest, and the values that pass between them.

A screen talks to a `Desk` and to nothing else: it never sees a store, a state machine or a file. Every
method of a desk may wait for the disk, so the app calls them on a thread of their own, one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from datetime import date, datetime

    from quiz.bank.rendered import NumericPart, Rendered
    from quiz.session.marks import MarkKind
    from quiz.statistics.report import Report

Status: TypeAlias = Literal["correct", "close", "incorrect", "wrong-unit", "invalid", "unknown"]
Reason: TypeAlias = Literal["learning", "due", "new", "asked"]
Mode: TypeAlias = Literal["practice", "cram", "interview"]
Rating: TypeAlias = Literal["again", "hard", "good", "easy"]

CONFIDENCES = ((25, "guess", "g"), (50, "lean", "l"), (75, "confident", "c"), (95, "certain", "x"))
"""The scale of how sure one is: percent, name, key."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the learner asked for: topics (none: all), questions by id, only what is due.

    `mode`: practice counts; cramming never does; an interview of `most` questions within `minutes` does where `counts`.
    """

    topics: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    due_only: bool = False
    mode: Mode = "practice"
    counts: bool = True
    most: int | None = None
    minutes: int | None = None


def interview(topics: tuple[str, ...] = (), *, counts: bool = False, most: int = 8, minutes: int = 30) -> Wanted:
    """An interview: so many questions in so many minutes, of all topics mixed or of some."""
    return Wanted(topics=topics, mode="interview", counts=counts, most=most, minutes=minutes)


@dataclass(frozen=True, slots=True)
class WantedList:
    """The list of all questions, or of one topic."""

    topic: str = ""


@dataclass(frozen=True, slots=True)
class Marked:
    """What the learner has said of a question. `buried`: when it is back, in words; "" where it is not buried."""

    flagged: bool = False
    suspended: bool = False
    buried: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as it is shown: its name, its value, what it does, what it may be; `on` where it is on or off."""

    name: str
    value: str
    what: str
    allowed: str
    on: bool | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A question in the list of all: `stands` says in words when it is asked; `lapses`: how often, of a leech."""

    id: str
    title: str
    topic: str
    stands: str
    marked: Marked = Marked()
    lapses: int = 0


@dataclass(frozen=True, slots=True)
class WantedFigures:
    """The statistics as they were asked for: of one topic or ("") of all, of the past since a day or all of it."""

    topic: str = ""
    since: date | None = None


@dataclass(frozen=True, slots=True)
class TopicLine:
    """How one topic stands: questions there are, seen, due, and the share of recent answers that were right.

    That share is None below the least count of answers that a figure of the statistics takes.
    """

    topic: str
    questions: int
    seen: int
    due: int
    right_share: float | None = None


@dataclass(frozen=True, slots=True)
class Today:
    """The learner's day. `until`: the hour at which it ends, where the calendar on the wall is a day ahead of it."""

    day: date
    until: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the home screen says.

    `new`: what today's limit still allows of the `unseen`; `later`: due later today; `next_due`: in words, the
    first question that is not due yet; `marked`: in words, how many questions are suspended, buried, flagged, noted.
    """

    bank: str
    due: int
    new: int
    later: int
    next_due: str
    topics: tuple[TopicLine, ...]
    warnings: tuple[str, ...] = ()
    unseen: int = 0
    marked: str = ""

    @property
    def questions(self) -> int:
        """How many questions the bank holds."""
        return sum(line.questions for line in self.topics)

    @property
    def seen(self) -> int:
        """How many of them were ever answered."""
        return sum(line.seen for line in self.topics)

    @property
    def ready(self) -> int:
        """How many questions a session would ask now."""
        return self.due + self.new


@dataclass(frozen=True, slots=True)
class Turn:
    """A question to be shown.

    `number` counts from 1; `total` counts what was answered, what is left and what comes back in this session, the
    last alone in `back`. `order`: the option or item ids in the order shown. `note` is to be told beside it; `text`
    is what was written to it before, where the answer was taken back. In an interview `ends` is when its time is over,
    and the solution is not shown before its end.
    """

    question: Rendered
    title: str
    number: int
    total: int
    reason: Reason
    order: tuple[str, ...] = ()
    back: int = 0
    note: str = ""
    text: str = ""
    mode: Mode = "practice"
    ends: datetime | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the learner gave. All empty is "I don't know"; `points` of `of` are the ticks of an open answer.

    `parts` are the texts of the further parts of a numeric question, None where one was left out.
    """

    chosen: str = ""
    ordered: tuple[str, ...] = ()
    text: str = ""
    then: str | None = None
    parts: tuple[str | None, ...] = ()
    points: int = 0
    of: int = 0

    @property
    def unknown(self) -> bool:
        """True for "I don't know"."""
        return not (self.chosen or self.ordered or self.text)


@dataclass(frozen=True, slots=True)
class Mark:
    """The grade of an answer. `span`: where an answer that cannot be read goes wrong, in its own characters.

    `parts` are the grades of all parts of a numeric question that has several.
    """

    status: Status
    read_as: str = ""
    message: str = ""
    slip: str = ""
    slip_kind: str = ""
    span: tuple[int, int] | None = None
    part: Mark | None = None
    parts: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Echo:
    """How a text is read while it is typed: `text` in words; where it cannot be read, `span` says where.

    `warns` marks what can be read and will not be right: a unit of something else.
    """

    text: str
    readable: bool
    span: tuple[int, int] | None = None
    warns: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A rating with what it would store: `back` says when the question would return."""

    rating: Rating
    back: str


@dataclass(frozen=True, slots=True)
class Result:
    """A stored answer: its grade, the rating with its reason, and when the question comes back, in words.

    `here`: it comes back in this session. `note` is to be told beside it. `counts`: it is stored; cramming is not.
    """

    mark: Mark
    rating: Rating
    why: str
    back: str
    choices: tuple[Choice, ...] = ()
    can_undo: bool = True
    here: bool = False
    note: str = ""
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Back:
    """One line of the end of a session: a question, whether it was right, and when it comes back."""

    title: str
    right: bool
    back: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing is left but questions that come back soon: each by title, and in words when; the first one first."""

    back: tuple[tuple[str, str], ...]
    answered: int = 0


@dataclass(frozen=True, slots=True)
class Given:
    """An answer of an interview, for its report: the question as it was shown, what was said, the time it took."""

    turn: Turn
    answer: Answer
    result: Result
    confidence: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Ended:
    """A session that is over. `left`: questions that were not reached; `unsaved`: an answer could not be stored.

    `counts`: its answers are stored. `given`: what an interview was made of; `seconds` of `minutes` were used.
    """

    answered: int = 0
    right: int = 0
    left: int = 0
    back: tuple[Back, ...] = ()
    next_due: str = ""
    unsaved: bool = False
    counts: bool = True
    given: tuple[Given, ...] = ()
    seconds: float = 0.0
    minutes: int | None = None


Step: TypeAlias = Turn | Waiting | Ended


class Trouble(Exception):
    """Something outside stands in the way, told in `message`: what, where, why, what next; never a traceback."""

    def __init__(self, message: str, code: int = 3) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class NotSaved(Trouble):
    """An answer could not be stored. It may be tried again (`Desk.retry`)."""


class Desk(Protocol):
    """A learner's place to work: a bank, a history, and one session at a time."""

    def open(self) -> Standing:
        """Open bank and history. Raises Trouble where one of them cannot be used."""

    def now(self) -> datetime:
        """The instant. Safe on any thread, and never waits."""

    def today(self) -> Today:
        """The learner's day now. Safe on any thread, and never waits."""

    def standing(self, topics: tuple[str, ...] = ()) -> Standing:
        """How things stand now, in some topics or (none) in all. Raises Trouble."""

    def begin(self, wanted: Wanted) -> Step:
        """Start a session; `Ended` at once where nothing is there to ask. Raises Trouble."""

    def mark(self, answer: Answer) -> Mark:
        """Grade an answer to the question on the screen, storing nothing: the way to learn that it is invalid."""

    def submit(self, answer: Answer, confidence: int | None) -> Result:
        """Grade an answer and store it. Raises NotSaved; the answer is then kept for `retry`."""

    def retry(self) -> Result:
        """Store the answer that could not be stored. Raises NotSaved."""

    def ratings(self) -> Result:
        """The answer just given, with what each rating of it stores as the history stands by now. Raises Trouble."""

    def rerate(self, rating: Rating) -> Result:
        """The learner's own rating of the answer just given, stored. Raises Trouble."""

    def undo(self) -> Turn:
        """Take back the last answer given here, or else the last of the history, and ask it again. Raises Trouble."""

    def next(self) -> Step:
        """Go on to the next question, or to what has come due meanwhile. Raises Trouble."""

    def ready(self) -> None:
        """Make ready what comes next, while the learner reads: it changes nothing, and tells of nothing."""

    def go_on(self) -> Step:
        """Do not wait: ask the question that comes back first, now. Raises Trouble."""

    def leave(self) -> Ended:
        """End the session. Raises Trouble."""

    def read_back(self, part: NumericPart, text: str) -> Echo:
        """How a typed answer is read; pure, quick, and safe on another thread."""

    def title(self, question: str) -> str:
        """The title of a question by id, or the id itself."""

    def topics(self) -> tuple[str, ...]:
        """The topics of the bank, in order."""

    def marked(self, question: str) -> Marked:
        """What was said of a question. Raises Trouble."""

    def mark_question(self, question: str, kind: MarkKind, value: bool | str | None) -> Step | None:  # noqa: FBT001 - a value
        """Say something of a question, stored at once; what comes instead of it on the screen. Raises Trouble."""

    def browse(self) -> tuple[Line, ...]:
        """All questions of the bank, by topic, with how each stands. Raises Trouble."""

    def look(self, question: str) -> Given:
        """A question with its solution, to be read and not answered. Raises Trouble."""

    def statistics(self, topic: str = "", since: date | None = None) -> Report:
        """What the history amounts to, of one topic or ("") of all. Raises Trouble."""

    def settings(self) -> tuple[Setting, ...]:
        """All that can be set. Raises Trouble."""

    def change_setting(self, name: str, text: str) -> str:
        """Set something from now on, as it is typed ("" for the default): what to tell. Raises Trouble."""

    def close(self) -> None:
        """Let go of the files."""
