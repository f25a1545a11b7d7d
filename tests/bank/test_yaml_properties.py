"""Whatever the bytes: a document or a list of problems, in bounded time, and the same through both parsers."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from quiz.bank.diagnostics import BankError, Diagnostic
from quiz.bank.document import Document
from quiz.bank.yaml_reader import has_libyaml, read_yaml
from tests.bounds import SOON

QUESTION = """\
id: mb-70b-4nodes
kind: strategy
prerequisites: [bytes-per-parameter]
scenario:                                  # inputs only
  model.parameters: 70e9
  recipe: zero-paper                       # required
given:
  memory.activations_per_gpu: 15 GB
stem: |
  You must fine-tune a {{ model.parameters }} model on
  {{ cluster.nodes }} nodes. Which plan?
decide: {require: memory.total_per_gpu <= cluster.capacity_per_gpu, decisive: 5 %}
options:
  fsdp:
    text: |
      FSDP / ZeRO-3 across the {{ cluster.gpus }} GPUs
    set: {layout.dp: cluster.gpus, layout.zero: 3}
slips:
  - {id: root, is: "sqrt(checkpoint.stall * run.mtbf)", says: 'It''s missing.'}
figures:
  quoted: {quote: 7.9 h, source: reliability, as_of: 2025-02}
bullets:
  - >-
    folded
    text
  -
holds: true
share: 0.125
"""

# Pieces that mean something to a YAML parser; random ones reach more of it than random characters.
PIECES = st.sampled_from([
    " ", "  ", "\n", "\n  ", "\n    ", "\r\n", ": ", ":", "- ", "-", "? ", "?", "#", " #", "[", "]", "{", "}", ",",
    '"', "'", "''", "|", ">", "|\n", ">-\n", "|2", "&a", "*a", "!", "!!str ", "%", "%YAML 1.1\n", "@", "`", "\\", "\\n",
    "\\x41", "\\q", "a", "b: ", "1", "1.5", "e5", "true", "null", "<<", "---", "...", "\n---\n", "\n...\n", "{{", "}}",
    "é", "😀", "~", ".", "+", "0", "\u00a0", "\t", "\x00", "\x0c", "\ufeff", "\u2028", "\ud800", '"x"', "[a, b]",
    "{a: 1}",
])  # fmt: skip
SOUP = st.lists(PIECES, max_size=25).map("".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid question with one to four small wounds."""
    text = QUESTION
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.sampled_from([0, 0, 1, 2, 6]))
        text = text[:at] + draw(st.one_of(st.just(""), PIECES)) + text[at + cut :]
    return text


def read(text: str | bytes, *, pure: bool) -> Document | tuple[Diagnostic, ...]:
    try:
        return read_yaml(text, "q.yaml", pure=pure)
    except BankError as error:
        return error.diagnostics


def check(text: str | bytes) -> None:
    begun = time.process_time()
    result = read(text, pure=True)
    assert time.process_time() - begun < SOON
    if has_libyaml():
        assert read(text, pure=False) == result
    shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
    if isinstance(result, Document):
        assert all(warning.severity == "warning" for warning in result.warnings)
        check_places(result)
    else:
        assert any(diagnostic.severity == "error" for diagnostic in result)
    for diagnostic in result.warnings if isinstance(result, Document) else result:
        rendered = diagnostic.render(shown)
        assert rendered.replace("\n", "").isprintable()
        assert 1 <= diagnostic.place.line <= shown.count("\n") + 2
        assert diagnostic.place.column >= 1
        assert diagnostic.what


def check_places(document: Document) -> None:
    """Every value has exactly one place, and the data is plain."""
    found = set()
    open_values: list[tuple[tuple[str | int, ...], object]] = [((), document.data)]
    while open_values:
        path, value = open_values.pop()
        found.add(path)
        if isinstance(value, dict):
            assert all(type(key) is str for key in value)
            open_values += [((*path, key), child) for key, child in value.items()]
        elif isinstance(value, list):
            open_values += [((*path, index), child) for index, child in enumerate(value)]
        else:
            assert type(value) in {str, int, Fraction, bool, type(None)}
    assert found == set(document.places)


QUICK = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(st.binary(max_size=200))
@example(b"\xff\xfea\x00")
@example(b"\xef\xbb\xbf\xef\xbb\xbfa: 1")
@example(b"a: \xed\xa0\x80")
def test_any_bytes_end_in_a_document_or_a_list_of_problems(raw: bytes) -> None:
    check(raw)


@QUICK
@given(st.text(max_size=200))
def test_any_text_ends_in_a_document_or_a_list_of_problems(text: str) -> None:
    check(text)


@settings(QUICK, max_examples=250)
@given(SOUP)
@example("a: !<x> {b: c}")
@example("? ? ? ? a")
@example("- - - - -")
@example('a: "\\\n')
@example("a: |9\n b")
@example("a: >+\n\n\n")
@example("&a &b c")
@example("{? a, ? b}")
@example("[? a : b]")
@example("a: |2# c\n  b\n")
@example("%\n%\n%")
@example("*")
@example("!")
@example("--- a\n--- b")
def test_any_soup_of_yaml_ends_alike_in_both_parsers(text: str) -> None:
    check(text)


@settings(QUICK, max_examples=100)
@given(mutated())
def test_a_wounded_question_ends_alike_in_both_parsers(text: str) -> None:
    check(text)


def test_the_question_that_is_wounded_here_is_sound() -> None:
    document = read_yaml(QUESTION, "q.yaml")
    assert document.warnings == ()
    check(QUESTION)


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 50_000,
        "a: " + "{" * 50_000,
        "a: " + "[{" * 30_000,
        "- " * 50_000,
        "? " * 50_000,
        ": " * 50_000,
        "a: " * 50_000,
        "- a: " * 20_000,
        '"' * 99_999,
        "'" * 99_999,
        "a: '" + "x " * 30_000,
        "&a " * 50_000,
        "!a " * 50_000,
        "*a " * 50_000,
        "%" * 100_000,
        "%a\n" * 50_000,
        "\\" * 100_000,
        'a: "' + "\\q" * 30_000 + '"',
        "#" * 100_000,
        "# \n" * 50_000,
        "\n" * 500_000,
        "a: x\n" * 50_000,
        "a\n" * 50_000,
        "".join(f"{n}: x\n" for n in range(50_000)),
        "".join(f"a{n}: @x\n" for n in range(10_000)),
        "".join(f"a{n}: {{{{ x }}}} y\n" for n in range(3_000)),
        "a: [" + "b " * 50_000,
        "a: {" + "b: c, " * 20_000,
        "a: |\n" + "  x\n y\n" * 10_000,
        "\t" * 100_000,
        "\x00" * 100_000,
        "\x85" * 100_000,
        "x" * 100_000 + ": 1",
        "a: " + "9" * 60_000,
        "a: 1e" + "9" * 60_000,
        " #" * 50_000,
        "---\n" * 50_000,
        "...\n" * 50_000,
        "<<: " * 10_000,
        "{{ " * 30_000,
    ],
    ids=range(40),
)
def test_a_hostile_file_is_answered_soon(text: str) -> None:
    for pure in (True, False):
        begun = time.process_time()
        read(text, pure=pure)
        assert time.process_time() - begun < SOON
