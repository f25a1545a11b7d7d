"""What the bank refuses of YAML: each with its own place and words, all at once, the same through both parsers."""

from __future__ import annotations

import time

import pytest

from quiz.bank.diagnostics import BankError, Diagnostic
from quiz.bank.yaml_reader import has_libyaml, read_yaml
from tests.bounds import SOON


def refusals(text: str | bytes) -> tuple[Diagnostic, ...]:
    """The diagnostics of a text that must be refused, and alike by both parsers."""
    with pytest.raises(BankError) as caught:
        read_yaml(text, "q.yaml", pure=True)
    if has_libyaml():
        with pytest.raises(BankError) as again:
            read_yaml(text, "q.yaml")
        assert again.value.diagnostics == caught.value.diagnostics
    return caught.value.diagnostics


def places(text: str | bytes) -> list[tuple[int, int, str]]:
    return [(d.place.line, d.place.column, d.code) for d in refusals(text)]


REFUSED = [
    # structure that a bank does without
    ("a: &x 1\n", 1, 4, "anchor"),
    ("a: &B is big\n", 1, 4, "anchor"),
    ("a: &x\n  b: 1\n", 1, 4, "anchor"),
    ("a: *x\n", 1, 4, "alias"),
    ("a: *bold* text\n", 1, 4, "alias"),
    ("<<: {a: 1}\n", 1, 1, "merge-key"),
    ("a: !!int 3\n", 1, 4, "tag"),
    ("a: !important\n", 1, 4, "tag"),
    ("a: !x!y z\n", 1, 4, "tag"),
    ("a: !!python/object/apply:os.system [ls]\n", 1, 4, "tag"),
    ("a: 1\n---\nb: 2\n", 2, 1, "second-document"),
    ("a: 1\n...\n---\nb: 2\n", 3, 1, "second-document"),
    ("%YAML 1.2\n---\na: 1\n", 1, 1, "directive"),
    ("%TAG ! tag:x,2000:\n---\na: 1\n", 1, 1, "directive"),
    ("%nonsense\n---\na: 1\n", 1, 1, "directive"),
    ("a: 1\nb: 2\na: 3\n", 3, 1, "duplicate-key"),
    ("{a: 1, 'a': 2}\n", 1, 8, "duplicate-key"),
    ("1: a\n", 1, 1, "key-not-text"),
    ("true: a\n", 1, 1, "key-not-text"),
    ("null: a\n", 1, 1, "key-not-text"),
    ("1.5: a\n", 1, 1, "key-not-text"),
    (": a\n", 1, 1, "key-not-text"),
    ("[a]: b\n", 1, 1, "key-not-text"),
    ("? {a: 1}\n: b\n", 1, 3, "key-not-text"),
    ("? |\n  a\n: b\n", 1, 3, "key-not-on-one-line"),
    ("a\u200bb: 1\n", 1, 1, "key-not-visible"),
    ("{x:1}\n", 1, 3, "space-after-colon"),
    ("a: {b: 1, x:y}\n", 1, 12, "space-after-colon"),
    ("{a:}\n", 1, 3, "space-after-colon"),
    ("a: {b}\n", 1, 5, "key-without-value"),
    ("a: [b: c]\n", 1, 5, "pair-in-list"),
    ("a: [why?]\n", 1, 8, "question-mark"),
    ("a: {{ x }}\n", 1, 4, "braces"),
    ("a: {{ x }} of it\n", 1, 4, "braces"),
    ("a:\n  - {{ x }} of it\n", 2, 5, "braces"),
    ("a: {text: {{ x }} of it}\n", 1, 11, "braces"),
    # numbers
    ("a: .inf\n", 1, 4, "number"),
    ("a: -.INF\n", 1, 4, "number"),
    ("a: .NaN\n", 1, 4, "number"),
    ("a: 1e401\n", 1, 4, "number"),
    ("a: 1e-401\n", 1, 4, "number"),
    ("a: 1e999999999999\n", 1, 4, "number"),
    ("a: 0e99999\n", 1, 4, "number"),
    (f"a: {'9' * 5000}\n", 1, 4, "number"),
    # characters
    ("\ta: 1\n", 1, 1, "tab"),
    ("a:\n\tb: 1\n", 2, 1, "tab"),
    ("a:\tb\n", 1, 3, "tab"),
    ("a: |\n  x\ty\n", 2, 4, "tab"),
    ("a: \x00b\n", 1, 4, "control-character"),
    ("a: b\x1b[31m\n", 1, 5, "control-character"),
    ("a: b\x85c\n", 1, 5, "control-character"),
    ("a: b\u2028c\n", 1, 5, "control-character"),
    ("a: b\u202ec\n", 1, 5, "control-character"),
    ("a: b\rc\n", 1, 5, "control-character"),
    ("a: \ufeffb\n", 1, 4, "control-character"),
    ("a: \ud800\n", 1, 4, "encoding"),
    (b"a: 1\nb: \xff\n", 2, 4, "encoding"),
    (b"a: \xc3\x28\n", 1, 4, "encoding"),
    ("a: 1\n".encode("utf-16"), 1, 1, "encoding"),
    ('a: "x\\frac"\n', 1, 6, "escape"),
    ('a: "\\theta"\n', 1, 5, "escape"),
    ('a: "\\x00"\n', 1, 5, "escape"),
    ('a: "\\u202e"\n', 1, 5, "escape"),
    ('a: "\\N"\n', 1, 5, "escape"),
    ('"\\frac": 1\n', 1, 2, "escape"),
    ('a: "\\phi"\n', 1, 5, "escape"),
    ('a: "\\xZZ"\n', 1, 5, "escape"),
    ('a: "\\ud800"\n', 1, 5, "escape"),
    ('a: "\\UFFFFFFFF"\n', 1, 5, "escape"),
    # size
    ("[" * 33 + "]" * 33, 1, 33, "too-deep"),
    ("[" * 100_000, 1, 33, "too-deep"),
    ("{a: " * 1000, 1, 129, "too-deep"),
    ("- " * 10_000, 1, 65, "too-deep"),
    ("a: " + "x" * 70_000, 1, 4, "text-too-long"),
    ("#" * (2 * 1024 * 1024 + 1), 1, 1, "file-too-large"),
    ("a: [" + "1," * 20_001 + "]", 1, 39_999, "too-many-values"),
    # nothing in it
    ("", 1, 1, "empty"),
    ("\n \n", 1, 1, "empty"),
    ("# only a comment\n", 1, 1, "empty"),
    ("---\n", 1, 1, "empty"),
    ("null\n", 1, 1, "empty"),
    ("just a text\n", 1, 1, "not-a-mapping"),
    ("id:a\n", 1, 1, "not-a-mapping"),
    # mistakes of syntax
    ("a: b: c\n", 1, 5, "colon-in-text"),
    ("- a: b: c\n", 1, 7, "colon-in-text"),
    ("id:a\nkind: b\n", 1, 3, "space-after-colon"),
    ("x: 1\nid:a\nkind: b\n", 2, 3, "space-after-colon"),
    ("a: @b\n", 1, 4, "reserved-character"),
    ("a: `b`\n", 1, 4, "reserved-character"),
    ("a: %b\n", 1, 4, "reserved-character"),
    ("a: > 80 GB\n", 1, 4, "block-scalar"),
    ("a: | text\n", 1, 4, "block-scalar"),
    ("a: |# comment\n  b\n", 1, 4, "block-scalar"),
    ("a: 'b\nc: d\n", 1, 4, "unclosed-quote"),
    ('a: "b\nc: d\n', 1, 4, "unclosed-quote"),
    ("a: 'b\nc: 'd'\n", 1, 4, "unclosed-quote"),
    ('a: "b" c\n', 1, 8, "after-quote"),
    ("a: [b] c\n", 1, 8, "after-bracket"),
    ("a: [b, c\nd: e\n", 1, 4, "unclosed-bracket"),
    ("a: {b: 1 c: 2}\n", 1, 11, "space-after-colon"),
    ("a: ['b' 'c']\n", 1, 9, "bracket"),
    ("a: - b\n", 1, 4, "list-after-key"),
    ("a: ? b\n", 1, 4, "question-mark"),
    ("a: ,b\n", 1, 4, "no-value"),
    ("a: b\nno colon\nc: d\n", 2, 1, "no-colon"),
    ("a: |\n    b\n  c\nd: e\n", 3, 3, "no-colon"),
    ("a: b\n  c: d\n", 2, 3, "indentation"),
    ("- a\nb: c\n", 2, 1, "indentation"),
    ("a:\n- b\n-c\n- d\n", 3, 1, "space-after-dash"),
    ("a:\n  b {c: d}\n", 2, 5, "colon-missing"),
    ("a: [b, c\n", 1, 4, "unclosed-bracket"),
    ("a: 1\nb: [", 2, 4, "unclosed-bracket"),
    ("a: [[\n", 1, 5, "unclosed-bracket"),
    ("a: {  # as in {b: c}\n", 1, 4, "unclosed-bracket"),
    ("a:\n    b: c\n  d: e\n", 3, 3, "indentation"),
    ("a:\n  - b\n - c\n", 3, 2, "indentation"),
    ("a: b # c\n  d\n", 2, 3, "cut-by-comment"),
]


