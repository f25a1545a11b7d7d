"""After a run: what was predicted, solved and measured stands side by side, and says what it teaches."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from quiz.drills import folder
from quiz.drills.compare import lesson, rows
from quiz.drills.finish import finish, measured_in, seen
from quiz.drills.history import event_of
from quiz.drills.launch import Ended
from quiz.drills.records import Expected, Held, High, Measured, Sent, Spec, Stepped
from quiz.drills.sizes import shown, size
from quiz.drills.things import FAKE, Key, found, parity
from quiz.scheduling.calendar import utc
from tests.unit.session.made import START, identity

EXAMPLE = Path(__file__).parent / "example-run"


@pytest.fixture
def where(tmp_path: Path) -> Path:
    """The example run, as its folder was before anybody looked at its end."""
    copy = tmp_path / "20261130T061500-zero3-traffic-1f3c"
    shutil.copytree(EXAMPLE, copy)
    (copy / folder.RESULT).unlink()
    return copy


def died(leg: str, phase: str | None) -> Measured:
    """What is left of a leg under a cap."""
    return Measured(leg=leg, rank=0, died=phase, cause="can't allocate memory" if phase else None)


def test_a_run_is_finished_once_and_read_afterwards(where: Path) -> None:
    """The result is written, and is what is shown from then on."""
    result = finish(where, Ended(0, ""))
    assert result.outcome == "done"
    assert folder.result_of(where) == result == seen(where)


def test_prediction_solver_and_measurement_stand_in_one_row(where: Path) -> None:
    """With the errors of both against what was measured."""
    (row,) = [row for row in finish(where, None).rows if row.key == "rest.state@fsdp"]
    assert (row.predicted, row.solved, row.measured) == (34e6, 33_572_864, 33_572_864)
    assert row.predicted_error == pytest.approx(0.0127, abs=1e-4)
    assert (row.solved_error, row.exact, row.holds) == (0, True, True)


def test_a_leg_that_was_cut_off_has_no_payload_yet() -> None:
    """Its steps say nothing of what it sent; one that is through and sent nothing sent 0 B."""
    steps = (Stepped(step=0, loss=7.0, seconds=1.0),)
    cut = Measured(leg="fsdp", rank=0, steps=steps)
    assert found("traffic.payload@fsdp", [cut]).value is None
    assert found("traffic.payload@fsdp", [replace(cut, rest=Held(parameters=1))]).value == 0


def test_an_exact_figure_that_is_missed_by_a_byte_does_not_hold(where: Path) -> None:
    """Exact is to the byte."""
    spec = folder.spec_of(where)
    measured = [
        replace(one, rest=replace(one.rest, optimizer=one.rest.optimizer + 1)) if one.rest else one
        for one in measured_in(where, [])
    ]
    assert [row.holds for row in rows(spec, measured) if row.exact] == [False, False]


def test_a_ratio_is_of_two_measurements(where: Path) -> None:
    """FSDP gathers twice and scatters once where DDP reduces once: three times the payload."""
    measured = measured_in(where, list(folder.replay(where)))
    assert found("traffic.payload@fsdp/ddp", measured).value == 3
    assert found("traffic.payload@fsdp/nobody", measured).value is None


def test_the_score_and_the_event_say_what_was_predicted(where: Path) -> None:
    """1.5 for 3 is worth nothing, 34 MB for 33.6 everything, what was skipped does not count."""
    spec, result = folder.spec_of(where), finish(where, Ended(0, ""))
    assert result.score == 0.5
    event = event_of(identity(START), utc(START), 60, spec, result)
    assert event is not None
    assert [(one.key, one.value) for one in event.predictions] == [
        ("rest.state@fsdp", 34e6),
        ("traffic.payload@fsdp/ddp", 1.5),
        ("peak.phase@fsdp", None),
    ]
    assert event.score == 0.5


def test_nothing_is_remembered_of_a_run_that_failed_or_was_not_predicted(where: Path) -> None:
    """The history holds what was said and shown."""
    spec, result = folder.spec_of(where), finish(where, Ended(0, ""))
    assert event_of("", START, 0, spec, replace(result, outcome="failed")) is None
    unsaid = tuple(replace(one, raw=None) for one in spec.predictions)
    assert event_of("", START, 0, replace(spec, predictions=unsaid), result) is None


def test_a_run_that_failed_has_no_score(where: Path) -> None:
    """What it had measured is kept."""
    with (where / folder.EVENTS).open("ab") as file:
        file.write(b'{"kind":"failed","v":1,"t":99.0,"rank":1,"cause":"it broke"}\n')
    result = finish(where, Ended(1, ""))
    assert (result.outcome, result.cause, result.rank, result.score) == ("failed", "it broke", 1, None)
    assert result.measured


def test_the_most_of_any_rank_is_what_counts() -> None:
    """A plan fits where its fullest rank does."""
    ranks = [Measured(leg="pp", rank=rank, rest=Held(parameters=size)) for rank, size in enumerate((10, 30, 20))]
    assert found("rest.state@pp", ranks).value == 30


def test_what_is_received_was_sent_by_another() -> None:
    """A pipeline's payload counts once."""
    sent = (Sent(op="send", dtype="fp32", bytes=100), Sent(op="receive", dtype="fp32", bytes=70))
    assert found("traffic.payload@pp", [Measured(leg="pp", rank=0, traffic=sent)]).value == 100


def test_tracked_steps_say_nothing_of_time() -> None:
    """Nor does the first."""
    steps = [(0, 9.0, False), (1, 5.0, True), (2, 0.2, False), (3, 0.4, False)]
    measured = Measured(
        leg="ddp", rank=0, steps=tuple(Stepped(step=step, seconds=of, tracked=tracked) for step, of, tracked in steps)
    )
    assert found("step.seconds@ddp", [measured]).value == pytest.approx(0.3)


