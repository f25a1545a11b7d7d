"""The form of a file is read plainly where it is in order, and by pydantic's models of the same declarations where not.

Both ways must come to the same: what one takes the other takes, with the same values.
"""

from __future__ import annotations

import copy
import random
import subprocess
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from quiz.bank.forms import Form, FormRefusedError, Shape
from quiz.bank.forms_refused import read_or_refuse
from quiz.bank.schema import MANIFEST, QUESTION, SOURCES
from quiz.bank.schema_parts import Answer
from quiz.bank.yaml_reader import read_yaml
from solvers.expr.declared import FIELD
from tests.house import ROOT
from tests.trial_bank import OPEN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.trial_bank import Trial

BUNDLED = sorted((ROOT / "questions").glob("*/*.yaml"))
STRANGE: tuple[object, ...] = (
    None, True, False, 0, 1, 3, -1, 10**30, Fraction(1, 2), "", " ", "x", "y: z", "5 %", "3 GB", "2026-04", "same",
    "a-b", "a_b\n", "A", "é", "x" * 400, "x" * 9_000, [], ["a"], [1, "b"], [None], {}, {"a": 1}, {"is": "1"},
    {"quote": "1"}, {"input": 2, "unit": "GB"}, {"full": 2}, {"full": 1, "none": Fraction(1, 2)},
    {f"k{n}": n for n in range(70)}, {"model.parameters": 1}, {"Model": 1}, ["x"] * 30,
)  # fmt: skip
KEYS = ("extra", "is", "in", "is_", "in_", "set", "unit", "asserted", "source", "kind", "fields", "1")


def plain(value: object) -> object:
    """A form as data, with the classes of its parts."""
    if isinstance(value, Form):
        return type(value), {name: plain(item) for name, item in value.as_data().items()}
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return tuple(plain(item) for item in value) if isinstance(value, tuple) else (type(value), value)


def taken(shape: Shape[Any], data: object, monkeypatch: pytest.MonkeyPatch) -> object:
    """What the plain way makes of the data; None where it leaves them to the other."""
    with monkeypatch.context() as patch:
        patch.setattr("quiz.bank.forms_refused.read_or_refuse", lambda *_: None)
        found: object = shape.read(data)
    return None if found is None else plain(found)


def explained(shape: Shape[Any], data: object) -> object:
    try:
        return plain(read_or_refuse(shape.annotation, data, FIELD))
    except FormRefusedError:
        return None


def places(data: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, item in items:
        yield from places(item, (*path, step))


def spoiled(data: dict[str, Any], chance: random.Random) -> object:
    """The data with one thing changed: a value replaced, a key left out or added, a key renamed."""
    made = copy.deepcopy(data)
    *way, last = chance.choice([path for path in places(made) if path])
    holder: Any = made
    for step in way:
        holder = holder[step]
    change = chance.randrange(4)
    if change == 0:
        del holder[last]
    elif change == 1 and isinstance(holder, dict):
        holder[chance.choice(KEYS)] = chance.choice(STRANGE)
    elif change == 2 and isinstance(holder, dict):
        holder[chance.choice(KEYS)] = holder.pop(last)
    else:
        holder[last] = chance.choice(STRANGE)
    return made


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_every_bundled_question_is_read_plainly_and_as_pydantic_reads_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = read_yaml(path.read_bytes(), path.name).data
    found = taken(QUESTION, data, monkeypatch)
    assert found is not None
    assert found == explained(QUESTION, data)


def test_what_is_spoiled_anywhere_is_taken_or_refused_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(20261130)  # noqa: S311 - no secret
    refused = 0
    for path in BUNDLED[::5]:
        data: Any = read_yaml(path.read_bytes(), path.name).data
        for _ in range(30):
            spoilt = spoiled(data, chance)
            found = taken(QUESTION, spoilt, monkeypatch)
            assert found == explained(QUESTION, spoilt), (path.name, spoilt)
            refused += found is None
    assert 100 < refused < 450


@pytest.mark.parametrize(("shape", "name"), [(MANIFEST, "bank.yaml"), (SOURCES, "sources.yaml")])
def test_manifest_and_sources_are_taken_or_refused_alike(
    shape: Shape[Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data: Any = read_yaml((ROOT / "questions" / name).read_bytes(), name).data
    if name == "bank.yaml":
        data = {**data, "units": {"foot": {"is": "0.3048 m", "also": ["feet"]}, "m": "base", "dozen": 12}}
        data["units"] = dict(sorted(data["units"].items(), reverse=True))
    assert taken(shape, data, monkeypatch) == explained(shape, data) is not None
    chance = random.Random(3)  # noqa: S311 - no secret
    for _ in range(100):
        spoilt = spoiled(data, chance)
        assert taken(shape, spoilt, monkeypatch) == explained(shape, spoilt), spoilt


def test_half_a_character_is_left_to_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only an escape can write one, and no file of a history could hold it."""
    assert taken(Shape(str), "whole", monkeypatch) == (str, "whole")
    assert taken(Shape(str), "\ud800", monkeypatch) is None


def test_a_form_is_frozen_says_what_the_file_states_and_has_its_defaults() -> None:
    found: Answer = Shape(Answer).read({"is": 3, "in": "key"})
    assert (found.is_, found.in_, found.within, found.set, found.estimate) == ("3", "key", "3 %", {}, None)
    assert (found.states("in_"), found.states("within")) == (True, False)
    assert list(found.as_data())[:3] == ["is", "unit", "within"]
    assert repr(found) == "Answer(is_='3', in_='key')"
    with pytest.raises(AttributeError, match="frozen"):
        found.within = "5 %"  # type: ignore[misc]


def test_a_refusal_has_every_error() -> None:
    with pytest.raises(FormRefusedError) as caught:
        Shape(Answer).read({"is": "1 +", "in_": "key", "need_unit": 1})
    assert [(one["type"], one["loc"]) for one in caught.value.cause.errors()] == [
        ("value_error", ("is",)),
        ("bool_type", ("need_unit",)),
        ("extra_forbidden", ("in_",)),
    ]


def test_the_lint_of_a_sound_bank_loads_no_pydantic(trial: Trial) -> None:
    """Importing it and building its validators took a third of the time of a lint of one changed file."""
    trial.write(f"{OPEN}sources: [{{source: memo}}]\n")
    script = (
        "import sys; from pathlib import Path; from datetime import date; from quiz.authoring.lint import lint\n"
        f"found = lint(Path({str(trial.folder)!r}), date(2026, 11, 30))\n"
        "print(found.compiled, found.errors, 'yaml' in sys.modules, 'pydantic' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "0", "True", "False"]
