"""A session reads the card of a question when it is its turn."""

from __future__ import annotations

from datetime import timedelta

from quiz.scheduling.cards import Card, CardKey, review
from quiz.scheduling.deck import Deck
from quiz.scheduling.queue import Item
from quiz.scheduling.rating import Rating
from quiz.session.messages import Begin, Finished
from quiz.session.practice import begin
from tests.unit.session.made import START
from tests.unit.session.test_practice import SETTINGS, Driver, key


def test_a_card_is_read_when_it_is_asked_and_once() -> None:
    cards = {key(name): review(None, Rating.EASY, START, 60, settings=SETTINGS, seed=name).card for name in "ab"}
    read: list[str] = []

    def reading(one: CardKey) -> Card:
        read.append(one.question)
        return cards[one]

    session = Driver()
    deck = Deck({}, {one: card.due_day for one, card in cards.items()}, reading)
    session.state = begin([Item(one, "due") for one in cards], deck, settings=SETTINGS, seed="s")
    assert session.asked(session.send(Begin(session.now))) == "a"
    assert read == ["a"]
    shown = session.record(session.answer())
    assert (shown.attempt.rating, session.state.cards[key("a")].reps) == (Rating.GOOD, 2)
    assert read == ["a"]
    assert session.asked(session.go_on()) == "b"
    assert read == ["a", "b"]
    assert deck == cards


def test_what_was_answered_elsewhere_since_the_session_began_is_not_asked_again() -> None:
    cards = {key(name): review(None, Rating.EASY, START, 60, settings=SETTINGS, seed=name).card for name in "abc"}
    due = {one: card.due_day for one, card in cards.items()}
    cards[key("b")] = review(
        cards[key("b")], Rating.EASY, START + timedelta(days=30), 60, settings=SETTINGS, seed="b"
    ).card
    session = Driver()
    session.state = begin([Item(one, "due") for one in due], Deck({}, due, cards.get), settings=SETTINGS, seed="s")
    assert session.asked(session.send(Begin(session.now))) == "a"
    session.record(session.answer())
    assert session.asked(session.go_on()) == "c"
    session.record(session.answer())
    assert isinstance(session.go_on(), Finished)
