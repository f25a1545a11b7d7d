"""From a question, or from none, to what is run; what cannot be run is refused with its reason."""

from __future__ import annotations

from itertools import pairwise

import pytest

from quiz.bank.rendered import Option, Rendered
from quiz.drills.legs import PLANS, LegError, by_name, scaled_down, true_size
from quiz.drills.machine import Machine
from quiz.drills.plan import CannotRun, Options, is_our_form, need, plan
from quiz.drills.unfit import undivided

HERE = Machine(memory=20_000_000_000, cores=4, torch="2.13.0+cpu", gpus=0)
QUESTION = Rendered(
    bank="core",
    id="mb-70b",
    kind="strategy",
    topic="memory-budget",
    difficulty=2,
    revision="r",
    stem="",
    conventions=(),
    answer_line="",
    options=(Option(id="fsdp", text="Shard\neverything", correct=True, verdict="", reasoning=""),),
    drill={
        "tier": "fake",
        "plans": "fsdp",
        "predict": "memory.state_per_gpu",
        "set": "model=llama-3-70b",
        "plan fsdp": (
            "model=llama-3-70b, layout.dp=16, layout.zero=3, batch.micro=1, batch.sequence=4096, recipe.gather=2"
        ),
    },
)


def test_a_question_is_run_at_its_own_size() -> None:
    """The degrees, the model and the batch are the question's; the option's words say what a leg is."""
    spec = plan(QUESTION, Options(), HERE, "Which plan?")
    (leg,) = spec.legs
    assert (spec.tier, spec.world, spec.batch, spec.title) == ("fake", 16, 1, "Which plan?")
    assert spec.shape.parameters == 70_553_706_496
    assert (leg.name, leg.says, leg.strategy, leg.shard) == ("fsdp", "Shard everything", "fsdp", 16)
    assert (leg.param_dtype, leg.checkpoint) == ("bf16", "full")


def test_what_is_asked_for_goes_before_the_question() -> None:
    """Tier, ranks, steps, plans and seed of the command line hold."""
    spec = plan(QUESTION, Options(tier="ranks", ranks=2, steps=7, plans=("zero1",), seed=3), HERE)
    assert (spec.tier, spec.world, spec.steps, spec.seed) == ("ranks", 2, 7, 3)
    assert [leg.strategy for leg in spec.legs] == ["single", "zero1"]


@pytest.mark.parametrize(("cores", "ranks"), [(2, 2), (4, 4), (64, 4)])
def test_ranks_are_as_many_as_the_cores_suggest(cores: int, ranks: int) -> None:
    """Four where there are four cores, else two."""
    assert plan(None, Options(), HERE._replace(cores=cores)).world == ranks


def test_a_plan_of_two_dimensions_gets_four_ranks_on_any_machine() -> None:
    """HSDP and FSDP with tensor parallelism need two by two."""
    assert plan(None, Options(plans=("hsdp",)), HERE._replace(cores=1)).world == 4


@pytest.mark.parametrize("names", [("ddp", "tp"), ("fsdp", "1f1b"), ("ddp-last", "fsdp"), ("hsdp", "fsdp-tp", "tp-sp")])
def test_all_legs_see_the_same_tokens(names: tuple[str, ...]) -> None:
    """Otherwise their losses could not be compared with one process."""
    spec = plan(None, Options(plans=names, ranks=4), HERE)
    seen = {leg.replicate * leg.shard * leg.accumulation * leg.microbatches for leg in spec.legs}
    assert len(seen) == 1


def test_a_model_has_as_many_layers_as_its_stages_need() -> None:
    """Interleaved stages of four ranks are eight."""
    assert plan(None, Options(plans=("interleaved",), ranks=4), HERE).shape.layers == 8


@pytest.mark.parametrize("ranks", [2, 3, 5, 6, 7, 8])
def test_the_small_model_divides_among_any_number_of_ranks(ranks: int) -> None:
    """Heads, widths, tokens, the sequence and layers: no plan is built for a minute and then refused."""
    even = ("hsdp", "fsdp-tp") if ranks in (6, 8) else ()
    spec = plan(None, Options(tier="ranks", plans=("tp", "tp-sp", "1f1b", "interleaved", *even), ranks=ranks), HERE)
    assert [undivided(spec.shape, leg) for leg in spec.legs] == [None] * len(spec.legs)


