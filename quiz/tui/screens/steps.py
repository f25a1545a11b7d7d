"""The steps of an answer, what each one shows, and the draft that grows through them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from quiz.tui import prose, words
from quiz.tui.lines import Lines, join, spread, text, wrap
from quiz.tui.page import HELP
from quiz.tui.ports import CONFIDENCES, Answer
from quiz.tui.widgets.keys import Hint
from quiz.tui.widgets.menu import Row

if TYPE_CHECKING:
    from datetime import datetime

    from textual.content import Content

    from quiz.bank.rendered import NumericPart, Rendered
    from quiz.tui.lines import Layout
    from quiz.tui.ports import Mark, Turn

THEN = "  ›  "  # noqa: RUF001 - an arrow between items, not a sign of comparison
Step: TypeAlias = Literal["choose", "order", "type", "write", "then", "part", "sure", "compare"]

_FIRST: dict[str, Step] = {
    "strategy": "choose",
    "claim": "choose",
    "ordering": "order",
    "numeric": "type",
    "open": "write",
}


@dataclass
class Draft:
    """An answer in the making. `cursor` is where the options' cursor was left; `given` is what was handed in."""

    order: list[str]
    cursor: int = 0
    chosen: str = ""
    text: str = ""
    then: str | None = None
    parts: dict[int, str | None] = field(default_factory=dict)
    confidence: int | None = None
    ticks: set[int] = field(default_factory=set)
    given: tuple[Answer, int | None] = (Answer(), None)

    def typed(self, step: Step, place: int) -> str:
        """What was typed in a step so far; `place` is which of the further parts."""
        if step == "part":
            return self.parts.get(place) or ""
        return self.text if step == "type" else self.then or ""

    def put(self, step: Step, place: int, text: str | None) -> None:
        """Keep what was typed in a step; None where it is left out."""
        if step == "part":
            self.parts[place] = text
        elif step == "type":
            self.text = text or ""
        else:
            self.then = text

    def answer(self, question: Rendered) -> Answer:
        """The answer as far as it has come."""
        match question.kind:
            case "ordering":
                return Answer(ordered=tuple(self.order), then=self.then)
            case "numeric":
                return Answer(text=self.text, parts=tuple(self.parts.get(n) for n in range(len(question.parts))))
            case "open":
                return Answer(text=self.text, points=len(self.ticks), of=len(question.rubric))
        return Answer(chosen=self.chosen, then=self.then)


def steps_of(question: Rendered) -> tuple[Step, ...]:
    """The steps that a question takes."""
    steps: list[Step] = [_FIRST[question.kind]]
    if question.numeric is not None and question.kind not in ("numeric", "open"):
        steps.append("then")
    steps += ["part"] * len(question.parts)
    steps.append("sure")
    if question.kind == "open":
        steps.append("compare")
    return tuple(steps)


def head_line(turn: Turn, width: int, now: datetime | None = None) -> Content:
    """Topic, difficulty, why it is asked, and how far the session is; in an interview the time that is left."""
    place = f"{turn.number}/{turn.total}" if turn.total else str(turn.number)
    if turn.back and width >= 60:  # noqa: PLR2004 - where there is room for it
        place = f"{turn.back} coming back  {place}"
    if turn.ends is not None and now is not None:
        place = f"{_left((turn.ends - now).total_seconds())}  {place}"
    left = join(
        (words.topic(turn.question.topic), "bold $text-primary"),
        (f"  {words.dots(turn.question.difficulty)}", "$quiet"),
        (f"  {words.REASONS[turn.reason] if turn.mode == 'practice' else turn.mode}", "$accent"),
    )
    return spread(left, text(place, "$quiet"), width)