def test_losses_are_compared_step_by_step_with_one_process() -> None:
    """The largest difference, of all steps or of the first ones."""
    alone = Measured(leg="single", rank=0, steps=tuple(Stepped(step=n, seconds=0, loss=1.0) for n in range(3)))
    ranks = [Measured(leg="ddp", rank=0, steps=tuple(Stepped(step=n, seconds=0, loss=1.0 + n / 100) for n in range(3)))]
    assert parity(ranks, [alone]) == pytest.approx(0.02)
    assert parity(ranks, [alone], steps=2) == pytest.approx(0.01)
    assert parity(ranks, []) is None


def test_a_twin_on_fake_tensors_fills_its_column(where: Path) -> None:
    """The same leg on fake tensors stands beside what was measured."""
    spec = folder.spec_of(where)
    twin = Measured(leg=f"fsdp{FAKE}", rank=0, rest=Held(parameters=33_572_864))
    (row,) = [row for row in rows(spec, [*measured_in(where, []), twin]) if row.key == "rest.state@fsdp"]
    assert row.fake == row.measured == 33_572_864


def test_a_peak_names_what_it_is_made_of() -> None:
    """Overheads of a thousandth and more, largest phase only; logits are told apart from other activations."""
    high = High(
        phase="backward",
        held=Held(parameters=4000, activations=3000, other=2500),
        named={"bucket": 2496, "step counters": 4, "logits": 1000},
        resident=12_000,
    )
    spec = Spec(run="r", tier="ranks", world=2, steps=1, shape=_spec().shape, legs=_spec().legs)
    told = {row.key: row.names for row in rows(spec, [Measured(leg="ddp", rank=0, peaks=(high,))])}
    assert told["resident@ddp"] == {"allocator and temporaries": 2500}
    (row,) = [
        row
        for row in rows(replace(spec, expected=_spec().expected), [Measured(leg="ddp", rank=0, peaks=(high,))])
        if row.key == "rest.state@ddp"
    ]
    assert row.names == {}


def _spec() -> Spec:
    return folder.spec_of(EXAMPLE)


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((("ddp", "optimizer"), ("fsdp", None)), "ddp died in optimizer and fsdp finished"),
        ((("ddp", None), ("fsdp", None)), "both finished"),
        ((("ddp", "build"), ("fsdp", "backward")), "neither finished"),
    ],
)
def test_a_cap_teaches_who_died_and_where(ends: tuple[tuple[str, str | None], ...], said: str) -> None:
    """Whatever happened is said as it was."""
    spec = replace(_spec(), tier="oom", cap=1_150_000_000)
    assert said in lesson(spec, [died(leg, phase) for leg, phase in ends])


def test_the_lesson_of_a_pair_is_made_of_its_figures(where: Path) -> None:
    """How much less is held, and at which price."""
    assert finish(where, None).lesson == (
        "On 2 ranks fsdp holds 33.57 MB of state where ddp holds 67.15 MB, 2 times less, and fsdp hands its "
        "collectives 3 times as much as ddp."
    )


def test_the_lesson_of_a_true_size_is_what_a_card_needs_beyond_the_state() -> None:
    """The peak less the rest."""
    high = High(phase="backward", held=Held(parameters=70_554_000_000, activations=15_219_000_000))
    measured = [Measured(leg="fsdp", rank=0, rest=Held(parameters=70_554_000_000), peaks=(high,))]
    spec = replace(_spec(), tier="fake", legs=_spec().legs[1:])
    assert lesson(spec, measured) == (
        "Under fsdp a rank holds 70.55 GB between two steps and 85.77 GB at the peak, in backward: "
        "a card must have room for 15.22 GB beyond the state."
    )


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(141.107e9, "B", "141.1 GB"), (999, "B", "999 B"), (1.5, "", "1.5"), (0.2, "s", "200 ms"), (2.28, "s", "2.28 s")],
)
def test_numbers_are_spelled_for_people(value: float, unit: str, text: str) -> None:
    """Four digits and the unit that fits."""
    assert shown(value, unit) == text


def test_bytes_without_a_thousand_keep_their_unit() -> None:
    """Nothing is rounded away."""
    assert size(0) == "0 B"


def test_a_key_says_what_it_is() -> None:
    """In words, with its leg and what it is over."""
    assert Key.of("traffic.payload@fsdp/ddp").label == "payload of a step, fsdp over ddp"
    assert Key.of("died").label == "which one dies"


def test_a_time_in_bf16_on_a_cpu_says_nothing_of_a_gpu() -> None:
    """It is slow there, and nobody is to take that for the price of a plan."""
    steps = tuple(Stepped(step=step, seconds=2.0) for step in range(3))
    half = tuple(replace(leg, param_dtype="bf16") for leg in _spec().legs)
    measured = [Measured(leg=leg.name, rank=0, steps=steps) for leg in half]
    notes = {row.key: row.note for row in rows(replace(_spec(), legs=half), measured)}
    assert "most CPUs multiply slowly" in notes["step.seconds@fsdp"]
    assert notes["step.seconds@ddp"] == ""


def test_of_a_run_that_was_ended_nobody_says_that_nobody_died() -> None:
    """The second plan had not had its turn."""
    spec = replace(_spec(), tier="oom", cap=1, expected=(Expected(key="died", choice="ddp"),))
    alive = [Measured(leg="ddp", rank=0)]
    (row,) = [row for row in rows(spec, alive, whole=False) if row.key == "died"]
    assert (row.solved_choice, row.measured_choice, row.holds) == ("ddp", None, None)
    (row,) = [row for row in rows(spec, alive) if row.key == "died"]
    assert (row.measured_choice, row.holds) == ("none", False)
