"""Whatever is wrong in a question is said with its file, line and column, everything at once, with what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.trial_bank import CLAIM, NUMERIC, OPEN, ORDERING, STRATEGY

if TYPE_CHECKING:
    from quiz.bank.diagnostics import Diagnostic
    from tests.trial_bank import Trial


def spot(problem: Diagnostic, text: str) -> str:
    """What stands at the place of a problem."""
    return text.split("\n")[problem.place.line - 1][problem.place.column - 1 :]


CASES = [
    # kind of question, replaced, by, what stands at the place, what is said, what comes next
    (
        STRATEGY,
        "difficulty: 2",
        "dificulty: 2",
        "dificulty",
        "there is no key `dificulty`",
        "Did you mean `difficulty`?",
    ),
    (STRATEGY, "topic: memory-budget\n", "", "id: which-fits", "the key `topic` is missing", ""),
    (STRATEGY, "difficulty: 2", "difficulty: 9", "9", "must be at most 5", ""),
    (STRATEGY, "id: which-fits", "id: Which Fits", "Which Fits", "does not have the form", ""),
    (STRATEGY, "<= cluster.cap", "<= * cluster.cap", "* cluster.cap", "is missing before *", ""),
    (STRATEGY, "state: memory.state_total", "state: memory.state_total +", "", "missing", ""),
    (
        STRATEGY,
        "{{ memory.state_per_gpu }} of",
        "{{ memory.state_per_gup }} of",
        "memory.state_per_gup",
        "memory.state_per_gup",
        "",
    ),
    (STRATEGY, "{{ kept }}", "{{ kpt }}", "kpt }}", "did you mean kept?", ""),
    (STRATEGY, "{{ kept }}", "{{ 2 * kept }}", "2 * kept", "is no name", "under `figures`"),
    (STRATEGY, "{{ kept }}", "{{ kept", "{{ kept", "no partner", "{{ name }}"),
    (STRATEGY, "{{ kept }}", "{{ kept | parsec }}", "kept | parsec", "parsec", "Write a unit"),
    (STRATEGY, "{{ kept }}", "{{ kept | min }}", "kept | min", "which min does not measure", ""),
    (STRATEGY, "{{ kept }}", "{{ }}", "}} stay", "a name is missing", ""),
    (STRATEGY, "{{ state }} in", "{{ whole.memory.nothing }} in", "whole.memory.nothing", "memory.nothing", ""),
    (
        STRATEGY,
        "{{ state }} in",
        "{{ memory.activations_per_gpu | GB | 1 }} in",
        "memory.act",
        "no unit with decimals",
        "",
    ),
    (STRATEGY, "recipe: zero-paper", "recipe: zero-papr", "zero-papr", "did you mean zero-paper?", ""),
    (STRATEGY, "15 GB\nstem", "15 min\nstem", "15 min", "is measured in GB", "For example 15 GB."),
    (STRATEGY, "15 GB\nstem", "15\nstem", "15", "needs a unit", "For example 15 GB."),
    (STRATEGY, "15 GB\nstem", "15 +\nstem", "15 +", "cannot read", ""),
    (STRATEGY, "layout.zero: 3}", "layout.zero: 7}", "7}", "layout.zero is at most 3, not 7", ""),
    (STRATEGY, "layout.zero: 3}", "layout.zer: 3}", "layout.zer: 3}", "did you mean layout.zero", ""),
    (STRATEGY, "cluster.nodes: 4", "cluster.nods: 4", "cluster.nods", "did you mean cluster.nodes", ""),
    (STRATEGY, "layout.zero: 1}", "layout.zero: optimizer.layout.zero}", "", "circle: options.optimizer ->", ""),
    (CLAIM, "memory.state_per_gpu < few", "layout.offload == none", "none", "named 'none'", 'in quotes: "none"'),
    (STRATEGY, "require: memory.total_per_gpu <=", "require: memory.zzz <=", "memory.zzz", "named 'memory.zzz'", ""),
    (STRATEGY, "70e9\n  recipe", "0\n  recipe", "0", "model.parameters must be above zero, not 0", ""),
    (STRATEGY, "layout.zero: 3}", "layout.zero: 3, layout.tp: 3}", "", "the layout needs 96 GPUs", ""),
    (
        STRATEGY,
        "layout.zero: 0}",
        "memory.state_per_gpu: 4 GB}",
        "memory.state_per_gpu: 4",
        "is derived from",
        "pin it",
    ),
    (
        STRATEGY,
        "cluster.capacity: nominal",
        "cluster.capacity: nominel",
        "nominel",
        "is not one of nominal, reported, usable",
        "Did you mean nominal?",
    ),
    (STRATEGY, "in: optimizer, is: memory.w", "in: optimzer, is: memory.w", "optimzer", "did you mean optimizer?", ""),
    (STRATEGY, "input: 5 GB", "input: 5 GB, unit: min", "min}", "which min does not measure", ""),
    (STRATEGY, "state: memory.state_total", "state: loop\n  loop: 2 * state", "", "circle: state -> loop -> state", ""),
    (
        STRATEGY,
        "set: {layout.dp: 8}",
        "set: {layout.dp: 32}",
        "{id: one-node",
        "gives 35 GB, as the right answer does",
        "",
    ),
    (STRATEGY, "in: optimizer, says", "set: {layout.dp: 8}, says", "{id: stage-one", "as the slip one-node does", ""),
    (STRATEGY, "id: stage-one-shards-all, in", "id: one-node, in", "one-node, in", "two slips are named", ""),
    (STRATEGY, "unit: GB, within: 3 %", "unit: min, within: 3 %", "min, within", "which min does not measure", ""),
    (STRATEGY, "answer: {in: whole", "answer: {in: whloe", "whloe", "did you mean whole?", ""),
    (STRATEGY, "  nothing:\n", "  memory:\n", "memory:", "means something else", "another name"),
    (
        STRATEGY,
        "  state: memory.state_total",
        "  max: memory.state_total",
        "max:",
        "means something else",
        "another name",
    ),
    (
        STRATEGY,
        "memory.activations_per_gpu: [10",
        "memory.activation_per_gpu: [10",
        "memory.activation_per_gpu: [10",
        "is no input",
        "activations",
    ),
    (STRATEGY, "[34e9, 70e9", "[34e9, 34e9, 70e9", "34e9, 70e9", "has this value twice", ""),
    (STRATEGY, "  axes:\n", "  where: [layout.dp +]\n  axes:\n", "]", "missing", ""),
    (NUMERIC, ", unit: min", "", "{is:", "its unit is not said", "Add `unit:`"),
    (NUMERIC, "sqrt(checkpoint.stall * run.mtbf)", "cluster.gpus", "cluster.gpus", "the answer is in s", ""),
    (NUMERIC, "within: 3 %", "within: 3 GB", "3 GB", "is no tolerance", "3 %"),
    (NUMERIC, "within: 3 %", "within: 0 %", "0 %", "a share such as `5 %`", ""),
    (
        NUMERIC,
        "is: checkpoint.interval_young",
        "is: checkpoint.interval_yuong",
        "checkpoint.interval_yuong",
        "did you mean",
        "",
    ),
    (NUMERIC, "  checkpoint.stall: 60 s\n", "", "", "checkpoint.stall", ""),
    (NUMERIC, "share: checkpoint.stall /", "share: checkpoint.stall / 0 *", "", "division by zero", ""),
    (NUMERIC, "share: checkpoint.stall /", "share: checkpoint.stall + cluster.gpus /", "", "cannot add", ""),
    (NUMERIC, "source: memo", "source: mem", "mem,", "sources.yaml has no 'mem'", "Did you mean memo?"),
    (NUMERIC, "source: memo, ", "", "cited", "the key `source` is missing", ""),
    (NUMERIC, "as_of: 2025-02", "as_of: last year", "last year", "a date such as", ""),
    (CLAIM, "    source: zero-2019\n", "", "asserted", "needs a source", "sources.yaml"),
    (ORDERING, "by: memory.state_per_gpu", "by: memory.state_per_gpu > 1 GB", "memory", "a number", ""),
    (
        ORDERING,
        "items:\n",
        "items:\n" + "".join(f"  x{n}: {{text: t}}\n" for n in range(9)),
        "x0",
        "the entries here must be at most 8",
        "",
    ),
    (ORDERING, "order: descending", "order: down", "down", "not among the allowed values", "descending"),
    (NUMERIC, "is: checkpoint.interval_young", f"is: 1{'0' * 99}", "1000", "too many digits", "At most 60"),
    (NUMERIC, "is: checkpoint.interval_young", "is: 1e-99", "1e-99", "too many digits", "At most 60"),
    (OPEN, "kind: open", "kind: opne", "opne", "not among the allowed values", "Did you mean `open`?"),
    (OPEN, "kind: open\n", "", "id", "the key `kind` is missing", ""),
    (OPEN, "  State first.\n", "\n", "|", "this text is empty", ""),
    (OPEN, 'rubric: ["computes the state first"]', "rubric: []", "[]", "at least 1", ""),
]


@pytest.mark.parametrize(("base", "old", "new", "at", "said", "after"), CASES)
def test_a_mistake_is_named_where_it_stands(
    trial: Trial, base: str, old: str, new: str, at: str, said: str, after: str
) -> None:
    assert old in base
    text = base.replace(old, new, 1)
    found = [one for one in trial.problems(text) if said in one.what]
    assert found, "\n".join(one.render() for one in trial.problems())
    assert found[0].place.file == "topic/one.yaml"
    if at:
        assert any(spot(one, text).startswith(at) for one in found), [spot(one, text) for one in found]
    assert after in found[0].next


def test_all_mistakes_of_a_file_are_told_at_once(trial: Trial) -> None:
    text = (
        STRATEGY.replace("{{ kept }}", "{{ kpt }}")
        .replace("{{ memory.state_per_gpu }}", "{{ memory.stat }}")
        .replace("Nothing sharded", "Nothing on 8 nodes")
        .replace("{{ state }} in all", "{{ room | min }} in all")
        .replace("source: memo", "source: mem")
    )
    said = "\n".join(one.what for one in trial.problems(text))
    for part in ("kpt", "memory.stat", "8 nodes", "min does not measure"):
        assert part in said


def test_texts_are_checked_where_there_is_no_key(trial: Trial) -> None:
    text = STRATEGY.replace("70e9\n  recipe", "2e9\n  recipe").replace("{{ kept }}", "{{ kpt }}")
    assert {one.code for one in trial.problems(text)} == {"no-key", "unknown-name"}


def test_figures_in_prose_are_told_beside_mistakes_of_form(trial: Trial) -> None:
    text = STRATEGY.replace("difficulty: 2", "difficulty: 9").replace("Nothing sharded", "Nothing on 8 nodes")
    assert {one.code for one in trial.problems(text)} == {"out-of-range", "literal-figure"}


def test_all_files_with_mistakes_are_told_at_once(trial: Trial) -> None:
    trial.write(OPEN.replace("kind: open", "kind: opne"), "a/one.yaml")
    trial.write(NUMERIC.replace("unit: min", "unit: GB"), "b/two.yaml")
    trial.write("id: [", "c/three.yaml")
    assert {one.place.file for one in trial.problems()} == {"a/one.yaml", "b/two.yaml", "c/three.yaml"}


def test_a_literal_figure_is_told_with_line_and_column(trial: Trial) -> None:
    text = OPEN.replace("  State first.", "  State first,\n  all 1,120 GB of it.")
    problem = trial.problem(text)
    assert (problem.place.line, problem.place.column) == (10, 7)
    assert "{{ name }}" in problem.next


@pytest.mark.parametrize(
    "where",
    [
        'bullets: ["80 GB"]',
        'analogy: "80 GB"',
        'stops_working_when: ["80 GB"]',
        'answer_line: "80 GB"',
        'framing: "80 GB"',
        'decision_rule: "80 GB"',
        'why: "80 GB"',
        'title: "80 GB"',
        'red_flags: [{says: "80 GB", why: w, instead: i}]',
        'red_flags: [{says: s, why: w, instead: "80 GB"}]',
        'follow_ups: [{ask: a, sketch: "80 GB"}]',
        'follow_ups: [{ask: a, sketch: s, rubric: ["80 GB"]}]',
        'concept: [{heading: "80 GB"}]',
        'concept: [{heading: h, table: {columns: [c], rows: [{cells: ["80 GB"]}]}}]',
        'concept: [{heading: h, text: "80 GB"}]',
    ],
)
def test_no_text_that_is_shown_may_hold_a_typed_figure(trial: Trial, where: str) -> None:
    assert trial.problem(f"{OPEN}{where}\n").code == "literal-figure"


def test_a_slip_and_an_option_may_not_hold_one_either(trial: Trial) -> None:
    assert trial.problem(NUMERIC.replace("The two is missing.", "It is 20 min.")).code == "literal-figure"
    assert trial.problem(CLAIM.replace("It is called", "It takes 20 min and is called")).code == "literal-figure"
    assert trial.problem(ORDERING.replace('"Stage three"', '"Stage of 3 GPUs"')).code == "literal-figure"


@pytest.mark.parametrize(
    "where",
    [
        'uses: [{text: "It used 80 GB cards.", source: memo, as_of: 2024}]',
        'sources: [{source: memo, where: "table with 80 GB cards"}]',
        'figures: {why: {input: 80 GB}, text: {quote: 80 GB, source: memo, where: "page of 80 GB"}}',
    ],
)
def test_citations_and_inputs_may_hold_figures(trial: Trial, where: str) -> None:
    assert trial.only(f"{OPEN}{where}\n").id == "say-it"


def test_a_slip_inside_the_tolerance_is_a_warning(trial: Trial) -> None:
    trial.write(NUMERIC.replace("kind: convention, ", "").replace("within: 3 %", "within: 6 %"))
    (warning,) = trial.open().problems
    assert (warning.severity, warning.code) == ("warning", "slip-within")
    assert "18.27 min" in warning.what


def test_a_convention_may_lie_inside_the_tolerance(trial: Trial) -> None:
    trial.write(NUMERIC.replace("within: 3 %", "within: 6 %"))
    assert trial.open().problems == ()


def test_the_manifest_and_the_sources_are_checked_alike(trial: Trial) -> None:
    trial.write(OPEN)
    trial.write("id: trial\ntitel: T\nlicence: none\n", "bank.yaml")
    said = {one.what for one in trial.problems()}
    assert said == {"the key `title` is missing here", "there is no key `titel` here"}
    trial.write("id: trial\ntitle: T\nlicence: none\n", "bank.yaml")
    trial.write("memo: {titel: A memo}\n", "sources.yaml")
    assert {one.place.file for one in trial.problems()} == {"sources.yaml"}


def test_a_hostile_expression_is_refused_and_not_run(trial: Trial) -> None:
    for hostile in ("__import__('os').system('x')", "9^9^9^9^9", "1" * 600, "(" * 200 + "1" + ")" * 200):
        trial.problems(OPEN + f'figures: {{boom: "{hostile}"}}\nwhy: "{{{{ boom }}}}"\n')


def test_expressions_of_figures_nobody_mentions_are_checked(trial: Trial) -> None:
    assert "memory.nothing" in trial.problem(OPEN + "figures: {lone: memory.nothing}\n").what


def test_chains_of_figures_as_deep_as_can_be_written_are_worked_out(trial: Trial) -> None:
    chain = "".join(f"  f{n}: {'(' * 39}f{n - 1}{' + 1 s)' * 39}\n" for n in range(57, 0, -1))
    text = NUMERIC.replace("figures:\n", f"figures:\n{chain}  f0: checkpoint.stall\n")
    question = trial.only(text.replace("a memo says", "all in all {{ f57 }}; a memo says"))
    assert "all in all 2,283 s" in question.why  # 60 s, and 57 times 39


def test_a_figure_nested_deeper_than_it_is_read_is_refused(trial: Trial) -> None:
    text = NUMERIC.replace("figures:\n", f"figures:\n  deep: {'(' * 50}checkpoint.stall{')' * 50}\n")
    assert "nested too deeply" in trial.problem(text).render()
