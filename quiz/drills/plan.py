"""From a question, or from none, to what is run: tier, legs, shape, limits, and what the solver expects of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from quiz.bank.rendered import PLAN
from quiz.drills import legs as known
from quiz.drills.expect import as_run, expected, peak_of
from quiz.drills.expect_cap import BESIDE, deaths
from quiz.drills.folder import name_of
from quiz.drills.legs import PLANS, LegError
from quiz.drills.machine import is_too_old
from quiz.drills.records import Shape, Spec, Tier
from quiz.drills.scenario import shape_of
from quiz.drills.unfit import undivided
from solvers import SolveError, UnknownNameError

if TYPE_CHECKING:
    from quiz.bank.rendered import Rendered
    from quiz.drills.machine import Machine
    from quiz.drills.records import Device, Leg

SMALL: Final = Shape(
    layers=4, hidden=256, heads=8, kv_heads=4, head_dim=32, ffn=768, vocab=2048, sequence=64, name="small"
)
"""The model that is really trained: 4.2M parameters, so that twenty steps take seconds."""
LARGER: Final = Shape(
    layers=4, hidden=768, heads=12, kv_heads=4, head_dim=64, ffn=2048, vocab=16_384, sequence=32, name="larger"
)
"""The model of the tier `oom`: 50M parameters, so that what strategies save stands out from what torch itself takes."""
_DEFAULT: Final[dict[Tier, tuple[str, ...]]] = {
    "ranks": ("ddp", "fsdp"),
    "fake": ("fsdp",),
    "oom": ("ddp", "fsdp"),
}
_STEPS: Final[dict[Tier, int]] = {"ranks": 20, "fake": 2, "oom": 3}
_BATCH: Final = 2
#: What torch and a rank's own Python take beside what is measured, in bytes: shared once, and for each rank.
_TORCH, _RANK = 400_000_000, 150_000_000
_FAKE: Final = 700_000_000
#: The share of the free memory that a drill may take.
_SHARE: Final = 0.8
_STALL: Final[dict[Tier, float]] = {"ranks": 45.0, "fake": 240.0, "oom": 120.0}
_LIMIT: Final[dict[Tier, float]] = {"ranks": 600.0, "fake": 900.0, "oom": 600.0}
_MODEL: Final = "llama-3-8b"
#: One more than the largest seed: what every generator takes.
_SEEDS: Final = 2**32


class CannotRun(Exception):
    """A drill cannot be run here. `reason` says why, `advice` what to do; `usage` where the request itself is wrong."""

    def __init__(self, reason: str, advice: str = "", *, usage: bool = False) -> None:
        super().__init__(f"{reason} {advice}".strip())
        self.reason = reason
        self.advice = advice
        self.usage = usage


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the learner asks for beyond the question; None leaves it to the question or to us."""

    tier: Tier | None = None
    ranks: int | None = None
    plans: tuple[str, ...] = ()
    steps: int | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    nodes: int = 1
    rdzv: str = ""
    seed: int = 0


def plan(question: Rendered | None, options: Options, machine: Machine, title: str = "") -> Spec:
    """Plan a run. Nothing is started and no memory is taken.

    Args:
        question: a question that has a drill; None runs the plans that `options` name, or our own.
        options: what is asked for.
        machine: what there is.
        title: the question's title.

    Raises:
        CannotRun: it cannot be run here or not at all.
    """
    drill = question.drill if question is not None else {}
    if question is not None and not drill:
        raise CannotRun(
            f"{question.id} has no drill.", "See which questions have one: shardwise prove --list", usage=True
        )
    tier: Tier = options.tier or _tier(drill)
    require_torch(machine)
    _check(tier, options)
    try:
        shape, legs, world = _measured(question, drill, tier, options, machine)
        _check_division(shape, legs)
        spec = Spec(
            run=name_of(datetime.now(UTC), question.id if question is not None else tier),
            tier=tier,
            question=question.id if question is not None else "",
            bank=question.bank if question is not None else "",
            title=title,
            device=_device(options, machine, world),
            world=world,
            steps=options.steps or _STEPS[tier],
            seed=options.seed,
            shape=shape,
            batch=_batch(drill, tier),
            legs=legs,
            timeout_s=_LIMIT[tier],
            stall_s=_STALL[tier],
            group_timeout_s=30.0,
            nodes=options.nodes,
            rdzv=options.rdzv,
            started=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        )
        solved, cap = expected(shape, legs, spec.batch, tier, spec.device), cap_between(spec)
        if cap is not None:
            solved += deaths(legs, cap, solved, spec.steps)
        spec = msgspec.structs.replace(spec, expected=solved, cap=cap)
    except LegError as error:
        said = str(error)
        stop = "" if said.endswith((".", "?")) else "."
        raise CannotRun(f"{said[:1].upper()}{said[1:]}{stop}", usage=True) from error
    except SolveError as error:
        raise CannotRun(f"This plan does not come out: {error}", usage=True) from error
    _watch_memory(spec, machine)
    return spec


