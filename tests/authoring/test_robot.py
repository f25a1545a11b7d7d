"""The cue robot: its odds are those of the law of chance, and it finds a planted cue and none where there is none."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.authoring.luck import hits_law, holm, sensitivity, tail
from quiz.authoring.robot import Game, Played, play


def games(questions: list[Played]) -> dict[str, Game]:
    return {game.name: game for game in play(questions)}


@given(st.integers(1, 30), st.integers(2, 6), st.data())
def test_with_equal_chances_the_law_is_the_binomial_one(count: int, options: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, count))
    chance = 1 / options
    expected = sum(comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(hits, count + 1))
    assert tail(hits_law([chance] * count), hits) == pytest.approx(expected)


def test_with_unequal_chances_the_law_is_worked_out_by_hand() -> None:
    """One half and one quarter: both hit in an eighth, neither in three eighths."""
    assert hits_law([1 / 2, 1 / 4]) == pytest.approx([3 / 8, 1 / 2, 1 / 8])


def test_holm_multiplies_the_smallest_by_all_and_never_falls() -> None:
    """Holm's own rule on 0.01, 0.04, 0.03: 0.03, then 2 times 0.03, which the 0.04 after it may not go below."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def lopsided(count: int, longest: int = 0) -> list[Played]:
    """Questions whose key is longest in all, its place moving round; `longest` says in how many it is not."""
    found = []
    for number in range(count):
        texts = ["one", "two", "six"]
        texts[(number + (number < longest)) % 3] = "a long text"
        found.append(Played(str(number), "", tuple(texts), number % 3))
    return found


def test_a_key_that_is_always_longest_stands_out() -> None:
    found = games(lopsided(12))["longest"]
    assert (found.picks, found.hits) == (12, 12)
    assert found.expected == pytest.approx(4)
    assert found.p == pytest.approx(3.0**-12)
    assert found.corrected == pytest.approx(7 * 3.0**-12)
    assert found.stands_out


def test_few_questions_show_nothing_and_say_so() -> None:
    """Four right of four among three options is p = 1/81, seven guessers make it 0.09."""
    found = games(lopsided(4))["longest"]
    assert found.p == pytest.approx(1 / 81)
    assert not found.stands_out
    assert (found.needed, found.detects) == (0, None)


def test_what_could_be_found_is_what_is_needed_to_stand_out() -> None:
    """Of twelve thirds, 9 hits have p 0.0039 and 10 have p 0.00054: seven times that is below 0.05 from 9 on."""
    found = games(lopsided(12, longest=3))["longest"]
    assert (found.hits, found.needed) == (9, 9)
    assert found.stands_out
    assert not games(lopsided(12, longest=4))["longest"].stands_out
    assert found.detects is not None
    assert 0.7 < found.detects < 0.9


def test_each_guesser_sees_its_own_cue() -> None:
    one = Played(
        "a", "Which plan keeps gradients?", ("It may keep them", "It always drops all", "It keeps gradients"), 0
    )
    found = games([one])
    assert {name for name, game in found.items() if game.hits} == {"most-hedged", "favourite-position"}
    numbers = Played("b", "", ("10 GB", "30 GB", "20 GB"), 2)
    assert games([numbers])["middle-number"].hits == 1
    even = Played("c", "", ("10 GB", "20 GB", "30 GB", "90 GB"), 2)
    assert games([even])["middle-number"].hits == 1
    odd = Played("d", "", ("weights halve", "weights double", "something else"), 2)
    assert games([odd])["odd-one-out"].hits == 1


def test_a_favourite_place_is_counted_for_every_place() -> None:
    """Six keys in the first place of three: luck in that place 1/729, in any of the three 3/729."""
    found = games([Played(str(number), "", ("aa", "bb", "cc"), 0) for number in range(6)])["favourite-position"]
    assert found.p == pytest.approx(3 / 729)


def test_no_questions_are_no_evidence() -> None:
    assert all(game.picks == 0 and game.corrected == 1 for game in play([]))


def test_a_bank_of_thousands_is_played_in_seconds_and_its_law_sums_to_one() -> None:
    law = hits_law([1 / 4, 1 / 3, 1 / 5] * 1000)
    assert len(law) == 3001
    assert sum(law) == pytest.approx(1)
    assert sum(hits * p for hits, p in enumerate(law)) == pytest.approx(1000 * (1 / 4 + 1 / 3 + 1 / 5))
    needed, detects = sensitivity(10_000, 0.25, 7)
    assert 2500 < needed < 2700
    assert detects is not None
    assert 0.26 <= detects <= 0.28
