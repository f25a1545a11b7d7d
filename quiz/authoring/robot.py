"""The cue robot: guessers that know nothing of the field play the whole bank.

Each guesser looks at the surface of the options alone. Where all look the same to it, it makes no pick; where k of n
are its best, it chooses one of these by chance, so that it is right in 1/k of such a question if the key is among
them. What is counted is that share, not one throw of the dice: the score of a bank is a sum of exact fractions, the
same in every run. If nothing on the surface tells, the key is among the k with the chance k/n; the law of the score
then is that of a sum of independent shares 1/k with the chances k/n (a binomial law where no two options are equally
good and all questions have as many), and its upper tail is the p. With several guessers one of them stands out by
luck, so the p are corrected by Holm's rule (S. Holm, A simple sequentially rejective multiple test procedure,
Scandinavian Journal of Statistics 6, 1979).
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias

from quiz.authoring.luck import SIGNIFICANT, ScoreLaw, holm
from quiz.authoring.words import content_words
from solvers.record import Record, changed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from quiz.authoring.sheet import Sheet

_HEDGES: Final = re.compile(
    r"\b(?:may|might|can|could|usually|often|sometimes|generally|typically|mostly|mainly|about|roughly|nearly|almost|"
    r"likely|probably|tends?|some|partly|depends?|depending|unless|up to|at least|at most)\b",
    re.IGNORECASE,
)
ABSOLUTE: Final = re.compile(
    r"\b(?:always|never|completely|absolutely|entirely|totally|invariably|impossible|guaranteed|guarantees|"
    r"no matter|in all cases|in every case|under no circumstances|without exception)\b",
    re.IGNORECASE,
)
_ABSOLUTE_OR_ALL: Final = re.compile(rf"{ABSOLUTE.pattern}|\b(?:all|every|only|none|no|nothing)\b", re.IGNORECASE)
_AMOUNT: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")


class Played(Record):
    """A question as the robot sees it: texts of the options, and which is right."""

    id: str
    stem: str
    options: tuple[str, ...]
    right: int


class Game(Record):
    """How one guesser did: `picks` are questions in which it saw a difference, `hits` its score, `expected` by luck.

    Where several options are its best ones, a question counts as the share 1/k. `p` is the chance of at least such a
    score if nothing tells, `corrected` the same after Holm. `needed` is the least score that would stand out, 0 where
    none would; `detects` the share of questions whose key is among its best from which on this bank would show the
    guesser in four of five cases. `hits_in` are the ids of those questions.
    """

    name: str
    says: str
    picks: int
    hits: Fraction
    expected: float
    p: float
    corrected: float = 1.0
    needed: Fraction = Fraction(0)
    detects: float | None = None
    hits_in: tuple[str, ...] = ()

    @property
    def right_text(self) -> str:
        """The score: whole, or with one decimal where it chose among several options."""
        return _score_text(self.hits)

    @property
    def needed_text(self) -> str:
        """The score from which on it would stand out."""
        return _score_text(self.needed)

    @property
    def stands_out(self) -> bool:
        """Whether it guesses better than luck allows."""
        return self.corrected < SIGNIFICANT


def _score_text(score: Fraction) -> str:
    return str(score) if score.denominator == 1 else f"{float(score):.1f}"


def played(sheets: Sequence[Sheet]) -> list[Played]:
    """The questions in which a learner chooses one of several options."""
    found = []
    for sheet in sheets:
        right = [place for place, choice in enumerate(sheet.choices) if choice.correct]
        if sheet.id and len(right) == 1:
            found.append(Played(sheet.id, sheet.stem, tuple(one.text for one in sheet.choices), right[0]))
    return found


def play(questions: Sequence[Played]) -> tuple[Game, ...]:
    """Let every guesser play; the p are corrected for their number."""
    games = [_game(name, says, [(one, best(one)) for one in questions]) for name, says, best in GUESSERS]
    favourite, places = _favourite_place(questions)
    games.append(favourite)
    ps = holm([game.p for game, _ in games])
    played_out = []
    for (game, law), p in zip(games, ps, strict=True):
        # A favourite place is the best of several: its p is times their number already.
        needed, detects = law.sensitivity(len(games) * (places if game is favourite[0] else 1))
        played_out.append(changed(game, corrected=p, needed=needed, detects=detects))
    return tuple(played_out)


Best: TypeAlias = "tuple[int, ...]"
"""The places among which a guesser chooses by chance; none where all are alike to it."""


def _game(name: str, says: str, guesses: Sequence[tuple[Played, Best]]) -> tuple[Game, ScoreLaw]:
    made = [(one, best) for one, best in guesses if best]
    law = ScoreLaw([(len(best), len(one.options)) for one, best in made])
    right = [(one.id, Fraction(1, len(best))) for one, best in made if one.right in best]
    score = sum((share for _, share in right), Fraction(0))
    hits_in = tuple(name for name, _ in right)
    return Game(name, says, len(made), score, law.expected, law.tail(score), hits_in=hits_in), law


def _best(scores: Sequence[float]) -> Best:
    """The places of the highest score; none where all have it."""
    highest = max(scores)
    places = tuple(place for place, score in enumerate(scores) if score == highest)
    return () if len(places) == len(scores) else places


def _longest(one: Played) -> Best:
    return _best([len(text) for text in one.options])


def _most_hedged(one: Played) -> Best:
    return _best([len(_HEDGES.findall(text)) for text in one.options])


def _no_absolutes(one: Played) -> Best:
    return _best([-len(_ABSOLUTE_OR_ALL.findall(text)) for text in one.options])


def _like_the_stem(one: Played) -> Best:
    stem = set(content_words(one.stem))
    return _best([len(stem & set(content_words(text))) for text in one.options])


def _middle_number(one: Played) -> Best:
    """Neither the smallest nor the largest: the middle one of an odd number, else none."""
    amounts = [_AMOUNT.search(text) for text in one.options]
    values = [Fraction(found[0].replace(",", "")) for found in amounts if found]
    if len(values) < len(one.options) or len(set(values)) < len(values) or len(values) < 3:  # noqa: PLR2004
        return ()
    if len(values) % 2:
        return (values.index(sorted(values)[len(values) // 2]),)
    mean = sum(values, Fraction(0)) / len(values)
    return _best([-float(abs(value - mean)) for value in values])


def _odd_one_out(one: Played) -> Best:
    return _best([-shared for shared in overlaps(one.options)])


def overlaps(options: Sequence[str]) -> list[float]:
    """For each option, how much of it the others have too: the mean share of its words and figures."""
    words = [words_and_figures(text) for text in options]
    found = []
    for place, mine in enumerate(words):
        others = [other for at, other in enumerate(words) if at != place]
        shares = [sum(word in other for other in others) / len(others) for word in mine]
        found.append(round(sum(shares) / len(shares), 6) if shares else 0.0)
    return found


def words_and_figures(text: str) -> frozenset[str]:
    """What a text has in common with another: words that carry meaning, and figures."""
    return frozenset({*content_words(text), *_AMOUNT.findall(text)})


def _favourite_place(questions: Sequence[Played]) -> tuple[tuple[Game, ScoreLaw], int]:
    """Always the same place: the one where the key stands most often, its p times the number of places."""
    tally = Counter(one.right for one in questions)
    if not tally:
        return _game(*FAVOURITE, []), 1
    place = max(tally, key=lambda at: (tally[at], -at))
    made: list[tuple[Played, Best]] = [(one, (place,)) for one in questions if place < len(one.options)]
    game, law = _game(FAVOURITE[0], f"{FAVOURITE[1]} (number {place + 1})", made)
    places = max(len(one.options) for one in questions)
    return (changed(game, p=min(1.0, game.p * places)), law), places


GUESSERS: Final[tuple[tuple[str, str, Callable[[Played], Best]], ...]] = (
    ("longest", "chooses the longest option", _longest),
    ("most-hedged", "chooses the option with the most hedges (may, usually, about)", _most_hedged),
    ("no-absolutes", "avoids absolute words (always, never, all, only)", _no_absolutes),
    ("like-the-stem", "chooses the option that shares the most words with the stem", _like_the_stem),
    ("middle-number", "chooses the number in the middle", _middle_number),
    ("odd-one-out", "chooses the option that is least like the others", _odd_one_out),
)
FAVOURITE: Final = ("favourite-position", "always chooses the place where the key stands most often")
