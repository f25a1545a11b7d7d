"""A session reads the card of a question when it is its turn."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from quiz.scheduling.cards import Card, CardKey, review
from quiz.scheduling.deck import Deck
from quiz.scheduling.queue import Item
from quiz.scheduling.rating import Rating
from quiz.session.messages import Begin, Finished
from quiz.session.practice import begin
from tests.unit.session.made import START
from tests.unit.session.test_practice import SETTINGS, Driver, key

if TYPE_CHECKING:
    from collections.abc import Iterable


def test_cards_are_read_when_one_of_them_is_asked_a_few_together_and_once() -> None:
    names = "abcdefghijkl"
    cards = {key(name): review(None, Rating.EASY, START, 60, settings=SETTINGS, seed=name).card for name in names}
    read: list[str] = []

    def reading(keys: Iterable[CardKey]) -> dict[CardKey, Card]:
        wanted = list(keys)
        read.append("".join(one.question for one in wanted))
        return {one: cards[one] for one in wanted if one != key("c")}

    session = Driver()
    deck = Deck({}, {one: card.due_day for one, card in cards.items()}, reading)
    session.state = begin([Item(one, "due") for one in cards], deck, settings=SETTINGS, seed="s")
    assert read == []
    for name in names:
        effect = session.go_on() if read else session.send(Begin(session.now))
        assert session.asked(effect) == name
        assert read == (["abcdefgh"] if name < "i" else ["abcdefgh", "ijkl"])
        session.record(session.answer())
        assert session.state.cards[key(name)].reps == (1 if name == "c" else 2)  # of that one there was no card
    assert deck == {one: card for one, card in cards.items() if one != key("c")}  # as it was begun with
    assert set(session.state.cards) == set(cards)


def test_what_was_answered_elsewhere_since_the_session_began_is_not_asked_again() -> None:
    cards = {key(name): review(None, Rating.EASY, START, 60, settings=SETTINGS, seed=name).card for name in "abc"}
    due = {one: card.due_day for one, card in cards.items()}
    cards[key("b")] = review(
        cards[key("b")], Rating.EASY, START + timedelta(days=30), 60, settings=SETTINGS, seed="b"
    ).card
    session = Driver()
    session.state = begin(
        [Item(one, "due") for one in due],
        Deck({}, due, lambda keys: {one: cards[one] for one in keys}),
        settings=SETTINGS,
        seed="s",
    )
    assert session.asked(session.send(Begin(session.now))) == "a"
    session.record(session.answer())
    assert session.asked(session.go_on()) == "c"
    session.record(session.answer())
    assert isinstance(session.go_on(), Finished)
