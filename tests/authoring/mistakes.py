"""Sound questions, and a catalogue of mistakes to plant in them: each is one replacement, and one finding.

A replacement keeps the lines of the file, so that the findings of several mistakes can be compared with those of each.
"""

from __future__ import annotations

from typing import NamedTuple

SOUND = {
    "strategy": """\
id: which-fits
kind: strategy
topic: memory-budget
difficulty: 2
prerequisites: [which-fits]
related: [which-fits]
scenario:
  model.parameters: 70e9
  model.layers: 80
  recipe: zero-paper
  cluster.gpu: h100-80gb
  cluster.capacity: nominal
  cluster.nodes: 4
  cluster.gpus_per_node: 8
given:
  memory.activations_per_gpu: 15 GB
stem: |
  {{ model.parameters }} parameters on {{ cluster.nodes }} nodes of {{ cluster.gpus_per_node }} {{ cluster.gpu }}, with
  {{ memory.activations_per_gpu }} of activations on each. Which plan fits?
decide:
  require: memory.total_per_gpu + spare <= cluster.capacity_per_gpu
  prefer:
    - least memory.total_per_gpu
    - most memory.margin_per_gpu
options:
  whole:
    text: |
      Everything sharded over {{ cluster.gpus }} GPUs: {{ verdict }}
    set:
      layout.dp: cluster.gpus
      layout.zero: 3
    why: |
      {{ memory.state_per_gpu }} of state, {{ memory.total_per_gpu }} in all, {{ memory.margin_per_gpu | GB 1 }} left.
  optimizer:
    text: |
      Only the optimizer state sharded
    set: {layout.dp: cluster.gpus, layout.zero: 1}
    why: |
      {{ kept }} stay whole.
    slip: stage-one-shards-all
  nothing:
    text: |
      Nothing sharded
    set: {layout.dp: cluster.gpus, layout.zero: 0}
    slip: nothing-is-sharded
  told:
    text: |
      A memo's plan
    asserted: false
    source: memo
figures:
  state: memory.state_total
  spare: {input: 1 GB}
  room: {input: 5 GB, unit: GB}
  kept: {in: optimizer, is: memory.weights_per_gpu + memory.gradients_per_gpu}
  fewest: {in: whole, fewest: layout.dp, such_that: memory.total_per_gpu + room <= cluster.capacity_per_gpu}
  cited: {quote: 7.9 h, source: memo, as_of: 2025-02}
then:
  ask: |
    How much state per GPU?
  answer:
    is: memory.state_per_gpu
    in: whole
    unit: GB
    within: 3 %
  slips:
    - id: one-node
      set: {layout.dp: 8}
      says: "Over one node only."
    - id: stage-one
      in: optimizer
      says: "Stage one shards the optimizer state only: {{ kept }}."
variants:
  axes:
    model.parameters: [34e9, 70e9, 100e9]
    memory.activations_per_gpu: [10 GB, 15 GB, 20 GB]
  where:
    - memory.state_total > 1 GB
bullets:
  - |
    {{ state }} in all; {{ fewest }} GPUs at least with {{ room }} of room.
concept:
  - heading: What stays
    table:
      columns: [Plan, Bytes]
      rows:
        - in: whole
          cells: ["All", "{{ memory.total_per_gpu }}"]
red_flags:
  - says: |
      Eight is enough.
    why: |
      It is {{ memory.state_total }} of state.
    instead: |
      Count it.
uses:
  - {text: "A run", source: zero-2019, as_of: 2024}
sources:
  - source: zero-2019
    where: Table 1
drill: {tier: ranks, plans: [whole, optimizer], predict: [memory.state_per_gpu]}
""",
    "claim": """\
id: which-holds
kind: claim
topic: zero-stages
difficulty: 1
related: [which-holds]
scenario: {model.parameters: 70e9, recipe: zero-paper, layout.zero: 1, layout.dp: 64}
stem: |
  Which holds for {{ layout.dp }} GPUs?
conventions: [young-first-order]
options:
  small:
    text: |
      The state is below {{ few }}
    holds: memory.state_per_gpu < few
    slip: all-is-sharded
  kept_whole:
    text: |
      Weights and gradients stay whole
    holds: memory.weights_per_gpu + memory.gradients_per_gpu == whole
    why: |
      Both are counted.
  elsewhere:
    text: |
      Without a shard it would be less
    in: kept_whole
    set: {layout.zero: 0}
    holds: memory.state_per_gpu < few
    slip: less-without
  told:
    text: |
      It is called stage two
    asserted: false
    source: zero-2019
figures:
  few: {input: 100 GB}
  whole: (recipe.weights + recipe.gradients) * model.parameters
why: |
  {{ whole }} stay whole.
sources:
  - source: zero-2019
""",
    "numeric": """\
id: how-often
kind: numeric
topic: fault-tolerance
difficulty: 3
scenario:
  run.interruptions: 419
  run.observed: 54 day
  cluster.gpus: 16384
  checkpoint.stall: 60 s
stem: |
  {{ run.interruptions }} interruptions in {{ run.observed }}, {{ checkpoint.stall }} for a checkpoint. How often?
conventions: [young-first-order]
answer:
  is: checkpoint.interval_young
  unit: min
  within: 3 %
slips:
  - {id: no-two, is: sqrt(checkpoint.stall * run.mtbf), says: "The two is missing."}
  - {id: one-gpu, is: sqrt(2 * checkpoint.stall * run.mtbf * cluster.gpus), says: "That is the rate of one GPU."}
  - {id: daly, kind: convention, is: checkpoint.interval_daly, says: "That is Daly's."}
parts:
  - ask: |
      What share is that?
    answer: {is: checkpoint.stall / checkpoint.interval_young, unit: "%"}
    slips:
      - {id: half, is: checkpoint.stall / (2 * checkpoint.interval_young), says: "Half of it."}
figures:
  share: checkpoint.stall / checkpoint.interval_young
  cited: {quote: 7.9 h, source: memo, as_of: 2025-02}
why: |
  The MTBF is {{ run.mtbf }}; writing takes {{ share }}; a memo says {{ cited }}.
follow_ups:
  - ask: |
      And at {{ cluster.gpus }} GPUs?
    sketch: |
      The same.
sources: [{source: memo}]
""",
    "ordering": """\
id: in-order
kind: ordering
topic: zero-stages
difficulty: 1
scenario: {model.parameters: 70e9, recipe: zero-paper, layout.dp: 64}
stem: |
  Most state first, of {{ memory.state_total }}.
order: descending
items:
  three:
    text: "Stage three"
    set: {layout.zero: 3}
    by: memory.state_per_gpu
  none:
    text: "No stage"
    set: {layout.zero: 0}
    by: memory.state_per_gpu
  one:
    text: "Stage one"
    set: {layout.zero: 1}
    by: memory.state_per_gpu
    why: |
      {{ memory.state_per_gpu }}.
sources: [{source: memo}]
""",
}


