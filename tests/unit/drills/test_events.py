"""The events of a run, and the example of a run folder that other tests build on."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from quiz.drills import events
from quiz.drills.records import Env, Held, Ranked, Result, Shape, Spec

EXAMPLE = Path(__file__).parent / "example-run"


def test_each_line_of_the_example_reads_and_writes_back() -> None:
    """An event that was read is written as the same line."""
    lines = (EXAMPLE / "events.jsonl").read_bytes().splitlines(keepends=True)
    for text in lines:
        event = events.read(text)
        assert event is not None
        assert events.line(event) == text


def test_every_line_names_its_version() -> None:
    """The version stands in each line, though it is the default."""
    assert b'"v":1' in events.line(events.Done())


@pytest.mark.parametrize("text", [b'{"kind":"hologram","v":1}', b'{"kind":"done","v":2,"seconds":"later"}'])
def test_what_a_newer_program_wrote_is_passed_over(text: bytes) -> None:
    """A kind or a version that is not known is no error."""
    assert events.read(text) is None


@pytest.mark.parametrize("text", [b"{", b"[]", b'{"kind":"done","v":1,"seconds":"soon"}'])
def test_a_damaged_line_is_said_to_be_one(text: bytes) -> None:
    """What is no event, or not as its kind is, is refused."""
    with pytest.raises(ValueError, match="not an event"):
        events.read(text)


def test_every_event_has_a_kind_of_its_own() -> None:
    """The kinds that are known are those of the union."""
    assert len(events.KINDS) == len(get_args(events.AnyEvent)) == 12


@pytest.mark.parametrize(
    ("name", "record"),
    [("spec.json", Spec), ("rank0.json", Ranked), ("rank1.json", Ranked), ("result.json", Result), ("env.json", Env)],
)
def test_the_files_of_the_example_read_and_write_back(name: str, record: type[msgspec.Struct]) -> None:
    """Each file is the record that the page on run folders says it is, with its version."""
    text = (EXAMPLE / name).read_bytes()
    read = msgspec.json.decode(text, type=record)
    assert msgspec.json.decode(msgspec.json.encode(read)) == msgspec.json.decode(text)
    assert msgspec.json.decode(text)["version"] == 1


def test_a_shape_counts_its_parameters_to_the_last() -> None:
    """Llama 3 of 70B and 8B, as published."""
    large = Shape(layers=80, hidden=8192, heads=64, kv_heads=8, head_dim=128, ffn=28672, vocab=128256, sequence=4096)
    small = msgspec.structs.replace(large, layers=32, hidden=4096, heads=32, ffn=14336)
    assert large.parameters == 70_553_706_496
    assert small.parameters == 8_030_261_248


def test_state_is_what_stays_between_steps() -> None:
    """Activations and buffers are held but no state."""
    held = Held(parameters=4, gradients=4, optimizer=8, activations=100, other=1)
    assert (held.state, held.total) == (16, 117)
