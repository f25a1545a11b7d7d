"""What a learner is shown is derived: bars, ways, conventions, figures, prose."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from tests.trial_bank import CLAIM, NUMERIC, OPEN, ORDERING, STRATEGY

if TYPE_CHECKING:
    from tests.trial_bank import Trial


def test_a_bar_stacks_the_terms_and_marks_what_is_given(trial: Trial) -> None:
    bar = trial.only(STRATEGY).options[0].bar
    assert bar is not None
    assert {part.term: (part.size, part.given) for part in bar.parts} == {
        "weights": (4.375e9, False),
        "gradients": (4.375e9, False),
        "optimizer": (26.25e9, False),
        "activations": (15e9, True),
        "buffers": (0.0, False),
    }
    assert sum(part.size for part in bar.parts) == bar.total == 50e9
    assert (bar.capacity_text, bar.capacity_name, bar.fits, bar.binding) == ("80 GB", "nominal", True, "optimizer")


def test_an_equality_that_fails_is_told_as_what_it_is_and_what_it_is_not(trial: Trial) -> None:
    """ "1,120 GB = 16 GB: fails" reads as a false sum; one that holds keeps its sign."""
    text = CLAIM.replace("memory.state_per_gpu < few", "memory.state_per_gpu == few")
    small, whole, _ = trial.only(text).options
    assert small.verdict == "state per GPU 293.1 GB, not 100 GB: fails"
    assert whole.verdict.endswith("280 GB = 280 GB: holds")


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("held < few", "held 293.1 GB < 100 GB: fails"),
        ("memory.state_per_gpu - few < few", "state per GPU − few 193.1 GB < 100 GB: fails"),
        ("not held > few", "held 293.1 GB ≤ 100 GB: fails"),
        (
            "few > few / 2 and held < few",
            "few 100 GB > 50 GB: holds with 50 GB to spare; held 293.1 GB < 100 GB",
        ),
        ("when(layout.zero == 1, held, few) < few", "293.1 GB < 100 GB: fails"),
        ("kept_whole.memory.state_per_gpu < few", "293.1 GB < 100 GB: fails"),
    ],
)
def test_a_verdict_calls_figures_by_their_names(trial: Trial, condition: str, told: str) -> None:
    """What is compared is told as its author named it; a branch, or a quantity of another option, is a number."""
    text = CLAIM.replace("memory.state_per_gpu < few", condition)
    small = trial.only(text.replace("figures:\n", "figures:\n  held: memory.state_per_gpu\n")).options[0]
    assert small.verdict.startswith(told)


def test_every_option_has_its_derivation(trial: Trial) -> None:
    way = trial.only(STRATEGY).options[1].way
    assert way is not None
    assert way.result == "321.3 GB"
    assert any(line.substituted == "2 B/param × 70B" for line in way.steps)
    assert any("Here " in line.because for line in way.steps), "why a branch was taken is said"
    assert any(line.origin == "pinned" and line.value == "15 GB" for line in way.inputs)


def test_the_conventions_say_recipe_split_unit_capacity_given_and_defaults(trial: Trial) -> None:
    lines = trial.only(STRATEGY).conventions
    box = "\n".join(lines)
    assert "zero-paper" in box
    assert "2 weights + 2 gradients + 4 master copy + 4 first moment + 4 second moment = 16 B/param" in box
    assert "1 GB = 1e9 B." in lines
    assert any(line.startswith("Capacity: nominal, 80 GB") for line in lines)
    assert any(line.startswith("Given: activations per GPU") and "15 GB" in line for line in lines)
    assert sum(line.startswith("By default: ") for line in lines) == 1
    assert "no tensor or pipeline parallelism" in box


def test_a_named_convention_stands_in_the_box_and_an_unknown_one_is_met_with_the_nearest(trial: Trial) -> None:
    assert any("Young's rule" in line for line in trial.only(NUMERIC).conventions)
    problem = trial.problem(NUMERIC.replace("young-first-order", "young-frist-order"))
    assert "young-first-order" in problem.next


def test_a_bank_may_name_conventions_of_its_own(trial: Trial) -> None:
    (trial.folder / "bank.yaml").write_text(
        "id: trial\ntitle: T\nlicence: none\nconventions: {ours: We count so.}\n", encoding="utf-8"
    )
    assert "We count so." in trial.only(NUMERIC.replace("young-first-order", "ours")).conventions


def test_names_are_read_in_the_scenario_of_the_option_they_stand_in(trial: Trial) -> None:
    options = trial.only(STRATEGY).options
    assert options[0].reasoning == "35 GB of state, 50 GB in all, 30.0 GB left."
    assert options[1].reasoning == "280 GB stay whole."


def test_the_word_verdict_is_the_computed_one(trial: Trial) -> None:
    assert trial.only(STRATEGY).options[0].text == "Everything sharded over 32 GPUs: fits, 30.0 GB (37.5 %) free"


def test_counts_in_prose_have_no_unit_a_gpu_has_its_name_and_days_are_many(trial: Trial) -> None:
    assert trial.only(STRATEGY).stem.startswith(
        "70B parameters on 4 nodes of 8 NVIDIA H100 80 GB, and 15 GB of activations on each."
    )
    assert trial.only(NUMERIC).stem.startswith("419 interruptions in 54 days, 60 s for a checkpoint.")


def test_figures_are_derived_assumed_quoted_and_searched(trial: Trial) -> None:
    assert trial.only(STRATEGY).bullets == ("1,120 GB in all; 19 GPUs at least with 5 GB of room.",)
    assert trial.only(NUMERIC).why == "The MTBF is 3.093 h; writing takes 5.191 %; a memo says 7.9 h."


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("", "35 GB"),
        ("| GB 1", "35.0 GB"),
        ("| GiB 2", "32.60 GiB"),
        ("| MB 0", "35,000 MB"),
        ("| 2", "35.00 GB"),
        ("| TB", "0.035 TB"),
    ],
)
def test_a_name_may_ask_for_unit_and_decimals(trial: Trial, spec: str, text: str) -> None:
    text_with = STRATEGY.replace("{{ state }} in all", "{{ whole.memory.state_per_gpu " + spec + " }}")
    assert trial.only(text_with).bullets[0].startswith(text + ";")


def test_a_figure_without_an_option_is_read_where_it_is_mentioned(trial: Trial) -> None:
    text = STRATEGY.replace(
        "state: memory.state_total", "state: memory.state_total\n  here: memory.state_per_gpu"
    ).replace("{{ kept }} stay", "{{ here }} stay")
    assert trial.only(text).options[1].reasoning == "306.3 GB stay whole."


def test_a_ratio_is_a_share_only_of_a_whole(trial: Trial) -> None:
    text = NUMERIC.replace(
        "share: checkpoint.stall / checkpoint.interval_young", "share: checkpoint.interval_young / checkpoint.stall"
    )
    assert "writing takes 19.27;" in trial.only(text).why


def test_a_computed_number_of_parameters_is_spelled_short(trial: Trial) -> None:
    text = CLAIM.replace("whole: (recipe", "size: 14 GB / recipe.weights\n  whole: (recipe").replace(
        "It is called stage two", "It is called stage two, for {{ size }}"
    )
    assert trial.only(text).options[2].text == "It is called stage two, for 7B"


def test_the_lines_of_a_paragraph_are_joined_and_lists_keep_theirs(trial: Trial) -> None:
    text = OPEN.replace("  State first.\n", "  State\n  first.\n\n  - one\n  - two\n\n  ```\n  a  b\n  c\n  ```\n")
    assert trial.only(text).sketch == "State first.\n\n- one\n- two\n\n```\na  b\nc\n```"


def test_markup_in_prose_stays_as_it_is_written(trial: Trial) -> None:
    text = OPEN.replace("  State first.", "  a[i] [/dp] [red] <tag> \\frac &amp;")
    assert trial.only(text).sketch == "a[i] [/dp] [red] <tag> \\frac &amp;"


def test_tables_are_rendered_in_the_option_of_their_row(trial: Trial) -> None:
    text = (
        STRATEGY
        + """\
