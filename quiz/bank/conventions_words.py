"""The solver's assumptions and defaults in a learner's words, as far as a question's plans make use of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quiz.bank.wording import short_name
from solvers.catalogue import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quiz.bank.standing import Plans

_DOTTED: Final = re.compile(r"\b[a-z]+\.[a-z_0-9]+\b")
_PARALLEL: Final = {"layout.tp": "tensor", "layout.pp": "pipeline", "layout.cp": "context"}
_CHOICES: Final = {
    ("collective.algorithm", "ring"): "ring algorithm",
    ("layout.offload", "none"): "no offload",
    ("layout.interleave", "1"): "no interleaving",
    ("layout.sequence_parallel", "false"): "no sequence parallelism",
    ("layout.sequence_parallel", "true"): "sequence parallelism",
    ("layout.reshard", "true"): "weights freed after forward and gathered again",
    ("layout.reshard", "false"): "weights kept after forward",
    ("layout.sync", "each-micro-batch"): "ZeRO-2 and ZeRO-3 reduce gradients after each micro-batch",
    ("layout.sync", "each-step"): "gradients reduced once per step",
    ("layout.replica_sync", "each-micro-batch"): "replicas all-reduce after each micro-batch",
    ("compute.recompute", "none"): "no recomputation",
    ("compute.recompute", "full"): "full recomputation",
    ("compute.attention", "left-out"): "attention's own products left out",
    ("compute.counted", "all"): "all parameters counted",
    ("activation.vocabulary_parallel", "true"): "tensor ranks divide the vocabulary in the loss",
    ("activation.small", "left-out"): "statistics of norms and of flash attention left out",
}

_SAID: Final = {
    "link.latency": "latency of {}",
    "batch.activation_bytes": "activations sent at {} a number",
    "serving.weight_bytes": "weights served at {}",
    "activation.mask_bytes": "dropout masks of {} an element",
    "quant.rest": "what is not quantised takes {}",
}
_EVENLY: Final = "Tensor and pipeline parallelism divide the parameters evenly"


def assumption_words(line: str, plans: Plans) -> str:
    """An assumption as it is shown; empty where no plan of the question makes it matter."""
    for beginning, words in _SPECIAL.items():
        if line.startswith(beginning):
            return words(line, plans)
    return _without_names(line)


def _never(_line: str, _plans: Plans) -> str:
    """What another line says as well."""
    return ""


def _evenly(_line: str, plans: Plans) -> str:
    splits = plans.any_above_one("layout.tp") or plans.any_above_one("layout.pp")
    return f"{_EVENLY}." if splits else ""


def _with_tensor(line: str, plans: Plans) -> str:
    return line if plans.any_above_one("layout.tp") else ""


def _splits(line: str, plans: Plans) -> str:
    return line if _in_parts(plans) else ""


def _unless_given(line: str, plans: Plans) -> str:
    return "" if plans.states("memory.activations_per_gpu") else line


def _reduced(_line: str, plans: Plans) -> str:
    said = ["DDP and ZeRO-1 reduce gradients once per step"] if plans.any_accumulates("0", "1") else []
    said += ["ZeRO-3 gathers in every micro-batch"] if plans.any_accumulates("3") else []
    return f"{'; '.join(said)}." if said else ""


def _recomputed(line: str, plans: Plans) -> str:
    return line if plans.any_is("compute.recompute", "full") else ""


def _copies(line: str, plans: Plans) -> str:
    return "" if plans.states("activation.loss_copies") else line


def _by_schedule(line: str, plans: Plans) -> str:
    return line if plans.any_is("pipeline.schedule", "gpipe") else ""


def _staged(line: str, plans: Plans) -> str:
    return line if plans.any_above_one("layout.pp") else ""


def _tensor(_line: str, plans: Plans) -> str:
    said = "Tensor parallelism: the gather repeated in backward, embedding and loss are left out."
    return said if plans.any_above_one("layout.tp") else ""


def _in_both_passes(line: str, plans: Plans) -> str:
    return "" if plans.any_is("overlap.pass", "forward") else line


def _waiting(_line: str, plans: Plans) -> str:
    """What a micro-batch keeps until its weight gradient is computed, where the question does not say so itself."""
    kept = "A micro-batch whose weight gradient waits keeps all of its activations."
    return "" if plans.states("pipeline.weight_share") else kept


def _by_paper(line: str, plans: Plans) -> str:
    return line if plans.any_is("scaling.approach", "approach-1", "approach-2", "approach-3") else ""


def _with_context(line: str, plans: Plans) -> str:
    return line if plans.any_above_one("layout.cp") else ""


_SPECIAL: Final[Mapping[str, Callable[[str, Plans], str]]] = {
    "Parameters are divided evenly over tensor": _never,
    _EVENLY: _evenly,
    "DDP and ZeRO-1 reduce once per step": _reduced,
    "Activation checkpointing adds no gather": _recomputed,
    "Copies of the logits in the loss": _copies,
    "Under GPipe": _by_schedule,
    "An interior stage is counted": _staged,
    "With sequence parallelism each all-reduce": _tensor,
    "Stages take equal time": _staged,
    "Buffers count only what is named": _never,
    "The router of an MoE layer": _never,
    "With sequence parallelism each rank keeps": _with_tensor,
    "Every block is full": _never,
    "Adapters have no biases": _never,
    "Frozen matrices need no input of theirs": _never,
    "Tensor and pipeline parallelism divide base": _splits,
    "Activations, the dequantised matrix": _unless_given,
    "Gradients are reduced after this micro-batch": _in_both_passes,
    "Context-parallel ranks: tokens of one rank": _with_context,
    "A micro-batch whose weight gradient waits": _waiting,
    "Approaches 1 to 3: the printed exponents": _by_paper,
}


def default_words(defaults: Mapping[str, str], plans: Plans) -> list[str]:
    """One line for what holds because nothing else is said, where it matters."""
    single = [word for name, word in _PARALLEL.items() if name in defaults and _counts(name, plans)]
    said = [f"no {_either(single)} parallelism"] if single else []
    for name, text in defaults.items():
        if name not in _PARALLEL and _counts(name, plans):
            said.append(_CHOICES.get((name, text)) or _SAID.get(name, f"{short_name(name)} {{}}").format(text))
    return [f"By default: {'; '.join(said)}."] if said else []


def _counts(name: str, plans: Plans) -> bool:
    """Whether a default matters in this question: no plan says it for itself, and what it governs occurs."""
    return not plans.differ_in(name) and _GOVERNS.get(name, _always)(plans)


def _always(_plans: Plans) -> bool:
    return True


def _not_at_all(_plans: Plans) -> bool:
    """Said elsewhere in the box, or without a consequence."""
    return False


def _in_stages(plans: Plans) -> bool:
    return plans.any_above_one("layout.pp")


def _in_parts(plans: Plans) -> bool:
    return plans.any_above_one("layout.tp") or plans.any_above_one("layout.pp")


_GOVERNS: Final[Mapping[str, Callable[[Plans], bool]]] = {
    "model.qk_norm": _not_at_all,
    "model.norms_per_layer": _not_at_all,
    "model.outer_norms": _not_at_all,
    "model.dense_layers": _not_at_all,
    "layout.ep": _not_at_all,
    "layout.cp": lambda plans: plans.states("batch.sequence"),
    "layout.interleave": _in_stages,
    "layout.sequence_parallel": lambda plans: plans.any_above_one("layout.tp"),
    "layout.reshard": lambda plans: plans.any_is("layout.zero", "3"),
    "layout.sync": lambda plans: plans.any_accumulates("2", "3"),
    "layout.replica_sync": lambda plans: plans.any_accumulates("3") and plans.any_above_one("layout.replicas"),
    "batch.activation_bytes": _in_parts,
    "compute.recompute": _in_parts,
    "memory.reserve_per_gpu": _not_at_all,
    "batch.accumulation": _not_at_all,
    "pipeline.stage": _in_stages,
    "pipeline.weight_share": _not_at_all,
    "activation.vocabulary_parallel": lambda plans: plans.any_above_one("layout.tp"),
    "quant.row_constant": _not_at_all,
    "model.attention": _not_at_all,
    "model.experts": _not_at_all,
    "adapter.fused": _not_at_all,
}


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _without_names(line: str) -> str:
    """The line with quantities called as people call them."""
    return _DOTTED.sub(lambda match: short_name(match[0]) if match[0] in CATALOGUE else match[0], line)
