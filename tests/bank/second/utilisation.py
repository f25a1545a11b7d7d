"""Of the peak: MFU and what it is taken over, days and sizes by six N D, the batch where arithmetic is the limit."""

from __future__ import annotations

from tests.bank.second.plain import HOUR, TERA, Found, only, second

H100 = 989 * TERA  # dense BF16, NVIDIA's data sheet of the H100 SXM
CHIPS = {
    "a100-40gb": (312 * TERA, 1.555 * TERA),
    "a100-80gb": (312 * TERA, 2.039 * TERA),
    "h100-80gb": (H100, 3.35 * TERA),
    "h100-80gb-pcie": (756 * TERA, 2 * TERA),
    "h200-141gb": (H100, 4.8 * TERA),
    "b200-180gb": (2_250 * TERA, 8 * TERA),
    "mi300x-192gb": (1_307.4 * TERA, 5.3 * TERA),
    "l40s-48gb": (362 * TERA, 0.864 * TERA),
}
"""Dense BF16 peak and bytes a second from the GPU's own memory, from the vendors' data sheets."""


@second("mfu-8b-torchtitan", {"batch.sequence": "sequence", "compute.tokens_per_second_per_gpu": "rate"})
def from_tokens_per_second(
    rate: float = 5_762,
    parameters: float = 8_030_261_248,
    embedding: float = 525_336_576,
    layers: float = 32,
    width: float = 4_096,
    sequence: float = 8_192,
    peak: float = H100,
) -> Found:
    each = 6 * (parameters - embedding) + 12 * layers * width * sequence
    return Found(numbers=(rate * each / peak,))


@second("pr-peak-denominator", {"compute.model_rate": "achieved"})
def over_which_peak(
    achieved: float = 400 * TERA, dense: float = H100, tf32: float = H100 / 2, held: float = 0.85
) -> Found:
    # The sentence's share is printed without decimals: 20 % of 400 is over 1,951 to 2,051 TFLOP/s.
    sparse = 2 * dense
    said = 0.2 if achieved == 400 * TERA else round(achieved / sparse, 2)
    fits = abs(achieved / sparse - said) <= 0.005
    again = achieved * 8 / 6
    return Found(
        only(
            {
                "clock": abs(achieved / dense - achieved / sparse / held) <= 0.005,
                "dense": fits,
                "tf32": abs(achieved / tf32 - said) <= 0.005,
                "recomputed": abs(again / sparse - said) <= 0.005,  # nothing was recomputed: they execute what is said
            }
        ),
        {
            "clock": ((achieved / dense, achieved / sparse / held),),
            "dense": ((achieved / dense, 2 * (achieved / sparse)), (achieved / dense, 0.6)),
            "tf32": ((dense, tf32),),
            "recomputed": ((achieved / sparse, again / sparse),),
        },
        (achieved / dense,),
        named={
            "clock": (achieved / sparse / held,),
            "dense": (achieved / dense,),
            "tf32": (achieved / tf32,),
            "recomputed": (again / sparse,),
        },
    )


@second("roof-ridge", {"cluster.gpu": "gpu"})
def balance(gpu: str = "h100-80gb", each: float = 2) -> Found:
    peak, read = CHIPS[gpu]
    # A step reads `each` bytes of a weight and computes two FLOPs with it for each sequence.
    return Found(numbers=(peak / read * each / 2,))


@second("rc-hfu-mfu", {"compute.hfu": "hardware"})
def model_from_hardware(hardware: float = 0.52) -> Found:
    return Found(numbers=(hardware * (2 + 4) / (2 + 4 + 2),))


@second("sl-6nd-days", {"compute.parameters": "parameters", "cluster.gpus": "gpus"})
def days(
    parameters: float = 8e9, tokens: float = 15e12, gpus: float = 1_024, peak: float = H100, mfu: float = 0.4
) -> Found:
    return Found(numbers=(6 * parameters * tokens / (gpus * peak * mfu),))


@second("sl-chinchilla", {"scaling.flops": "budget"})
def best_size(budget: float = 1e24, ratio: float = 20) -> Found:
    return Found(numbers=((budget / (6 * ratio)) ** 0.5,))


@second("sl-moe-active")
def refuted(
    parameters: float = 671e9,
    active: float = 37e9,
    tokens: float = 14.8e12,
    hours: float = 2_664_000,
    bf16: float = H100,
    fp8: float = 1_979 * TERA,  # dense FP8, as the stem says
) -> Found:
    seconds = hours * HOUR
    rate = 6 * parameters * tokens / seconds
    forward = 2 * parameters * tokens / seconds
    ratio = tokens / parameters
    return Found(
        only({"fp8": rate <= fp8, "forward": forward <= bf16, "over_peak": rate > fp8, "tokens": ratio < 20}),
        {"fp8": ((rate, fp8),), "forward": ((forward, bf16),), "over_peak": ((rate, fp8),), "tokens": ((ratio, 20),)},
        (6 * active * tokens / seconds / bf16,),
    )
