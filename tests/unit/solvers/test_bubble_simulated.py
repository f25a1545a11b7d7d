"""A second path for the bubble: an event simulation of the schedules, slot by slot."""

from __future__ import annotations

from fractions import Fraction

import pytest

from solvers import LawError, ScenarioError, Solver, scenario_of


def gpipe_idle(stages: int, micro_batches: int) -> tuple[Fraction, Fraction]:
    """Idle over ideal and of total of a stage: all forwards, then all backwards, backward twice as long."""
    forward, backward = 1, 2
    ends = [0] * stages
    arrived = [[0] * micro_batches for _ in range(stages + 1)]
    for batch in range(micro_batches):
        for stage in range(stages):
            ends[stage] = max(ends[stage], arrived[stage][batch]) + forward
            arrived[stage + 1][batch] = ends[stage]
    ready = [[0] * micro_batches for _ in range(stages + 1)]
    ready[stages] = arrived[stages]
    for batch in range(micro_batches):
        for stage in reversed(range(stages)):
            ends[stage] = max(ends[stage], ready[stage + 1][batch]) + backward
            ready[stage][batch] = ends[stage]
    span, work = max(ends), micro_batches * (forward + backward)
    return Fraction(span - work, work), Fraction(span - work, span)


def one_f_one_b_idle(stages: int, micro_batches: int) -> tuple[Fraction, Fraction]:
    """The same for 1F1B: each stage warms up with as many forwards as stages follow, then alternates."""
    forward, backward = 1, 2
    orders = []
    for stage in range(stages):
        warm = min(stages - stage, micro_batches)
        order = [("F", batch) for batch in range(warm)]
        done = warm
        for batch in range(micro_batches):
            order.append(("B", batch))
            if done < micro_batches:
                order.append(("F", done))
                done += 1
        orders.append(order)
    finished: dict[tuple[str, int, int], int] = {}
    clock, position = [0] * stages, [0] * stages
    while any(position[stage] < len(orders[stage]) for stage in range(stages)):
        moved = False
        for stage in range(stages):
            if position[stage] == len(orders[stage]):
                continue
            kind, batch = orders[stage][position[stage]]
            before = ("F", stage - 1, batch) if kind == "F" else ("B", stage + 1, batch)
            first = (kind == "F" and stage == 0) or (kind == "B" and stage == stages - 1)
            if not first and before not in finished:
                continue
            start = max(clock[stage], 0 if first else finished[before])
            clock[stage] = start + (forward if kind == "F" else backward)
            finished[kind, stage, batch] = clock[stage]
            position[stage] += 1
            moved = True
        assert moved, "the schedule is stuck"
    span, work = max(clock), micro_batches * (forward + backward)
    return Fraction(span - work, work), Fraction(span - work, span)


@pytest.mark.parametrize(("stages", "micro_batches"), [(1, 4), (2, 2), (4, 8), (8, 8), (8, 32), (5, 7)])
@pytest.mark.parametrize("idle", [gpipe_idle, one_f_one_b_idle])
def test_both_conventions_are_what_a_simulated_schedule_idles(idle: object, stages: int, micro_batches: int) -> None:
    solver = Solver(scenario_of({"layout.pp": stages, "batch.accumulation": micro_batches}))
    over_ideal, of_total = idle(stages, micro_batches)  # type: ignore[operator]
    assert solver.quantity("pipeline.bubble_over_ideal").value == over_ideal
    assert solver.quantity("pipeline.bubble_of_total").value == of_total


def test_interleaving_divides_the_fill_by_the_chunks() -> None:
    plain = Solver(scenario_of({"layout.pp": 4, "batch.accumulation": 8})).quantity("pipeline.bubble_over_ideal")
    chunked = Solver(scenario_of({"layout.pp": 4, "batch.accumulation": 8, "layout.interleave": 2}))
    assert chunked.quantity("pipeline.bubble_over_ideal").value == plain.value / 2
    assert chunked.quantity("pipeline.bubble_of_total").value == Fraction(3, 19)


def test_the_bubble_asks_for_the_micro_batches_and_never_assumes_one() -> None:
    with pytest.raises(Exception, match=r"batch\.accumulation"):
        Solver(scenario_of({"layout.pp": 8})).value("pipeline.bubble_of_total")


def test_an_interleaved_schedule_needs_a_multiple_of_the_stages() -> None:
    with pytest.raises((LawError, ScenarioError), match="multiple of 4"):
        scenario_of({"layout.pp": 4, "batch.accumulation": 6, "layout.interleave": 2})
