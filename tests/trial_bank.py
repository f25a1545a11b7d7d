"""Banks of a few questions, written for the test at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from quiz.bank.diagnostics import BankError
from quiz.bank.library import open_bank

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.bank.diagnostics import Diagnostic
    from quiz.bank.library import Bank
    from quiz.bank.rendered import Rendered

MANIFEST = "id: trial\ntitle: A trial\nlicence: CC-BY-4.0\n"
SOURCES = "zero-2019:\n  title: ZeRO\n  address: arXiv:1910.02054\nmemo:\n  title: A memo\n"

STRATEGY = """\
id: which-fits
kind: strategy
topic: memory-budget
difficulty: 2
scenario:
  model.parameters: 70e9
  recipe: zero-paper
  cluster.gpu: h100-80gb
  cluster.capacity: nominal
  cluster.nodes: 4
  cluster.gpus_per_node: 8
given:
  memory.activations_per_gpu: 15 GB
stem: |
  {{ model.parameters }} parameters on {{ cluster.nodes }} nodes of {{ cluster.gpus_per_node }} {{ cluster.gpu }}, and
  {{ memory.activations_per_gpu }} of activations on each. Which plan fits?
decide:
  require: memory.total_per_gpu <= cluster.capacity_per_gpu
options:
  whole:
    text: |
      Everything sharded over {{ cluster.gpus }} GPUs: {{ verdict }}
    set: {layout.dp: cluster.gpus, layout.zero: 3}
    why: |
      {{ memory.state_per_gpu }} of state, {{ memory.total_per_gpu }} in all, {{ memory.margin_per_gpu | GB 1 }} left.
  optimizer:
    text: |
      Only the optimizer state sharded
    set: {layout.dp: cluster.gpus, layout.zero: 1}
    why: |
      {{ floor }} stay whole.
    slip: stage-one-shards-all
  nothing:
    text: |
      Nothing sharded
    set: {layout.dp: cluster.gpus, layout.zero: 0}
figures:
  state: memory.state_total
  room: {input: 5 GB}
  floor: {in: optimizer, is: memory.weights_per_gpu + memory.gradients_per_gpu}
  fewest: {in: whole, fewest: layout.dp, such_that: memory.total_per_gpu + room <= cluster.capacity_per_gpu}
then:
  ask: |
    How much state per GPU?
  answer: {in: whole, is: memory.state_per_gpu, unit: GB, within: 3 %}
  slips:
    - {id: one-node, set: {layout.dp: 8}, says: "Over one node only."}
    - {id: stage-one-shards-all, in: optimizer, says: "Stage one shards the optimizer state only."}
variants:
  axes:
    model.parameters: [34e9, 70e9, 100e9]
    memory.activations_per_gpu: [10 GB, 15 GB, 20 GB]
bullets:
  - |
    {{ state }} in all; {{ fewest }} GPUs at least with {{ room }} of room.
""".replace("floor", "kept")

NUMERIC = """\
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
answer: {is: checkpoint.interval_young, unit: min, within: 3 %}
slips:
  - {id: no-two, is: sqrt(checkpoint.stall * run.mtbf), says: "The two is missing."}
  - {id: one-gpu, is: sqrt(2 * checkpoint.stall * run.mtbf * cluster.gpus), says: "That is the rate of one GPU."}
  - {id: daly, kind: convention, is: checkpoint.interval_daly, says: "That is Daly's."}
figures:
  share: checkpoint.stall / checkpoint.interval_young
  cited: {quote: 7.9 h, source: memo, as_of: 2025-02}
why: |
  The MTBF is {{ run.mtbf }}; writing takes {{ share }}; a memo says {{ cited }}.
"""

CLAIM = """\
id: which-holds
kind: claim
topic: zero-stages
difficulty: 1
scenario: {model.parameters: 70e9, recipe: zero-paper, layout.zero: 1, layout.dp: 64}
stem: |
  Which holds for {{ layout.dp }} GPUs?
options:
  small:
    text: |
      The state is below {{ few }}
    holds: memory.state_per_gpu < few
  kept_whole:
    text: |
      Weights and gradients stay whole
    holds: memory.weights_per_gpu + memory.gradients_per_gpu == whole
  told:
    text: |
      It is called stage two
    asserted: false
    source: zero-2019
figures:
  few: {input: 100 GB}
  whole: (recipe.weights + recipe.gradients) * model.parameters
"""

ORDERING = """\
id: in-order
kind: ordering
topic: zero-stages
difficulty: 1
scenario: {model.parameters: 70e9, recipe: zero-paper, layout.dp: 64}
stem: |
  Most state first.
by: memory.state_per_gpu
order: descending
items:
  three: {text: "Stage three", set: {layout.zero: 3}}
  none: {text: "No stage", set: {layout.zero: 0}}
  one: {text: "Stage one", set: {layout.zero: 1}}
"""

OPEN = """\
id: say-it
kind: open
topic: composition
difficulty: 3
stem: |
  Say how you would start.
rubric: ["computes the state first"]
sketch: |
  State first.
"""


@dataclass
class Trial:
    """A bank in a folder of its own, with its cache beside it."""

    folder: Path
    cache: Path

    def write(self, text: str, name: str = "topic/one.yaml") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def open(self, *, bundled: bool = False) -> Bank:
        return open_bank(self.folder, self.cache, bundled=bundled)

    def only(self, text: str) -> Rendered:
        """The one question of the bank, as shown."""
        self.write(text)
        bank = self.open()
        return bank.question(bank.index[0].id)

    def problems(self, text: str | None = None) -> tuple[Diagnostic, ...]:
        """What stops the bank from opening."""
        if text is not None:
            self.write(text)
        with pytest.raises(BankError) as caught:
            self.open()
        return tuple(one for one in caught.value.diagnostics if one.severity == "error")

    def problem(self, text: str) -> Diagnostic:
        """The one problem that stops the bank from opening."""
        found = self.problems(text)
        assert len(found) == 1, "\n".join(one.render() for one in found)
        return found[0]