def _left(seconds: float) -> str:
    """The time that is left, `12:05`; when it is over, that this is the last answer."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02} left" if whole else "time is up: last answer"


def unsaved_lines(reason: str, width: int) -> Lines:
    """Why an answer could not be stored, and what can be done about it."""
    told = "Your answer stays here. r stores it again, q leaves without it; earlier answers are safe."
    return [*wrap(text(reason), width), *wrap(text(told, "$quiet"), width)]


def convention_lines(question: Rendered, width: int, room: int | None, key: str = "v") -> Lines:
    """The conventions: all of them, or at least one and as many as there is room for, and which key shows the rest.

    The line that says so never takes the place of something that would have fitted there itself.
    """
    made = [wrap(prose.inline(convention, "$quiet"), width, "· ") for convention in question.conventions]
    if room is None or sum(map(len, made)) <= room:
        return [line for piece in made for line in piece]
    shown = 1
    while shown < len(made) and sum(map(len, made[: shown + 1])) + 1 <= room:
        shown += 1
    lines = [line for piece in made[:shown] for line in piece]
    rest = [line for piece in made[shown:] for line in piece]
    left = len(made) - shown
    more = wrap(text(f"and {left} more: {key} shows {'it' if left == 1 else 'them'}", "$quiet italic"), width, "· ")
    return [*lines, *(rest if len(rest) <= len(more) else more)]


def convention_room(turn: Turn, width: int, height: int, menu: Layout) -> int:
    """How many lines of conventions leave the scenario and the options on the screen."""
    width = max(1, width - 6)
    # As in the first step, so that the box stays as it is through all of them.
    rows = max(len(turn.order) + 1, len(menu(width)))
    return height - len(prose.lay(turn.question.stem, width)) - rows - 9


def option_rows(turn: Turn) -> list[Row]:
    """The options in the order shown, then the way out."""
    by_id = {option.id: option for option in turn.question.options}
    rows = [Row(prose.inline(_one_line(by_id[name].text)), str(number)) for number, name in enumerate(turn.order, 1)]
    return [*rows, Row(text("I don't know", "$quiet"), "0")]


def order_rows(turn: Turn, draft: Draft) -> list[Row]:
    """The items in the order given so far."""
    by_id = {item.id: item for item in turn.question.items}
    return [Row(prose.inline(_one_line(by_id[name].text)), str(number)) for number, name in enumerate(draft.order, 1)]


def sure_rows() -> list[Row]:
    """The scale of how sure one is."""
    return [Row(join(name.ljust(10), (f"{percent} %", "$quiet")), key) for percent, name, key in CONFIDENCES]


def rubric_rows(question: Rendered, draft: Draft) -> list[Row]:
    """What a good answer says, to be ticked, then the way on."""
    rows = [
        Row(
            join(("✓ " if index in draft.ticks else "· ", "$right bold"), prose.inline(_one_line(line))), str(index + 1)
        )
        for index, line in enumerate(question.rubric)
    ]
    return [*rows, Row(text("Done", "bold"), "▸")]


def step_hints(step: Step, options: int, points: int = 0) -> list[Hint]:
    """The keys of a step, most useful first. Where one types, help is on F1: a `?` is part of the text."""
    unknown, leave = Hint("0", "I don't know", "unknown"), Hint("q", "leave", "leave")
    back = Hint("esc", "back", "back")
    read_on = Hint("pgdn", "read on", "down")
    typing = [Hint("F2", "I don't know", "unknown"), back, read_on, Hint("F1", "help", "app.help")]
    confident = Hint("/".join(key for _, _, key in CONFIDENCES), "how sure")
    hints: dict[Step, list[Hint]] = {
        "choose": [Hint(f"1-{options}", "choose"), unknown, Hint("space", "scroll", "down"), leave, HELP],
        "order": [Hint("shift+↑↓", "move"), Hint("enter", "done"), unknown, leave, HELP],
        "type": [Hint("enter", "answer"), *typing],
        "then": [Hint("enter", "answer"), *typing],
        "part": [Hint("enter", "answer"), *typing],
        "write": [Hint("ctrl+s", "done", "written"), *typing],
        "sure": [confident, Hint("enter", "take it"), back, HELP],
        "compare": [
            Hint("space", "tick", "tick"),
            read_on,
            Hint(f"1-{min(9, points)}", "tick"),
            Hint("enter", "done"),
            back,
            HELP,
        ],
    }
    return hints[step]


def prompt(turn: Turn, step: Step, draft: Draft, width: int, place: int = 0) -> Lines:
    """What the step asks for; `place` is which of the further parts."""
    question = turn.question
    match step:
        case "part":
            lines = wrap(text(f"Part {place + 2} of {len(question.parts) + 1}", "$text-accent"), width)
            lines += prose.lay(question.parts[place].ask, width, style="bold")
        case "type" | "then" if question.numeric is not None:
            lines = prose.lay(question.numeric.ask or "Your answer", width, style="bold")
        case "order":
            lines = wrap(text("Bring these into order.", "bold"), width)
        case "write":
            lines = wrap(text("Answer in your own words, as you would say it.", "bold"), width)
        case "sure":
            lines = wrap(text("How sure are you?", "bold"), width)
        case "compare":
            lines = _written(draft, width)
            if question.sketch:
                lines += wrap(text("A good answer", "$text-accent bold"), width)
                lines += [*prose.lay(question.sketch, width, indent="  "), text("")]
            lines += wrap(text("Tick what you said; Enter when you are done.", "bold"), width)
        case _:
            lines = []
    return lines


def _written(draft: Draft, width: int) -> Lines:
    lines = wrap(text("You wrote", "$text-accent bold"), width)
    return [*lines, *prose.verbatim(draft.text, width, indent="  "), text("")]


def before_sketch(draft: Draft, width: int) -> int:
    """How many lines of the comparison the learner knows: the own words, above the good answer."""
    return len(_written(draft, max(1, width)))


def rows_of(turn: Turn, step: Step, draft: Draft) -> tuple[list[Row], int]:
    """The rows to choose from in a step, and where the cursor is."""
    match step:
        case "choose":
            return option_rows(turn), draft.cursor
        case "order":
            return order_rows(turn, draft), 0
        case "sure":
            return sure_rows(), 2
        case "compare":
            return rubric_rows(turn.question, draft), 0
    return [], 0


def part_of(question: Rendered, step: Step, place: int) -> NumericPart | None:
    """What is typed in a step; None where nothing is."""
    if step == "part":
        return question.parts[place]
    return question.numeric if step in ("type", "then") else None


def mark_of(mark: Mark, question: Rendered, step: Step, place: int) -> Mark | None:
    """The grade of what was typed in a step, out of that of the whole answer."""
    if question.parts and mark.parts:
        return mark.parts[0 if step == "type" else place + 1]
    return mark if step == "type" else mark.part


def chosen_lines(turn: Turn, draft: Draft, step: Step, width: int, place: int = 0) -> Lines:
    """What was answered in the steps before, in short; `place` is which of the further parts is asked."""
    question = turn.question
    lines: Lines = []
    if question.parts and step in ("part", "sure"):
        done = len(question.parts) if step == "sure" else place
        for said in (draft.text, *(draft.typed("part", n) or "no figure" for n in range(done))):
            lines += wrap(text(said), width, join(("▸ ", "$text-primary bold")))
        return lines
    if step in ("then", "sure"):
        option = next((option for option in question.options if option.id == draft.chosen), None)
        if option is not None:
            number = turn.order.index(option.id) + 1
            lines += wrap(prose.inline(_one_line(option.text)), width, join((f"▸ {number} ", "$text-primary bold")))
        if question.items:
            names = {item.id: item.text for item in question.items}
            lines += wrap(prose.inline(_one_line(THEN.join(names[name].strip() for name in draft.order))), width, "▸ ")
    if step == "sure":
        typed = draft.text if question.kind in ("numeric", "open") else draft.then
        if typed:
            lines += wrap(text(typed), width, join(("▸ ", "$text-primary bold")))
        elif "then" in steps_of(question):
            lines += wrap(text("no figure", "$quiet"), width, "▸ ")
    return lines


def _one_line(source: str) -> str:
    return " ".join(source.split())


def summary(turn: Turn, answer: Answer) -> str:
    """An answer in one line, for the reveal."""
    question = turn.question
    if answer.unknown:
        return "I don't know"
    for option in question.options:
        if option.id == answer.chosen:
            return _one_line(option.text)
    if answer.ordered:
        names = {item.id: item.text for item in question.items}
        return THEN.join(_one_line(names[name]) for name in answer.ordered)
    if question.kind == "open":
        return f"{words.count(answer.points, 'point')} of {answer.of} ticked"
    return answer.text