def test_a_model_that_does_not_divide_is_refused_before_anything_runs() -> None:
    """At its true size a model is as it is: 8 heads for keys and values are not shared out among 16 ranks."""
    with pytest.raises(CannotRun, match="8 for keys and values do not divide among 16 tensor ranks") as refused:
        plan(None, Options(tier="fake", plans=("tp",), ranks=16), HERE)
    assert refused.value.usage


def test_a_cap_lies_between_what_the_two_plans_need() -> None:
    """The hungrier leg comes first."""
    spec = plan(None, Options(tier="oom"), HERE)
    assert [leg.name for leg in spec.legs] == ["ddp", "fsdp"]
    peaks = {one.key: one.value or 0 for one in spec.expected if one.key.startswith("peak.total")}
    assert spec.cap is not None
    assert peaks["peak.total@fsdp"] * 1.1 < spec.cap < peaks["peak.total@ddp"] * 0.95


def test_no_cap_is_put_where_both_need_the_same() -> None:
    """Then nothing would be shown."""
    with pytest.raises(CannotRun, match="need nearly the same") as refused:
        plan(None, Options(tier="oom", plans=("ddp-last", "ddp-each")), HERE)
    assert refused.value.usage


def test_without_torch_it_says_how_to_get_it() -> None:
    """No torch is an ordinary case."""
    with pytest.raises(CannotRun) as refused:
        plan(None, Options(), HERE._replace(torch=""))
    assert "pip install 'shardwise[drill]'" in refused.value.advice
    assert not refused.value.usage


def test_an_old_torch_is_refused_with_its_version() -> None:
    """Drills need FSDP2 as it is since 2.6."""
    with pytest.raises(CannotRun, match=r"2\.6 or later, and here is 2\.5\.1"):
        plan(None, Options(), HERE._replace(torch="2.5.1"))


def test_a_size_that_the_machine_cannot_hold_is_refused_with_the_figures() -> None:
    """Before anything is taken."""
    with pytest.raises(CannotRun, match=r"needs about \d+\.\d GB, and 1\.0 GB are free"):
        plan(None, Options(tier="oom"), HERE._replace(memory=1_000_000_000))


def test_a_machine_that_does_not_say_what_is_free_is_trusted() -> None:
    """Nothing is refused on a guess."""
    assert plan(None, Options(), HERE._replace(memory=None)).legs


def test_a_drill_needs_more_memory_the_more_ranks_it_has() -> None:
    """Each rank has its state and a torch of its own."""
    needs = [need(plan(None, Options(ranks=ranks), HERE)) for ranks in (2, 4, 8)]
    assert all(less < more for less, more in pairwise(needs))


def test_a_gpu_that_is_not_there_is_refused() -> None:
    """With what a CPU shows instead."""
    with pytest.raises(CannotRun, match="No GPU") as refused:
        plan(None, Options(device="cuda"), HERE)
    assert "the same there" in refused.value.advice


@pytest.mark.parametrize(
    ("gpus", "torch", "device"), [(4, "2.13.0", "cuda"), (1, "2.13.0", "cpu"), (4, "2.13.0+cpu", "cpu")]
)
def test_gpus_are_taken_where_there_is_one_a_rank(gpus: int, torch: str, device: str) -> None:
    """And where torch can use them."""
    assert plan(None, Options(ranks=4), HERE._replace(gpus=gpus, torch=torch)).device == device


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (Options(plans=("fdsp",)), r"Did you mean fsdp\?$"),
        (Options(plans=("nothing-like-it",)), r"interleaved\.$"),
        (Options(nodes=0), "at least one node"),
        (Options(nodes=-2, rdzv="a:1"), "at least one node"),
        (Options(seed=-1), "--seed -1"),
        (Options(seed=10**20), "--seed 1"),
        (Options(ranks=0), "at least one rank"),
        (Options(steps=0), "from 1 to 10,000"),
        (Options(plans=("hsdp",), ranks=3), "at least 4 ranks"),
        (Options(plans=("hsdp",), ranks=5), "even number"),
        (Options(tier="fake", nodes=2), "Several nodes"),
        (Options(nodes=2), "--rdzv-endpoint"),
        (Options(ranks=3, nodes=2, rdzv="a:1"), "cannot be divided among 2 nodes"),
        (Options(tier="fake", plans=("1f1b",)), "fake tensors"),
        (Options(tier="fake", plans=("zero1",)), "fake tensors"),
    ],
)
def test_a_wrong_request_is_refused_with_what_is_wrong(options: Options, said: str) -> None:
    """And counts as a fault of usage."""
    with pytest.raises(CannotRun, match=said) as refused:
        plan(None, options, HERE)
    assert refused.value.usage


