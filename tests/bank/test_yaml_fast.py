"""The quick way through a file is taken where nothing is wrong, and nowhere else; it gives what the slow one gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.bank.yaml_fast import read_fast
from quiz.bank.yaml_reader import has_libyaml, read_yaml
from tests.house import ROOT

if TYPE_CHECKING:
    from pathlib import Path

BUNDLED = sorted((ROOT / "questions").glob("*/*.yaml"))

pytestmark = pytest.mark.skipif(not has_libyaml(), reason="without libyaml there is no quick way")


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_every_bundled_question_goes_the_quick_way_and_means_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert read_fast(text) is not None
    quick, slow = read_yaml(text, "q.yaml"), read_yaml(text, "q.yaml", pure=True)
    assert (quick.data, quick.source, quick.warnings) == (slow.data, slow.source, slow.warnings)
    assert dict(quick.places) == dict(slow.places)


@pytest.mark.parametrize(
    "doubtful",
    [
        "a: &b c\n", "a: *b\n", "a: !c d\n", "<<: {a: 1}\n", "a: 1\na: 2\n", "1: a\n", "true: a\n",
        "a:\n", "{a}\n", "a: [b: c]\n",
        "a: {b:1}\n", 'a: "\\t"\n', "a: b #1\n", "a: b # c\n", "a: | \n  b\n", "[a]\n", "a\n", "",
        "a: b\n---\nc: d\n", "a: [b?]\n",
        "a: .inf\n", f"a: {'[' * 40}{']' * 40}\n", "? a\n: b\n", "? |\n  a\n: b\n", "a b\n",
        "'a\n  b': c\n", "a: b: c\n",
        "a\u200bb: 1\n", "a: 1e999\n", "a: {b: c}}\n",
    ],
)  # fmt: skip
def test_what_may_be_wrong_is_left_to_the_pass_that_explains(doubtful: str) -> None:
    assert read_fast(doubtful) is None


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: 1\nb: 'x: #y'\n", {"a": 1, "b": "x: #y"}),
        ("a: b  # c\nd: [1, {e: f}]\n", {"a": "b", "d": [1, {"e": "f"}]}),
        ("a: |\n  x: &y\n  {{ z }}\n", {"a": "x: &y\n{{ z }}\n"}),
        ("# first\na:\n  - b\n  - c: true\n", {"a": ["b", {"c": True}]}),
    ],
)
def test_what_is_plainly_in_order_is_read(text: str, data: object) -> None:
    found = read_fast(text)
    assert found is not None
    assert found[0] == data


def test_places_beyond_the_second_level_are_found_when_they_are_asked_for() -> None:
    document = read_yaml("a:\n  b:\n    c: [d]\n", "q.yaml")
    assert document.places["a", "b"].value == (3, 5)
    assert document.places["a", "b", "c", 0].value == (3, 9)
    assert len(document.places) == 5
