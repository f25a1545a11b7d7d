"""Experts and latent attention where they are read, cached and waited for: by enumeration, and against reports."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING

import pytest

from solvers import LawError, ScenarioError, Solver, scenario_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

H100: dict[str, Raw] = {"cluster.gpu": "h100-80gb"}
MIXTRAL: dict[str, Raw] = {**H100, "model": "mixtral-8x7b"}


def quantity(name: str, inputs: dict[str, Raw]) -> Fraction:
    return Solver(scenario_of(inputs)).quantity(name).value


def met_on_average(experts: int, chosen: int, sequences: int) -> Fraction:
    """Every way in which the sequences can choose, and how many experts that are then read."""
    choices = list(combinations(range(experts), chosen))
    ways = list(product(choices, repeat=sequences))
    return Fraction(sum(len({expert for choice in way for expert in choice}) for way in ways), len(ways))


@pytest.mark.parametrize(
    ("experts", "chosen", "sequences"), [(4, 1, 1), (4, 1, 3), (4, 2, 2), (5, 2, 3), (4, 3, 4), (3, 3, 2)]
)
def test_a_step_reads_the_experts_that_its_sequences_meet(experts: int, chosen: int, sequences: int) -> None:
    inputs: dict[str, Raw] = {"model.experts": experts, "model.experts_per_token": chosen,
                              "roofline.decode_sequences": sequences}  # fmt: skip
    found = quantity("roofline.experts_read", inputs)
    assert float(found) == pytest.approx(float(met_on_average(experts, chosen, sequences)), rel=1e-12)
    assert quantity("roofline.experts_read", {**inputs, "roofline.routing": "most"}) == min(experts, chosen * sequences)


@pytest.mark.parametrize(("experts", "chosen"), [(8, 2), (256, 8), (256, 255), (128, 4)])
def test_more_sequences_read_more_experts_until_they_read_all(experts: int, chosen: int) -> None:
    inputs: dict[str, Raw] = {"model.experts": experts, "model.experts_per_token": chosen}
    read = [
        quantity("roofline.experts_read", {**inputs, "roofline.decode_sequences": count})
        for count in (1, 2, 10, 99, 401, 3201, 10**6)
    ]
    assert read == sorted(read)
    assert read[0] == chosen
    assert read[-1] == experts


def test_one_sequence_reads_the_active_parameters_and_many_read_all() -> None:
    for model in ("mixtral-8x7b", "deepseek-v3", "qwen3-30b-a3b"):
        one: dict[str, Raw] = {**H100, "model": model}
        active, whole = quantity("model.active_parameters", one), quantity("model.parameters", one)
        assert quantity("roofline.decode_bytes", one) == 2 * active
        many = {**one, "roofline.decode_sequences": 10**6, "roofline.routing": "most"}
        assert quantity("roofline.decode_bytes", many) == 2 * whole


def test_decoding_is_bound_by_reading_until_the_batch_of_the_relation() -> None:
    batch = quantity("roofline.decode_batch", MIXTRAL)
    assert float(batch) == pytest.approx(295.2239 * 46.7028 / 12.8791, rel=1e-4)
    below, above = int(batch) - 1, int(batch) + 1
    most: dict[str, Raw] = {**MIXTRAL, "roofline.routing": "most"}
    times = [quantity("roofline.decode_time", {**most, "roofline.decode_sequences": count}) for count in (below, above)]
    reading = 2 * quantity("model.parameters", MIXTRAL) / quantity("cluster.hbm_bandwidth", MIXTRAL)
    assert times[0] == reading < times[1]


def test_dense_models_decode_as_before() -> None:
    dense: dict[str, Raw] = {**H100, "model.parameters": "70e9", "layout.tp": 8}
    assert quantity("roofline.decode_time", {**dense, "model.experts": 0}) == quantity("roofline.decode_time", dense)


def test_active_parameters_without_the_experts_are_refused() -> None:
    told: dict[str, Raw] = {**H100, "model.parameters": "671e9", "model.active_parameters": "37e9"}
    with pytest.raises((LawError, ScenarioError), match="asks for the experts too"):
        quantity("roofline.decode_time", told)
    with pytest.raises((LawError, ScenarioError), match="asks for the experts too"):
        quantity("overlap.tokens_to_hide",
                 {**told, "recipe": "zero-paper", "layout.zero": 3, "overlap.bandwidth": "400 GB/s"})  # fmt: skip


FSDP: dict[str, Raw] = {**MIXTRAL, "recipe": "zero-paper", "layout.zero": 3, "layout.dp": 64, "batch.sequence": 4096,
                        "overlap.bandwidth": "400 GB/s", "overlap.rate": "400 TFLOP/s"}  # fmt: skip


@pytest.mark.parametrize("ep", [1, 8])
def test_at_the_tokens_to_hide_traffic_and_products_take_equal_time(ep: int) -> None:
    inputs = {**FSDP, "layout.ep": ep}
    tokens = quantity("overlap.tokens_to_hide", inputs)
    per_token = quantity("overlap.compute_time", inputs) / 4096
    assert tokens * per_token == quantity("overlap.communication_time", inputs)
    holders = 64 // ep
    rest = quantity("model.parameters", inputs) - quantity("model.routed_parameters", inputs)
    moved = rest * 63 / 64 + quantity("model.routed_parameters", inputs) / ep * (holders - 1) / holders
    assert quantity("overlap.moved_parameters", inputs) == moved


def test_traffic_of_all_parameters_hides_behind_few_active_ones_only_with_more_tokens() -> None:
    """Without a shard group the factor is 1: 3.6 times the tokens of a dense model, as much as Mixtral has idle."""
    inputs = {name: value for name, value in FSDP.items() if name != "layout.dp"}
    dense = {**{name: value for name, value in inputs.items() if name != "model"}, "model.parameters": "7e9"}
    ratio = quantity("overlap.tokens_to_hide", inputs) / quantity("overlap.tokens_to_hide", dense)
    assert ratio == quantity("model.parameters", inputs) / quantity("model.active_parameters", inputs)


@pytest.mark.parametrize(
    ("recompute", "which", "times"),
    [("none", "both", 2), ("full", "both", 3), ("full", "backward", 2), ("none", "forward", 1)],
)
def test_dispatch_and_combine_take_their_time_in_every_pass(recompute: str, which: str, times: int) -> None:
    inputs = {**FSDP, "layout.ep": 8, "compute.recompute": recompute, "overlap.pass": which,
              "overlap.expert_bandwidth": "50 GB/s"}  # fmt: skip
    once = quantity("traffic.dispatch", inputs) + quantity("traffic.combine", inputs)
    assert quantity("overlap.expert_exchange_time", inputs) == times * 32 * once / (50 * 10**9)


def test_latent_attention_caches_one_compressed_vector_a_layer() -> None:
    """DeepSeek-V3: 61 layers of 512 + 64 in two bytes, 70 KB a token; V2 60 of them; on every tensor rank alike."""
    v3: dict[str, Raw] = {"model": "deepseek-v3"}
    assert quantity("serving.kv_per_token", v3) == 61 * 576 * 2 == 70272
    assert quantity("serving.kv_per_token_per_gpu", {**v3, "layout.tp": 8}) == 70272
    assert quantity("serving.kv_per_token", {"model": "deepseek-v2"}) == 60 * 576 * 2


def test_latent_attention_multiplies_whole_query_heads_and_narrower_values() -> None:
    inputs: dict[str, Raw] = {"model": "deepseek-v3", "batch.sequence": 4096, "compute.attention": "full"}
    per_layer = 2 * 2 * 128 * (128 + 64 + 128) * 4096  # scores, and values weighed: a product and a sum each
    assert quantity("compute.attention_flops_per_token", inputs) == 3 * 61 * per_layer // 2


def test_context_ranks_pass_keys_and_values_of_every_latent_head() -> None:
    inputs: dict[str, Raw] = {"model": "deepseek-v3", "batch.sequence": 8192, "layout.cp": 4, "layout.tp": 2}
    block = 8192 // 4 * 64 * (192 + 128) * 2
    assert quantity("traffic.kv_block", inputs) == block
    assert quantity("traffic.context_parallel_sent", inputs) == 3 * 3 * 61 * block
    sent = 8192 // 4 * 64 * (192 + 192 + 128 + 128) * 2  # queries, keys, values, and the output back
    assert quantity("traffic.ulysses_sent", inputs) == 2 * 61 * sent * Fraction(3, 4)