def test_a_question_without_a_drill_is_refused() -> None:
    """With where to look."""
    from msgspec.structs import replace

    with pytest.raises(CannotRun, match="--list"):
        plan(replace(QUESTION, drill={}), Options(), HERE)


@pytest.mark.parametrize(
    ("facts", "plan_name"),
    [
        ({"layout.dp": "64", "layout.zero": "0"}, "ddp"),
        ({"layout.dp": "64", "layout.zero": "1"}, "zero1"),
        ({"layout.dp": "64", "layout.zero": "2"}, "fsdp-keep"),
        ({"layout.dp": "64", "layout.zero": "3"}, "fsdp"),
        ({"layout.dp": "64", "layout.zero": "3", "layout.reshard": "false"}, "fsdp-keep"),
        ({"layout.dp": "64", "layout.zero": "3", "layout.shard": "8"}, "hsdp"),
        ({"layout.dp": "8", "layout.tp": "8", "layout.zero": "3"}, "fsdp-tp"),
        ({"layout.dp": "1", "layout.tp": "8"}, "tp"),
        ({"layout.dp": "1", "layout.tp": "8", "layout.sequence_parallel": "true"}, "tp-sp"),
        ({"layout.dp": "1", "layout.pp": "8"}, "1f1b"),
        ({"layout.dp": "1", "layout.pp": "8", "layout.interleave": "2"}, "interleaved"),
        ({"layout.dp": "1", "layout.pp": "8", "pipeline.schedule": "gpipe"}, "gpipe"),
    ],
)
def test_an_option_is_scaled_down_to_the_same_strategy(facts: dict[str, str], plan_name: str) -> None:
    """On four ranks it is the plan of that name, but for its own name and words."""
    from msgspec.structs import replace

    leg = scaled_down("mine", facts, "my words", 4)
    known = by_name(plan_name, 4)
    sequence_parallel = facts.get("layout.sequence_parallel") == "true" and leg.tp > 1
    assert leg == replace(known, name="mine", says="my words", sequence_parallel=sequence_parallel)


def test_hsdp_keeps_its_degrees_at_true_size() -> None:
    """Replicas are what shards leave of the data ranks."""
    leg = true_size("hsdp", {"layout.dp": "256", "layout.zero": "3", "layout.shard": "32", "layout.tp": "2"}, "")
    assert (leg.shard, leg.replicate, leg.tp, leg.world) == (32, 8, 2, 512)


@pytest.mark.parametrize("name", ["layout.cp", "layout.ep"])
def test_what_is_not_measured_is_said(name: str) -> None:
    """Context and expert parallelism are not built here."""
    with pytest.raises(LegError, match="parallelism cannot be measured here"):
        scaled_down("mine", {name: "2"}, "", 4)


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_fills_its_ranks(name: str) -> None:
    """The degrees of a leg multiply to the ranks that it is made for."""
    assert by_name(name, 4).world == (1 if name == "single" else 4)


@pytest.mark.parametrize(
    ("model", "ours"),
    [("llama-3-8b", True), ("llama-3-70b", True), ("llama-3-405b", True), ("qwen2.5-7b", False), ("gpt2", False)],
)
def test_only_models_of_our_form_are_run_at_true_size(model: str, ours: bool) -> None:  # noqa: FBT001 - of the table
    """Biases, other norms or plain feed-forward blocks would be measured wrong."""
    assert is_our_form(model) is ours