@pytest.mark.parametrize(
    ("text", "line", "column", "code"), REFUSED, ids=[f"{n}-{r[3]}" for n, r in enumerate(REFUSED)]
)
def test_each_mistake_is_refused_at_its_place(text: str | bytes, line: int, column: int, code: str) -> None:
    begun = time.process_time()
    errors = [(d.place.line, d.place.column, d.code) for d in refusals(text) if d.severity == "error"]
    assert errors == [(line, column, code)]
    assert time.process_time() - begun < SOON


def test_all_problems_come_at_once_in_the_order_of_the_file() -> None:
    text = """\
id: a
id: b
stem: {{ x }} is
why: this: that
list: [a, {b:1}]
says: @you
formula: "\\frac \\phi"
1: x
ref: &r y
n: 1e999
tail: 'unclosed
"""
    assert places(text) == [
        (2, 1, "duplicate-key"),
        (3, 7, "braces"),
        (4, 10, "colon-in-text"),
        (5, 13, "space-after-colon"),
        (6, 7, "reserved-character"),
        (7, 11, "escape"),
        (7, 17, "escape"),
        (8, 1, "key-not-text"),
        (9, 6, "anchor"),
        (10, 4, "number"),
        (11, 7, "unclosed-quote"),
    ]


def test_bad_characters_and_bad_structure_come_together() -> None:
    assert places("a: \x07\na: b\tc\n") == [(1, 4, "control-character"), (2, 1, "duplicate-key"), (2, 5, "tab")]


