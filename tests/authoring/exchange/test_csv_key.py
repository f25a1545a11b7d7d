"""Tables of other programs say the right option in many ways; each is read, and what has two readings is no key."""

from __future__ import annotations

import pytest

from quiz.authoring.exchange.csv_key import rights, several
from quiz.authoring.exchange.from_csv import read_csv
from quiz.authoring.exchange.from_gift import read_gift

FOUR = ("Paris", "London", "Rome", "Berlin")


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("B", 1),
        ("b", 1),
        ("2", 1),
        ("Option B", 1),
        ("option_2", 1),
        ("(b)", 1),
        ("B.", 1),
        ("London", 1),
        ("LONDON", 1),
        ("B) London", 1),
        ("Answer D", 3),
    ],
)
def test_a_letter_a_number_a_label_or_the_words_name_an_option(key: str, place: int) -> None:
    assert rights(FOUR, key) == {place}


@pytest.mark.parametrize("key", ["", "E", "0", "5", "Madrid", "B) Rome", "A, B"])
def test_what_names_no_option_is_no_key(key: str) -> None:
    assert rights(FOUR, key) == frozenset()


def test_a_number_that_is_one_option_and_the_place_of_another_is_read_in_both_ways() -> None:
    assert rights(("3", "4", "5", "6"), "4") == {1, 3}


@pytest.mark.parametrize(
    "table",
    [
        "question,option_a,option_b,option_c,answer\nWhich?,x1,x2,x3,B\n",
        "Subject,Question,Option A,Option B,Option C,Correct Answer\nmaps,Which?,x1,x2,x3,Option B\n",
        "question;optionA;optionB;optionC;correct\nWhich?;x1;x2;x3;x2\n",
        "Question;Options;Answer\nWhich?;x1|x2|x3;2\n",
        "question\tcorrect_answer\tincorrect_answer_1\tincorrect_answer_2\nWhich?\tx2\tx3\tx1\n",
    ],
)
def test_the_headings_of_public_tables_give_a_choice_with_its_key(table: str) -> None:
    found = read_csv(table.encode())
    assert [(one.text, one.right) for one in found.drafts[0].options] == [("x1", False), ("x2", True), ("x3", False)]
    assert found.lost == []


def test_a_subject_is_the_topic_unless_there_is_one() -> None:
    assert read_csv(b"subject,question,answer\nmaps,Which?,This\n").drafts[0].topic == "maps"
    assert read_csv(b"subject,question,answer,topic\nmaps,Which?,This,roads\n").drafts[0].topic == "roads"


def test_a_difficulty_in_words_is_named_as_lost() -> None:
    lost = read_csv(b"question,answer,difficulty\nWhich?,This,Easy\n").lost
    assert [(one.line, "'Easy'" in one.what) for one in lost] == [(2, True)]


def test_a_short_answer_of_gift_needs_no_sign_before_it() -> None:
    found = read_gift(b"How do you write 1?{One}\n")
    assert (found.drafts[0].sketch, found.lost) == ("- One", [])


@pytest.mark.parametrize(
    ("key", "places"),
    [
        ("A, C", (0, 2)),
        ("c;a", (2, 0)),
        ("A and C", (0, 2)),
        ("A, B, and D", (0, 1, 3)),
        ("ACD", (0, 2, 3)),
        ("1 3", (0, 2)),
        ("Paris | Rome", (0, 2)),
        ("A, E", ()),
        ("A, A", ()),
        ("Madrid, Oslo", ()),
        ("ACE", ()),
        ("B", ()),
        ("", ()),
    ],
)
def test_several_options_are_named_in_their_order_or_none_of_them_is(key: str, places: tuple[int, ...]) -> None:
    assert several(FOUR, key) == places


def test_a_row_of_several_right_options_keeps_all_of_them_in_its_answer() -> None:
    found = read_csv(b'question,a,b,c,correct answer\nWhich?,x1,x2,x3,"A, C"\n')
    assert found.drafts[0].sketch == "- x1\n- x3"
    assert [one.what.partition(";")[0] for one in found.lost] == ["2 options are right, where a choice here has one"]


@pytest.mark.parametrize(
    ("key", "sketch", "told"),
    [
        ("F", "The key of the table: F", "the key 'F' names none of the options"),
        ("", "", "no key says which option is right"),
    ],
)
def test_an_answer_that_the_table_does_not_give_is_never_made_up(key: str, sketch: str, told: str) -> None:
    """That no key can be read does not mean that no option is right."""
    found = read_csv(f"question,a,b,correct\nWhich?,x1,x2,{key}\n".encode())
    assert found.drafts[0].sketch == sketch
    assert [one.what.partition(";")[0] for one in found.lost] == [told]


def test_an_ordering_that_was_exported_comes_back_with_its_order() -> None:
    found = read_csv(b'kind,question,option A,option B,option C,key\nordering,Sort.,x1,x2,x3,"C, A, B"\n')
    assert (found.drafts[0].stem, found.drafts[0].sketch) == ("Sort.\n\n- x1\n- x2\n- x3", "1. x3\n2. x1\n3. x2")
    assert [one.what.partition(";")[0] for one in found.lost] == ["an ordering"]
