"""The cue robot: its odds are those of the law of chance, and it finds a planted cue and none where there is none."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.authoring.luck import ScoreLaw, holm
from quiz.authoring.robot import Game, Played, play


def games(questions: list[Played]) -> dict[str, Game]:
    return {game.name: game for game in play(questions)}


@given(st.integers(1, 30), st.integers(2, 6), st.data())
def test_with_equal_chances_the_law_is_the_binomial_one(count: int, options: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, count))
    chance = 1 / options
    expected = sum(comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(hits, count + 1))
    assert ScoreLaw([(1, options)] * count).tail(Fraction(hits)) == pytest.approx(expected)


def test_with_unequal_chances_the_law_is_worked_out_by_hand() -> None:
    """One half and one quarter: both hit in an eighth, neither in three eighths."""
    law = ScoreLaw([(1, 2), (1, 4)])
    assert [law.tail(Fraction(hits)) for hits in range(3)] == pytest.approx([1, 5 / 8, 1 / 8])
    assert law.expected == pytest.approx(3 / 4)


@given(st.lists(st.sampled_from([(1, 2), (1, 3), (2, 3), (1, 4), (2, 4), (3, 4), (2, 5)]), min_size=1, max_size=5))
def test_the_law_of_shares_is_that_of_all_outcomes(picks: list[tuple[int, int]]) -> None:
    """Each pick of k in n scores 1/k with the chance k/n: every outcome counted, one by one."""
    law = ScoreLaw(picks)
    outcomes = [
        (
            sum((Fraction(1, k) for hit, (k, _) in zip(hits, picks, strict=True) if hit), Fraction(0)),
            prod(Fraction(k, n) if hit else 1 - Fraction(k, n) for hit, (k, n) in zip(hits, picks, strict=True)),
        )
        for hits in product((True, False), repeat=len(picks))
    ]
    for score, _ in outcomes:
        assert law.tail(score) == pytest.approx(float(sum(chance for other, chance in outcomes if other >= score)))
    assert law.expected == pytest.approx(float(sum(score * chance for score, chance in outcomes)))


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
    assert found.picks == 12
    assert found.hits == 12
    assert found.expected == pytest.approx(4)
    assert found.p == pytest.approx(3.0**-12)
    assert found.corrected == pytest.approx(7 * 3.0**-12)
    assert found.stands_out


def test_few_questions_show_nothing_and_say_so() -> None:
    """Four right of four among three options is p = 1/81, seven guessers make it 0.09."""
    found = games(lopsided(4))["longest"]
    assert found.p == pytest.approx(1 / 81)
    assert not found.stands_out
    assert found.needed == 0
    assert found.detects is None


def test_what_could_be_found_is_what_is_needed_to_stand_out() -> None:
    """Of twelve thirds, 9 hits have p 0.0039 and 10 have p 0.00054: seven times that is below 0.05 from 9 on."""
    found = games(lopsided(12, longest=3))["longest"]
    assert found.hits == 9
    assert found.needed == 9
    assert found.stands_out
    assert not games(lopsided(12, longest=4))["longest"].stands_out
    assert found.detects is not None
    assert 0.7 < found.detects < 0.9


def test_each_guesser_sees_its_own_cue() -> None:
    one = Played(
        "a", "Which plan keeps gradients?", ("It may keep them", "It always drops all", "It keeps gradients"), 0
    )
    found = games([one])
    assert {name for name, game in found.items() if game.hits} == {"most-hedged", "favourite-position", "no-absolutes"}
    assert found["no-absolutes"].hits == Fraction(1, 2)
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


def two_of_four(count: int, said: tuple[str, str]) -> list[Played]:
    """Questions in which two of four options show something, by turns in every pair of places, and not the key."""
    pairs = [(one, other) for one in range(4) for other in range(one)]
    found = []
    for number in range(count):
        one, other = pairs[number % 6]
        texts = [f"a text {place}" for place in range(4)]
        texts[one], texts[other] = (f"{word} {texts[place]}" for word, place in zip(said, (one, other), strict=True))
        right = next(place for place in range(number % 4, 8) if place % 4 not in (one, other)) % 4
        found.append(Played(str(number), "", tuple(texts), right))
    return found


def test_a_guesser_with_two_best_options_chooses_one_by_chance() -> None:
    """Two of four are absolute and the key is among the others: right in half, luck a quarter, p is 2 to the -24."""
    found = games(two_of_four(24, ("It always is", "It never is")))["no-absolutes"]
    assert found.picks == 24
    assert found.hits == 12
    assert found.expected == pytest.approx(6)
    assert found.p == pytest.approx(2.0**-24)
    assert found.stands_out
    assert len(found.hits_in) == 24


def test_a_key_that_is_one_of_the_two_longest_is_found() -> None:
    swapped = [
        Played(one.id, "", one.options, next(at for at in range(4) if one.options[at].startswith("And")))
        for one in two_of_four(24, ("And this one is", "Or this one is "))
    ]
    assert games(swapped)["longest"].stands_out


def test_a_guesser_to_whom_all_are_alike_makes_no_pick() -> None:
    same = [Played(str(number), "", ("one a", "two b", "six c"), number % 3) for number in range(12)]
    found = games(same)
    assert {name for name, game in found.items() if game.picks} == {"favourite-position"}


def test_ties_without_a_cue_do_not_stand_out() -> None:
    """The key is among the two that are not absolute in half of the questions, as luck has it."""
    even = [
        Played(one.id, "", one.options, number % 4)
        for number, one in enumerate(two_of_four(48, ("It always is", "It never is")))
    ]
    assert not any(game.stands_out for game in games(even).values())


def test_no_questions_are_no_evidence() -> None:
    assert all(game.picks == 0 and game.corrected == 1 for game in play([]))


def test_a_bank_of_thousands_is_played_in_seconds_and_its_law_sums_to_one() -> None:
    law = ScoreLaw([(1, 4), (1, 3), (2, 5), (2, 4)] * 1000)
    assert law.tail(Fraction(0)) == pytest.approx(1)
    assert sum(law.tail(Fraction(step, 2)) for step in range(1, 8001)) / 2 == pytest.approx(law.expected)
    needed, detects = ScoreLaw([(1, 4)] * 10_000).sensitivity(7)
    assert 2500 < needed < 2700
    assert detects is not None
    assert 0.26 <= detects <= 0.28
