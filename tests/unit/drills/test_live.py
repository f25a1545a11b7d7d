"""What the events of a run add up to while it goes on."""

from __future__ import annotations

from quiz.drills import events
from quiz.drills.live import Live, folded
from quiz.drills.records import Held
from tests.tui.memory_lab import events_of, spec_of


def test_the_events_of_a_finished_run_fold_to_its_end() -> None:
    live = folded(spec_of(), events_of())
    assert live.ending == "done"
    assert live.share == 1.0
    assert {leg.state for leg in live.legs.values()} == {"done"}
    assert live.legs["fsdp"].rest[0].state == 33_572_864
    assert live.left(live.t) is None


def test_folding_piece_by_piece_gives_the_same_as_all_at_once() -> None:
    some = events_of()
    live = Live(spec_of())
    for event in some:
        live.take([event])
    assert live == folded(spec_of(), some)


def test_time_left_is_told_only_once_something_is_known() -> None:
    live = Live(spec_of())
    assert live.left(0.0) is None
    live.take([events.LegEvent(t=1.0, leg="ddp", rank=0, state="begin")])
    assert live.left(1.5) is None
    live.take([events.LegEvent(t=5.0, leg="ddp", rank=0, state="done")])
    live.take([events.LegEvent(t=5.0, leg="fsdp", rank=0, state="begin")])
    assert live.left(6.0) == 3.0


def test_the_earliest_error_that_is_no_echo_is_the_cause() -> None:
    live = Live(spec_of())
    live.take(
        [
            events.Failed(t=1.0, leg="ddp", rank=1, cause="connection closed by peer", echo=True),
            events.Failed(t=1.1, leg="ddp", rank=0, cause="out of memory"),
            events.Failed(t=1.2, leg="ddp", rank=1, cause="another"),
        ]
    )
    assert (live.ending, live.cause) == ("failed", "out of memory")
    assert live.log == ["ddp rank 1: connection closed by peer", "ddp rank 0: out of memory", "ddp rank 1: another"]


def test_a_leg_that_died_says_in_which_phase_and_counts_as_over() -> None:
    live = Live(spec_of())
    live.take(
        [
            events.LegEvent(t=1.0, leg="ddp", rank=0, state="begin"),
            events.Memory(t=1.1, leg="ddp", rank=0, held=Held(parameters=5)),
            events.LegEvent(t=2.0, leg="ddp", rank=0, state="died", phase="optimizer", cause="cannot allocate"),
            events.LegEvent(t=2.1, leg="ddp", rank=1, state="done"),
        ]
    )
    assert (live.legs["ddp"].state, live.legs["ddp"].died_in) == ("died", "optimizer")
    assert live.share == 0.5


def test_how_long_a_leg_took_that_died_says_nothing_of_the_others() -> None:
    """Nor does a time that is over already: nothing is said rather than that nothing is left."""
    spec = spec_of()
    first, second = (leg.name for leg in spec.legs[:2])
    live = Live(spec)
    live.take([events.LegEvent(t=0.0, leg=first, rank=0, state="begin")])
    live.take([events.LegEvent(t=4.0, leg=first, rank=0, state="died", phase="optimizer")])
    live.take([events.LegEvent(t=4.0, leg=second, rank=0, state="begin")])
    assert live.left(5.0) is None
    done = Live(spec)
    done.take([events.LegEvent(t=0.0, leg=first, rank=0, state="begin")])
    done.take([events.LegEvent(t=4.0, leg=first, rank=0, state="done")])
    done.take([events.LegEvent(t=4.0, leg=second, rank=0, state="begin")])
    assert done.left(5.0) == 3.0
    assert done.left(9.0) is None
