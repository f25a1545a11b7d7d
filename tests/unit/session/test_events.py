"""Events: ids that sort, a canonical text, a checksum, nothing guessed when read."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import CONFIDENCES, VERDICTS, Rating
from quiz.session import wire
from quiz.session.attempt import Attempt, Part, Promise, Response, Shown, event_id, is_event_id
from quiz.session.attempt_text import quick_attempt, quick_text
from quiz.session.drilled import Drilled, Predicted
from quiz.session.events import (
    Event,
    EventError,
    Mark,
    Regrade,
    Rename,
    Rerating,
    Retraction,
    SettingChange,
    Unknown,
    canonical,
    checksum,
    from_canonical,
    general_text,
)
from tests.unit.session.made import START, attempt, identity

PROMISE = Promise(START, START.date())
EVENTS: list[Event] = [
    attempt(),
    attempt(response=Response(), verdict="unknown", parts=(), confidence=None, slip="guessed"),
    attempt(response=Response(text="1 120 GB \ud800 \x00 “”")),
    Retraction(identity(START), START, -480, identity(START, 7)),
    Rerating(identity(START), START, 0, identity(START, 7), Rating.EASY, PROMISE),
    Rerating(identity(START), START, 0, identity(START, 7), Rating.GOOD, PROMISE, placed=True),
    attempt(retention=0.925),
    attempt(placed=True),
    SettingChange(identity(START), START, 840, "learning_steps", [60.0, 600.0]),
    SettingChange(identity(START), START, 0, "retention.memory-budget", 0.95),
    Mark(identity(START), START, 60, "core", "mb-70b", "flag", value=True),
    Mark(identity(START), START, 60, "core", "mb-70b", "suspend", value=False),
    Mark(identity(START), START, 60, "core", "mb-70b", "bury", "2026-01-06"),
    Mark(identity(START), START, 60, "core", "mb-70b", "note", "2+2+4+4+4 “16”\n\x00"),
    Mark(identity(START), START, 60, "core", "mb-70b", "note", None),
    Rename(identity(START), START, 60, "core", "old", "core", "new"),
    Regrade(
        identity(START),
        START,
        60,
        identity(START, 7),
        "incorrect",
        "one-node",
        attempt().parts,
        Rating.AGAIN,
        "a",
        ("b",),
    ),
    Regrade(identity(START), START, 60, identity(START, 7), "correct", None, (), None, "a", ()),
    Drilled(
        identity(START),
        START,
        60,
        "core",
        "mb-70b",
        "20260105T090000Z-mb-70b-4e1f",
        "fake",
        (
            Predicted("rest.state@fsdp", 70.6e9, 70553706496.0, 0.000656),
            Predicted("peak.phase@fsdp", "step", "backward", None),
            Predicted("peak.total@fsdp", None, 85.773e9, None),
        ),
        0.5,
    ),
    Drilled(identity(START), START, -60, "", "", "20260105T090000Z-ranks-4e1f", "ranks", (), None),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_an_event_is_read_back_as_it_was(event: Event) -> None:
    text = canonical(event)
    assert from_canonical(text) == event
    assert text.isascii()
    assert canonical(from_canonical(text)) == text


TEXTS = st.text(max_size=4) | st.text(st.sampled_from('ab"\\\\/\x00\x1f\x7f\x80é\ud800\u2028😀'), max_size=6)
INSTANTS = st.datetimes(timezones=st.just(UTC))
ATTEMPTS = st.builds(
    Attempt,
    id=st.just(identity(START)),
    time=INSTANTS,
    offset=st.integers(-1439, 1439),
    day=st.dates(),
    card=st.builds(CardKey, TEXTS, TEXTS, st.integers(0, 9)),
    shown=st.builds(
        Shown,
        TEXTS,
        st.dictionaries(TEXTS, TEXTS, max_size=3),
        st.lists(TEXTS, max_size=3).map(tuple),
        st.lists(TEXTS, max_size=3).map(tuple),
        st.dictionaries(TEXTS, TEXTS, max_size=3),
    ),
    response=st.builds(Response, st.lists(TEXTS, max_size=2).map(tuple), st.none() | TEXTS),
    verdict=st.sampled_from(VERDICTS),
    rating=st.sampled_from(Rating),
    promise=st.builds(Promise, INSTANTS, st.dates()),
    duration_ms=st.integers(0, 2**53),
    slip=st.none() | TEXTS,
    parts=st.lists(st.builds(Part, TEXTS, st.sampled_from(VERDICTS), st.none() | TEXTS), max_size=2).map(tuple),
    confidence=st.sampled_from([None, *CONFIDENCES]),
    retention=st.none() | st.floats(0, 1, exclude_min=True, exclude_max=True),
    placed=st.booleans(),
)


@given(ATTEMPTS)
def test_the_quick_text_of_an_answer_is_the_general_one_letter_for_letter(made: Attempt) -> None:
    assert quick_text(made) in {None, general_text(made)}
    assert canonical(made) == general_text(made)
    assert from_canonical(canonical(made)) == made


def test_a_plain_answer_has_the_quick_text() -> None:
    for more in ({}, {"retention": 0.9}, {"placed": True}, {"retention": 0.925, "placed": True}):
        assert quick_text(attempt(**more)) == general_text(attempt(**more))


def test_the_canonical_text_is_fixed() -> None:
    """Histories of years depend on these bytes: a change here is a new version, not an edit."""
    event = Retraction("01KE6ZC4R0000000000000000V", datetime(2022, 11, 29, 12, 30, tzinfo=UTC), 60, identity(START))
    assert canonical(event) == (
        '{"id":"01KE6ZC4R0000000000000000V","kind":"retraction","offset":60,'
        f'"target":"{identity(START)}","time":"2022-11-29T12:30:00.000000Z","version":1}}'
    )
    assert checksum("Shardwise") == "518b511b27a63b48c862cbfaa2c71c17"


def test_an_event_of_a_newer_program_is_kept_as_it_stands() -> None:
    text = canonical(EVENTS[0]).replace('"version":1', '"version":99')
    kept = from_canonical(text)
    assert isinstance(kept, Unknown)
    assert (kept.kind, kept.version, canonical(kept)) == ("attempt", 99, text)
    flag = text.replace('"kind":"attempt"', '"kind":"flag"')
    assert isinstance(from_canonical(flag), Unknown)


@pytest.mark.parametrize("event", EVENTS[:3])
def test_the_quick_reader_of_attempts_gives_what_the_strict_one_gives(event: Event) -> None:
    """Or it leaves the text to the strict one."""
    text = canonical(event)
    assert quick_attempt(text) in (event, None)
    assert quick_attempt(canonical(attempt())) == attempt()


def changed(**fields: object) -> str:
    values = json.loads(canonical(attempt())) | fields
    return json.dumps(
        {name: value for name, value in values.items() if value != "gone"}, sort_keys=True, separators=(",", ":")
    )


def marked(**fields: object) -> str:
    flag = Mark(identity(START), START, 60, "core", "mb-70b", "flag", value=True)
    return json.dumps(json.loads(canonical(flag)) | fields, sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("[" * 5_000, "not JSON"),
        ("[]", "not an object"),
        (changed(verdict="gone"), "verdict is missing"),
        (changed(verdict="right"), "verdict is not a verdict: 'right'"),
        (changed(rating=5), "rating is not a rating"),
        (changed(rating=True), "rating is not a whole number"),
        (changed(confidence=60), "confidence is not a confidence"),
        (changed(offset=2_000), "offset is not a UTC offset"),
        (changed(time="2022-11-29T12:30:00Z"), "time is not an instant"),
        (changed(day="2022-13-01"), "day is not a date"),
        (changed(id="1"), "id is not an event id"),
        (changed(parts=[{"name": "a", "verdict": "no", "slip": None}]), r"parts\[0\].verdict"),
        (changed(promise={"due": "x", "day": "2026-01-01"}), "promise.due is not an instant"),
        (changed(extra=1), "not in canonical form"),
        (changed(version=2), "retention is missing"),
        (changed(version=2, retention=1.5, placed=False), "retention is not a share"),
        (changed(version=2, retention=None, placed=1), "placed is not true or false"),
        (changed(version=2, retention=None, placed=False), "not in canonical form"),
        (marked(mark="star"), "mark is not one of flag, suspend, bury, note"),
        (marked(value="yes"), "a mark 'flag' cannot be 'yes'"),
        (marked(mark="bury", value="tomorrow"), "tomorrow"),
        (marked(mark="note", value=True), "a mark 'note' cannot be True"),
        (canonical(attempt()) + " ", "not in canonical form"),
    ],
)
def test_a_text_that_is_no_event_is_refused_with_its_fault(text: str, says: str) -> None:
    with pytest.raises(EventError, match=says):
        from_canonical(text)


@pytest.mark.parametrize(
    "text", ["", "[]", changed(verdict="right"), changed(rating=5), changed(rating=True), changed(offset=2_000)]
)
def test_the_quick_reader_leaves_what_is_no_attempt_to_the_strict_one(text: str) -> None:
    assert quick_attempt(text) is None


def test_a_setting_that_is_no_json_value_cannot_be_written() -> None:
    for value in (float("nan"), object()):
        with pytest.raises(EventError, match="cannot be written"):
            canonical(SettingChange(identity(START), START, 0, "x", value))


def test_an_instant_is_written_in_utc() -> None:
    east = START.astimezone(timezone(timedelta(hours=9)))
    assert canonical(replace(attempt(), time=east)) == canonical(attempt())


@given(st.integers(0, 400), st.data())
def test_any_changed_byte_changes_the_checksum(place: int, data: st.DataObject) -> None:
    text = canonical(attempt())
    place %= len(text)
    other = data.draw(st.characters(min_codepoint=32, max_codepoint=126).filter(lambda letter: letter != text[place]))
    assert checksum(text[:place] + other + text[place + 1 :]) != checksum(text)


@given(st.lists(st.tuples(st.integers(-10_000_000, 10_000_000), st.binary(min_size=10, max_size=10)), min_size=2))
def test_ids_sort_in_the_order_of_making_even_when_the_clock_runs_backwards(steps: list[tuple[int, bytes]]) -> None:
    made: list[str] = []
    now = START
    for seconds, entropy in steps:
        now += timedelta(seconds=seconds)
        made.append(event_id(now, made[-1] if made else None, entropy))
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert all(is_event_id(one) for one in made)


def test_ids_of_different_instants_sort_by_time() -> None:
    early, late = START, START + timedelta(milliseconds=1)
    assert event_id(early, None, b"\xff" * 10) < event_id(late, None, b"\x00" * 10)


def test_an_id_from_too_little_entropy_or_after_no_id_is_refused() -> None:
    with pytest.raises(ValueError, match="takes 10 bytes"):
        event_id(START, None, b"123")
    with pytest.raises(ValueError, match="not an event id"):
        event_id(START, "z", b"\x00" * 10)
    assert not is_event_id("Z" * 26)  # 130 bits do not fit into 128


@given(st.datetimes(timezones=st.just(UTC)))
@example(datetime(1, 1, 1, tzinfo=UTC))
@example(datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC))
@example(datetime(2026, 3, 2, 4, 0, tzinfo=UTC))
def test_an_instant_has_six_digits_of_a_second_and_is_read_back(instant: datetime) -> None:
    text = wire.instant_text(instant)
    assert text == instant.isoformat(timespec="microseconds").replace("+00:00", "Z")
    assert wire.instant(text) == instant