def _check_division(shape: Shape, legs: tuple[Leg, ...]) -> None:
    for leg in legs:
        why = undivided(shape, leg)
        if why is not None:
            raise LegError(f"the plan {leg.name} cannot be run: {why}")


def need(spec: Spec) -> int:
    """Bytes that a run takes of this machine at its worst leg, torch included."""
    if spec.tier == "fake":
        return _FAKE
    here = spec.world // spec.nodes
    return max(_TORCH + _processes(leg, here) * (_RANK + int(_peak(spec, leg))) for leg in spec.legs)


def data_ranks(leg: Leg) -> int:
    """Ranks that work on different data."""
    return leg.replicate * leg.shard


def _measured(
    question: Rendered | None, drill: dict[str, str], tier: Tier, options: Options, machine: Machine
) -> tuple[Shape, tuple[Leg, ...], int]:
    facts = _facts(drill, question)
    if tier == "fake":
        return _at_true_size(facts, options)
    names = options.plans or (() if facts else _DEFAULT[tier])
    world = _world(names, facts, options, machine)
    if names:
        legs = [known.by_name(name, world) for name in names]
    else:
        legs = [known.scaled_down(name, one, says, world) for name, (one, says) in facts.items()]
    if tier == "oom":
        legs = _two(legs, world)
        return LARGER, tuple(on_same_tokens(legs)), world
    legs = [known.by_name("single", 1), *(leg for leg in _different(legs) if leg.strategy != "single")]
    return _fitting(legs), tuple(on_same_tokens(legs)), world


def _at_true_size(facts: dict[str, tuple[dict[str, str], str]], options: Options) -> tuple[Shape, tuple[Leg, ...], int]:
    world = options.ranks or 8
    model, sequence = _MODEL, 4096
    legs: list[Leg] = []
    if options.plans or not facts:
        for name in options.plans or _DEFAULT["fake"]:
            leg = known.by_name(name, world)
            if leg.strategy in ("pp", "zero1"):
                raise LegError(f"the plan {name} cannot run on fake tensors; try --tier ranks")
            half = leg.strategy == "fsdp"
            legs.append(
                msgspec.structs.replace(
                    leg, checkpoint="full", param_dtype="bf16" if half else "fp32", reduce_dtype="fp32"
                )
            )
    for stated, _ in facts.values():
        model = stated.get("model", model)
        sequence = int(stated.get("batch.sequence", sequence))
    if facts and not any("model" in stated for stated, _ in facts.values()):
        raise LegError("this question names no model, only a number of parameters; try --tier ranks")
    if not legs:
        for name, (stated, says) in facts.items():
            asked = stated if options.ranks is None else {**stated, "layout.dp": str(options.ranks)}
            legs.append(known.true_size(name, asked, says))
    try:
        shape = shape_of(model, sequence)
    except (SolveError, UnknownNameError) as error:
        raise LegError(f"the architecture of {model} is not known to the last tensor; try --tier ranks") from error
    if not is_our_form(model):
        raise LegError(f"{model} is not of the form that drills build (Llama's); try --tier ranks")
    return shape, tuple(_different(legs)), max(leg.world for leg in legs)


