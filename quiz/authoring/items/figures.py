"""From a table of answers to the figures of each item and of the whole. Pure."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Final

import msgspec

from quiz.authoring.items import measures
from quiz.authoring.items.measures import FUNCTIONAL, TIE_RULE
from quiz.nouns import count, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quiz.authoring.items.table import Cell, Item, Responses

#: With fewer learners figures are shown and nothing is advised.
ENOUGH: Final = 30
_EASY: Final = 0.95
_WEAK: Final = 0.1
_KNOWING: Final = 0.3
"""From here on those who have an item right know the rest too, so that a low share is no guessing."""
_RAISES: Final = 0.005
_ERRORS: Final = 2.0
"""A correlation below nothing by so many of its standard errors, 1/sqrt(n), is not by chance."""


class OptionFigures(msgspec.Struct, frozen=True):
    """One option: how many chose it, the share, and how choosing it goes with the score on the other items.

    `functional` is None for the key: a wrong option works where at least 5 % choose it.
    """

    id: str
    key: bool
    chosen: int
    share: float
    correlation: float | None
    functional: bool | None


class ItemFigures(msgspec.Struct, frozen=True):
    """One item, over first answers. None is "not defined here", and `why` says why.

    Attributes:
        n: learners who answered it.
        right: how many of them were right.
        difficulty: the share that was right (the larger, the easier).
        correlation: corrected point-biserial: right or wrong with the score on the other items.
        correlation_n: learners in it: those who answered another item too.
        discrimination: share right in the upper 27 % less that in the lower; `upper` and `lower` learners in them.
        distractor_efficiency: share of the wrong options that at least 5 % choose.
        probably_miskeyed: wrong options that correlate better than the key.
        alpha_if_deleted: alpha of the other items.
    """

    id: str
    n: int
    right: int
    difficulty: float | None
    correlation: float | None
    correlation_n: int
    discrimination: float | None
    upper: int
    lower: int
    distractor_efficiency: float | None
    options: tuple[OptionFigures, ...]
    probably_miskeyed: tuple[str, ...]
    alpha_if_deleted: float | None
    advice: tuple[str, ...] = ()


class Figures(msgspec.Struct, frozen=True):
    """A whole table.

    Attributes:
        n: learners.
        complete: whether everybody answered everything; only then are the next six defined.
        mean, deviation: of the totals, the deviation over n - 1.
        alpha, kr20: reliability; equal, since items are 0 or 1.
        sem: standard error of measurement, in items.
        tie_rule: how ties at the edge of a group are dealt with.
        notes: why figures of the whole are not there, and what to keep in mind.
    """

    n: int
    complete: bool
    mean: float | None
    deviation: float | None
    alpha: float | None
    kr20: float | None
    sem: float | None
    tie_rule: str
    items: tuple[ItemFigures, ...]
    notes: tuple[str, ...] = ()


def figures_of(table: Responses, whole: int = 0) -> Figures:
    """Every figure of a table of first answers; `whole` is out of how many items these were chosen, 0 for all."""
    complete = table.is_complete
    columns = [[table.cells[item.id][one].right for one in range(len(table.people))] for item in table.items] if (
        complete
    ) else []  # fmt: skip
    totals = measures.totals_of(columns) if columns else []
    without = measures.alpha_if_deleted(columns) if columns else [None] * len(table.items)
    reliability = measures.alpha(columns)
    scores = _scores(table)
    return Figures(
        n=len(table.people),
        complete=complete,
        mean=sum(totals) / len(totals) if totals else None,
        deviation=measures.sample_deviation(totals) if totals else None,
        alpha=reliability,
        kr20=measures.kr20(columns),
        sem=measures.standard_error(columns),
        tie_rule=TIE_RULE,
        items=tuple(
            _item(item, table.cells[item.id], scores, (left_out, reliability))
            for item, left_out in zip(table.items, without, strict=True)
        ),
        notes=(
            *_notes(table, complete=complete, reliability=reliability),
            *([_chosen(len(table.items), whole)] if whole > len(table.items) else ()),
        ),
    )


def _chosen(items: int, whole: int) -> str:
    told = "r, D and alpha are figures of these questions among themselves, not within all that were answered"
    if items == 1:
        told = "r and D compare with the score on other questions, and none was chosen: leave the choice out"
    return f"{items} of {count(whole, 'question')} chosen; {told}."


def _notes(table: Responses, *, complete: bool, reliability: float | None) -> tuple[str, ...]:
    people = len(table.people)
    found: list[str] = []
    if people < ENOUGH:
        found.append(f"With {count(people, 'learner')} nothing is advised: that takes {ENOUGH} answers to an item.")
    if not complete and table.items and people:
        asked = sum(len(cells) for cells in table.cells.values())
        found.append(
            f"Alpha, KR-20 and the standard error are not defined: {asked} of {people * len(table.items)} answers are "
            "there, and they need all. Choose questions that everybody answered."
        )
    elif reliability is None and table.items:
        found.append(
            "Alpha, KR-20 and the standard error are not defined: they need two items, and learners who differ."
        )
    if any(item.moved for item in table.items):
        moved = ", ".join(item.id for item in table.items if item.moved)
        found.append(f"The key was not the same in all answers, so nothing is said of the options of {moved}.")
    return tuple(found)


# ---------------------------------------------------------------- one item

_Scores = tuple["dict[int, int]", "dict[int, int]"]


def _scores(table: Responses) -> _Scores:
    """By learner, how many answers were right and how many there are."""
    right: dict[int, int] = dict.fromkeys(range(len(table.people)), 0)
    asked = dict(right)
    for cells in table.cells.values():
        for person, cell in cells.items():
            right[person] += cell.right
            asked[person] += 1
    return right, asked


def _rest(person: int, cell: Cell, scores: _Scores, *, same: bool) -> int | Fraction:
    """The score on the other items: a number where all were asked as many, else the share that was right."""
    right, asked = scores
    others = right[person] - cell.right
    return others if same else Fraction(others, asked[person] - 1)


def _item(
    item: Item, cells: Mapping[int, Cell], scores: _Scores, alphas: tuple[float | None, float | None]
) -> ItemFigures:
    n, right = len(cells), sum(cell.right for cell in cells.values())
    compared = {person: cell for person, cell in cells.items() if scores[1][person] > 1}
    same = len({scores[1][person] for person in compared}) <= 1
    rest = [_rest(person, cell, scores, same=same) for person, cell in compared.items()]
    correct = [cell.right for cell in compared.values()]
    whole = [scores[0][person] if same else Fraction(scores[0][person], scores[1][person]) for person in compared]
    parted = measures.discrimination(correct, whole)
    options = _options(item, cells, list(compared.values()), rest)
    wrong = [option for option in options if not option.key]
    found = ItemFigures(
        id=item.id,
        n=n,
        right=right,
        difficulty=right / n if n else None,
        correlation=measures.correlation(correct, rest) if rest else None,
        correlation_n=len(rest),
        discrimination=parted.value,
        upper=parted.upper,
        lower=parted.lower,
        distractor_efficiency=sum(bool(option.functional) for option in wrong) / len(wrong) if wrong and n else None,
        options=options,
        probably_miskeyed=_better_than_the_key(options) if len(rest) >= ENOUGH else (),
        alpha_if_deleted=alphas[0],
    )
    return msgspec.structs.replace(found, advice=_advice(found, alphas[1])) if n >= ENOUGH else found


def _options(
    item: Item, cells: Mapping[int, Cell], compared: Sequence[Cell], rest: Sequence[int | Fraction]
) -> tuple[OptionFigures, ...]:
    """The options of an item whose key is known, those that nobody chose among them."""
    if not item.key:
        return ()
    n = len(cells)
    found = []
    for option in item.options:
        chosen = sum(cell.option == option for cell in cells.values())
        is_key = option == item.key
        found.append(
            OptionFigures(
                option,
                is_key,
                chosen,
                chosen / n if n else 0.0,
                measures.correlation([int(cell.option == option) for cell in compared], rest) if rest else None,
                None if is_key else Fraction(chosen, n) >= FUNCTIONAL if n else False,
            )
        )
    return tuple(found)


def _better_than_the_key(options: Sequence[OptionFigures]) -> tuple[str, ...]:
    keyed = next((option.correlation for option in options if option.key), None)
    if keyed is None:
        return ()
    return tuple(
        option.id
        for option in options
        if not option.key and option.correlation is not None and option.correlation > keyed
    )


def _leading(found: ItemFigures) -> Sequence[str]:
    """Of the wrong options that do better than the key, those that those who know the rest choose; else the best."""
    by_name = {one.id: one.correlation for one in found.options if one.id in found.probably_miskeyed}
    chosen = [name for name, correlation in by_name.items() if correlation is not None and correlation > 0]
    return chosen or [max(by_name, key=lambda name: by_name[name] or 0.0)]


def _advice(found: ItemFigures, reliability: float | None) -> tuple[str, ...]:
    """What a teacher may do, most serious first."""
    said: list[str] = []
    if found.probably_miskeyed:
        better = _leading(found)
        goes = plural(len(better), "goes", "go")
        said.append(f"probably miskeyed: {', '.join(better)} {goes} with knowing the rest better than the key does")
    elif found.correlation is not None and found.correlation < -_ERRORS / sqrt(found.correlation_n):
        said.append("those who know the rest miss it more often: read stem and key again")
    elif found.correlation is not None and found.correlation < _WEAK:
        said.append("hardly tells those who know the rest from those who do not")
    if found.difficulty is not None and found.difficulty > _EASY:
        said.append("nearly everybody has it right: it takes time and tells little")
    weak = found.correlation is None or found.correlation < _KNOWING
    if weak and found.options and found.difficulty is not None and found.difficulty <= 1 / len(found.options):
        said.append("no better than guessing: too hard, ambiguous, or wrongly keyed")
    idle = [option.id for option in found.options if option.functional is False]
    if idle:
        said.append(f"fewer than 5 % choose {', '.join(idle)}: replace by a mistake that people make")
    if (
        reliability is not None
        and found.alpha_if_deleted is not None
        and found.alpha_if_deleted > reliability + _RAISES
    ):
        said.append(f"the others are more reliable without it (alpha {found.alpha_if_deleted:.3f})")
    return tuple(said)
