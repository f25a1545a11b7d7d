"""GIFT and CSV become drafts; what they cannot carry is listed by line."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.authoring.exchange import draft, from_csv, from_gift
from quiz.authoring.exchange.as_csv import as_csv
from quiz.authoring.exchange.as_gift import as_gift
from quiz.authoring.exchange.draft import Choice, Draft, UnreadableError, Value
from quiz.authoring.exchange.html_text import plain_text
from tests.bounds import SOON

if TYPE_CHECKING:
    from quiz.authoring.exchange.drawn import Sheet

GIFT = r"""// a comment
$CATEGORY: course/waves

::Sum::What is one and one\: {
  =two#Right. ~three#No, that is \#3. ~%-50%four
  ####Count.
}

Water is {~dry =wet ~hot} to the touch.

The earth is flat.{F#It is not.#Well seen.}

How old?{#1822:5}

How much?{#1..5 # five at most}

Who?{=Ada =Grace#Both.}

Match.{=one -> 1 =two -> 2}

[html]<p>Two <b>of</b> four</p><img src\="x.png">{~%50%a ~%50%b ~c ~d}

Say why. {}

Only a description.

Left open {=a ~b
"""


def gift(text: str) -> tuple[list[Draft], list[tuple[int, str]]]:
    found = from_gift.read_gift(text.encode())
    return found.drafts, [(one.line, one.what) for one in found.lost]


def test_every_kind_of_question_in_gift() -> None:
    drafts, lost = gift(GIFT)
    by_line = {one.line: one for one in drafts}
    first = by_line[4]
    assert (first.title, first.topic, first.stem, first.why) == ("Sum", "waves", "What is one and one:", "Count.")
    assert first.options == (
        Choice("two", right=True, why="Right."),
        Choice("three", right=False, why="No, that is #3."),
        Choice("four", right=False),
    )
    assert by_line[9].stem == "Water is _____ to the touch."
    assert by_line[11].options == (
        Choice("True", right=False, why="It is not."),
        Choice("False", right=True, why="Well seen."),
    )
    assert by_line[13].value == Value("1822", "5")
    assert (by_line[15].value, by_line[15].why) == (Value("3", "2"), "five at most")
    assert by_line[17].sketch == "- Ada\n- Grace (Both.)"
    assert by_line[19].sketch == "- one → 1\n- two → 2"
    assert by_line[21].stem == "Two of four\n\n- a\n- b\n- c\n- d"
    assert by_line[21].sketch == "- a\n- b"
    assert by_line[23].sketch == ""
    assert lost == [
        (19, "matching; it becomes a question that is answered in words"),
        (21, "a picture is not taken over"),
        (21, "read as HTML, without its <b>"),
        (21, "options that earn a part of the points are right here"),
        (
            21,
            "2 of the options are right, where a choice here has one; it becomes a question that is answered in words",
        ),
        (25, "a description without { }: there is nothing to answer, so it is left out"),
        (27, "a { that no } closes; left out"),
    ]


def test_what_is_exported_to_gift_comes_back_with_key_and_number(sheet: Sheet) -> None:
    drafts, _ = gift(as_gift(sheet))
    by_title = {one.title: one for one in drafts}
    for drawn in sheet.questions:
        question, mine = drawn.question, by_title[drawn.question.id]
        assert mine.topic == question.topic
        if question.options:
            right = {option.text for option in mine.options if option.right}
            assert right == {" ".join(option.text.split()) for option in question.options if option.correct}
    assert by_title["hostile"].stem.startswith(
        r"<script>alert(1)</script> {a} ~b =c #d :e: \f | _g_ [h](i) &amp; $j$ </code>| <b>"
    )
    assert by_title["which-fits 2"].value == Value("35", "1.05", "GB")


def test_lines_are_wrapped_as_the_file_is_unless_it_says_that_they_end() -> None:
    (draft,) = from_gift.read_gift(b"One line\\nand another\\, which\nis wrapped.{=a ~b#Because\nof it.}").drafts
    assert draft.stem == "One line\nand another\\, which is wrapped."
    assert draft.options[1].why == "Because of it."


@pytest.mark.parametrize(("number", "within"), [("1822", "0.5"), ("1822:0", "0.5"), ("3.14", "0.005"), ("3.14:1", "1")])
def test_a_number_that_is_to_be_exact_stays_so(number: str, within: str) -> None:
    """The tolerance of a question here is 3 % where none is written, and 1822 is not right within 54 years."""
    (draft,) = from_gift.read_gift(f"When?{{#{number}}}".encode()).drafts
    assert draft.value is not None
    assert draft.value.within == within


def test_digits_of_other_scripts_are_digits() -> None:
    (draft,) = from_csv.read_csv("question,answer\nHow many?,\u0661\u0661\u0662\u0660\n".encode()).drafts
    assert draft.value == Value("1120")


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (b"", 0, "no question in this file"),
        (b"// only a comment\n$CATEGORY: a\n", 0, "no question in this file"),
        (b"a {=b}\n\nJos\xe9 {T}", 3, "not UTF-8"),
        (b"a {=b}\n\0", 2, "NUL"),
    ],
)
def test_a_gift_file_that_brings_nothing_is_an_error(content: bytes, line: int, what: str) -> None:
    with pytest.raises(UnreadableError, match=what) as caught:
        from_gift.read_gift(content)
    assert caught.value.line == line


@given(st.text("{}=~#:\\%->nTF10. \n/[html]$", max_size=60))
def test_no_text_is_a_fault_of_the_gift_reader(text: str) -> None:
    """Each entry becomes a draft or is listed; or the whole is refused with its reason."""
    try:
        found = from_gift.read_gift(text.encode())
    except UnreadableError:
        found = None
    assert found is None or found.drafts or found.lost


def test_a_table_with_options_numbers_and_words() -> None:
    found = from_csv.read_csv(
        b"question,option A,option B,key,answer,unit,difficulty,notes\n"
        b'"Which, then?",one,two,B,,,3,x\n'
        b'How much?,,,,"1,120 GB",GB,9,\n'
        b"Why?,,,,Because.,,,\n"
        b"Both?,one,two,AB,,,,\n"
        b"short,row\n"
    )
    one, two, three, four = found.drafts
    assert one.options == (Choice("one", right=False), Choice("two", right=True))
    assert (one.line, one.stem, one.difficulty) == (2, "Which, then?", 3)
    assert (two.value, two.difficulty) == (Value("1120", "", "GB"), None)
    assert three.sketch == "Because."
    assert (four.options, four.sketch) == ((), "- one\n- two")
    assert [(lost.line, lost.what.partition(";")[0]) for lost in found.lost] == [
        (1, "the column 'notes' is not known and not taken over"),
        (3, "the difficulty '9' is none of 1 to 5 and is not taken over"),
        (5, "2 options are right, where a choice here has one"),
        (6, "this row has 2 cells, and the first row has 8"),
    ]


def test_what_is_exported_to_csv_comes_back(sheet: Sheet) -> None:
    """Guarded cells without their guard, choices with their key, a number with its unit."""
    found = from_csv.read_csv(as_csv(sheet).encode())
    by_id = {one.id: one for one in found.drafts}
    assert len(by_id) == len(sheet.questions)
    assert by_id["hostile"].title == "=HYPERLINK(evil)"
    assert [option.text for option in by_id["hostile"].options if option.right] == ["=1+1 <img src=x onerror=y>"] or (
        [option.text for option in by_id["hostile"].options if option.right] == ["=1+1"]
    )
    assert by_id["how-often"].value is not None
    assert by_id["how-often"].value.unit == "min"


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (b"", 0, "empty"),
        (b"a,b\n1,2\n", 1, "no column is named question"),
        (b"question,answer\n", 0, "no row follows"),
        (b'question\n"open\n', 2, "no CSV"),
        (b"question\nJos\xe9\n", 2, "not UTF-8"),
        (b"question\nx\0\n", 2, "NUL"),
    ],
)
def test_a_table_that_brings_nothing_is_an_error(content: bytes, line: int, what: str) -> None:
    with pytest.raises(UnreadableError, match=what) as caught:
        from_csv.read_csv(content)
    assert caught.value.line == line


@pytest.mark.parametrize("module", [from_gift, from_csv])
def test_a_file_that_is_too_large_is_refused(module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    read = from_gift.read_gift if module is from_gift else from_csv.read_csv
    with pytest.raises(UnreadableError, match="larger than"):
        read(b"question\nwhy {T} is this\n")


def test_too_many_questions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft, "MAX_DRAFTS", 2)
    with pytest.raises(UnreadableError, match="more than 2 questions"):
        gift("a{T}\n\nb{T}\n\nc{T}\n")


@pytest.mark.parametrize(
    "text",
    ["Is p<q and q>r here?", "What is List<int>?", "Map<String, Integer>", "If a<b, then b>a?", "x<b>c", "AT&T; so"],
)
def test_signs_of_order_and_types_in_a_plain_text_are_no_tags(text: str) -> None:
    found = from_csv.read_csv(f'question,answer\n"{text}","{text}"\n'.encode())
    assert [(one.stem, one.sketch) for one in found.drafts] == [(text, text)]
    assert found.lost == []


def test_signs_of_order_in_gift_are_no_tags() -> None:
    ((draft,), lost) = gift("::p3::Is p<q and q>r here? {}")
    assert (draft.stem, lost) == ("Is p<q and q>r here?", [])


@pytest.mark.parametrize(
    ("text", "tags"),
    [("<b>two</b> of <i class='x'>four</i>", "<b>, <i>"), ("two<br>of four", ""), ("<p>two &lt; four", "")],
)
def test_what_is_read_as_html_is_told_with_the_tags_that_are_lost(text: str, tags: str) -> None:
    found = from_csv.read_csv(f'question,answer\n"{text}",x\n'.encode())
    assert "<b>" not in found.drafts[0].stem
    assert [lost.what for lost in found.lost] == ([f"read as HTML, without its {tags}"] if tags else [])


def test_html_becomes_text_and_what_it_hides_stays_hidden() -> None:
    source = "<p>a&nbsp;b<ul><li>one<li>two</ul><script>x</script>E = mc<sup>2</sup><iframe src=//x></iframe>"
    assert plain_text(source) == ("a b\n\n- one\n- two\n\nE = mc^2", ("a script", "a frame"))
    assert plain_text(
        '<!DOCTYPE html><img src="x" alt="1 > 0 &amp; so">5 &lt; 6 < 7 <b>yes</b> <!-- no --> <style>p{}'
    ) == (
        "[1 > 0 & so] 5 < 6 < 7 yes",
        ("a picture",),
    )
    assert plain_text("x" * 300_000) == ("", ("a text of 300,000 characters",))


@pytest.mark.parametrize("piece", ["<", "<a b=", "<a href='", "<!--", "<!", "</", "<script>", "&", "<p", '<p "'])
def test_html_that_closes_nothing_is_read_in_a_moment(piece: str) -> None:
    """In time that grows as the text does: two hundred thousand characters would take hours if it were their square."""
    began = process_time()
    plain_text((piece * 200_000)[:200_000])
    assert process_time() - began < SOON
