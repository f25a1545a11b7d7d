"""The meaning revision moves with the meaning and not with the words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.trial_bank import CLAIM, NUMERIC, ORDERING, STRATEGY, Trial

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (STRATEGY, "Which plan fits?", "Which of these plans fits?"),
        (STRATEGY, "Nothing sharded", "Nothing is sharded"),
        (STRATEGY, "stay whole.", "remain whole."),
        (STRATEGY, "Over one node only.", "One node."),
        (STRATEGY, "difficulty: 2", "difficulty: 3"),
        (STRATEGY, "slip: stage-one-shards-all", "slip: another"),
        (STRATEGY, "memory.total_per_gpu <= cluster", "memory.total_per_gpu  <=   cluster"),
        (STRATEGY, "70e9\n  recipe", "70000000000\n  recipe"),
        (STRATEGY, "[34e9, 70e9", "[34e9, 65e9, 70e9"),
        (NUMERIC, "The two is missing.", "You forgot the two."),
        (NUMERIC, "as_of: 2025-02", "as_of: 2025-03"),
        (CLAIM, "It is called", "People call it"),
        (ORDERING, "Most state first.", "The most first."),
    ],
)
def test_a_typo_leaves_it(trial: Trial, text: str, old: str, new: str) -> None:
    assert old in text
    assert trial.only(text).revision == trial.only(text.replace(old, new)).revision


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (STRATEGY, "70e9\n  recipe", "71e9\n  recipe"),
        (STRATEGY, "15 GB\nstem", "14 GB\nstem"),
        (STRATEGY, "recipe: zero-paper", "recipe: megatron-bf16"),
        (STRATEGY, "layout.zero: 1}", "layout.zero: 2}"),
        (STRATEGY, "capacity_per_gpu\noptions", "capacity_per_gpu\n  decisive: 6 %\noptions"),
        (STRATEGY, "input: 5 GB", "input: 6 GB"),
        (STRATEGY, "within: 3 %", "within: 2 %"),
        (STRATEGY, "  nothing:\n", "  none_at_all:\n"),
        (NUMERIC, "within: 3 %", "within: 4 %"),
        (NUMERIC, "is: checkpoint.interval_young", "is: 1 * checkpoint.interval_young"),
        (NUMERIC, "419", "420"),
        (CLAIM, "few: {input: 100 GB}", "few: {input: 99 GB}"),
        (CLAIM, "< few", "<= few"),
        (ORDERING, "order: descending", "order: ascending"),
        (ORDERING, "layout.zero: 3", "layout.zero: 2"),
    ],
)
def test_another_input_decider_tolerance_or_figure_moves_it(trial: Trial, text: str, old: str, new: str) -> None:
    assert old in text
    assert trial.only(text).revision != trial.only(text.replace(old, new)).revision


def test_a_corrected_relation_moves_it() -> None:
    script = (
        "import sys; from dataclasses import replace\n"
        "import solvers.relations; from solvers.relation import RELATIONS; from solvers.expr.tree import number\n"
        "found, *others = RELATIONS.of('memory.weights_per_gpu')\n"
        "corrected = replace(found, expr=found.expr * number(int(sys.argv[1])))\n"
        "RELATIONS._by_target[found.target] = (corrected, *others)\n"
        "from quiz.bank.bench import Context; from quiz.bank.compile import compile_text\n"
        "base = compile_text(sys.stdin.read(), 'one.yaml', Context('trial')).base\n"
        "print(base.revision, *base.key)\n"
    )

    def revision(factor: int) -> list[str]:
        command = [sys.executable, "-c", script, str(factor)]
        done = subprocess.run(command, cwd=ROOT, input=ORDERING, capture_output=True, text=True, check=True)
        return done.stdout.split()

    before, *key = revision(1)
    after, *same_key = revision(2)
    assert key == same_key == ["none", "one", "three"]
    assert before != after


def test_each_variant_has_its_own(trial: Trial) -> None:
    trial.write(STRATEGY)
    bank = trial.open()
    revisions = {bank.question("which-fits", one).revision for one in bank.variants("which-fits")}
    assert len(revisions) == len(bank.variants("which-fits"))
