"""Parameters from architectures: against a ledger of tensors, and against the published numbers, to the unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from solvers import MissingError, SolveError, Solver, scenario_of
from solvers.tables.models import ROWS
from tests.module_ledger import Ledger, sizes_of

if TYPE_CHECKING:
    from solvers.inputs import Raw

COUNTED = [name for name, row in ROWS.items() if row.family]


def count(quantity: str, inputs: dict[str, Raw]) -> int:
    return int(Solver(scenario_of(inputs)).quantity(f"model.{quantity}").value)


def counted(name: str, quantity: str = "parameters") -> int:
    """The number of a published model as the relations count it, not as its row states it."""
    return count(quantity, {"model": name, "model.other_parameters": int(ROWS[name].more.get("other_parameters", 0))})


@pytest.mark.parametrize("name", COUNTED)
def test_a_model_counts_to_what_its_tensors_hold(name: str) -> None:
    assert counted(name) == Ledger(sizes_of(name)).total


@pytest.mark.parametrize("name", [name for name in COUNTED if ROWS[name].parameters])
def test_a_published_number_is_what_the_architecture_counts_to(name: str) -> None:
    assert counted(name) == ROWS[name].parameters == count("parameters", {"model": name})


@pytest.mark.parametrize(
    ("name", "total"),
    [  # instantiated by others without memory behind it, one or more of each kind of layer
        ("llama-2-7b", 6738415616),
        ("llama-2-13b", 13015864320),
        ("llama-3-8b", 8030261248),
        ("llama-3-70b", 70553706496),
        ("llama-3.2-1b", 1235814400),
        ("mixtral-8x22b", 140630071296),
        ("gpt2", 124439808),
        ("gpt2-large", 774030080),
        ("gpt-3-175b", 174604259328),
        ("bloom-176b", 176247271424),
        ("bloom-7b1", 7069016064),
        ("deepseek-v3", 671026419200),
        ("falcon-180b", 178557088768),
        ("opt-66b", 65719701504),
        ("qwen2-57b-a14b", 57408658944),
        ("kimi-k2", 1026408232448),
    ],
)
def test_models_that_were_built_elsewhere_have_as_many(name: str, total: int) -> None:
    assert counted(name) == total


@pytest.mark.parametrize(
    ("layers", "hidden", "heads", "billions"),
    [  # Narayanan 2021, arXiv:2104.04473, table 1: vocabulary 51,200, 2,048 positions, tied
        (24, 2304, 24, "1.7"),
        (30, 3072, 32, "3.6"),
        (36, 4096, 32, "7.5"),
        (40, 6144, 48, "18.4"),
        (48, 8192, 64, "39.1"),
        (60, 10240, 80, "76.1"),
        (80, 12288, 96, "145.6"),
        (96, 16384, 128, "310.1"),
        (105, 20480, 128, "529.6"),
        (128, 25600, 160, "1008.0"),
    ],
)
def test_the_table_of_the_megatron_paper(layers: int, hidden: int, heads: int, billions: str) -> None:
    """Its closed form 12 L h² (1 + 13/(12 h) + (V + s)/(12 L h)) leaves out the final norm, 2 h."""
    found = count(
        "parameters",
        {
            "model.family": "gpt",
            "model.layers": layers,
            "model.hidden": hidden,
            "model.query_heads": heads,
            "model.vocabulary": 51200,
            "model.positions": 2048,
        },
    )
    assert found - 2 * hidden == 12 * layers * hidden**2 + 13 * layers * hidden + (51200 + 2048) * hidden
    assert found / 1e9 == pytest.approx(float(billions), abs=0.06)


@pytest.mark.parametrize(
    ("name", "billions", "within"),
    [  # what the reports say of the parameters that work on a token
        ("mixtral-8x7b", 12.9, 0.05),
        ("mixtral-8x22b", 39, 0.5),
        ("deepseek-v2", 21, 0.5),
        ("deepseek-v3", 37, 0.6),
        ("qwen3-235b-a22b", 22, 0.5),
        ("qwen3-30b-a3b", 3.3, 0.1),
        ("dbrx-132b", 36, 0.5),
        ("kimi-k2", 32.6, 0.5),
        ("qwen3-coder-480b-a35b", 35, 0.5),
        ("qwen2-57b-a14b", 14, 0.3),
    ],
)
def test_active_parameters_are_the_published_ones(name: str, billions: float, within: float) -> None:
    assert counted(name, "active_parameters") / 1e9 == pytest.approx(billions, abs=within)


@pytest.mark.parametrize(("name", "billions"), [("gpt-oss-120b", 5.13), ("gpt-oss-20b", 3.61)])
def test_active_parameters_of_gpt_oss_are_published_without_the_embedding(name: str, billions: float) -> None:
    active = counted(name, "active_parameters") - counted(name, "embedding_parameters")
    assert active / 1e9 == pytest.approx(billions, abs=0.005)


@pytest.mark.parametrize(("name", "billions"), [("palm-8b", 8.63), ("palm-62b", 62.50), ("palm-540b", 540.35)])
def test_palm_counts_to_its_table(name: str, billions: float) -> None:
    assert counted(name) / 1e9 == pytest.approx(billions, abs=0.01)


def test_active_parameters_are_what_one_token_meets() -> None:
    """The ledger without the tensors of the experts that are not chosen."""
    for name in ("mixtral-8x7b", "deepseek-v2-lite"):
        sizes = sizes_of(name)
        idle = sum(
            Ledger(sizes).of(f".expert{number}.")
            for number in range(int(sizes["experts_per_token"]), int(sizes["experts"]))
        )
        assert counted(name, "active_parameters") == Ledger(sizes).total - idle


def test_a_module_counts_to_its_own_tensors() -> None:
    ledger = Ledger(sizes_of("deepseek-v3"))
    assert counted("deepseek-v3", "attention_parameters") == ledger.of("layer5.attention")
    assert counted("deepseek-v3", "mlp_parameters") == ledger.of("layer0.mlp")
    assert counted("deepseek-v3", "expert_parameters") == ledger.of("layer5.expert17.")
    assert counted("deepseek-v3", "shared_parameters") == ledger.of("layer5.shared")
    assert counted("deepseek-v3", "router_parameters") == ledger.of("layer5.router")
    assert counted("deepseek-v3", "layer_parameters") == ledger.of("layer0.")
    assert counted("deepseek-v3", "moe_layer_parameters") == ledger.of("layer5.")
    assert counted("deepseek-v3", "embedding_parameters") == ledger.of("embedding")
    assert counted("deepseek-v3", "head_parameters") == ledger.of("head.")
    assert counted("deepseek-v3", "non_embedding_parameters") == ledger.of("layer") + ledger.of("outer0")


T5 = {"t5-large": (1024, 64, 16, 4096, 24), "t5-3b": (1024, 128, 32, 16384, 24)}


@pytest.mark.parametrize("name", T5)
def test_t5_counts_to_what_its_row_states(name: str) -> None:
    """Encoder and decoder with a cross-attention, 32 buckets of relative positions each, one shared embedding."""
    width, head, heads, inner, layers = T5[name]
    attention, mlp = 4 * width * head * heads, 2 * width * inner
    encoder = layers * (attention + mlp + 2 * width) + 32 * heads + width
    decoder = layers * (2 * attention + mlp + 3 * width) + 32 * heads + width
    assert count("parameters", {"model": name}) == 32128 * width + encoder + decoder


GPT: dict[str, Raw] = {
    "model.family": "gpt",
    "model.layers": 12,
    "model.hidden": 768,
    "model.vocabulary": 50257,
    "model.positions": 1024,
}


def test_the_vocabulary_is_padded_to_a_multiple_times_the_tensor_ranks() -> None:
    """50,257 entries become 50,304 on one rank and 51,200 on eight."""
    assert count("padded_vocabulary", GPT) == 50257
    assert count("padded_vocabulary", {**GPT, "model.vocabulary_multiple": 128}) == 50304
    assert (
        count("padded_vocabulary", {**GPT, "model.vocabulary_multiple": 128, "layout.tp": 8, "model.query_heads": 16})
        == 51200
    )
    assert (count("parameters", {**GPT, "model.vocabulary_multiple": 128}) - count("parameters", GPT)) == (
        50304 - 50257
    ) * 768


def test_stated_parameters_come_before_counted_ones() -> None:
    assert count("parameters", {**GPT, "model.parameters": "125e6"}) == 125_000_000


def test_a_changed_shape_is_counted_anew() -> None:
    """A published number does not survive a shape that is not the published one."""
    small = count("parameters", {"model": "llama-3-8b", "model.layers": 1})
    assert small == Ledger({**sizes_of("llama-3-8b"), "layers": 1}).total
    with pytest.raises(MissingError):
        count("parameters", {"model": "t5-3b", "model.layers": 1})


def test_what_is_lacking_is_named() -> None:
    with pytest.raises(MissingError) as error:
        count("parameters", {"model.family": "llama", "model.layers": 2, "model.hidden": 64, "model.vocabulary": 100})
    assert "model.ffn" in error.value.needs
    with pytest.raises(MissingError) as error:
        Solver(scenario_of({"recipe": "zero-paper"})).value("memory.state_total")
    assert error.value.needs == ("model.parameters",)


def test_stated_key_value_heads_are_never_passed_over() -> None:
    """With neither a head's size nor the query heads, eight key-value heads have no width."""
    with pytest.raises(MissingError):
        count("kv_width", {**GPT, "model.kv_heads": 8})
    assert count("kv_width", {**GPT, "model.kv_heads": 4, "model.query_heads": 12}) == 256


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"model.experts": 4, "model.experts_per_token": 5}, "only 4"),
        ({"model": "deepseek-v3", "model.dense_layers": 62}, "cannot be dense"),
        ({"model.layers": 0}, "above zero"),
        ({"model.family": "lama"}, "llama"),
    ],
)
def test_an_architecture_that_cannot_be_is_refused(inputs: dict[str, Raw], says: str) -> None:
    with pytest.raises((SolveError, ValueError), match=says):
        count("parameters", {"model.vocabulary": 10, **inputs})
