"""What a drill says in words: the same sentences in the shell and on the screens."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from quiz.drills import folder, told
from quiz.drills.causes import asked_of, plain
from quiz.drills.expect_cap import BESIDE, deaths
from quiz.drills.legs import by_name, scaled_down
from quiz.drills.payload import why
from quiz.drills.records import Death, Expected, Measured, Result, Sent, Spec, Stepped

SPEC: Spec = folder.spec_of(Path(__file__).parent / "example-run")
CAPPED = replace(SPEC, tier="oom", cap=886_000_000, legs=(by_name("ddp", 2), by_name("fsdp", 2)))
TORCH = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 6291456 bytes. Error code 12"


def sent(leg: str, *some: tuple[str, str, int]) -> Measured:
    """What a rank handed over."""
    return Measured(leg=leg, rank=0, traffic=tuple(Sent(op=op, dtype=dtype, bytes=of) for op, dtype, of in some))


def test_a_plan_that_computes_in_another_precision_says_so_once() -> None:
    """Also where the question's author did not; a plan in FP32 says nothing of it."""
    half = scaled_down("zero3", {"layout.zero": "3", "recipe.gather": "2"}, "ZeRO-3", 2)
    assert dict(told.plans([half]))["zero3"] == "ZeRO-3; it computes in BF16 and reduces in FP32"
    bare = replace(half, says="ZeRO-3 over all")
    assert dict(told.plans([bare]))["zero3"] == "ZeRO-3 over all; it computes in BF16 and reduces in FP32"
    assert dict(told.plans([by_name("fsdp-bf16", 2)]))["fsdp-bf16"].count("BF16") == 1
    assert "16" not in dict(told.plans([by_name("fsdp", 2)]))["fsdp"]


def test_a_ratio_of_payloads_says_what_it_is_made_of_and_why_it_is_not_the_textbooks() -> None:
    """BF16 halves the gathers, and an all-reduce is counted once: 2 where a textbook has 1.5."""
    ddp = sent("ddp", ("all-reduce", "float32", 400))
    half = sent("fsdp-bf16", ("all-gather", "bfloat16", 400), ("reduce-scatter", "float32", 400))
    said = why(by_name("fsdp-bf16", 2), by_name("ddp", 2), [ddp, half])
    assert said.startswith(
        "fsdp-bf16 hands its collectives 400 B of all-gather in BF16 and 400 B of reduce-scatter in FP32; "
        "ddp hands them 400 B of all-reduce in FP32."
    )
    assert "by what moves, the ratio is 1. The textbook's 1.5 is of plans in one precision" in said


def test_a_ratio_that_is_the_textbooks_is_called_so() -> None:
    """Three times the payload of one all-reduce is one and a half times what that moves."""
    ddp = sent("ddp", ("all-reduce", "float32", 400))
    whole = sent("fsdp", ("all-gather", "float32", 800), ("reduce-scatter", "float32", 400))
    said = why(by_name("fsdp", 2), by_name("ddp", 2), [ddp, whole])
    assert said.endswith("by what moves, the ratio is 1.5. That is the textbook's, which counts so.")


def test_torchs_zero1_sends_more_than_the_papers() -> None:
    """It all-reduces gradients that one rank alone needs."""
    some = [
        sent("ddp", ("all-reduce", "float32", 400)),
        sent("zero1", ("all-reduce", "float32", 400), ("broadcast", "float32", 400)),
    ]
    assert "The textbook's 1 is of a ZeRO-1" in why(by_name("zero1", 2), by_name("ddp", 2), some)


def test_a_ratio_of_what_was_not_measured_has_no_reason() -> None:
    """Nor one that no textbook has."""
    ddp = sent("ddp", ("all-reduce", "float32", 400))
    assert why(by_name("fsdp", 2), by_name("ddp", 2), [ddp]) == ""
    other = sent("tp", ("all-reduce", "float32", 800))
    assert why(by_name("tp", 2), by_name("ddp", 2), [ddp, other]).endswith("the ratio is 2.")


def test_a_death_says_where_what_was_held_what_was_asked_and_what_was_left() -> None:
    """In plain words, with torch's own beneath."""
    death = Death(step=0, held=874_644_484, asked=6_291_456, left=2_232_832)
    dead = Measured(leg="ddp", rank=0, died="optimizer", cause=TORCH, death=death)
    (said,) = told.deaths(CAPPED, [dead, replace(dead, rank=1), Measured(leg="fsdp", rank=0)])
    assert said.sentence == (
        "ddp ran out of memory on rank 0, in optimizer of the first step: it held 874.6 MB of tensors and asked for "
        "6.291 MB more, when 2.233 MB of its 886 MB were left. Rank 1 did too."
    )
    assert said.beneath == TORCH


def test_who_died_is_not_who_lost_its_neighbour() -> None:
    """Though that one is the first to be heard of."""
    lost = Measured(leg="ddp", rank=0, died="backward", cause="gone", death=Death(step=1, echo=True))
    dead = Measured(leg="ddp", rank=1, died="backward", cause=TORCH, death=Death(step=1, asked=8_000_000))
    (said,) = told.deaths(CAPPED, [lost, dead])
    assert said.sentence == (
        "ddp ran out of memory on rank 1, in backward of the second step: it asked for 8 MB more. "
        "Rank 0 lost its neighbour."
    )


def test_a_death_of_which_only_the_phase_was_written_is_told_too() -> None:
    """As runs of an earlier version have it."""
    (said,) = told.deaths(CAPPED, [Measured(leg="ddp", rank=0, died="optimizer", cause=TORCH)])
    assert said == ("ddp died in optimizer on rank 0.", TORCH)


