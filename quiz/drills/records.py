"""What a run of a drill is told and what it leaves behind: `spec.json`, `rank*.json`, `result.json`, `env.json`.

Plain structs, written as JSON with `version` in each file. Bytes are whole numbers of bytes, times are seconds. A
reader refuses a version that it does not know; a field that is missing has the default below, so that a version only
rises where the meaning of a field changes.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

VERSION: Final = 1

Tier = Literal["ranks", "fake", "oom"]
"""Really trained on local processes; true size on fake tensors; under a memory cap."""
Strategy = Literal["single", "ddp", "zero1", "fsdp", "tp", "pp"]
"""What divides the work. `fsdp` with `replicate` above 1 is HSDP; with `tp` above 1 it shards what `tp` left."""
Dtype = Literal["fp32", "bf16"]
Device = Literal["cpu", "cuda"]
Schedule = Literal["gpipe", "1f1b", "interleaved"]
Kind = Literal["bytes", "ratio", "leg", "phase"]
"""What is predicted: bytes on a rank, a ratio, which leg, in which phase."""

PHASES: Final = ("build", "forward", "backward", "optimizer")
"""The phases of a leg, in their order. `build` is everything before the first step."""
CATEGORIES: Final = ("parameters", "gradients", "optimizer", "activations", "other")
"""What memory is held for. `other` has what a strategy or a library adds: buckets, gathered units, temporaries."""


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a record: never changed, fields by name, defaults left out."""


class File(msgspec.Struct, frozen=True):
    """A record that is a file of its own."""

    version: int = VERSION


class Shape(Record, frozen=True, kw_only=True):
    """A decoder of the Llama form: RMSNorm, rotary positions, grouped-query attention, SwiGLU.

    `head_dim` times `heads` need not be `hidden`. `sequence` is the tokens of one sequence of a micro-batch. With
    `tied`, the output projection is the embedding.
    """

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    sequence: int
    tied: bool = False
    name: str = ""

    @property
    def parameters(self) -> int:
        """The exact number of parameters."""
        attention = self.hidden * self.head_dim * 2 * (self.heads + self.kv_heads)
        layer = attention + 3 * self.hidden * self.ffn + 2 * self.hidden
        ends = self.vocab * self.hidden * (1 if self.tied else 2)
        return self.layers * layer + ends + self.hidden


class Leg(Record, frozen=True, kw_only=True):
    """One plan that a run measures.

    The mesh is `pp` x `replicate` x `shard` x `tp`, in this order from the outermost; their product is the world, save
    for `single`, which one process runs. For `ddp` and `zero1` the replicas are counted in `replicate`. `reshard` is
    as in `fully_shard`: freed after forward, kept, or resharded to so many ranks. `chunks` are the stages of a rank
    (`interleaved`). `accumulation` counts micro-batches of a step without a pipeline, `microbatches` those of one;
    `sync` says whether each of them reduces gradients or only the last. `params` and `reduce` are the dtypes that
    FSDP computes and reduces in; the state at rest is fp32 in every case.
    """

    name: str
    says: str = ""
    strategy: Strategy
    replicate: int = 1
    shard: int = 1
    tp: int = 1
    pp: int = 1
    sequence_parallel: bool = False
    reshard: bool | int = True
    schedule: Schedule = "1f1b"
    chunks: int = 1
    microbatches: int = 1
    accumulation: int = 1
    sync: Literal["each", "last"] = "last"
    checkpoint: Literal["none", "full"] = "none"
    offload: bool = False
    param_dtype: Dtype = "fp32"
    reduce_dtype: Dtype = "fp32"
    bucket_view: bool = False
    foreach: bool = False

    @property
    def world(self) -> int:
        """The ranks that this leg needs."""
        return self.replicate * self.shard * self.tp * self.pp

    @property
    def computes_in(self) -> Dtype:
        """The dtype of its products: mixed precision is FSDP's, and everything else computes in fp32."""
        return self.param_dtype if self.strategy == "fsdp" else "fp32"


class Prediction(Record, frozen=True, kw_only=True):
    """One thing that the learner said, or was asked, before the run.

    `key` is the measured thing (`rest.state@fsdp`, `traffic.payload@fsdp/ddp`, `died`, `died.phase`). `raw` is what
    was typed, None where it was skipped; `value` is it in base units, for a leg or a phase its name in `choice`.
    """

    key: str
    ask: str
    kind: Kind
    unit: str = ""
    options: tuple[str, ...] = ()
    raw: str | None = None
    value: float | None = None
    choice: str | None = None


class Expected(Record, frozen=True, kw_only=True):
    """What the solver says of one measured thing.

    `exact` things are equal to the byte or the measurement is wrong; `exception` names why the solver's own quantity
    is not what torch does there, and `relation` what holds instead, in words.
    """

    key: str
    value: float | None = None
    choice: str | None = None
    unit: str = "B"
    quantity: str = ""
    exact: bool = False
    within: float = 0.0
    exception: str = ""
    relation: str = ""


