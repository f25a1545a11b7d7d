"""A desk that keeps everything in memory, grades by equality, and fails when it is told to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from quiz.tui.ports import (
    Answer,
    Back,
    Choice,
    Echo,
    Ended,
    Given,
    Line,
    Mark,
    Marked,
    NotSaved,
    Rating,
    Result,
    Setting,
    Standing,
    Step,
    Today,
    TopicLine,
    Trouble,
    Turn,
    Wanted,
)
from tests.tui.fixtures import ALL

if TYPE_CHECKING:
    from quiz.bank.rendered import NumericPart, Rendered
    from quiz.session.marks import MarkKind
    from quiz.statistics.report import Report

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass
class MemoryDesk:
    """A desk for tests: it grades by equality, keeps what it was told, and fails when it is told to."""

    questions: tuple[Rendered, ...] = ALL
    failing: str = ""
    trouble: str = ""
    place: int = 0
    stored: list[tuple[str, Answer, int | None]] = field(default_factory=list)
    kept: tuple[Answer, int | None] | None = None
    rating: Rating = "good"
    closed: bool = False
    sitting: bool = False
    limit: str = "10"
    fuzz: bool = True
    marks: dict[str, Marked] = field(default_factory=dict)
    figures: Report | None = None
    asked_for: tuple[str, date | None] | None = None
    day: Today = field(default_factory=lambda: Today(date(2026, 3, 2)))

    def open(self) -> Standing:
        if self.trouble:
            raise Trouble(self.trouble)
        return self.standing()

    def now(self) -> datetime:
        return NOW

    def today(self) -> Today:
        return self.day

    def standing(self, topics: tuple[str, ...] = ()) -> Standing:  # noqa: ARG002 - as in the port
        names = dict.fromkeys(question.topic for question in self.questions)
        return Standing(
            "Shardwise",
            2,
            max(0, len(self.questions) - 2),
            1,
            "tomorrow (Tue 3 Mar)",
            tuple(
                TopicLine(topic, 7 - n, max(0, 4 - n), 2 if n == 0 else 0, (0.83, 0.5, None, None)[n % 4])
                for n, topic in enumerate(names)
            ),
        )

    def begin(self, wanted: Wanted) -> Step:
        self.place, self.sitting = 0, True
        if wanted.topics:
            self.questions = tuple(question for question in self.questions if question.topic in wanted.topics)
        return self._turn()

    def _turn(self) -> Turn | Ended:
        if self.place >= len(self.questions):
            return self._ended()
        question = self.questions[self.place]
        ids = tuple(option.id for option in question.options) or tuple(item.id for item in reversed(question.items))
        return Turn(
            question, question.id, self.place + 1, len(self.questions), "due" if self.place == 0 else "new", ids
        )

    def _ended(self) -> Ended:
        back = tuple(Back(name, right=True, back="in 3 days") for name, _, _ in self.stored)
        return Ended(len(self.stored), len(self.stored), len(self.questions) - self.place, back, "2 questions tomorrow")

    def mark(self, answer: Answer) -> Mark:
        question = self.questions[self.place]
        if answer.unknown:
            return Mark("unknown")
        part = self._typed(question.numeric, answer.then) if answer.then is not None and question.numeric else None
        if question.kind == "numeric" and question.numeric:
            return self._typed(question.numeric, answer.text)
        if question.kind == "open":
            return Mark("correct" if answer.points == answer.of else "close")
        right = answer.ordered == question.key if question.items else (answer.chosen,) == question.key
        if part is not None and part.status == "invalid":
            return Mark("invalid", part=part)
        return Mark("correct" if right else "incorrect", part=part)

    @staticmethod
    def _typed(part: NumericPart, text: str) -> Mark:
        if text == part.text:
            return Mark("correct", read_as=text)
        if "!" in text:
            at = text.index("!")
            return Mark("invalid", message="A number cannot hold '!'.", span=(at, at + 1))
        slip = next((slip for slip in part.slips if slip.text == text), None)
        return Mark("incorrect", read_as=text, message=slip.says if slip else "", slip_kind="mistake" if slip else "")

    def submit(self, answer: Answer, confidence: int | None) -> Result:
        self.kept = (answer, confidence)
        return self.retry()

    def retry(self) -> Result:
        if self.failing:
            raise NotSaved(self.failing)
        assert self.kept is not None
        answer, confidence = self.kept
        mark = self.mark(answer)
        self.stored.append((self.questions[self.place].id, answer, confidence))
        self.rating = "good" if mark.status == "correct" else "again"
        return self._result(mark)

    def _result(self, mark: Mark) -> Result:
        choices = (
            Choice("again", "in 1 minute"),
            Choice("hard", "in 6 minutes"),
            Choice("good", "in 3 days"),
            Choice("easy", "in 8 days"),
        )
        back = next(choice.back for choice in choices if choice.rating == self.rating)
        return Result(mark, self.rating, "right" if mark.status == "correct" else "wrong", back, choices)

    def ratings(self) -> Result:
        assert self.kept is not None
        return self._result(self.mark(self.kept[0]))

    def rerate(self, rating: Rating) -> Result:
        assert self.kept is not None
        self.rating = rating
        return self._result(self.mark(self.kept[0]))

    def undo(self) -> Turn:
        self.stored.pop()
        turn = self._turn()
        assert isinstance(turn, Turn)
        return turn

    def ready(self) -> None:
        pass

    def next(self) -> Step:
        self.place += 1
        return self._turn()

    def go_on(self) -> Turn:
        raise Trouble("nothing is waited for")

    def leave(self) -> Ended:
        return self._ended()

    def read_back(self, part: NumericPart, text: str) -> Echo:
        if "!" in text:
            return Echo("cannot be read: '!'", readable=False, span=(text.index("!"), text.index("!") + 1))
        return Echo(f"= {text}" if part.need_unit else text, readable=True)

    def title(self, question: str) -> str:
        return question

    def topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(question.topic for question in self.questions))

    def marked(self, question: str) -> Marked:
        return self.marks.get(question, Marked())

    def mark_question(self, question: str, kind: MarkKind, value: bool | str | None) -> Step | None:  # noqa: FBT001 - as in the port
        now = self.marked(question)
        changes = {
            "suspend": {"suspended": value},
            "bury": {"buried": "tomorrow (Tue 3 Mar)" if value else ""},
            "flag": {"flagged": value},
            "note": {"note": value or ""},
        }
        self.marks[question] = replace(now, **changes[kind])  # type: ignore[arg-type]
        return self.next() if self.sitting and value and kind in ("suspend", "bury") else None

    def browse(self) -> tuple[Line, ...]:
        return tuple(
            Line(question.id, f"About {question.id}", question.topic, "new", self.marked(question.id))
            for question in self.questions
        )

    def look(self, question: str) -> Given:
        found = next(one for one in self.questions if one.id == question)
        order = tuple(option.id for option in found.options) or tuple(item.id for item in found.items)
        turn = Turn(found, f"About {question}", 1, 1, "asked", order)
        return Given(turn, Answer(), Result(Mark("unknown"), "again", "", "", counts=False), None, 0.0)

    def statistics(self, topic: str = "", since: date | None = None) -> Report:
        if self.figures is None:
            raise Trouble("the statistics cannot be counted")
        self.asked_for = (topic, since)
        return self.figures

    def settings(self) -> tuple[Setting, ...]:
        return (
            Setting("new_per_day", self.limit, "new questions a day", "0 to 9999"),
            Setting("fuzz", "on" if self.fuzz else "off", "spread the days a little", "on, off", self.fuzz),
        )

    def change_setting(self, name: str, text: str) -> str:
        if name == "fuzz":
            self.fuzz = text != "off"
        elif text and not text.isdigit():
            raise Trouble("new_per_day is a number from 0 to 9999.", 2)
        else:
            self.limit = text or "10"
        return f"{name}: {text or 'default'} from now on."

    def close(self) -> None:
        self.closed = True
