"""A schema's error is told at the line and column that it is about, in words an author can use."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from quiz.bank.complaints import Complaint
from quiz.bank.diagnostics import Place
from quiz.bank.known_keys import known_keys_of
from quiz.bank.locate import from_validation_error, place_in_text, place_of
from quiz.bank.yaml_reader import read_yaml

if TYPE_CHECKING:
    from quiz.bank.diagnostics import Diagnostic


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)


class Input(Strict):
    input: str


class Derived(Strict):
    in_: str | None = Field(None, alias="in")
    is_: str = Field(alias="is")


class Option(Strict):
    text: str
    set: dict[Literal["layout.dp", "layout.zero"], int | str] = {}


class Strategy(Strict):
    kind: Literal["strategy"]
    stem: str = ""
    options: dict[str, Option] = {}
    share: int | Fraction = 0
    holds: bool = True
    figures: dict[str, str | Input | Derived] = {}
    related: Annotated[list[str], Field(max_length=2)] = []
    difficulty: Annotated[int, Field(ge=1, le=5)] = 1
    level: Literal["low", "high"] = "low"


class Numeric(Strict):
    kind: Literal["numeric"]
    answer: dict[str, str]

    @field_validator("answer")
    @classmethod
    def reachable(cls, answer: dict[str, str]) -> dict[str, str]:
        if "unit" in answer:
            raise Complaint("this unit is unknown", why="GBs is none.", next_="Write GB.", at=("unit",))
        if not answer:
            raise ValueError("an answer has a relation")
        return answer


QUESTION: Any = Annotated[Strategy | Numeric, Field(discriminator="kind")]


def complaints(text: str) -> list[Diagnostic]:
    document = read_yaml(text, "q.yaml")
    with pytest.raises(ValidationError) as caught:
        TypeAdapter[Any](QUESTION).validate_python(document.data)
    return from_validation_error(document, caught.value, known_keys_of(QUESTION))


def one(text: str) -> Diagnostic:
    (found,) = complaints(text)
    return found


def at(found: Diagnostic) -> tuple[int, int, str, str]:
    return found.place.line, found.place.column, found.code, found.path


def test_an_unknown_key_is_marked_and_the_nearest_is_named() -> None:
    found = one("kind: strategy\noptions:\n  a:\n    text: x\n    sett: {}\n")
    assert at(found) == (5, 5, "unknown-key", "options.a.sett")
    assert "`set`" in found.next


def test_an_unknown_key_that_is_near_to_none_is_answered_with_the_list() -> None:
    assert one("kind: strategy\nfigures:\n  f: {is: x, qqq: y}\n").next == "Keys: in, is."


def test_a_missing_key_is_named_at_the_key_of_its_parent() -> None:
    found = one("kind: strategy\noptions:\n  a:\n    set: {}\n")
    assert at(found) == (3, 3, "missing-key", "options.a.text")
    assert "`text`" in found.what


def test_a_key_outside_a_fixed_set_is_an_unknown_key() -> None:
    found = one("kind: strategy\noptions:\n  a: {text: x, set: {layout.zro: 3}}\n")
    assert at(found) == (3, 22, "unknown-key", "options.a.set.layout.zro")
    assert "`layout.zero`" in found.next


def test_a_value_outside_a_fixed_list_is_met_with_the_nearest() -> None:
    found = one("kind: strategy\nlevel: hihg\n")
    assert at(found) == (2, 8, "not-allowed", "level")
    assert found.next == "Did you mean `high`?"


def test_a_value_near_to_none_is_met_with_the_list() -> None:
    assert one("kind: strategy\nlevel: 3\n").next == "Allowed: high, low."


def test_an_unknown_kind_is_marked_where_it_stands() -> None:
    found = one("stem: x\nkind: nmeric\n")
    assert at(found) == (2, 7, "not-allowed", "kind")
    assert "`numeric`" in found.next


def test_a_missing_kind_is_a_missing_key() -> None:
    assert at(one("stem: x\n")) == (1, 1, "missing-key", "kind")


def test_a_file_that_is_a_list_is_told_so() -> None:
    found = one("- kind: strategy\n")
    assert (found.code, found.what) == ("not-a-mapping", "the whole file is a list")


def test_all_types_that_may_stand_at_a_place_are_named_in_one_sentence() -> None:
    found = one("kind: strategy\noptions: {a: {text: x, set: {layout.dp: [1]}}}\n")
    assert at(found) == (2, 41, "wrong-type", "options.a.set.layout.dp")
    assert found.what == "here stands a list, but it must be a whole number or a text"


def test_of_a_union_only_the_member_that_was_meant_complains() -> None:
    found = complaints("kind: strategy\nfigures:\n  f: {input: 3}\n  g: {in: x}\n")
    assert [at(f) for f in found] == [(3, 14, "wrong-type", "figures.f.input"), (4, 3, "missing-key", "figures.g.is")]


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("holds: yes", "Write true, in small letters and without quotes."),
        ("holds: 'False'", "Write false, in small letters and without quotes."),
        ("share: 010", "Write a plain decimal number"),
        ("share: 1_000", "Write a plain decimal number"),
        ("share: '5'", "Write the number without quotes."),
        ("stem: 2.10", "Put it in quotes"),
        ("options: a:1", "A space may be missing after the colon."),
        ("related: one", "Write each entry on a line of its own"),
    ],
)
def test_a_wrong_type_is_met_with_what_was_likely_meant(line: str, advice: str) -> None:
    found = one(f"kind: strategy\n{line}\n")
    assert at(found)[:3] == (2, line.index(":") + 3, "wrong-type")
    assert found.next.startswith(advice)


def test_an_empty_value_is_called_missing() -> None:
    assert at(one("kind: strategy\nstem:\n")) == (2, 1, "no-value", "stem")


def test_a_number_out_of_bounds_is_told_the_bound() -> None:
    assert one("kind: strategy\ndifficulty: 7\n").what == "the number 7 must be at most 5"


def test_a_list_that_is_too_long_is_told_by_how_much() -> None:
    assert one("kind: strategy\nrelated: [a, b, c]\n").what == "3 entries stand here, but there must be at most 2"


def test_a_validator_speaks_in_its_own_words() -> None:
    assert one("kind: numeric\nanswer: {}\n").what == "an answer has a relation"


def test_a_validator_may_point_into_its_value_and_say_what_next() -> None:
    found = one("kind: numeric\nanswer:\n  unit: GBs\n")
    assert at(found) == (3, 9, "invalid", "answer.unit")
    assert (found.what, found.why, found.next) == ("this unit is unknown", "GBs is none.", "Write GB.")


def test_all_errors_come_in_the_order_of_the_file() -> None:
    found = complaints("kind: strategy\nzz: 1\nstem: 3\nlevel: x\ndifficulty: 0\n")
    assert [f.place.line for f in found] == [2, 3, 4, 5]


DOCUMENT = read_yaml("a:\n  b: [x, {c: 1}]\nq: 'text'\n", "q.yaml")


@pytest.mark.parametrize(
    ("loc", "key", "line", "column"),
    [
        (("a", "b", 0), False, 2, 7),
        (("a", "b", 1, "c"), False, 2, 14),
        (("a", "b", 1, "c"), True, 2, 11),
        (("tag", "a", "function-after[f()]", "b", 1, "Model", "c"), False, 2, 14),
        (("a", "[key]"), False, 1, 1),
        (("a", "missing"), False, 1, 1),
        (("a", "b", 7), False, 2, 3),
        ((), False, 1, 1),
    ],
)
def test_a_loc_is_walked_down_the_document(loc: tuple[str | int, ...], *, key: bool, line: int, column: int) -> None:
    assert place_of(DOCUMENT, loc, key=key) == Place("q.yaml", line, column)


@pytest.mark.parametrize(
    ("source", "needle", "line", "column"),
    [
        ("a: |\n  one\n\n    two {{ x }}\n", "{{", 4, 9),
        ("a: |  # comment\n  one {{ x }}\n", "{{", 2, 7),
        ("a: one {{ x }}\n", "{{", 1, 8),
        ("a: 'one {{ x }}'\n", "{{", 1, 9),
        ("a: 'it''s {{ x }}'\n", "{{", 1, 4),
        ("a: >\n  one\n  {{ x }}\n", "{{", 1, 4),
    ],
)
def test_a_place_within_a_text_is_exact_where_the_text_stands_as_written(
    source: str, needle: str, line: int, column: int
) -> None:
    document = read_yaml(source, "q.yaml")
    assert isinstance(document.data, dict)
    offset = document.data["a"].index(needle)
    assert place_in_text(document, ("a",), offset) == Place("q.yaml", line, column)
