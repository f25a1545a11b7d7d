"""What a scenario takes over from a near one is what it would have worked out itself, and so is what it refuses."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import CATALOGUE, RELATIONS, Solver, scenario_of
from solvers.errors import SolveError
from solvers.expr.strict import read_strict
from solvers.scenario import Scenario

PLAN = {
    "model": "llama-3-8b",
    "recipe": "zero-paper",
    "layout.zero": "3",
    "layout.tp": "2",
    "cluster.nodes": "4",
    "cluster.gpu": "h100-80gb",
    "batch.sequence": "4096",
    "batch.micro": "1",
    "run.mtbf": "3 h",
    "checkpoint.stall": "60 s",
}
DERIVED = tuple(info.name for info in CATALOGUE if RELATIONS.of(info.name))
CHANGES = {
    "model": ("'llama-3-70b'", "'gpt2'"),
    "model.layers": ("16", "7"),
    "model.parameters": ("70e9",),
    "recipe": ("'megatron-bf16'", "'no-master'"),
    "recipe.master": ("0 B/param",),
    "layout.zero": ("0", "1"),
    "layout.dp": ("4", "3", "cluster.gpus / layout.tp"),
    "layout.tp": ("1", "4", "5"),
    "layout.pp": ("2", "3"),
    "cluster.nodes": ("8", "layout.pp * 2"),
    "cluster.gpus": ("16", "1024"),
    "cluster.gpu": ("'a100-40gb'",),
    "batch.sequence": ("8192", "4097"),
    "batch.global_tokens": ("4e6 token",),
    "memory.activations_per_gpu": ("15 GB",),
    "run.mtbf": ("1 h", "checkpoint.stall * 100"),
}
PATCHES = st.lists(st.sampled_from([(name, text) for name, texts in CHANGES.items() for text in texts]), max_size=4)


def outcome(solver: Solver, name: str) -> object:
    try:
        found = solver.resolve(name)
    except SolveError as error:
        return type(error), str(error)
    return found.value, found.origin, found.relation, found.note


@settings(max_examples=8, deadline=None)
@given(st.lists(PATCHES, min_size=1, max_size=3), st.lists(st.sampled_from(DERIVED), min_size=8, max_size=40))
def test_a_patched_scenario_answers_as_one_that_knows_no_other(
    patches: list[list[tuple[str, str]]], names: list[str]
) -> None:
    scenario = scenario_of(PLAN)
    for patch in patches:
        solver = Solver(scenario)
        for name in names:
            outcome(solver, name)  # so that there is something to take over
        scenario = scenario.patched({name: read_strict(text) for name, text in patch})
    alone = Scenario(scenario.entries)
    for name in names:
        assert outcome(Solver(scenario), name) == outcome(Solver(alone), name), name
