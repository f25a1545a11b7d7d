"""What a learner does with a drill: predict, watch, compare."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from quiz.drills.plan import LARGER, SMALL
from quiz.drills.records import Death, Measured, Shape
from quiz.tui.app import ShardwiseApp
from quiz.tui.drill.ports import Finished
from quiz.tui.drill.spelled import error, model
from quiz.tui.ports import Turn, Wanted
from quiz.tui.screens.drill_predict import DrillPredict
from quiz.tui.screens.drill_result import DrillResult
from quiz.tui.screens.reveal import Reveal
from tests.tui.driving import Driver
from tests.tui.fixtures import STRATEGY
from tests.tui.memory_desk import MemoryDesk
from tests.tui.memory_lab import MemoryLab, finished

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SIZES = ((80, 24), (120, 40), (40, 15), (36, 10))


@asynccontextmanager
async def revealed(lab: MemoryLab | None, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Driver]:
    """The reveal of a question, from which a drill is started."""
    desk = MemoryDesk((structs.replace(STRATEGY, drill={"tier": "ranks"}),))
    first = desk.begin(Wanted())
    assert isinstance(first, Turn)
    app = ShardwiseApp(desk, first, None if lab is None else lambda: lab)
    async with app.run_test(size=size, notifications=True) as pilot:
        at = Driver(app, pilot)
        await at.see("1/")
        await at.press("0")
        await at.see(lambda _: isinstance(app.screen, Reveal))
        yield at
    app.let_go()


async def test_a_question_without_a_place_to_run_drills_offers_none() -> None:
    async with revealed(None) as at:
        assert "prove it" not in at.text
        await at.press("d")
        assert isinstance(at.app.screen, Reveal)


async def test_predictions_are_frozen_before_the_run_and_the_result_lays_them_beside_the_measurement() -> None:
    lab = MemoryLab()
    async with revealed(lab) as at:
        await at.see("prove it")
        await at.press("d")
        await at.see("4,196,608 parameters")
        await at.see("prediction 1 of 3")
        await at.type("34 MB")
        await at.see("read as")
        await at.press("enter")
        await at.see("prediction 2 of 3")
        await at.type("1.5")
        await at.press("enter")
        await at.see("In which phase is most held")
        await at.press("2")
        await at.see("You scored 100 of 100", "state at rest, fsdp", "34 MB", "33.57 MB", "exact")
        (spec,) = lab.starts
        assert [one.raw for one in spec.predictions] == ["34 MB", "1.5", "backward"]
        assert spec.question == STRATEGY.id
        await at.press("q")
        await at.see("Not known", lambda _: isinstance(at.app.screen, Reveal))


async def test_what_cannot_be_read_is_said_and_costs_nothing() -> None:
    async with revealed(MemoryLab()) as at:
        await at.press("d")
        await at.see("prediction 1 of 3")
        await at.type("what?")
        await at.press("enter")
        await at.see("This is not a number.", "prediction 1 of 3")


async def test_every_prediction_can_be_left_out() -> None:
    lab = MemoryLab()
    async with revealed(lab) as at:
        await at.press("d")
        await at.see("prediction 1 of 3")
        await at.press("f2")
        await at.see("prediction 2 of 3")
        await at.press("f5")
        await at.see(lambda _: isinstance(at.app.screen, DrillResult))
        assert all(one.raw is None for one in lab.starts[0].predictions)


async def test_a_field_asks_for_a_unit_only_where_there_is_one() -> None:
    async with revealed(MemoryLab()) as at:
        await at.press("d")
        await at.see("number with unit, or a formula")
        await at.type("34 MB")
        await at.press("enter")
        await at.see("a number, or a formula")


async def test_each_prediction_that_is_asked_is_in_view_and_may_be_typed_ahead_however_small_the_terminal() -> None:
    lab = MemoryLab()
    async with revealed(lab, (40, 15)) as at:
        await at.press("d")
        await at.see("prediction 1 of 3")
        await at.burst("34 MB", "enter", "2")
        text = await at.see("prediction 2 of 3")
        assert lab_asks(at, 1) in " ".join(text.split())


def lab_asks(at: Driver, place: int) -> str:
    """The first words of what a prediction asks."""
    screen = at.app.screen
    assert isinstance(screen, DrillPredict)
    return " ".join(screen.asked[place].ask.split()[:3])


async def test_back_returns_to_the_prediction_before() -> None:
    async with revealed(MemoryLab()) as at:
        await at.press("d")
        await at.see("prediction 1 of 3")
        await at.type("34 MB")
        await at.press("enter")
        await at.see("prediction 2 of 3")
        await at.press("escape")
        await at.see("prediction 1 of 3")
        await at.press("escape")
        await at.see(lambda _: isinstance(at.app.screen, Reveal))


async def test_what_stands_in_the_way_of_a_drill_is_said_and_one_goes_back() -> None:
    lab = MemoryLab(cannot="torch is not installed.\nInstall it with: pip install 'shardwise[drill]'")
    async with revealed(lab) as at:
        await at.press("d")
        await at.see("torch is not installed.", "pip install 'shardwise[drill]'")
        await at.press("escape")
        await at.see(lambda _: isinstance(at.app.screen, Reveal))


async def test_while_it_runs_the_legs_the_bars_and_the_curves_are_shown_and_the_log_is_one_key_away() -> None:
    lab = MemoryLab(batch=4, holds_at=40)
    async with revealed(lab, (100, 34)) as at:
        await at.press("d")
        await at.see("prediction 1 of 3")
        await at.press("f5")
        await at.see("✓ ddp", lambda text: "waits" in text or "▸ fsdp" in text)
        await at.see("67.15 MB", "parameters", "gradients", "optimizer", "● ddp")
        await at.press("l")
        await at.see("Nothing was said yet.")
        await at.press("escape")  # one back, and not out of the run
        await at.see("✓ ddp")
        assert lab.runs[0].cancelled == 0
        await at.press("c")
        await at.see("The run was cancelled: you")
        await at.see("Partial: the run did not come to its end.", "ddp", "steps done")
        assert lab.runs[0].cancelled >= 1


async def test_leaving_the_program_ends_the_run() -> None:
    lab = MemoryLab(holds_at=20)
    async with revealed(lab) as at:
        await at.press("d")
        await at.see("prediction 1 of 3")
        await at.press("f5")
        await at.see("left")
        await at.press("ctrl+c")
    assert lab.runs[0].cancelled >= 1


async def test_who_died_of_a_cap_is_said_in_plain_words_and_in_torchs() -> None:
    done = finished()
    death = Death(step=0, held=874_644_484, asked=6_291_456, left=2_232_832)
    dead = Measured(leg="ddp", rank=0, died="optimizer", cause="DefaultCPUAllocator: can't allocate", death=death)
    spec = structs.replace(done.spec, tier="oom", cap=886_000_000)
    app = ShardwiseApp(MemoryDesk(), None)
    async with app.run_test(size=(120, 40)) as pilot:
        at = Driver(app, pilot)
        result = structs.replace(done.result, measured=(dead,))
        await app.push_screen(DrillResult(Finished(spec, result, done.events, done.env)))
        await at.see("ddp ran out of memory on rank 0, in optimizer of the first step")
        await at.see("asked for", "6.291 MB more, when 2.233 MB of its 886 MB were left")
        await at.see("torch: DefaultCPUAllocator: can't allocate")
    app.let_go()


async def test_before_a_run_the_precision_of_a_plan_is_told() -> None:
    done = finished()
    half = tuple(structs.replace(leg, param_dtype="bf16") for leg in done.spec.legs)
    lab = MemoryLab(Finished(structs.replace(done.spec, legs=half), done.result, done.events, done.env))
    async with revealed(lab, (120, 40)) as at:
        await at.press("d")
        await at.see("FSDP2 over 2 ranks; it computes in BF16 and reduces in FP32")
        assert "DDP over 2 ranks; it" not in at.text


@pytest.mark.parametrize("size", SIZES)
async def test_each_section_of_a_result_reads_at_every_size(size: tuple[int, int]) -> None:
    app = ShardwiseApp(MemoryDesk(), None)
    async with app.run_test(size=size) as pilot:
        at = Driver(app, pilot)
        await app.push_screen(DrillResult(finished()))
        await at.see("Measured")
        # The first words of each section that stand within the few lines of a small screen.
        for key, words in (("1", "Full"), ("2", "rest"), ("3", "ddp"), ("4", "7.630"), ("5", "run")):
            await at.press(key)
            await at.see(words)
            assert all(len(line) <= size[0] for line in at.text.splitlines())
    app.let_go()


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0"), (-0.000034, "0.0 %"), (0.000034, "0.0 %"), (-0.0016, "−0.16 %"), (0.012, "+1.2 %"), (-0.48, "−48 %")],
)
def test_an_error_has_two_figures_and_no_sign_where_it_rounds_to_nothing(value: float, said: str) -> None:
    assert error(value) == said


@pytest.mark.parametrize("shape", [SMALL, LARGER])
def test_a_model_of_our_own_is_called_in_words_and_not_by_its_key(shape: Shape) -> None:
    assert model(shape).endswith("decoder")
