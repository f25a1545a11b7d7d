"""Ids from titles of any script: readable where they can be, the same for the same title, apart for two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.authoring.begin import is_name
from quiz.authoring.exchange import filing
from quiz.authoring.exchange.draft import Draft
from quiz.authoring.naming import readable, slug


@pytest.mark.parametrize(
    ("title", "id_"),
    [
        ("What is ZeRO-3?", "what-is-zero-3"),
        ("Été à Besançon", "ete-a-besancon"),
        ("Wie groß ist Łódź?", "wie-gross-ist-lodz"),
        ("Что такое ZeRO", "chto-takoe-zero"),
        ("Ελληνικά ύλη", "ellinika-yli"),
        ("한국어 질문", "hangugeo-jilmun"),
        ("なにがあう", "nanigaau"),
        ("\u0663 + \u0664", "3-4"),
    ],
)
def test_a_title_that_can_be_spelled_is_readable(title: str, id_: str) -> None:
    assert slug(title, "question") == id_


@pytest.mark.parametrize("title", ["什么是ZeRO-3?", "日本", "ما هو التدريب", "שלום", "🙂🙂", "हिन्दी", "🇩🇪"])
def test_one_that_cannot_is_told_from_others_by_its_fingerprint(title: str) -> None:
    made = slug(title, "question")
    assert is_name(made)
    assert made == slug(f" {title} ", "question")
    assert made != slug(f"{title}{title}", "question")
    assert made.startswith("zero-3-" if "ZeRO" in title else "question-")


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_id_is_empty_and_none_of_another_form(one: str, other: str) -> None:
    assert is_name(f"x-{slug(one, 'question')}")
    lost = [text for text in (one, other) if slug(text, "question") != readable(text, 50) and text.strip()]
    if len(lost) == 2 and one.strip() != other.strip() and slug(one, "q") == slug(other, "q"):
        assert slug(one, "q") == "q"  # nothing but punctuation in either


def test_the_id_of_a_question_does_not_hang_on_the_others_of_its_file() -> None:
    drafts = [Draft(1, "什么是并行?"), Draft(2, "什么是分片?"), Draft(3, "", id="张量", topic="并行")]
    ids = {draft.line: (topic, id_) for topic, id_, draft in filing.named(drafts, set())}
    assert ids == {draft.line: (topic, id_) for topic, id_, draft in filing.named(drafts[::-1], set())}
    assert len({id_ for _, id_ in ids.values()}) == 3
    assert ids[3][0] not in ("imported", ids[1][0])


def test_no_file_takes_the_name_of_what_says_which_bank_it_is() -> None:
    """A question titled "Bank" would be read as a bank within the bank."""
    names = [id_ for _, id_, _ in filing.named([Draft(1, "Bank"), Draft(2, "Sources")], set())]
    assert names == ["bank-2", "sources-2"]