@pytest.mark.parametrize(
    ("cause", "words", "beneath"),
    [
        (TORCH, "it asked for 6.291 MB more memory, and there was none", TORCH),
        (
            "CUDA out of memory. Tried to allocate 2.00 GiB.",
            "it asked for 2.147 GB more memory",
            "CUDA out of memory. ",
        ),
        ("[pair.cc:553] Connection closed by peer [127.0.0.1]:1431", "another rank had gone", "[pair.cc:553]"),
        ("Timed out waiting 30000ms for recv", "it waited for another rank in vain", "Timed out"),
        ("the loss is not a number", "the loss is not a number", ""),
        # What the runner says is plain, though it has the library's words in it.
        ("rank 0 hangs: the others waited until the timeout of their group", "rank 0 hangs: the others waited", ""),
        ("it was ended by signal 9, SIGKILL (the system does so where memory has run out)", "it was ended by", ""),
        ("no step was done for 600 s, though its ranks were heard of", "no step was done for 600 s", ""),
    ],
)
def test_a_failure_is_said_in_plain_words_with_the_librarys_beneath(cause: str, words: str, beneath: str) -> None:
    """Which phase of which plan, on which rank, of what; what is plain already stands alone."""
    found = told.ended(Result(run="r", outcome="failed", cause=cause, phase="backward", leg="ddp", rank=1))
    assert found.sentence.startswith(f"the run failed on rank 1, in backward of ddp: {words}")
    assert found.beneath.startswith(beneath)
    assert bool(found.beneath) is bool(beneath)


def test_bytes_that_could_not_be_had_are_read_in_every_unit() -> None:
    """Torch says bytes on a CPU and binary units on a GPU."""
    assert asked_of("you tried to allocate 6291456 bytes") == 6_291_456
    assert asked_of("Tried to allocate 20.50 MiB") == 21_495_808
    assert asked_of("shapes cannot be multiplied") is None
    assert plain("shapes cannot be multiplied") == ""


def expects(leg: str, forward: float, backward: float, optimizer: float, state: float) -> list[Expected]:
    """What the solver says of a leg."""
    peaks = {"forward": forward, "backward": backward, "optimizer": optimizer}
    return [
        *(Expected(key=f"peak.{phase}@{leg}", value=of) for phase, of in peaks.items()),
        Expected(key=f"peak.total@{leg}", value=max(peaks.values())),
        Expected(key=f"rest.optimizer@{leg}", value=state),
    ]


@pytest.mark.parametrize(
    ("room", "dead", "phase"),
    [
        (1000.0, "none", "none"),  # nobody needs so much
        (850.0, "ddp", "optimizer"),  # where the state is made
        (750.0, "ddp", "optimizer"),  # backward would need more, but only in the second step
        (350.0, "ddp", "backward"),  # before there is any state
        (250.0, "ddp", "forward"),
    ],
)
def test_the_relations_say_who_dies_and_in_which_phase(room: float, dead: str, phase: str) -> None:
    """The first phase of the first two steps that does not fit; the first step has no optimizer state until its end."""
    solved = [*expects("ddp", 700, 800, 900, 400), *expects("fsdp", 100, 110, 120, 50)]
    found = deaths(CAPPED.legs, int(room) + BESIDE, solved, 2)
    assert {one.key: one.choice for one in found} == {"died": dead, "died.phase": phase}


def test_the_second_step_finds_the_state_that_the_first_has_made() -> None:
    """What fitted into the first step's forward pass then does not."""
    solved = [*expects("ddp", 950, 940, 900, 400), *expects("fsdp", 100, 110, 120, 50)]
    assert deaths(CAPPED.legs, 920 + BESIDE, solved, 2)[1].choice == "forward"
    assert deaths(CAPPED.legs, 920 + BESIDE, solved, 1)[1].choice == "none"


def test_nothing_is_said_of_a_plan_whose_peak_no_relation_knows() -> None:
    """Neither that it dies nor that it does not."""
    assert deaths(CAPPED.legs, 886, expects("ddp", 700, 800, 900, 400), 2) == ()
    assert told.relations(replace(CAPPED, expected=tuple(expects("ddp", 700, 800, 900, 400)))) == ""


def test_the_relations_are_told_with_what_each_plan_takes_of_the_cap() -> None:
    """So that it is seen why the one dies and the other does not."""
    solved = (*expects("ddp", 7e8, 8e8, 1.1e9, 4e8), *expects("fsdp", 5e8, 584e6, 4e8, 2e8))
    assert told.relations(replace(CAPPED, expected=solved)) == (
        "By the relations a rank's tensors take at their peak 1.1 GB under ddp, which does not fit, and 584 MB under "
        "fsdp, which fits: it may have 886 MB, of which torch needs about 40 MB for itself."
    )
    assert told.relations(SPEC) == ""


def test_how_far_each_plan_came_is_told_of_a_run_that_was_ended() -> None:
    """Steps, losses, the time of a step; a plan that did none says so."""
    steps = tuple(Stepped(step=at, loss=7.0 - at, seconds=0.2) for at in range(3))
    far = dict(told.so_far(replace(SPEC, steps=20), [Measured(leg="ddp", rank=0, steps=steps)]))
    assert far["ddp"] == "3 of 20 steps done, loss 7.000 to 5.000, 200 ms a step"
    assert far["fsdp"] == "no step done"
    dead = Measured(leg="ddp", rank=0, died="optimizer")
    assert dict(told.so_far(SPEC, [dead]))["ddp"] == "died in optimizer"
