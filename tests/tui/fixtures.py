"""Questions with their right figures and a desk that keeps everything in memory."""

from __future__ import annotations

from quiz.bank.rendered import (
    Bar,
    BarPart,
    Cited,
    FollowUp,
    Item,
    Line,
    NumericPart,
    Option,
    RedFlag,
    Rendered,
    Section,
    SlipFigure,
    Way,
)

GB = 1e9


def size(value: float) -> str:
    """Bytes as the bank's renderer would show them."""
    return f"{value / GB:,.4g}".rstrip() + " GB" if value < 1000 * GB else f"{value / GB:,.0f} GB"


def bar(weights: float, gradients: float, optimizer: float, activations: float = 15 * GB) -> Bar:
    """A bar against 80 GB, its activations given."""
    total = weights + gradients + optimizer + activations
    share = abs(80 * GB - total) / (80 * GB)
    return Bar(
        parts=(
            BarPart("weights", weights, size(weights)),
            BarPart("gradients", gradients, size(gradients)),
            BarPart("optimizer", optimizer, size(optimizer)),
            BarPart("activations", activations, size(activations), given=True),
            BarPart("buffers", 0.0, "0 B"),
        ),
        total=total,
        total_text=size(total),
        capacity=80 * GB,
        capacity_text="80 GB",
        capacity_name="nominal",
        margin_text=f"{size(abs(80 * GB - total))} ({share:.0%}) {'free' if total <= 80 * GB else 'over'}",
        fits=total <= 80 * GB,
        binding="optimizer",
    )


def option(name: str, text: str, reasoning: str, drawn: Bar) -> Option:
    """An option that is right where its plan fits."""
    return Option(
        name,
        text,
        drawn.fits,
        f"{drawn.total_text} of 80 GB: {drawn.margin_text}",
        reasoning,
        bar=drawn,
        way=STATE if drawn.fits else None,
    )


STATE = Way(
    title="Training state per GPU",
    result="35 GB",
    inputs=(
        Line("P", "parameters of the model", "P", "P", "70 B", "stated"),
        Line(
            "b",
            "bytes per parameter: 2 weights + 2 gradients + 4 master + 4 + 4 moments",
            "b",
            "b",
            "16 B/param",
            "preset",
            source="zero-2019",
        ),
        Line("N", "GPUs that share the state", "N", "N", "32", "stated"),
    ),
    steps=(
        Line(
            "S",
            "state of one replica",
            "P × b",
            "70 B × 16 B/param",
            "1,120 GB",
            "derived",
            "every term counts",
            "zero-2019",
        ),
        Line(
            "s",
            "state per GPU under ZeRO-3",
            "S / N",
            "1,120 GB / 32",
            "35 GB",
            "derived",
            "stage 3 shards weights, gradients and optimizer alike",
            "zero-2019",
        ),
    ),
)

THEN = NumericPart(
    ask="How many GB of training state does each GPU hold under the plan that fits?",
    exact="35000000000",
    text="35 GB",
    unit="GB",
    need_unit=True,
    relative="0.03",
    slips=(SlipFigure("one-node", "140000000000", "140 GB", "You divided by the GPUs of one node, not of all."),),
    way=STATE,
)

STRATEGY = Rendered(
    bank="shardwise",
    id="mb-70b-4nodes",
    kind="strategy",
    topic="memory-budget",
    difficulty=2,
    revision="r1",
    stem=(
        "You must fully fine-tune a 70B dense model in BF16 with Adam on 4 nodes of 8 H100 80GB. Micro-batch "
        "activations need 15 GB per GPU with checkpointing, whichever plan you choose.\n\n"
        "Which plan leaves the model trainable?"
    ),
    conventions=(
        "bytes per parameter: 2 weights + 2 gradients + 4 master + 4 + 4 moments (zero-paper)",
        "1 GB = 1e9 B",
        "capacity: nominal, 80 GB",
        "left out: buffers, gathered layers, fragmentation",
    ),
    answer_line="FSDP / ZeRO-3 across all 32 GPUs: 35 GB of state and 15 GB of activations, 50 GB of 80 GB.",
    options=(
        option(
            "fsdp",
            "FSDP / ZeRO-3 full shard across the 32 GPUs",
            "All of the state is divided by 32: 35 GB. With the activations 50 GB, which leaves 30 GB.",
            bar(4.375 * GB, 4.375 * GB, 26.25 * GB),
        ),
        option(
            "zero1",
            "ZeRO-1: shard only the optimizer state over 32 GPUs",
            "Weights and gradients stay whole, 280 GB of the 306.3 GB.",
            bar(140 * GB, 140 * GB, 26.25 * GB),
        ),
        option(
            "ddp",
            "DDP across all 32 GPUs plus gradient accumulation",
            "Every rank holds the whole training state, 1,120 GB. Accumulation leaves it as it is.",
            bar(140 * GB, 140 * GB, 840 * GB),
        ),
        option(
            "pp8",
            "8 pipeline stages x 4 replicas, plain Adam per stage",
            "The division by 8 is real, but replicas share nothing: 140 GB.",
            bar(17.5 * GB, 17.5 * GB, 105 * GB),
        ),
    ),
    numeric=THEN,
    why="Only full sharding divides **all** of `2+2+4+4+4`.",
    criterion="total per GPU at most the capacity",
    way=STATE,
    red_flags=(
        RedFlag(
            "We just use ZeRO-1, it is the simplest change.",
            "Never computed the weights and gradients that ZeRO-1 leaves whole, 280 GB.",
            "ZeRO-1 cannot go below 280 GB; I need stage 3 or model parallelism, and on 32 ranks stage 3 is 35 GB.",
        ),
        RedFlag(
            "It will fit with a smaller batch.",
            "The batch moves activations only; the state is 1,120 GB whatever the batch.",
            "State first, 1,120 GB; batch and checkpointing decide the other term.",
        ),
    ),
    follow_ups=(
        FollowUp(
            "What is the fewest GPUs that fit, with 5 GB for gathered layers and buffers?",
            "19 GPUs; in whole nodes three of them, 46.67 GB of state each.",
            ("divides the state by N", "keeps room beyond the state", "rounds up to whole nodes"),
        ),
        FollowUp(
            "What changes under Megatron's convention with fp32 main gradients?",
            "39.38 GB per GPU instead of 35 GB: it still fits.",
            ("names the convention",),
        ),
    ),
    bullets=(
        "State first: bytes per parameter x parameters, then divide by what is really sharded.",
        "ZeRO-1 keeps weights and gradients whole, ZeRO-2 the weights, ZeRO-3 nothing.",
        "Then add activations, the unsharded layer, buffers.",
    ),
    analogy="Housemates share one encyclopaedia: each shelves a few volumes and borrows the one being read.",
    framing="Memory arithmetic dressed as a choice of strategy.",
    decision_rule="Does one GPU's share of the state plus its activations fit?",
    concept=(
        Section(
            "What is sharded",
            "Each stage of ZeRO shards **one more** term:\n\n- stage 1 the optimizer\n- stage 2 also gradients"
            "\n- stage 3 also weights",
            (
                ("plan", "state per GPU", "fits?"),
                ("ZeRO-3", "35 GB", "yes"),
                ("ZeRO-1", "306.3 GB", "no"),
                ("DDP", "1,120 GB", "no"),
            ),
        ),
    ),
    stops_working_when=("The batch per GPU is too small to hide the gathers.",),
    uses=(
        Cited(
            "torchtune's one-node 70B recipe needs CPU offload; full state on GPU takes several nodes.",
            source="torchtune-70b",
            as_of="2026-04",
        ),
    ),
    sources=(
        Cited(
            "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
            source="zero-2019",
            where="section 3, figure 1",
            address="https://arxiv.org/abs/1910.02054",
        ),
    ),
    related=("mb-70b-1node", "zero1-floor"),
)