def is_our_form(model: str) -> bool:
    """Whether the model of drills, built with a preset's shape, is that preset to the last parameter."""
    from solvers import Solver, scenario_of

    try:
        published = Solver(scenario_of({"model": model})).quantity("model.parameters").value
        return int(published) == shape_of(model, 1).parameters
    except SolveError:
        return False


def _facts(drill: dict[str, str], question: Rendered | None) -> dict[str, tuple[dict[str, str], str]]:
    """What is stated of each plan of a question, and how it is said; in the order of the author. Raises LegError."""
    says = {option.id: " ".join(option.text.split()) for option in question.options} if question is not None else {}
    found = {}
    for key, text in drill.items():
        if key.startswith(PLAN):
            name = key.removeprefix(PLAN)
            stated = {one: value for one, _, value in (item.partition("=") for item in text.split(", ") if item)}
            # A question without options is called after what it describes.
            found[name or known.plan_name(stated)] = (stated, says.get(name, ""))
    return found


def _tier(drill: dict[str, str]) -> Tier:
    tier = drill.get("tier", "ranks")
    if tier == "fake":
        return "fake"
    return "oom" if tier == "oom" else "ranks"


def require_torch(machine: Machine) -> None:
    """Raise `CannotRun` where torch is missing or too old, with the way to get it and what can be done without."""
    if not machine.torch:
        raise CannotRun(
            "Drills run torch, and torch is not installed here.",
            "Install it: pip install 'shardwise[drill]' (about 200 MB for a CPU, 3 GB with CUDA). "
            "Without it: --list shows what could be measured, --replay RUN shows a run that was, and shardwise solve "
            "derives the same figures.",
        )
    if is_too_old(machine.torch):
        raise CannotRun(
            f"Drills need torch 2.6 or later, and here is {machine.torch}.",
            "Bring it up to date: pip install --upgrade 'shardwise[drill]'",
        )


def _check(tier: Tier, options: Options) -> None:
    if options.ranks is not None and options.ranks < 1:
        raise CannotRun(f"--ranks {options.ranks}: at least one rank is needed.", usage=True)
    if options.steps is not None and not 1 <= options.steps <= 10_000:  # noqa: PLR2004 - said in the message
        raise CannotRun(f"--steps {options.steps}: from 1 to 10,000 steps can be run.", usage=True)
    if not 0 <= options.seed < _SEEDS:
        raise CannotRun(f"--seed {options.seed}: from 0 to 2^32 - 1 is taken.", usage=True)
    if options.nodes < 1:
        raise CannotRun(f"--nnodes {options.nodes}: at least one node is needed.", usage=True)
    if options.nodes > 1 and tier != "ranks":
        raise CannotRun("Several nodes are for --tier ranks: the other tiers run in one place.", usage=True)
    if options.nodes > 1 and not options.rdzv:
        raise CannotRun("Several nodes have to meet: add --rdzv-endpoint HOST:PORT of one of them.", usage=True)


def _world(
    names: tuple[str, ...], facts: dict[str, tuple[dict[str, str], str]], options: Options, machine: Machine
) -> int:
    """Ranks of a drill on real processes."""
    plans = names or tuple(known.plan_name(stated) for stated, _ in facts.values())
    least = known.least_ranks(plans)
    world = options.ranks or max(least, 4 if machine.cores >= 4 else 2, options.nodes)  # noqa: PLR2004 - a rank a core
    if world % options.nodes:
        raise LegError(f"{world} ranks cannot be divided among {options.nodes} nodes")
    return world


def _different(legs: list[Leg]) -> list[Leg]:
    """The legs without those that do what an earlier one does."""
    found: dict[Leg, Leg] = {}
    for leg in legs:
        found.setdefault(msgspec.structs.replace(leg, name="", says=""), leg)
    return list(found.values())


def _two(legs: list[Leg], world: int) -> list[Leg]:
    """The two legs between whose needs a cap fits: the hungriest and the most frugal, others left out."""
    if len(_different(legs)) < 2:  # noqa: PLR2004 - a pair
        other = "ddp" if legs[0].strategy != "ddp" else "fsdp"
        legs = [*legs, known.by_name(other, world)]
    ordered = sorted(_different(legs), key=lambda leg: peak_of(LARGER, leg, _BATCH) or 0.0)
    return [ordered[-1], ordered[0]]