class Mistake(NamedTuple):
    """What stands in a sound question, what stands there instead, and what the lint calls it."""

    old: str
    new: str
    code: str


STRATEGY = (
    Mistake("difficulty: 2", "difficulty: 9", "out-of-range"),
    Mistake("topic: memory-budget", "topic: Memory budget", "wrong-form"),
    Mistake("prerequisites: [which-fits]", "prerequisites: [which-fit]", "unknown-question"),
    Mistake("related: [which-fits]", "related: [nowhere]", "unknown-question"),
    Mistake("model.layers: 80", "model.leyers: 80", "unknown-name"),
    Mistake("cluster.nodes: 4", "cluster.nodes: four", "input"),
    Mistake("stem: |\n  {{ model.parameters }}", "stem: |\n  {{ model.paramters }}", "unknown-name"),
    Mistake("nodes of {{ cluster.gpus_per_node }}", "nodes of 8 GPUs, or", "literal-figure"),
    Mistake("require: memory.total_per_gpu", "require: memory.totl_per_gpu", "unknown-name"),
    Mistake("+ spare <=", "+ spares <=", "unknown-name"),
    Mistake("least memory.total_per_gpu", "least memory.total_per_cpu", "unknown-name"),
    Mistake("most memory.margin_per_gpu", "biggest memory.margin_per_gpu", "invalid"),
    Mistake("over {{ cluster.gpus }}", "over {{ cluster.gpuses }}", "unknown-name"),
    Mistake("layout.dp: cluster.gpus\n", "layout.dp: cluster.gpu_count\n", "unknown-name"),
    Mistake("layout.zero: 3", "layout.zeroes: 3", "unknown-name"),
    Mistake("layout.zero: 1}", "layout.zero: 7}", "input"),
    Mistake("{{ memory.margin_per_gpu | GB 1 }}", "{{ memory.margin_per_gpu | s 1 }}", "unit"),
    Mistake("slip: nothing-is-sharded", "slip: stage-one-shards-all", "duplicate"),
    Mistake("  told:\n", "  memory:\n", "name-taken"),
    Mistake("asserted: false", "asserted: maybe", "wrong-type"),
    Mistake("source: memo\nfigures", "sorce: memo\nfigures", "unknown-key"),
    Mistake("state: memory.state_total\n", "state: memory.state_totl\n", "unknown-name"),
    Mistake("input: 5 GB, unit: GB", "input: 5 GB, unit: km", "unit"),
    Mistake("in: optimizer, is: memory.weights", "in: optimiser, is: memory.weights", "unknown-option"),
    Mistake("fewest: layout.dp", "fewest: layout.pd", "unknown-name"),
    Mistake("source: memo, as_of: 2025-02", "source: mamo, as_of: 2025-02", "unknown-source"),
    Mistake("How much state per GPU?", "How much of 70 GB?", "literal-figure"),
    Mistake("is: memory.state_per_gpu\n", "is: memory.state_each\n", "unknown-name"),
    Mistake("within: 3 %", "within: 3 GBs", "expression"),
    Mistake("set: {layout.dp: 8}", "set: {layout.pd: 8}", "unknown-name"),
    Mistake("      in: optimizer\n", "      in: optimised\n", "unknown-option"),
    Mistake("state only: {{ kept }}", "state only: {{ keep }}", "unknown-name"),
    Mistake("[34e9, 70e9, 100e9]", "[34e9, 70e9, -1]", "input"),
    Mistake("[10 GB, 15 GB, 20 GB]", "[10 GB, 15 GB, 20]", "input"),
    Mistake("memory.state_total > 1 GB", "memory.state_whole > 1 GB", "unknown-name"),
    Mistake("{{ fewest }} GPUs", "{{ fewests }} GPUs", "unknown-name"),
    Mistake("- in: whole", "- in: hole", "unknown-option"),
    Mistake('["All", "{{ memory.total_per_gpu }}"]', '["All", "{{ memory.totals }}"]', "unknown-name"),
    Mistake("It is {{ memory.state_total }}", "It is {{ memory.state_totals }}", "unknown-name"),
    Mistake("    instead: |", "    in_stead: |", "unknown-key"),
    Mistake("source: zero-2019, as_of: 2024", "source: zero-2020, as_of: 2024", "unknown-source"),
    Mistake("as_of: 2024}", "as_of: soon}", "invalid"),
    Mistake("  - source: zero-2019", "  - source: zero", "unknown-source"),
    Mistake("plans: [whole, optimizer]", "plans: [whole, optimum]", "unknown-option"),
    Mistake("tier: ranks", "tier: rank", "not-allowed"),
    Mistake("text: |\n      A memo's plan", "text: |\n      Nothing sharded", "options-equal"),
    Mistake("    slip: stage-one-shards-all", "    slip: stage: all", "colon-in-text"),
    Mistake('  - {text: "A run", source', '  - {text: "A \\alpha run", source', "escape"),
    Mistake("columns: [Plan, Bytes]", "columns: [Plan: this, Bytes]", "pair-in-list"),
    Mistake("  model.layers: 80\n", "  model.parameters: 70e9\n", "duplicate-key"),
    Mistake("cluster.capacity: nominal", "cluster.capacity: *nominal", "alias"),
    Mistake("  spare: {input: 1 GB}", "  spare: {input 1 GB}", "key-without-value"),
    Mistake("figures:\n  state: ", "figures:\n  state: &total ", "anchor"),
    Mistake("- heading: What stays", "- heading: @stays", "reserved-character"),
)
CLAIM = (
    Mistake("difficulty: 1", "difficulty: easy", "wrong-type"),
    Mistake("related: [which-holds]", "related: [nowhere]", "unknown-question"),
    Mistake("{{ layout.dp }} GPUs", "{{ layout.dpp }} GPUs", "unknown-name"),
    Mistake("[young-first-order]", "[yong-first-order]", "unknown-convention"),
    Mistake("below {{ few }}", "below {{ fiew }}", "unknown-name"),
    Mistake(
        "holds: memory.state_per_gpu < few\n    slip: all", "holds: memory.stat < few\n    slip: all", "unknown-name"
    ),
    Mistake("memory.gradients_per_gpu == whole", "memory.gradients_per_gpu == hole", "unknown-name"),
    Mistake("slip: less-without", "slip: all-is-sharded", "duplicate"),
    Mistake("in: kept_whole", "in: keptwhole", "unknown-option"),
    Mistake("set: {layout.zero: 0}", "set: {layout.zro: 0}", "unknown-name"),
    Mistake("    source: zero-2019\nfigures:", "    # no source\nfigures:", "invalid"),
    Mistake("few: {input: 100 GB}", "few: {input: 100 Gb/}", "expression"),
    Mistake("* model.parameters", "* model.params", "unknown-name"),
    Mistake("why: |\n  {{ whole }}", "why: |\n  {{ wole }}", "unknown-name"),
    Mistake("sources:\n  - source: zero-2019", "sources:\n  - sorce: zero-2019", "unknown-key"),
    Mistake("    slip: all-is-sharded", "    slip: all: sharded", "colon-in-text"),
    Mistake("    asserted: false", "    asserted:false", "space-after-colon"),
    Mistake("layout.dp: 64}", "layout.dp: .inf}", "number"),
    Mistake("  whole: (recipe.weights", "  whole: {{ few }} + (recipe.weights", "braces"),
)
NUMERIC = (
    Mistake("difficulty: 3", "difficulty: 0", "out-of-range"),
    Mistake("cluster.gpus: 16384", "cluster.gpus: 16384 GB", "input"),
    Mistake("interruptions in {{ run.observed }}", "interruptions in 54 days", "literal-figure"),
    Mistake("is: checkpoint.interval_young\n", "is: checkpoint.interval_yung\n", "unknown-name"),
    Mistake("unit: min", "unit: GB", "unit"),
    Mistake("within: 3 %", "within: 3 GB", "tolerance"),
    Mistake("is: sqrt(checkpoint.stall * run.mtbf)", "is: sqrt(checkpoint.stal * run.mtbf)", "unknown-name"),
    Mistake("id: daly", "id: one-gpu", "duplicate"),
    Mistake("kind: convention", "kind: conventions", "not-allowed"),
    Mistake('checkpoint.interval_young, unit: "%"', 'checkpoint.interval_jung, unit: "%"', "unknown-name"),
    Mistake("(2 * checkpoint.interval_young)", "(1 * checkpoint.interval_young)", "slip-not-wrong"),
    Mistake("{{ run.mtbf }}", "{{ run.mtbv }}", "unknown-name"),
    Mistake("{{ share }}", "{{ share | GB }}", "unit"),
    Mistake("{{ cited }}", "{{ cited }", "braces"),
    Mistake("at {{ cluster.gpus }} GPUs", "at {{ cluster.gpusses }} GPUs", "unknown-name"),
    Mistake("conventions: [young-first-order]", "topic: another", "duplicate-key"),
    Mistake("That is Daly's.\"}", "That is \\frac Daly's.\"}", "escape"),
    Mistake("{quote: 7.9 h, source", "{quote: 7.9 h, quote: 8 h, source", "duplicate-key"),
)
ORDERING = (
    Mistake("topic: zero-stages", "topics: zero-stages", "unknown-key"),
    Mistake("of {{ memory.state_total }}", "of {{ memory.state_totl }}", "unknown-name"),
    Mistake("order: descending", "order: falling", "not-allowed"),
    Mistake("set: {layout.zero: 3}\n    by: memory.state_per_gpu", "set: {layout.zero: 3}\n    # by", "invalid"),
    Mistake("set: {layout.zero: 0}", "set: {layout.zero: none}", "unknown-name"),
    Mistake(
        "set: {layout.zero: 1}\n    by: memory.state_per_gpu", "set: {layout.zero: 1}\n    by: memory", "unknown-name"
    ),
    Mistake("{{ memory.state_per_gpu }}.", "{{ memory.state_per_gp }}.", "unknown-name"),
    Mistake('text: "No stage"', "text: [No stage]", "wrong-type"),
    Mistake("sources: [{source: memo}]", "# no source", "no-source"),
    Mistake("kind: ordering", "kind:ordering", "space-after-colon"),
    Mistake('    text: "Stage one"', '    text: "Stage one" of all', "after-quote"),
    Mistake("difficulty: 1\nscenario: {", "difficulty: 1: 2\nscenario: {", "colon-in-text"),
)
FACTS = {
    "strategy": (
        Mistake("{{ kept }} stay whole.", "It fits.", "verdict-contradicted"),
        Mistake("{{ state }} in all", "{{ state }} is less than {{ spare }}", "comparison-contradicted"),
        Mistake("Which plan fits?", "Which plan does not fit?", "negative-stem"),
        Mistake("Only the optimizer state", "Always the optimizer state", "absolute-word"),
    ),
    "claim": (
        Mistake("Both are counted.", "It is wrong.", "verdict-contradicted"),
        Mistake("It is called stage two", "All of the above", "all-or-none"),
    ),
    "numeric": (
        Mistake("The same.", "{{ run.mtbf }} is below {{ checkpoint.stall }}.", "comparison-contradicted"),
        Mistake("within: 3 %", "within: 0.001 %", "shown-answer-refused"),
    ),
    "ordering": (Mistake("Most state first", "Most ___ first", "blank-in-stem"),),
}
"""Mistakes of fact and of craft."""
OF_FORM = {"strategy": STRATEGY, "claim": CLAIM, "numeric": NUMERIC, "ordering": ORDERING}
MISTAKES = {kind: (*mistakes, *FACTS[kind]) for kind, mistakes in OF_FORM.items()}
