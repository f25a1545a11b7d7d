"""Every relation measures what it says, statically and with numbers, and every law and source is in order."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from solvers import CATALOGUE, LAWS, RELATIONS, Law, Relation, Solver
from solvers.expr.dimension import PLAIN, Dimension
from solvers.expr.evaluate import DimensionError, EvaluationError, Quantity, Value, evaluate
from solvers.expr.static import dimension_of
from solvers.expr.tree import Expr, Text, When, call, number, symbol, symbols, walk, when
from solvers.presets import PRESET_SYMBOLS, RECIPES, preset_entries
from solvers.ready import named_dimension, relation_dimension
from solvers.scenario import Scenario
from solvers.tables.recipes import PARTS


def identity(relation: Relation) -> str:
    return f"{relation.target}-{RELATIONS.of(relation.target).index(relation)}"


@pytest.mark.parametrize("relation", RELATIONS.all, ids=identity)
def test_both_sides_of_a_relation_measure_the_same(relation: Relation) -> None:
    assert relation_dimension(relation) == CATALOGUE[relation.target].unit.dimension


@pytest.mark.parametrize("relation", RELATIONS.all, ids=identity)
def test_the_units_of_a_relation_hold_with_numbers_put_in(relation: Relation) -> None:
    """The evaluator that carries units agrees with the static check, at values of every choice."""
    drawn = random.Random(identity(relation))  # noqa: S311 - examples, no secrets
    for _ in range(8):
        values: dict[str, Value] = {}
        for name in symbols(relation.expr):
            info = CATALOGUE[name]
            values[name] = (drawn.choice(info.choices) if info.is_choice
                            else Quantity(Fraction(drawn.randint(1, 9)), info.unit.dimension))
        try:
            found = evaluate(relation.expr, values)
        except DimensionError:
            raise
        except EvaluationError:
            continue  # a root of a negative number, at values that no scenario admits
        assert isinstance(found, Quantity)
        rest = found.dimension / CATALOGUE[relation.target].unit.dimension
        assert {count for count, _ in rest.powers} <= set(relation.drops)


@pytest.mark.parametrize("relation", RELATIONS.all, ids=identity)
def test_a_relation_says_why_and_where_from(relation: Relation) -> None:
    assert relation.because.endswith(".")
    assert relation.source.title
    assert all(assumption.endswith(".") for assumption in relation.assumptions)
    assert all(slip.says.endswith(".") and (slip.set or slip.expr) for slip in relation.slips)


@pytest.mark.parametrize("relation", RELATIONS.all, ids=identity)
def test_the_reasons_of_a_relation_are_for_its_own_conditions(relation: Relation) -> None:
    asked = {node.condition for node in walk(relation.expr) if isinstance(node, When)}
    assert set(relation.reasons) <= asked
    silent = {condition for condition in asked - set(relation.reasons) if not _tells_itself(condition)}
    assert silent == set()


def _tells_itself(condition: Expr) -> bool:
    """The kind of capacity is told in the conventions, so that its branches need no reason."""
    return symbols(condition) == ("cluster.capacity",)


@pytest.mark.parametrize("relation", RELATIONS.all, ids=identity)
def test_a_slip_names_quantities_of_the_catalogue_and_measures_what_was_asked(relation: Relation) -> None:
    for slip in relation.slips:
        assert all(name in CATALOGUE for name in slip.set or ())
        if slip.expr is not None:
            found = dimension_of(slip.expr, named_dimension)
            wanted = CATALOGUE[relation.target].unit.dimension
            assert found is not None
            assert found.without_counts == wanted.without_counts


@pytest.mark.parametrize("law", LAWS.all, ids=lambda law: f"{law.on}: {law.sentence[:30]}")
def test_a_law_compares_like_with_like_and_names_what_exists(law: Law) -> None:
    assert dimension_of(law.condition, named_dimension) is None
    assert all(name in CATALOGUE for name in (law.on, *law.knows, *law.any_of, *symbols(law.condition)))


def test_every_symbol_has_a_meaning_and_every_input_an_example() -> None:
    for info in CATALOGUE:
        assert info.meaning
        if not RELATIONS.of(info.name) or info.statable:
            assert info.example or info.default is not None, info.name


def test_a_preset_states_only_what_it_should() -> None:
    """A recipe states every part, so that none is ever taken from a default."""
    for name in RECIPES:
        assert tuple(preset_entries("recipe", Text(name))) == PARTS
    assert {"recipe", "model", "cluster.gpu", "model.family", "cluster.network", "link.kind"} <= set(PRESET_SYMBOLS)


def test_the_bytes_of_the_recipes_are_the_documented_ones() -> None:
    shaped = {"adafactor", "adafactor-momentum", "muon-adamw"}  # what these keep follows from the model's matrices
    totals = {name: Solver(Scenario.of({"recipe": Text(name)})).quantity("recipe.bytes_per_parameter").value
              for name in RECIPES if name not in shaped}
    eight_bit, four_bit = 2 * (1 + Fraction(4, 256)), 2 * (Fraction(1, 2) + Fraction(4, 128))
    assert totals == {
        "zero-paper": 16, "fsdp2-fp32-shard": 16, "megatron-bf16": 18, "fp32-grad-accumulation": 20, "fp32": 16,
        "no-master": 12, "pure-bf16": 8, "adam-8bit": 8 + eight_bit, "adam-8bit-no-master": 4 + eight_bit,
        "lion": 12, "sgd-momentum": 12, "sgd": 8, "adagrad": 12, "amsgrad": 20, "adam-4bit": 8 + four_bit,
        "adam-4bit-no-master": 4 + four_bit, "megatron-fp16": 20, "apex-o2": 20,
        "deepseek-v3-fp8": 13 + Fraction(4, 128 * 128), "te-fp8": 20, "te-fp8-primary": 18,
    }
    assert (float(eight_bit), float(four_bit)) == (2.03125, 1.0625)


def test_a_relation_of_the_wrong_dimension_is_refused() -> None:
    """Bytes per parameter without the parameters is not bytes."""
    wrong = Relation("memory.weights_per_gpu", symbol("recipe.weights") * 3, "Because.", RELATIONS.all[0].source)
    assert relation_dimension(wrong) == Dimension.of(byte=1, parameter=-1)


@pytest.mark.parametrize(
    "expr",
    [
        symbol("model.parameters") + symbol("run.observed"),
        when(symbol("layout.dp") > 1, symbol("run.observed"), 3),
        when(symbol("run.observed") > 1, 1, 2),
        call("log", symbol("run.observed")),
        call("max", symbol("run.observed"), 1),
        number(2) ** symbol("run.observed"),
        symbol("layout.offload") * 2,
    ],
)
def test_what_does_not_measure_the_same_is_not_added_compared_or_chosen_between(expr: object) -> None:
    with pytest.raises(DimensionError):
        dimension_of(expr, named_dimension)  # type: ignore[arg-type]


def test_a_plain_power_and_a_root_keep_their_units() -> None:
    squared = symbol("run.observed") ** 2
    assert dimension_of(call("sqrt", squared), named_dimension) == Dimension.of(second=1)
    assert dimension_of(call("floor", symbol("layout.dp") / 3), named_dimension) == PLAIN
