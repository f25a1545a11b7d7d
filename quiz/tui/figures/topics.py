"""The section on topics: how much of each would be recalled now, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.tui import words
from quiz.tui.figures import spelled
from quiz.tui.lines import BLANK, Lines, cut, heading, join, text, wrap
from quiz.tui.plots import column, legend, note, stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.content import Content

    from quiz.statistics.topics import Topic
    from quiz.tui.figures import Drawn

KNOWN, FADING, UNSEEN = ("━", "$term-optimizer"), ("╍", "$term-gradients"), ("─", "$faint")
#: What was seen, where the model does not tell yet how much of it would be recalled.
SEEN = ("┅", "$quiet")
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
    lines += [BLANK, *_legend(report.topics, width)]
    if report.set_aside:
        lines += wrap(
            note(
                f"{words.count(report.set_aside, 'question')} with a history "
                f"{'is' if report.set_aside == 1 else 'are'} asked no more (retired, or gone from the bank) and in "
                "none of these figures."
            ),
            width,
        )
    lines += wrap(
        note(
            "Recall: mean chance of recall of the questions seen, by the memory model. Tested: of the reviews (first "
            "answers of a day to a question met on an earlier day) in this quarter of the year and the one before, how "
            f"many passed, with its 95 % interval; n counts them. {_needs(report.whole)}"
        ),
        width,
    )
    return lines


def _needs(whole: Topic) -> str:
    """How much data the figures take, and how much of it is missing in the whole."""
    said = f"Recall takes {whole.least} reviews in all and {whole.least} answers to the topic"
    lacking = "" if whole.reviews >= whole.least else f" ({spelled.so_far(whole.reviews, whole.least, 'review')})"
    return f"{said}{lacking}, tested {whole.tested.least} reviews of the topic."


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
            (f"{share:>8}", style if tested.share is not None else "$quiet"),
            (f"{between:>10}{tested.n:>6,}", "$quiet"),
            (time if width >= _ROOMY else "", "$quiet"),
        )
        return [cut(join(column(name, _NAME, style), stack(parts(topic), _columns(width)), figures), width)]
    head = join((name, style or "bold"), (f"  {seen} seen", "$quiet"))
    label = "recall " if head.cell_length + len(f"  recall {recall}") <= width else ""
    head = join(head, (f"  {label}", "$quiet"), (recall, _colour(topic)))
    under = f"  tested –  {tested.n:,} of {tested.least} reviews"
    if tested.share is not None:
        under = f"  tested {share} ({spelled.interval(tested.low, tested.high)})  n = {tested.n:,}"
    bar = join("  ", stack(parts(topic), max(1, width - 2)))
    return [cut(line, width) for line in (head, bar, text(under, "$quiet"))]


def _colour(topic: Topic) -> str:
    if topic.recall is None:
        return "$quiet"
    return "$right" if topic.recall >= topic.target else "$almost"


def parts(topic: Topic) -> list[tuple[float, str, str]]:
    """Recalled, fading and not yet seen, of the questions; where the model is silent, seen and not yet seen."""
    unseen = (topic.questions - topic.seen, *UNSEEN)
    if topic.recall is None:
        return [(topic.seen, *SEEN), unseen]
    recalled = topic.seen * topic.recall
    return [(recalled, *KNOWN), (topic.seen - recalled, *FADING), unseen]


def _legend(topics: Sequence[Topic], width: int) -> Lines:
    """What the parts of the bars are, as far as some bar has them."""
    signs: list[tuple[tuple[str, str], str]] = []
    if any(topic.recall is not None for topic in topics):
        signs += [(KNOWN, "recalled"), (FADING, "seen, not recalled")]
    if any(topic.recall is None and topic.seen for topic in topics):
        signs.append((SEEN, "seen, recall not known"))
    signs.append((UNSEEN, "not yet seen"))
    pieces = [join(sign, sign, (f" {said}", "$quiet")) for sign, said in signs]
    return legend([*pieces, join(("–", "$quiet"), (" not enough data", "$quiet"))], width)