concept:
  - heading: Compared
    text: |
      All plans.
    table:
      columns: [plan, state, verdict]
      rows:
        - {in: whole, cells: [sharded, "{{ memory.state_per_gpu }}", "{{ verdict }}"]}
        - {in: nothing, cells: [whole, "{{ memory.state_per_gpu }}", "{{ verdict }}"]}
"""
    )
    section = trial.only(text).concept[0]
    assert section.table == (
        ("plan", "state", "verdict"),
        ("sharded", "35 GB", "fits, 30.0 GB (37.5 %) free"),
        ("whole", "1,120 GB", "does not fit, 1,055.0 GB (1,318.8 %) too much"),
    )
    assert "row has 2 cells" in trial.problem(text.replace("[sharded, ", "[")).what.replace("row 1", "row")


def test_sources_are_named_by_title_and_quoted_figures_bring_theirs(trial: Trial) -> None:
    shown = trial.only(
        NUMERIC + "sources:\n  - {source: zero-2019, where: section 3}\n"
        'uses:\n  - {text: "It took 54 days.", source: memo, as_of: 2024-07}\n'
    )
    assert [(one.text, one.source, one.where, one.address) for one in shown.sources] == [
        ("ZeRO", "zero-2019", "section 3", "arXiv:1910.02054"),
        ("A memo", "memo", "", ""),
    ]
    assert (shown.uses[0].text, shown.uses[0].source, shown.uses[0].as_of) == ("It took 54 days.", "A memo", "2024-07")


def test_a_use_needs_source_and_date(trial: Trial) -> None:
    problems = trial.problems(OPEN + 'uses:\n  - {text: "It took 54 days."}\n')
    assert {one.what for one in problems} == {"the key `source` is missing here", "the key `as_of` is missing here"}


def test_an_answer_line_is_made_where_none_is_written(trial: Trial) -> None:
    assert trial.only(NUMERIC).answer_line == "19.27 min"
    assert trial.only(ORDERING).answer_line.startswith("No stage (1,120 GB), Stage one (293.1 GB)")
    assert trial.only(OPEN + "answer_line: |\n  Begin\n  so.\n").answer_line == "Begin so."


def test_the_numeric_part_is_exact_and_carries_the_other_options(trial: Trial) -> None:
    part = trial.only(STRATEGY).numeric
    assert part is not None
    assert (part.exact, part.text, part.unit, part.relative) == ("35000000000", "35 GB", "GB", "3/100")
    assert {one.option: Fraction(one.exact) for one in part.carried} == {
        "optimizer": Fraction(306_250_000_000),
        "nothing": Fraction(1_120_000_000_000),
    }
    assert {one.id: one.text for one in part.slips} == {"one-node": "140 GB", "stage-one-shards-all": "306.3 GB"}


def test_a_learner_may_use_the_letters_of_the_inputs_and_not_of_the_answer(trial: Trial) -> None:
    part = trial.only(STRATEGY).numeric
    assert part is not None
    letters = {one.letter: one.exact for one in part.variables}
    assert letters["P"] == "70000000000"
    assert letters["N"] == "32"
    assert "state" not in letters
    assert "s" not in {one.letter for one in trial.only(NUMERIC).numeric.variables}  # type: ignore[union-attr]


def test_a_numeric_answer_may_be_read_under_whichever_option_is_right(trial: Trial) -> None:
    part = trial.only(STRATEGY.replace("answer: {in: whole", "answer: {in: key")).numeric
    assert part is not None
    assert part.text == "35 GB"
    assert {one.option for one in part.carried} == {"optimizer", "nothing"}


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (NUMERIC, "sqrt(2 * stall * (observed / interruptions))"),
        (NUMERIC.replace("is: checkpoint.interval_young", "is: 1.5 * checkpoint.stall + 30 s"), "1.5 * stall + 30 s"),
        (
            NUMERIC.replace("is: checkpoint.interval_young", "is: 'when(cluster.gpus > 8 GPU, 2, 3) * run.mtbf'"),
            "2 * (observed / interruptions)",
        ),
        (
            NUMERIC.replace("is: checkpoint.interval_young", "is: twice + ten").replace(
                "figures:", "figures:\n  twice: 2 * checkpoint.stall\n  ten: {input: 10 s}"
            ),
            "2 * stall + 10 s",
        ),
    ],
)
def test_the_reference_is_written_out_in_the_letters_of_the_inputs(trial: Trial, text: str, formula: str) -> None:
    part = trial.only(text).numeric
    assert part is not None
    assert part.expression == formula


def test_figures_that_double_without_end_are_bounded(trial: Trial) -> None:
    doubling = "".join(f"  f{n}: f{n - 1} + f{n - 1}\n" for n in range(1, 40))
    text = (
        NUMERIC.replace("figures:\n", f"figures:\n  f0: checkpoint.stall\n{doubling}")
        .replace("is: checkpoint.interval_young", "is: f39")
        .replace("slips:", "slips: []\nunused:")
        .split("unused:")[0]
    )
    trial.write(text + "figures:\n  f0: checkpoint.stall\n" + doubling)
    part = trial.open().question("how-often").numeric
    assert part is not None
    assert part.exact == str(60 * 2**39)


def test_the_answers_own_letter_is_not_given_away(trial: Trial) -> None:
    part = trial.only(NUMERIC.replace("is: checkpoint.interval_young", "is: checkpoint.stall")).numeric
    assert part is not None
    assert part.variables == ()


def test_a_drill_that_states_an_amount_without_its_unit_is_a_problem_at_its_line(trial: Trial) -> None:
    drill = "drill:\n  tier: fake\n  set: {cluster.capacity_per_gpu: 80}\n  predict: [memory.state_per_gpu]\n"
    found = trial.problem(STRATEGY.rstrip() + "\n" + drill)
    assert (found.code, found.path) == ("input", "drill.set.cluster.capacity_per_gpu")
    assert "needs a unit" in found.what


def test_what_is_given_as_a_number_has_no_derivation(trial: Trial) -> None:
    """A row that says that a number is itself explains nothing."""
    text = CLAIM.replace("memory.state_per_gpu < few", "few < memory.state_per_gpu / 100")
    small = trial.only(text).options[0]
    assert small.verdict
    assert small.way is None


def test_a_sum_of_given_numbers_is_written_once(trial: Trial) -> None:
    """Without a letter the formula and the formula with numbers would be the same."""
    text = CLAIM.replace("memory.state_per_gpu < few", "few + few < memory.state_per_gpu / 100")
    way = trial.only(text).options[0].way
    assert way is not None
    assert [(line.symbolic, bool(line.substituted)) for line in way.steps] == [("", True)]