NUMERIC = Rendered(
    bank="shardwise",
    id="ft-young-interval",
    kind="numeric",
    topic="fault-tolerance",
    difficulty=3,
    revision="r1",
    stem="16,384 GPUs saw 419 unexpected interruptions in 54 days. A checkpoint stalls training for 60 s.",
    conventions=("Young, first order", "MTBF of the whole job"),
    answer_line="19.28 minutes",
    numeric=NumericPart(
        ask="How long between checkpoints, by Young's rule?",
        exact="1156.5",
        text="19.28 min",
        unit="min",
        need_unit=True,
        relative="0.03",
        slips=(SlipFigure("forgot-the-2", "817", "13.63 min", "The 2 under the root is missing."),),
    ),
    why="The MTBF of the whole job is 3.09 h.",
    bullets=("Interval = root of 2 x stall x MTBF.",),
)

ORDERING = Rendered(
    bank="shardwise",
    id="mesh-order",
    kind="ordering",
    topic="parallelism",
    difficulty=4,
    revision="r1",
    stem="Order the traffic per GPU and step, most first.",
    conventions=("ring factor (N-1)/N",),
    answer_line="tensor, then data, then pipeline",
    items=(
        Item("tp", "tensor parallelism", "61.2 GB", 0),
        Item("dp", "data parallelism", "24.5 GB", 1),
        Item("pp", "pipeline parallelism", "2.1 GB", 2),
    ),
    why="Tensor parallelism sends activations four times a layer.",
)

OPEN = Rendered(
    bank="shardwise",
    id="oom-step2",
    kind="open",
    topic="debugging",
    difficulty=5,
    revision="r1",
    stem="The first step runs, the second dies out of memory. Why?",
    conventions=(),
    answer_line="Adam's moments appear after step one.",
    rubric=("names the optimizer state", "says when it is allocated", "gives its size"),
    sketch="The moments are allocated by the first `optimizer.step()`.",
)

HOSTILE_TEXT = "a[i] [/dp] [red]x[/red] <tag> {{ no }} [@click=app.quit]q[/] \x1b[31m \u202e **b `c"
HOSTILE = Rendered(
    bank="[b]bank[/b]",
    id="hostile",
    kind="claim",
    topic="[red]topic[/dp]",
    difficulty=9,
    revision="r1",
    stem=HOSTILE_TEXT,
    conventions=(HOSTILE_TEXT,),
    answer_line=HOSTILE_TEXT,
    options=(
        Option(
            id="a",
            text=HOSTILE_TEXT,
            correct=True,
            verdict=HOSTILE_TEXT,
            reasoning=HOSTILE_TEXT,
            asserted=True,
            source=HOSTILE_TEXT,
        ),
        Option(id="b", text="[/dp]", correct=False, verdict="[/]", reasoning="[/]"),
    ),
    red_flags=(RedFlag(HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT),),
    follow_ups=(FollowUp(HOSTILE_TEXT, HOSTILE_TEXT, (HOSTILE_TEXT,)),),
    bullets=(HOSTILE_TEXT,),
    analogy=HOSTILE_TEXT,
    framing=HOSTILE_TEXT,
    decision_rule=HOSTILE_TEXT,
    concept=(Section(HOSTILE_TEXT, HOSTILE_TEXT, ((HOSTILE_TEXT, "x"), ("y", HOSTILE_TEXT))),),
    uses=(Cited(HOSTILE_TEXT, HOSTILE_TEXT),),
    sources=(Cited(HOSTILE_TEXT, HOSTILE_TEXT),),
    related=("[/dp]",),
)

ALL = (STRATEGY, NUMERIC, ORDERING, OPEN)
