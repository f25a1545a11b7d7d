"""The published sources of activations, transient memory and offloading, by key."""

from __future__ import annotations

from typing import Final

from solvers.relation import Source

PAPER: Final = Source(
    "selective-2022",
    "Reducing Activation Recomputation in Large Transformer Models",
    "section 4 and table 2",
    "arXiv:2205.05198",
)
PAPER_PIPELINE: Final = Source(
    "selective-2022",
    "Reducing Activation Recomputation in Large Transformer Models",
    "section 4.2.3, pipeline parallelism, and section 4.3",
    "arXiv:2205.05198",
)
SAVED_TENSORS: Final = Source(
    "saved-tensors",
    "PyTorch documentation, hooks for saved tensors: the tensors that autograd keeps",
    "torch.autograd.graph.saved_tensors_hooks",
    "docs.pytorch.org",
    "2026-08",
)
MEGATRON_THEORY: Final = Source(
    "megatron-theory",
    "Megatron-LM, theoretical memory footprint",
    "megatron/training/theoretical_memory_usage.py, activation memory of the first stage",
    "github.com/NVIDIA/Megatron-LM",
    "2026-08",
)
ESTIMATORS: Final = Source(
    "deepspeed-estimators",
    "DeepSpeed, estimators of model-state memory",
    "deepspeed/runtime/zero/stage3.py and stage_1_and_2.py, and Memory Requirements in its documentation",
    "github.com/deepspeedai/DeepSpeed",
    "2026-08",
)
ACCELERATE: Final = Source(
    "accelerate-estimate",
    "Hugging Face Accelerate, estimate-memory",
    "src/accelerate/commands/estimate.py, estimate_training_usage",
    "github.com/huggingface/accelerate",
    "2026-08",
)
ZERO_OFFLOAD: Final = Source(
    "zero-offload-2021",
    "ZeRO-Offload: Democratizing Billion-Scale Model Training",
    "section 3.4 and table 1",
    "arXiv:2101.06840",
)
ZERO_INFINITY: Final = Source(
    "zero-infinity-2021",
    "ZeRO-Infinity: Breaking the GPU Memory Wall for Extreme Scale Deep Learning",
    "section 5.1, offload of model states",
    "arXiv:2104.07857",
)
FSDP2_MEMORY: Final = Source(
    "fsdp2-memory",
    "PyTorch, FSDP2: parameter groups, all-gather and reduce-scatter buffers",
    "torch.distributed.fsdp.fully_shard",
    "docs.pytorch.org",
    "2026-08",
)
DDP_BUCKETS: Final = Source(
    "ddp-docs",
    "PyTorch documentation, DistributedDataParallel",
    "gradient_as_bucket_view",
    "docs.pytorch.org",
    "2026-08",
)
ADAM_STEP: Final = Source(
    "adam-docs", "PyTorch documentation, torch.optim.AdamW", "foreach and fused", "docs.pytorch.org", "2026-08"
)
CROSS_ENTROPY: Final = Source(
    "cross-entropy-docs",
    "PyTorch documentation, cross entropy over logits",
    "torch.nn.functional.cross_entropy",
    "docs.pytorch.org",
    "2026-08",
)
