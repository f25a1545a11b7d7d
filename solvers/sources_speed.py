"""The published sources of what takes time: collectives, pipelines, FLOPs, training, hardware."""

from __future__ import annotations

from typing import Final

from solvers.relation import Source

_SCALING_BOOK: Final = "jax-ml.github.io/scaling-book"

NCCL_TESTS: Final = Source("nccl-tests", "nccl-tests, performance reported by the tests", "bus bandwidth",
                           "github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md", "2026-08")
NCCL_TIME: Final = Source("nccl-tests", "nccl-tests, performance reported by the tests", "time: overhead and size over "
                          "bandwidth", "github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md", "2026-11")
NCCL_TUNING: Final = Source("nccl-tuning", "NCCL, the model of its tuning", "nsteps and latencies of rings and trees",
                            "github.com/NVIDIA/nccl, src/graph/tuning.cc", "2026-11")
BLUECONNECT: Final = Source("blueconnect-2019", "BlueConnect: Decomposing All-Reduce for Deep Learning on "
                            "Heterogeneous Network Hierarchy", "abstract", "MLSys 2019")
ULYSSES: Final = Source("ulysses-2023", "DeepSpeed Ulysses: System Optimizations for Enabling Training of Extreme "
                        "Long Sequence Transformer Models", "section 3.2, communication analysis", "arXiv:2309.14509")
SEQUENCE: Final = Source("selective-2022", "Reducing Activation Recomputation in Large Transformer Models",
                         "section 4.2.2, sequence parallelism", "arXiv:2205.05198")
GSHARD: Final = Source("gshard-2020", "GShard: Scaling Giant Models with Conditional Computation and Automatic "
                       "Sharding", "sections 2.2 and 3.3, capacity and all-to-all", "arXiv:2006.16668")
DEEPSEEK_V3: Final = Source("deepseek-v3-2024", "DeepSeek-V3 Technical Report",
                            "section 3.2, DualPipe and cross-node all-to-all", "arXiv:2412.19437")
ZERO_BUBBLE: Final = Source("zero-bubble-2023", "Zero Bubble Pipeline Parallelism", "table 2 and section 6",
                            "arXiv:2401.10241")
MEGATRON_FLOPS: Final = Source("megatron-2021", "Efficient Large-Scale Language Model Training on GPU Clusters "
                               "Using Megatron-LM", "equation 3 and appendix", "arXiv:2104.04473")
MEGATRON_TIME: Final = Source("megatron-2021", "Efficient Large-Scale Language Model Training on GPU Clusters "
                              "Using Megatron-LM", "section 5.1, equation 4", "arXiv:2104.04473")
KAPLAN: Final = Source("kaplan-2020", "Scaling Laws for Neural Language Models", "section 2.1, C = 6 N D",
                       "arXiv:2001.08361")
KAPLAN_BATCH: Final = Source("kaplan-2020", "Scaling Laws for Neural Language Models", "section 5.1, equation 5.3",
                             "arXiv:2001.08361")
CHINCHILLA: Final = Source("chinchilla-2022", "Training Compute-Optimal Large Language Models",
                           "tables 2, 3 and A3, section 3 and appendix D", "arXiv:2203.15556")
CHINCHILLA_FITS: Final = Source("chinchilla-fits", "Training Compute-Optimal Large Language Models; Chinchilla "
                                "Scaling: A replication attempt", "constants of the third approach",
                                "arXiv:2203.15556; arXiv:2404.10102")
DEEPSEEK_COST: Final = Source("deepseek-v3-2024", "DeepSeek-V3 Technical Report", "table 1, training costs",
                              "arXiv:2412.19437")
LARGE_BATCH: Final = Source("kaplan-2020", "Scaling Laws for Neural Language Models",
                            "section 5.1, equations 5.1, 5.2, 5.4 and 5.5", "arXiv:2001.08361")
ROOFLINE: Final = Source("scaling-book", "How to Scale Your Model", "all about rooflines", _SCALING_BOOK, "2025-02")
DECODE: Final = Source("scaling-book", "How to Scale Your Model", "all about transformer inference", _SCALING_BOOK,
                       "2025-02")
OVERLAP: Final = Source("scaling-book", "How to Scale Your Model", "how to parallelize a transformer for training: "
                        "fully-sharded data parallelism", _SCALING_BOOK, "2025-02")
LINKS: Final = Source("ml-engineering", "Machine Learning Engineering Open Book", "network, intra-node and inter-node",
                      "github.com/stas00/ml-engineering, network/README.md", "2026-08")
