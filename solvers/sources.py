"""The published sources of relations and facts, by key."""

from __future__ import annotations

from typing import Final

from solvers.relation import Source

ZERO: Final = Source("zero-2019", "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
                     "section 3 and figure 1", "arXiv:1910.02054")
ZERO_TRAFFIC: Final = Source("zero-2019", "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
                             "section 7", "arXiv:1910.02054")
FSDP: Final = Source("fsdp-2023", "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel",
                     "section 3.2, sharding strategies", "arXiv:2304.11277")
FSDP2: Final = Source("fsdp2-docs", "PyTorch documentation, torch.distributed.fsdp.fully_shard",
                      "reshard_after_forward, MixedPrecisionPolicy, CPUOffloadPolicy", "docs.pytorch.org", "2026-08")
MEGATRON: Final = Source("megatron-2019", "Megatron-LM: Training Multi-Billion Parameter Language Models "
                         "Using Model Parallelism", "section 3", "arXiv:1909.08053")
MEGATRON_PIPELINE: Final = Source("megatron-2021", "Efficient Large-Scale Language Model Training on GPU Clusters "
                                  "Using Megatron-LM", "section 2.2 and 3.2", "arXiv:2104.04473")
MEGATRON_OPTIMIZER: Final = Source("megatron-optimizer", "Megatron Core documentation, distributed optimizer",
                                   "table of bytes per parameter", "docs.nvidia.com/megatron-core", "2026-08")
SELECTIVE: Final = Source("selective-2022", "Reducing Activation Recomputation in Large Transformer Models",
                          "section 4", "arXiv:2205.05198")
GPIPE: Final = Source("gpipe-2018", "GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism",
                      "section 2.3, bubble overhead", "arXiv:1811.06965")
RING_ATTENTION: Final = Source("ring-attention-2023", "Ring Attention with Blockwise Transformers for Near-Infinite "
                               "Context", "section 3", "arXiv:2310.01889")
OFFLOAD: Final = Source("deepspeed-memory", "DeepSpeed documentation, Memory Requirements", "ZeRO-3 estimates",
                        "deepspeed.readthedocs.io", "2026-08")
YOUNG: Final = Source("scr-interval", "SCR, Scalable Checkpoint/Restart: scr_ckpt_interval.py", "the model of Young",
                      "github.com/LLNL/scr", "2026-11")
DALY: Final = Source("scr-interval", "SCR, Scalable Checkpoint/Restart: scr_ckpt_interval.py",
                     "the model of Daly, his equation 37", "github.com/LLNL/scr", "2026-11")
GQA: Final = Source("gqa-2023", "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head "
                    "Checkpoints", "section 2.2", "arXiv:2305.13245")
VLLM: Final = Source("vllm-2023", "Efficient Memory Management for Large Language Model Serving with "
                     "PagedAttention", "section 3", "arXiv:2309.06180")
PALM: Final = Source("palm-2022", "PaLM: Scaling Language Modeling with Pathways", "appendix B, MFU and HFU",
                     "arXiv:2204.02311")
PLAYBOOK: Final = Source("ultrascale-2025", "The Ultra-Scale Playbook", "memory usage: weights, gradients, optimizer",
                         "huggingface.co/spaces/nanotron/ultrascale-playbook", "2025-02")
ADAM8: Final = Source("adam8-2021", "8-bit Optimizers via Block-wise Quantization",
                      "sections 1.1 and 2.1; blocks of 256 as in torchao.optim", "arXiv:2110.02861")
ADAM4: Final = Source("adam4-2023", "Memory Efficient Optimizers with 4-bit States",
                      "section 3; blocks of 128 as in torchao.optim", "arXiv:2309.01507")
ADAFACTOR: Final = Source("adafactor-2018", "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost",
                          "abstract; momentum as in tensor2tensor/utils/adafactor.py", "arXiv:1804.04235")
MUON: Final = Source("muon-2025", "Muon is Scalable for LLM Training", "sections 2.1 and 2.2", "arXiv:2502.16982")
LORA: Final = Source("lora-2021", "LoRA: Low-Rank Adaptation of Large Language Models", "section 4",
                     "arXiv:2106.09685")
PEFT: Final = Source("peft", "Hugging Face PEFT documentation, LoraConfig", "target_modules",
                     "huggingface.co/docs/peft", "2026-08")
QLORA: Final = Source("qlora-2023", "QLoRA: Efficient Finetuning of Quantized LLMs", "section 3",
                      "arXiv:2305.14314")
INT8: Final = Source("int8-2022", "LLM.int8(): 8-bit Matrix Multiplication for Transformers at Scale", "section 3",
                     "arXiv:2208.07339")
MX: Final = Source("nvfp4-2025", "Pretraining Large Language Models with NVFP4", "section 2 and table 1, MX formats",
                   "arXiv:2509.25149")
NVFP4: Final = Source("nvfp4-2025", "Pretraining Large Language Models with NVFP4", "section 2 and table 1",
                      "arXiv:2509.25149")
DEEPSEEK_V3: Final = Source("deepseek-v3-2024", "DeepSeek-V3 Technical Report", "section 3.3", "arXiv:2412.19437")
TRANSFORMER_ENGINE: Final = Source("transformer-engine", "NVIDIA Transformer Engine documentation",
                                   "FP8 training: cached weights, fp8_model_init",
                                   "docs.nvidia.com/deeplearning/transformer-engine", "2026-08")
APEX: Final = Source("apex-amp", "NVIDIA Apex documentation, amp", "opt level O2", "nvidia.github.io/apex", "2023-06")
OPTIMIZERS: Final = Source("torch-optimizers", "PyTorch, torchao and Transformers, optimizers as installed",
                           "state of one parameter", "docs.pytorch.org/docs/stable/optim.html", "2026-08")
LION: Final = Source("lion-2023", "Symbolic Discovery of Optimization Algorithms", "abstract", "arXiv:2302.06675")
MIXED: Final = Source("mixed-precision-2017", "Mixed Precision Training", "section 3", "arXiv:1710.03740")
MOE: Final = Source("moe-2021", "Switch Transformers and DeepSeekMoE: routed and shared experts",
                    "section 2 of the first, sections 2 and 3 of the second", "arXiv:2101.03961, arXiv:2401.06066")
EXPERT_PARALLEL: Final = Source("megatron-moe", "Megatron Core documentation, mixture of experts",
                                "expert parallelism and parallel folding", "docs.nvidia.com/megatron-core", "2026-08")
MEGATRON_ESTIMATE: Final = Source("megatron-memory", "Megatron-LM, theoretical_memory_usage.py",
                                  "compute_weight_and_optimizer_memory", "github.com/NVIDIA/Megatron-LM", "2026-08")
DEEPSEEK_V2: Final = Source("deepseek-v2-2024", "DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts "
                            "Language Model", "section 2.1, multi-head latent attention", "arXiv:2405.04434")
DEFINITION: Final = Source("definition", "by definition")
COUNTING: Final = Source("counting", "by counting")
