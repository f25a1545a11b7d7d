"""The cue robot: guessers that know nothing of the field play the whole bank.

Each guesser looks at the surface of the options alone. Where it picks one option, that is right with the chance of
one in the number of options if nothing on the surface tells; the number of hits over the bank then follows a Poisson
binomial law (a binomial one where all questions have as many options), whose upper tail is the p. With several guessers
one of them stands out by luck, so the p are corrected by Holm's rule (S. Holm, A simple sequentially rejective multiple
test procedure, Scandinavian Journal of Statistics 6, 1979).
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from quiz.authoring.luck import SIGNIFICANT, hits_law, holm, sensitivity, tail
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
    """How one guesser did. `picks` are the questions in which it saw a difference; `expected` its hits by chance.

    `p` is the chance of at least so many hits if nothing tells, `corrected` the same after Holm. `needed` is the
    least number of hits that would stand out, 0 where no number would; `detects` the share of right guesses from which
    on this bank would show the guesser in four of five cases. `hits_in` are the ids of questions it got right.
    """

    name: str
    says: str
    picks: int
    hits: int
    expected: float
    p: float
    corrected: float = 1.0
    needed: int = 0
    detects: float | None = None
    hits_in: tuple[str, ...] = ()

    @property
    def stands_out(self) -> bool:
        """Whether it guesses better than luck allows."""
        return self.corrected < SIGNIFICANT


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
    games = [_game(name, says, [(one, pick(one)) for one in questions]) for name, says, pick in GUESSERS]
    games.append(_favourite_place(questions))
    return _corrected(games)


def _game(name: str, says: str, guesses: Sequence[tuple[Played, int | None]]) -> Game:
    made = [(one, guess) for one, guess in guesses if guess is not None]
    chances = [1 / len(one.options) for one, _ in made]
    hits = [one.id for one, guess in made if guess == one.right]
    law = hits_law(chances)
    return Game(name, says, len(made), len(hits), sum(chances), tail(law, len(hits)), hits_in=tuple(hits))


def _corrected(games: Sequence[Game]) -> tuple[Game, ...]:
    ps = holm([game.p for game in games])
    return tuple(
        changed(game, corrected=p, needed=needed, detects=detects)
        for game, p in zip(games, ps, strict=True)
        for needed, detects in [
            sensitivity(game.picks, game.expected / game.picks, len(games)) if game.picks else (0, None)
        ]
    )


def _only_best(scores: Sequence[float]) -> int | None:
    """The place of the highest score; None where two share it."""
    best = max(scores)
    places = [place for place, score in enumerate(scores) if score == best]
    return places[0] if len(places) == 1 else None


def _longest(one: Played) -> int | None:
    return _only_best([len(text) for text in one.options])


def _most_hedged(one: Played) -> int | None:
    return _only_best([len(_HEDGES.findall(text)) for text in one.options])


def _no_absolutes(one: Played) -> int | None:
    return _only_best([-len(_ABSOLUTE_OR_ALL.findall(text)) for text in one.options])


def _like_the_stem(one: Played) -> int | None:
    stem = set(content_words(one.stem))
    return _only_best([len(stem & set(content_words(text))) for text in one.options])


def _middle_number(one: Played) -> int | None:
    """Neither the smallest nor the largest: the middle one of an odd number, else none."""
    amounts = [_AMOUNT.search(text) for text in one.options]
    values = [Fraction(found[0].replace(",", "")) for found in amounts if found]
    if len(values) < len(one.options) or len(set(values)) < len(values) or len(values) < 3:  # noqa: PLR2004
        return None
    if len(values) % 2:
        return values.index(sorted(values)[len(values) // 2])
    mean = sum(values, Fraction(0)) / len(values)
    return _only_best([-float(abs(value - mean)) for value in values])


def _odd_one_out(one: Played) -> int | None:
    return _only_best([-shared for shared in overlaps(one.options)])


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


def _favourite_place(questions: Sequence[Played]) -> Game:
    """Always the same place: the one where the key stands most often, its p times the number of places."""
    tally = Counter(one.right for one in questions)
    if not tally:
        return Game(*FAVOURITE, picks=0, hits=0, expected=0.0, p=1.0)
    place = max(tally, key=lambda at: (tally[at], -at))
    made: list[tuple[Played, int | None]] = [(one, place) for one in questions if place < len(one.options)]
    game = _game(FAVOURITE[0], f"{FAVOURITE[1]} (number {place + 1})", made)
    places = max(len(one.options) for one in questions)
    return changed(game, p=min(1.0, game.p * places))


GUESSERS: Final[tuple[tuple[str, str, Callable[[Played], int | None]], ...]] = (
    ("longest", "chooses the longest option", _longest),
    ("most-hedged", "chooses the option with the most hedges (may, usually, about)", _most_hedged),
    ("no-absolutes", "avoids absolute words (always, never, all, only)", _no_absolutes),
    ("like-the-stem", "chooses the option that shares the most words with the stem", _like_the_stem),
    ("middle-number", "chooses the number in the middle", _middle_number),
    ("odd-one-out", "chooses the option that is least like the others", _odd_one_out),
)
FAVOURITE: Final = ("favourite-position", "always chooses the place where the key stands most often")
