"""A second path for the schedules: every stage works through its own list, and waits for what it needs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from solvers import LawError, ScenarioError, Solver, scenario_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from solvers.inputs import Raw

Task = tuple[str, int, int]
"""Forward (F), gradient of the input (B) or of the weights (W); from which end; which micro-batch."""


@dataclass(frozen=True)
class Work:
    """What a stage does at once, and for how long."""

    tasks: tuple[Task, ...]
    time: int


def run(lists: list[list[Work]], needs: Callable[[int, Task], tuple[int, Task] | None]) -> list[tuple[int, int, int]]:
    """When each stage begins and ends, and how long it works in between."""
    done: dict[tuple[int, Task], int] = {}
    begun: list[int | None] = [None] * len(lists)
    clock, busy, position = [0] * len(lists), [0] * len(lists), [0] * len(lists)
    while any(position[stage] < len(lists[stage]) for stage in range(len(lists))):
        moved = False
        for stage, works in enumerate(lists):
            if position[stage] == len(works):
                continue
            work = works[position[stage]]
            before = [need for task in work.tasks if (need := needs(stage, task)) is not None]
            if any(need not in done for need in before):
                continue
            start = max([clock[stage], *(done[need] for need in before)])
            begun[stage] = start if begun[stage] is None else begun[stage]
            clock[stage] = start + work.time
            busy[stage] += work.time
            done.update({(stage, task): clock[stage] for task in work.tasks})
            position[stage] += 1
            moved = True
        assert moved, "the schedule is stuck"
    return [(start or 0, end, work) for start, end, work in zip(begun, clock, busy, strict=True)]


def zero_bubble_idle(stages: int, micro_batches: int, times: tuple[int, int, int], *, more_memory: bool) -> int:
    """Idle time of the stage that idles longest between its first and last work, under ZB-H1 or ZB-H2.

    A stage warms up with as many forwards as memory allows, then alternates; its weight gradients lag behind by as
    many micro-batches as it lies from the first stage (twice that in ZB-H2), so that all stages hold as much.
    """
    forward, backward, weight = times
    lists = []
    for stage in range(stages):
        warm = min(micro_batches, 2 * (stages - stage) - 1 if more_memory else stages - stage)
        lag = 2 * stage if more_memory else stage
        works = [Work((("F", 0, batch),), forward) for batch in range(warm)]
        weights = 0
        for batch in range(micro_batches):
            works.append(Work((("B", 0, batch),), backward))
            if batch + 1 > lag:
                works.append(Work((("W", 0, weights),), weight))
                weights += 1
            if warm + batch < micro_batches:
                works.append(Work((("F", 0, warm + batch),), forward))
        works += [Work((("W", 0, batch),), weight) for batch in range(weights, micro_batches)]
        lists.append(works)

    def needs(stage: int, task: Task) -> tuple[int, Task] | None:
        kind, _, batch = task
        if kind == "F":
            return (stage - 1, task) if stage else None
        if kind == "B":
            return (stage + 1, task) if stage < stages - 1 else (stage, ("F", 0, batch))
        return stage, ("B", 0, batch)

    return max(end - start - busy for start, end, busy in run(lists, needs))


class DualPipeRank:
    """The list of one rank of DualPipe: two stages, one for each end, in the order that its authors publish."""

    def __init__(self, rank: int, ranks: int, times: tuple[int, int, int, int]) -> None:
        self.forward, self.backward, self.weight, self.pair = times
        self.near = min(rank, ranks - 1 - rank)
        self.mirrored = rank >= ranks // 2
        self.middle = self.near == ranks // 2 - 1
        self.works: list[Work] = []
        self._count: Counter[tuple[str, int]] = Counter()
        self._weights: list[Task] = []

    def _next(self, kind: str, end: int) -> Task:
        side = end ^ int(self.mirrored)
        self._count[kind, side] += 1
        return kind, side, self._count[kind, side] - 1

    def f(self, end: int) -> None:
        self.works.append(Work((self._next("F", end),), self.forward))

    def b(self, end: int, *, split: bool = False) -> None:
        task = self._next("B", end)
        if split:
            self._weights.append(("W", *task[1:]))
        self.works.append(Work((task,), self.backward + (0 if split else self.weight)))

    def fb(self, forward: int, backward: int) -> None:
        self.works.append(Work((self._next("F", forward), self._next("B", backward)), self.pair))

    def w(self) -> None:
        self.works.append(Work((self._weights.pop(0),), self.weight))

    def fill(self, ranks: int, micro_batches: int) -> list[Work]:
        outer = ranks // 2 - self.near - 1
        for _ in range(2 * outer):
            self.f(0)
        for _ in range(self.near + 1):
            self.f(0)
            self.f(1)
        for _ in range(outer):
            self.b(1, split=True)
            self.w()
            self.f(1)
        for turn in range(micro_batches // 2 - ranks + self.near + 1):
            if turn == 0 and self.middle:
                self.f(0)
                self.b(1)
            else:
                self.fb(0, 1)
            self.fb(1, 0)
        for _ in range(outer):
            self.b(1)
            self.fb(1, 0)
        self._drain(outer)
        assert not self._weights
        return self.works

    def _drain(self, outer: int) -> None:
        """The first half of the last backward passes is whole, the second is split, half-way within a pair."""
        half, split = (self.near + 1) // 2, False
        for turn in range(self.near + 1):
            split = split or (turn == half and self.near % 2 == 1)
            self.b(1, split=split)
            split = split or (turn == half and self.near % 2 == 0)
            self.b(0, split=split)
        for _ in range(outer):
            self.w()
            self.b(0, split=True)
        for _ in range(self.near + 1):
            self.w()


def dualpipe_idle(ranks: int, micro_batches: int, times: tuple[int, int, int, int]) -> int:
    lists = [DualPipeRank(rank, ranks, times).fill(ranks, micro_batches) for rank in range(ranks)]

    def needs(rank: int, task: Task) -> tuple[int, Task] | None:
        kind, side, batch = task
        step = -1 if side else 1
        if kind == "F":
            return (rank - step, task) if 0 <= rank - step < ranks else None
        if kind == "B":
            return (rank + step, task) if 0 <= rank + step < ranks else (rank, ("F", side, batch))
        return rank, ("B", side, batch)

    ends = run(lists, needs)
    idle = {max(end for _, end, _ in ends) - busy for _, _, busy in ends}
    assert len(idle) == 1 or times[3] != sum(times[:3])
    return max(idle)


def plan(schedule: str, stages: int, micro_batches: int, times: tuple[int, ...]) -> dict[str, Raw]:
    names = ("forward_time", "input_backward_time", "weight_backward_time", "pair_time")
    return {"pipeline.schedule": schedule, "layout.pp": stages, "batch.accumulation": micro_batches,
            **{f"pipeline.{name}": f"{time} s" for name, time in zip(names, times, strict=False)}}


def quantity(name: str, inputs: dict[str, Raw]) -> Fraction:
    return Solver(scenario_of(inputs)).quantity(f"pipeline.{name}").value


TIMES = [(1, 1, 1), (2, 2, 1), (4, 4, 3), (4, 5, 3), (5, 4, 3), (10, 10, 9)]


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize(("stages", "micro_batches"), [(2, 4), (4, 8), (4, 16), (8, 24)])
@pytest.mark.parametrize("schedule", ["zb-h1", "zb-h2"])
def test_the_zero_bubble_formulas_are_what_a_simulated_schedule_idles(
    schedule: str, stages: int, micro_batches: int, times: tuple[int, int, int],
) -> None:
    idle = zero_bubble_idle(stages, micro_batches, times, more_memory=schedule == "zb-h2")
    assert quantity("bubble_time", plan(schedule, stages, micro_batches, times)) == idle


@pytest.mark.parametrize("times", [(1, 1, 1, 3), (2, 2, 1, 5), (3, 3, 2, 8), (2, 2, 1, 4), (5, 5, 5, 14)])
@pytest.mark.parametrize(("ranks", "micro_batches"), [(4, 8), (4, 12), (8, 16), (8, 20)])
def test_the_dualpipe_formula_is_what_a_simulated_schedule_idles(
    ranks: int, micro_batches: int, times: tuple[int, int, int, int],
) -> None:
    """With F = B, with and without a gain from the overlapped pair."""
    assert quantity("bubble_time", plan("dualpipe", ranks, micro_batches, times)) == dualpipe_idle(
        ranks, micro_batches, times)


def test_zero_bubble_formulas_end_where_the_simulation_leaves_them() -> None:
    """A weight gradient longer than the rest, or too few micro-batches, is refused, because the formula is wrong."""
    assert zero_bubble_idle(4, 16, (1, 1, 2), more_memory=False) != 3 * (1 + 1 - 2)
    assert zero_bubble_idle(4, 5, (1, 1, 1), more_memory=True) != 0
    with pytest.raises((LawError, ScenarioError), match="W of at most F and B"):
        quantity("bubble_time", plan("zb-h1", 4, 16, (1, 1, 2)))
    with pytest.raises((LawError, ScenarioError), match="at least twice as many micro-batches"):
        quantity("schedule_over_ideal", plan("zb-h2", 4, 5, (1, 1, 1)))


def test_the_old_conventions_are_the_schedules_of_equal_times() -> None:
    for schedule, chunks in (("gpipe", 1), ("1f1b", 1), ("interleaved-1f1b", 2)):
        inputs = plan(schedule, 4, 8, (1, 1, 1)) | {"layout.interleave": chunks}
        for old, new in (("bubble_over_ideal", "schedule_over_ideal"), ("bubble_of_total", "schedule_of_total")):
            assert quantity(old, inputs) == quantity(new, inputs)


def test_zb_v_has_no_bubble_at_equal_times_and_no_formula_elsewhere() -> None:
    assert quantity("bubble_time", plan("zb-v", 4, 8, (1, 1, 1))) == 0
    with pytest.raises((LawError, ScenarioError), match="only where F, B and W take equal time"):
        quantity("bubble_time", plan("zb-v", 4, 8, (1, 2, 1)))


def test_deepseeks_letters_give_the_same_bubble() -> None:
    """Its B is the whole backward pass: ZB1P is (p-1) (F + B - 2 W) there."""
    forward, whole, weight = 3, 7, 3
    inputs = plan("zb-h1", 8, 16, (forward, whole - weight, weight))
    assert quantity("bubble_time", inputs) == 7 * (forward + whole - 2 * weight)


def one_f_one_b_span(work: list[int], micro_batches: int) -> int:
    """Time of a 1F1B step whose stages take `work` forward and twice that backward."""
    stages = len(work)
    lists = []
    for stage, time in enumerate(work):
        warm = min(stages - stage, micro_batches)
        works = [Work((("F", 0, batch),), time) for batch in range(warm)]
        for batch in range(micro_batches):
            works.append(Work((("B", 0, batch),), 2 * time))
            if warm + batch < micro_batches:
                works.append(Work((("F", 0, warm + batch),), time))
        lists.append(works)

    def needs(stage: int, task: Task) -> tuple[int, Task] | None:
        if task[0] == "F":
            return (stage - 1, task) if stage else None
        return (stage + 1, task) if stage < stages - 1 else (stage, ("F", 0, task[2]))

    return max(end for _, end, _ in run(lists, needs))


@pytest.mark.parametrize(("first", "interior", "last", "head"),
                         [(10, 10, 10, 2), (10, 10, 10, 5), (8, 11, 7, 4), (9, 10, 7, 4)])
def test_a_full_pipeline_goes_at_the_pace_of_its_slowest_stage(first: int, interior: int, last: int, head: int) -> None:
    """Each further micro-batch costs the slowest stage's time: the slow-down over equal stages."""
    layers = first + 2 * interior + last
    work = [first, interior, interior, last + head]
    more = one_f_one_b_span(work, 40) - one_f_one_b_span(work, 30)
    equal_stages = Fraction(3 * 10 * (layers + head), 4)
    inputs: dict[str, Raw] = {
        "model.layers": layers, "pipeline.stages": 4, "pipeline.first_layers": first, "pipeline.last_layers": last,
        "pipeline.head_layers": head,
    }
    assert quantity("imbalance", inputs) == more / equal_stages
