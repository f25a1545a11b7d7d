"""The section on topics: how much of each would be recalled now, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.tui import words
from quiz.tui.figures import spelled
from quiz.tui.lines import BLANK, Lines, cut, heading, join, text, wrap
from quiz.tui.plots import column, legend, note, stack

if TYPE_CHECKING:
    from textual.content import Content

    from quiz.statistics.topics import Topic
    from quiz.tui.figures import Drawn

KNOWN, FADING, UNSEEN = ("━", "$term-optimizer"), ("╍", "$term-gradients"), ("─", "$faint")
_NAME: Final = 17
_FIGURES: Final = 42
_TIME: Final = 10
_WIDE: Final = 70
_ROOMY: Final = 96


def lay(drawn: Drawn, width: int) -> Lines:
    """A bar for each topic with its figures, and what they mean."""
    report = drawn.report
    lines = [*heading("What you would recall today", width)]
    if width >= _WIDE:
        lines.append(_head(width))
    for topic in report.topics:
        lines += _row(topic, width)
    if len(report.topics) > 1:
        lines += _row(report.whole, width)
    lines += [BLANK, *_legend(width)]
    if report.set_aside:
        lines += wrap(
            note(
                f"{words.count(report.set_aside, 'question')} with a history "
                f"{'is' if report.set_aside == 1 else 'are'} no longer in the bank and in none of these figures."
            ),
            width,
        )
    lines += wrap(
        note(
            "Recall: mean chance of recall of the questions seen, by the memory model. Tested: of the first answers of "
            "a card's day in this quarter of the year and the one before, how many passed, with its 95 % interval."
        ),
        width,
    )
    return lines


def _columns(width: int) -> int:
    """Cells of the bar."""
    return max(8, min(44, width - _NAME - _FIGURES - (_TIME if width >= _ROOMY else 0)))


def _head(width: int) -> Content:
    time = f"{'time':>{_TIME}}" if width >= _ROOMY else ""
    names = f"{'seen':>9}{'recall':>9}{'tested':>8}{'95 %':>10}{'n':>6}"
    return join((f"{'':<{_NAME + _columns(width)}}{names}{time}", "$quiet"))


def _row(topic: Topic, width: int) -> Lines:
    name = words.topic(topic.topic) if topic.topic else "All topics"
    style = "" if topic.topic else "bold"
    seen = f"{topic.seen}/{topic.questions}"
    recall = spelled.percent(topic.recall)
    tested = topic.tested
    share = spelled.percent(tested.share)
    if width >= _WIDE:
        between = spelled.interval(tested.low, tested.high).removesuffix(" %")
        time = f"{spelled.seconds(1000 * topic.seconds) if topic.seconds is not None else '–':>{_TIME}}"
        figures = join(
            (f"{seen:>9}", "$quiet"),
            (f"{recall:>9}", _colour(topic)),
            (f"{share:>8}", style),
            (f"{between:>10}{tested.n:>6,}", "$quiet"),
            (time if width >= _ROOMY else "", "$quiet"),
        )
        return [cut(join(column(name, _NAME, style), _bar(topic, _columns(width)), figures), width)]
    between = f" ({spelled.interval(tested.low, tested.high)})" if tested.share is not None else ""
    head = join((name, style or "bold"), (f"  {seen} seen", "$quiet"), (f"  {recall}", _colour(topic)))
    under = f"  tested {share}{between}  n = {tested.n:,}"
    return [cut(head, width), cut(join("  ", _bar(topic, max(1, width - 2))), width), cut(text(under, "$quiet"), width)]


def _colour(topic: Topic) -> str:
    if topic.recall is None:
        return "$quiet"
    return "$right" if topic.recall >= topic.target else "$almost"


def _bar(topic: Topic, width: int) -> Content:
    """Recalled, fading and not yet seen, of the questions; where the model is silent, what was seen is fading."""
    recalled = topic.seen * topic.recall if topic.recall is not None else 0.0
    fading = topic.seen - recalled
    return stack(
        [(recalled, *KNOWN), (fading, *FADING), (topic.questions - topic.seen, *UNSEEN)],
        width,
    )


def _legend(width: int) -> Lines:
    pieces = [
        join(KNOWN, KNOWN, (" recalled", "$quiet")),
        join(FADING, FADING, (" seen, not recalled", "$quiet")),
        join(UNSEEN, UNSEEN, (" not yet seen", "$quiet")),
        join(("–", "$quiet"), (" not enough data", "$quiet")),
    ]
    return legend(pieces, width)