def test_a_tab_in_the_indentation_is_not_followed_by_guesses_about_the_structure() -> None:
    assert places("a:\n\tb: 1\n\tb: 2\nc: d: e\n") == [(2, 1, "tab"), (3, 1, "tab")]


def test_a_paragraph_that_lost_its_indentation_is_one_problem() -> None:
    assert places("a: |\n  one\ntwo\nthree\nfour\nb: 1\nb: 2\n") == [(3, 1, "no-colon"), (7, 1, "duplicate-key")]


def test_a_mistake_repaired_inside_brackets_leaves_no_second_message() -> None:
    assert places("a: {b: x,\n    c: @d}\ne: 1\n") == [(2, 8, "reserved-character")]


def test_what_stands_under_a_refused_key_is_checked_too() -> None:
    assert places("a: 1\na:\n  b: 1\n  b: &x 2\n") == [
        (2, 1, "duplicate-key"), (4, 3, "duplicate-key"), (4, 6, "anchor"),
    ]  # fmt: skip


def test_a_duplicate_names_the_line_of_the_first() -> None:
    (duplicate,) = refusals("a: 1\nb: 2\na: 3\n")
    assert "line 1" in duplicate.why


def test_a_missing_space_is_answered_with_the_line_as_it_should_be() -> None:
    (missing,) = refusals("a: {dp:8}\n")
    assert "`dp: 8`" in missing.next


def test_an_unquoted_text_that_begins_with_braces_is_sent_to_a_block_scalar() -> None:
    (braces,) = refusals("a: {{ state }} per GPU\n")
    assert "block scalar" in braces.next
    assert "`|`" in braces.next


def test_a_formula_in_double_quotes_is_told_what_it_loses() -> None:
    (escape,) = refusals('a: "\\frac{1}{2}"\n')
    assert "form feed" in escape.what
    assert "\\frac" in escape.why
    assert "single quotes" in escape.next


def test_an_alias_bomb_is_refused_before_it_is_built() -> None:
    text = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
    begun = time.process_time()
    codes = {d.code for d in refusals(text)}
    assert codes == {"alias", "anchor", "too-many"}
    assert time.process_time() - begun < SOON


def test_reading_stops_after_a_hundred_problems() -> None:
    found = refusals("".join(f"{n}: x\n" for n in range(1000)))
    assert len(found) == 101
    assert found[-1].code == "too-many"


def test_a_binary_file_is_not_answered_with_a_thousand_problems() -> None:
    assert len(refusals(bytes(range(128, 256)) * 100)) < 12


def test_the_message_of_the_error_holds_every_problem() -> None:
    with pytest.raises(BankError) as caught:
        read_yaml("a: 1\na: 2\nb: .inf\n", "topic/q.yaml")
    assert str(caught.value).splitlines()[0] == "topic/q.yaml:2:1: error: the key `a` stands here again"
    assert "topic/q.yaml:3:4: error: a number that is not finite" in str(caught.value)
