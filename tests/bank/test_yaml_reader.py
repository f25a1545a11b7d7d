"""Which YAML the bank accepts, and what it becomes: the same through libyaml and through the Python parser."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import pytest

from quiz.bank.diagnostics import BankError
from quiz.bank.yaml_reader import has_libyaml, read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from quiz.bank.document import Document

    Reader: TypeAlias = Callable[[str | bytes], Document]

PARSERS = [pytest.param(True, id="python"), pytest.param(False, id="libyaml")]


@pytest.fixture(params=PARSERS)
def read(request: pytest.FixtureRequest) -> Reader:
    """Each test runs on both parsers."""
    if not request.param and not has_libyaml():
        pytest.skip("PyYAML was built without libyaml")
    return partial(read_yaml, file="q.yaml", pure=request.param)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("", None),
        ("0", 0),
        ("-0", 0),
        ("7", 7),
        ("+7", 7),
        ("-12", -12),
        ("70e9", 70_000_000_000),
        ("1E3", 1000),
        ("1.5e3", 1500),
        ("2.0", 2),
        ("1e-5", Fraction(1, 100_000)),
        ("0.1", Fraction(1, 10)),
        ("-3.25", Fraction(-13, 4)),
        pytest.param("1e400", 10**400, id="largest"),
        pytest.param("1e-400", Fraction(1, 10**400), id="smallest"),
    ],
)
def test_plain_scalars_are_words_or_exact_numbers(written: str, value: object, read: Reader) -> None:
    data = read(f"a: {written}\n").data
    assert data == {"a": value}
    assert isinstance(data, dict)
    assert type(data["a"]) is type(value)


@pytest.mark.parametrize(
    "written",
    [
        "yes", "no", "on", "off", "y", "True", "TRUE", "False", "Null", "~",
        "2026-04", "2026-04-01", "2001-12-14t21:59:43.10-05:00", "1:30", "190:20:30",
        "010", "0o17", "0x1F", "0b1", "1_000", "1,000", ".5", "5.", "1e", "e5", "+", ".", "1.2.3", "15 GB", "5 %",
        "=", "70B", "--1",
    ],
)  # fmt: skip
def test_everything_else_is_text(written: str, read: Reader) -> None:
    assert read(f"a: {written}\n").data == {"a": written}


@pytest.mark.parametrize("quoted", ['"1"', "'1'"])
def test_a_quoted_scalar_is_text(quoted: str, read: Reader) -> None:
    assert read(f"a: {quoted}\n").data == {"a": "1"}


@pytest.mark.parametrize("key", ["yes", "on", "2026-04-01", "1:30", "layout.dp", '"1"', "'<<'", "a key"])
def test_words_that_are_not_special_here_may_be_keys(key: str, read: Reader) -> None:
    assert read(f"{key}: 1\n").data == {key.strip("\"'"): 1}


def test_lists_mappings_and_block_scalars_nest(read: Reader) -> None:
    text = """\
--- # one document may be announced
id: a
options:
  fsdp:
    text: |
      {{ x }} of the state
        and: more # not a comment
    set: {layout.dp: cluster.gpus, layout.zero: 3}
  ddp:
    text: >-
      folded
      text
related: [a, b-c]
flags:
- says: |2
      indented
  spot: []
-
...
"""
    assert read(text).data == {
        "id": "a",
        "options": {
            "fsdp": {
                "text": "{{ x }} of the state\n  and: more # not a comment\n",
                "set": {"layout.dp": "cluster.gpus", "layout.zero": 3},
            },
            "ddp": {"text": "folded text"},
        },
        "related": ["a", "b-c"],
        "flags": [{"says": "  indented\n", "spot": []}, None],
    }


def test_a_file_with_crlf_line_ends_is_the_same_document(read: Reader) -> None:
    text = "a: |\n  x\n  y\nb: 'p\n  q'\n"
    crlf = read(text.replace("\n", "\r\n").encode())
    assert crlf == read(text)
    assert crlf.data == {"a": "x\ny\n", "b": "p q"}


def test_one_byte_order_mark_at_the_start_is_dropped(read: Reader) -> None:
    with_mark = read(b"\xef\xbb\xbfa: 1\n")
    assert with_mark == read("a: 1\n")


def test_a_missing_last_line_end_changes_nothing(read: Reader) -> None:
    assert read("a: |\n  x") == read("a: |\n  x\n")


def test_text_beyond_ascii_is_kept(read: Reader) -> None:
    assert read("a: 70×10⁹ 😀\n".encode()).data == {"a": "70×10⁹ 😀"}


def test_nesting_up_to_32_is_read(read: Reader) -> None:
    assert read("[" * 32 + "]" * 32).data is not None


def test_every_value_has_its_place(read: Reader) -> None:
    document = read("é: 1\nb:\n  - c: [x, 'y']\n  -\nd:\n")
    places = {path: (site.value, site.key, site.style) for path, site in document.places.items()}
    assert places == {
        (): ((1, 1), None, "{"),
        ("é",): ((1, 4), (1, 1), ""),
        ("b",): ((3, 3), (2, 1), "["),
        ("b", 0): ((3, 5), None, "{"),
        ("b", 0, "c"): ((3, 8), (3, 5), "["),
        ("b", 0, "c", 0): ((3, 9), None, ""),
        ("b", 0, "c", 1): ((3, 12), None, "'"),
        ("b", 1): ((4, 4), None, ""),
        ("d",): ((5, 1), (5, 1), ""),
    }


@pytest.mark.parametrize("written", ["a: rank #3 of it\n", "a: some text # and more\n", "a: rank  #3\n"])
def test_a_text_that_may_have_lost_its_end_to_a_comment_is_warned_of(written: str, read: Reader) -> None:
    document = read(written)
    (warning,) = document.warnings
    assert (warning.code, warning.severity, warning.path) == ("cut-by-comment", "warning", "a")
    assert warning.place.column == written.index("#") + 1


@pytest.mark.parametrize("written", ["a: text  # comment\n", "a: 5 # comment\n", "a: 'text' # comment\n", "a: b#c\n"])
def test_a_comment_after_two_spaces_or_after_no_text_is_no_warning(written: str, read: Reader) -> None:
    assert read(written).warnings == ()


def test_a_line_break_escape_that_looks_like_a_formula_is_warned_of(read: Reader) -> None:
    document = read('a: "x\\nabla and \\nothing"\n')
    assert [(w.code, w.place.column) for w in document.warnings] == [("escape", 6)]


def test_warnings_come_with_the_errors_of_a_refused_file(read: Reader) -> None:
    with pytest.raises(BankError) as caught:
        read("a: x #1\nb: 1\nb: 2\n")
    assert [(d.severity, d.place.line) for d in caught.value.diagnostics] == [("warning", 1), ("error", 3)]


def test_importing_the_reader_does_not_load_yaml_or_pydantic() -> None:
    program = (
        "import sys, quiz.bank.yaml_reader, quiz.bank.locate, quiz.bank.known_keys;"
        "sys.exit(1 if {'yaml', 'pydantic'} & set(sys.modules) else 0)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
