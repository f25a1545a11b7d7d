"""What runs cost, how long they take, how often they save."""

from __future__ import annotations

from tests.bank.second.plain import DAY, HOUR, TERA, Found, least, only, second

CARD = 30_000
"""Dollars for a GPU of this class: an assumption, far above the 2,723 that the claim would need."""
H100 = 989 * TERA  # dense BF16, NVIDIA's data sheet of the H100 SXM


@second(
    "cost-8b",
    {"compute.parameters": "parameters", "compute.mfu": "mfu", "cost.price_per_gpu_hour": "price"},
)
def quote(
    parameters: float = 8e9, tokens: float = 15e12, peak: float = 989 * TERA, mfu: float = 0.4, price: float = 2
) -> Found:
    return Found(numbers=(6 * parameters * tokens / (peak * mfu) / HOUR * price,))


@second("cost-dsv3")
def published(
    before: float = 2_664_000,
    longer: float = 119_000,
    after: float = 5_000,
    gpus: float = 2_048,
    price: float = 2,
    other: float = 3.2,
) -> Found:
    hours = before + longer + after
    year = gpus * 365 * 24
    return Found(
        ("final_run",),
        {
            "year": ((hours * price, year * price),),
            "all_research": (hours,),
            "purchase": ((hours * price, gpus * CARD),),
            "final_run": ((hours, hours), (hours * price, hours * price)),
        },
        (hours * other,),
    )


@second("cost-offers", {"compute.parameters": "parameters", "compute.training_tokens": "tokens"})
def offers(parameters: float = 13e9, tokens: float = 2e12, days: float = 21) -> Found:
    work = 6 * parameters * tokens
    # GPUs, dense BF16 peak, MFU, dollars for an hour of one: as the offers say.
    plans = {
        "h100_small": (256, 989 * TERA, 0.40, 2.4),
        "b200": (160, 2_250 * TERA, 0.32, 4.8),
        "a100": (512, 312 * TERA, 0.50, 0.9),
        "h100_large": (512, 989 * TERA, 0.30, 2.4),
    }
    time = {name: work / (gpus * peak * mfu) for name, (gpus, peak, mfu, _) in plans.items()}
    cost = {name: time[name] / HOUR * gpus * price for name, (gpus, _, _, price) in plans.items()}
    key = least({name: cost[name] for name in plans if time[name] <= days * DAY})
    return Found(key, {name: (time[name], cost[name]) for name in plans}, (cost[key[0]],), cost)


@second("mfu-54days")
def window(
    gpus: float = 16_384,
    days: float = 54,
    parameters: float = 405e9,
    tokens: float = 15.6e12,
    hours: float = 30_840_000,
) -> Found:
    needed = hours / gpus / 24
    mfu = 6 * parameters * tokens / (hours * HOUR) / H100
    claims = {
        "fewer_flops": mfu > 1,
        "longer": needed > 1.2 * days and mfu < 1,
        "interruptions": needed <= 1.1 * days,
        "consistent": needed <= days,
    }
    return Found(
        only(claims),
        {
            "fewer_flops": ((6 * parameters * tokens, hours * HOUR * H100),),
            "longer": ((needed * DAY, days * DAY), mfu),
            "interruptions": (1.1 * days * 24 * gpus,),
            "consistent": (days * 24 * gpus,),
        },
        (needed * DAY,),
        named={"longer": (needed * DAY,)},
    )


@second("ft-young-daly", {"run.interruptions": "stops", "run.observed": "time", "checkpoint.stall": "stall"})
def young(stops: float = 419, time: float = 54 * DAY, stall: float = 60) -> Found:
    return Found(numbers=((2 * stall * time / stops) ** 0.5,))