class Spec(File, frozen=True, kw_only=True):
    """What is run: everything that the child is told, and what was predicted. Written once, before the run.

    `batch` is the sequences of a micro-batch on a rank; `steps` are the optimizer steps of each leg. `cap` (tier `oom`)
    is the bytes that a rank may take beyond what it holds when its group is ready. `timeout_s` ends the run where no
    step was done for so long, `stall_s` where ranks neither spoke nor computed; a run that gets on is never ended.
    `group_timeout_s` is the process group's. `rdzv` is the
    rendezvous of several nodes. `started` is the instant in UTC, as in the history.
    """

    run: str
    tier: Tier
    question: str = ""
    bank: str = ""
    title: str = ""
    device: Device = "cpu"
    world: int
    steps: int
    seed: int = 0
    shape: Shape
    batch: int = 1
    legs: tuple[Leg, ...]
    predictions: tuple[Prediction, ...] = ()
    expected: tuple[Expected, ...] = ()
    lesson: str = ""
    cap: int | None = None
    timeout_s: float = 600.0
    stall_s: float = 120.0
    group_timeout_s: float = 60.0
    nodes: int = 1
    rdzv: str = ""
    started: str = ""

    def leg(self, name: str) -> Leg:
        """The leg of a name. Raises KeyError."""
        for leg in self.legs:
            if leg.name == name:
                return leg
        raise KeyError(name)


class Held(Record, frozen=True, kw_only=True):
    """Live bytes by category."""

    parameters: int = 0
    gradients: int = 0
    optimizer: int = 0
    activations: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        """Their sum."""
        return self.parameters + self.gradients + self.optimizer + self.activations + self.other

    @property
    def state(self) -> int:
        """What stays between two steps: parameters, gradients and optimizer state."""
        return self.parameters + self.gradients + self.optimizer


class Sent(Record, frozen=True, kw_only=True):
    """Payload that one collective was handed in one phase of one step: `bytes` over `count` calls.

    `op` is one of all-reduce, reduce-scatter, all-gather, broadcast, all-to-all, send, receive; `group` names the
    ranks it is over (`world`, `replicate`, `shard`, `tp`, `pp`), `size` counts them.
    """

    op: str
    dtype: str
    group: str = "world"
    size: int = 0
    phase: str = ""
    count: int = 0
    bytes: int = 0


class High(Record, frozen=True, kw_only=True):
    """The most that a rank held in one phase, by category, and which overheads were among it.

    `named` is bytes by overhead (`bucket`, `gathered`, `prefetched`, `reduce-scatter buffer`, `logits`, `optimizer
    temporaries`, …): parts of the categories and not beside them. `resident` is the process's own high-water mark
    above its size before the leg, None where nothing is resident (fake tensors).
    """

    phase: str
    held: Held
    named: dict[str, int] = {}
    resident: int | None = None


class Stepped(Record, frozen=True, kw_only=True):
    """One optimizer step. `tracked` steps carry the tracker, and their time says nothing of the strategy."""

    step: int
    loss: float | None = None
    seconds: float
    tracked: bool = False


class Death(Record, frozen=True, kw_only=True):
    """How a rank ran out of memory: the step in which it did, and bytes, each None where nothing tells.

    `held` is what its tensors took just then, `asked` what it asked for and did not get, `left` what was left of the
    cap. `echo`: it only heard that another rank had gone.
    """

    step: int = 0
    held: int | None = None
    asked: int | None = None
    left: int | None = None
    echo: bool = False


class Measured(File, frozen=True, kw_only=True):
    """What one rank measured of one leg: `rank*.json` has a list of these, one a leg.

    `died` is the phase of a death, `cause` what torch said of it, `death` the bytes of it.
    """

    leg: str
    rank: int
    rest: Held | None = None
    peaks: tuple[High, ...] = ()
    traffic: tuple[Sent, ...] = ()
    steps: tuple[Stepped, ...] = ()
    died: str | None = None
    cause: str | None = None
    death: Death | None = None

    @property
    def peak(self) -> High | None:
        """The phase in which most was held; of equals the first."""
        return max(self.peaks, key=lambda high: high.held.total, default=None)


class Ranked(File, frozen=True, kw_only=True):
    """`rank*.json`: all that a rank measured."""

    rank: int
    legs: tuple[Measured, ...] = ()


class Row(Record, frozen=True, kw_only=True):
    """One line of the comparison: a measured thing as predicted, as solved, on fake tensors, as measured.

    Errors are relative to the measurement. `names` are the overheads that the difference is made of, counted in bytes.
    """

    key: str
    label: str
    unit: str
    predicted: float | None = None
    solved: float | None = None
    fake: float | None = None
    measured: float | None = None
    predicted_choice: str | None = None
    solved_choice: str | None = None
    measured_choice: str | None = None
    predicted_error: float | None = None
    solved_error: float | None = None
    exact: bool = False
    holds: bool | None = None
    names: dict[str, int] = {}
    note: str = ""


class Result(File, frozen=True, kw_only=True):
    """`result.json`: how a run ended and what it showed. Written once, at the end, by whoever watched it."""

    run: str
    outcome: Literal["done", "failed", "cancelled"]
    cause: str = ""
    phase: str = ""
    leg: str = ""
    rank: int | None = None
    seconds: float = 0.0
    measured: tuple[Measured, ...] = ()
    rows: tuple[Row, ...] = ()
    lesson: str = ""
    score: float | None = None


class Env(File, frozen=True, kw_only=True):
    """`env.json`: where it ran, so that a figure can be read a year later."""

    python: str = ""
    torch: str = ""
    platform: str = ""
    device: str = ""
    backend: str = ""
    launch: str = ""
    cores: int = 0
    memory: int = 0
    shardwise: str = ""
    settings: dict[str, str] = {}