def on_same_tokens(legs: list[Leg]) -> list[Leg]:
    """The legs so that all of them see the same sequences in a step, and their losses can be compared."""
    most = max(data_ranks(leg) * leg.accumulation * leg.microbatches for leg in legs)
    found = []
    for leg in legs:
        seen = data_ranks(leg) * leg.accumulation * leg.microbatches
        if most % seen:
            found.append(leg)
        elif leg.strategy == "pp":
            found.append(msgspec.structs.replace(leg, microbatches=leg.microbatches * (most // seen)))
        else:
            found.append(msgspec.structs.replace(leg, accumulation=leg.accumulation * (most // seen)))
    return found


def _fitting(legs: list[Leg]) -> Shape:
    """The small model, with as many layers as its pipelines have stages and heads for its tensor ranks."""
    stages = max(leg.pp * leg.chunks for leg in legs)
    tp = max(leg.tp for leg in legs)
    layers = -(-SMALL.layers // stages) * stages
    shape = msgspec.structs.replace(SMALL, layers=layers)
    if shape.kv_heads % tp:
        shape = msgspec.structs.replace(shape, kv_heads=tp, heads=tp * 2)
    # What tensor ranks divide is made a little larger where it does not divide.
    return msgspec.structs.replace(
        shape, **{name: -(-getattr(shape, name) // tp) * tp for name in ("ffn", "vocab", "sequence")}
    )


def _device(options: Options, machine: Machine, world: int) -> Device:
    if options.device == "cuda" and not machine.gpus:
        raise CannotRun(
            "No GPU is to be seen here.",
            "Without --device the drill runs on the CPU: bytes, payload and phases are the same there, times are not.",
        )
    if options.device == "auto":
        cuda = machine.gpus >= world and "+cpu" not in machine.torch
        return "cuda" if cuda else "cpu"
    return options.device


def _batch(drill: dict[str, str], tier: Tier) -> int:
    if tier != "fake":
        return _BATCH
    for key, text in drill.items():
        if key.startswith(PLAN):
            for item in text.split(", "):
                name, _, value = item.partition("=")
                if name == "batch.micro" and value.isdigit():
                    return int(value)
    return 1


def _peak(spec: Spec, leg: Leg) -> float:
    return peak_of(spec.shape, as_run(leg, spec.tier, spec.device), spec.batch) or 20.0 * spec.shape.parameters


def cap_between(spec: Spec) -> int | None:
    """Half way between what the two legs need, so that one dies and the other does not."""
    if spec.tier != "oom":
        return None
    needs = sorted(_peak(spec, leg) for leg in spec.legs)
    if needs[-1] < needs[0] * 1.1:
        raise LegError(
            "the two plans need nearly the same here "
            f"({needs[0] / 1e6:,.0f} and {needs[-1] / 1e6:,.0f} MB), so that no cap lies between them; name two --plan"
        )
    return int((needs[0] + needs[-1]) / 2) + BESIDE


def _processes(leg: Leg, here: int) -> int:
    return 1 if leg.strategy == "single" else here


def _watch_memory(spec: Spec, machine: Machine) -> None:
    """Refuse what the machine cannot hold, before anything is taken."""
    if machine.memory is None or spec.device == "cuda":
        return
    needed, free = need(spec), int(machine.memory * _SHARE)
    if needed <= free:
        return
    worst = max(spec.legs, key=lambda leg: _processes(leg, spec.world // spec.nodes) * _peak(spec, leg))
    most = _processes(worst, spec.world // spec.nodes)
    raise CannotRun(
        f"This drill needs about {needed / 1e9:,.1f} GB, and {machine.memory / 1e9:,.1f} GB are free "
        f"(it may take {_SHARE:.0%} of that). Most is for {worst.name}: {most:,} "
        f"{'process' if most == 1 else 'processes'} of {_peak(spec, worst) / 1e9:.2f} GB "
        f"and {_RANK / 1e9:.2f} GB for torch.",
        "Take fewer --ranks, or close something.",
    )


def plans() -> dict[str, str]:
    """The plans that --plan knows, and what they are."""
    return {name: one.says for name, one in PLANS.items()}
