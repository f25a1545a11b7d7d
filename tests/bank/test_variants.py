"""Other numbers for the same question: a fixed order, the base always there, none that breaks the question."""

from __future__ import annotations

import pytest

from quiz.bank.bench import Context
from quiz.bank.compile import render_variant, study_text, survey_text
from quiz.bank.library import UnknownVariantError
from tests.trial_bank import CLAIM, NUMERIC, STRATEGY, Trial

AXES = "variants: {axes: {run.interruptions: [100, 419, 800], checkpoint.stall: [30 s, 60 s]}}\n"


def test_variants_come_in_the_order_of_the_axes_with_the_base_first(trial: Trial) -> None:
    trial.write(NUMERIC + AXES)
    variants = [tuple(one.values()) for one in trial.open().variants("how-often")]
    assert variants == [(), ("100", "30 s"), ("100", "60 s"), ("419", "30 s"), ("800", "30 s"), ("800", "60 s")]


def test_the_order_of_the_axes_is_the_authors(trial: Trial) -> None:
    trial.write(NUMERIC + "variants: {axes: {checkpoint.stall: [60 s, 30 s], run.interruptions: [100, 419]}}\n")
    variants = [tuple(one.values()) for one in trial.open().variants("how-often")]
    assert variants == [(), ("60 s", "100"), ("30 s", "100"), ("30 s", "419")]


def test_a_question_without_axes_has_the_base_alone(trial: Trial) -> None:
    trial.write(NUMERIC)
    assert trial.open().variants("how-often") == ({},)


def test_a_variant_has_its_own_numbers_everywhere(trial: Trial) -> None:
    trial.write(STRATEGY)
    bank = trial.open()
    axes = {"model.parameters": "34000000000", "memory.activations_per_gpu": "20 GB"}
    assert axes in bank.variants("which-fits")
    shown = bank.question("which-fits", axes)
    assert shown.axes == axes
    assert shown.stem.startswith("34B parameters")
    assert shown.options[0].verdict == "37.0 GB of 80 GB: fits, 43.0 GB (53.8 %) free"
    assert shown.numeric is not None
    assert shown.numeric.text == "17 GB"
    assert any("20 GB" in line for line in shown.conventions)
    assert shown.key == bank.question("which-fits").key


def test_axis_values_that_the_question_does_not_have_are_refused(trial: Trial) -> None:
    trial.write(STRATEGY)
    with pytest.raises(UnknownVariantError, match=r"model\.parameters=1"):
        trial.open().question("which-fits", {"model.parameters": "1"})


def test_a_draw_that_is_not_decided_is_rejected_and_counted() -> None:
    survey, said = survey_text(
        STRATEGY.replace("[10 GB, 15 GB, 20 GB]", "[10 GB, 15 GB, 43 GB]").replace("+ room <=", "<="), "one.yaml"
    )
    assert survey.rejected == {"the key is not decided": 2}  # 35 + 43 GB is close to 80, 50 + 43 GB beyond it
    assert len(survey.kept) == 7
    assert [one["model.parameters"] for one in survey.kept if one.get("memory.activations_per_gpu") == "43 GB"] == [
        "34000000000"
    ]
    assert said == ()


def test_a_draw_outside_where_is_rejected_and_counted() -> None:
    survey, _ = survey_text(
        NUMERIC + AXES.replace("variants: {", "variants: {where: [run.interruptions < 500], "), "one.yaml"
    )
    assert survey.account == "2 because `where` does not hold"


def test_a_draw_whose_key_moves_is_rejected_unless_it_may() -> None:
    text = CLAIM + "variants: {axes: {layout.dp: [64, 4096], layout.zero: [1, 3]}}\n"
    survey, _ = survey_text(text, "one.yaml")
    assert survey.rejected == {"the key moves": 2}
    survey, _ = survey_text(text.replace("variants: {", "variants: {key: may-move, "), "one.yaml")
    assert survey.rejected == {}
    assert len(survey.kept) == 4


def test_a_draw_in_which_a_slip_meets_the_answer_is_rejected() -> None:
    text = (
        STRATEGY.replace("memory.activations_per_gpu: [10 GB, 15 GB, 20 GB]", "cluster.nodes: [1, 2, 4, 8]")
        .replace("[34e9, 70e9, 100e9]", "[20e9, 70e9]")
        .replace("; {{ fewest }} GPUs at least", "")
        .replace("  fewest: {", "  # fewest: {")
    )
    survey, _ = survey_text(text, "one.yaml")
    assert survey.rejected["a slip meets the answer"] == 1
    assert not any(one.get("cluster.nodes") == "1" for one in survey.kept)


def test_a_draw_in_which_a_figure_has_no_value_is_rejected() -> None:
    survey, _ = survey_text(STRATEGY.replace("[10 GB, 15 GB, 20 GB]", "[10 GB, 15 GB, 44 GB]"), "one.yaml")
    assert survey.rejected["a figure has no value"] + survey.rejected["the key is not decided"] >= 1


def test_every_axis_value_that_is_wrong_by_itself_is_an_error_where_it_stands(trial: Trial) -> None:
    values = ["18 GB", "22 s", "hello", '"~"', "true", "25 GBB", "-3 GB", "15", "cluster.nope * 2 GB", "cluster.nodes"]
    listed = f"[{', '.join(values)}]"
    text = STRATEGY.replace("[10 GB, 15 GB, 20 GB]", listed).replace("[34e9, 70e9, 100e9]", "[34e9, -70e9, 0, ~]")
    problems = trial.problems(text)
    lines = text.split("\n")
    assert {(one.path, one.code) for one in problems} == {
        *((f"variants.axes.memory.activations_per_gpu[{index}]", "input") for index in range(1, 10)),
        *((f"variants.axes.model.parameters[{index}]", "input") for index in range(1, 4)),
    }
    for one in problems:
        index = int(one.path.rpartition("[")[2].rstrip("]"))
        wanted = values[index] if "activations" in one.path else ["34e9", "-70e9", "0", "~"][index]
        assert lines[one.place.line - 1][one.place.column - 1 :].startswith(wanted)
        assert one.next


def test_an_axis_value_that_only_some_draw_cannot_have_is_no_error() -> None:
    axes = "[10 GB, 15 GB, 900 GB, 2 GB * layout.dp, 0.3 * memory.state_per_gpu]"
    survey, said = survey_text(STRATEGY.replace("[10 GB, 15 GB, 20 GB]", axes), "one.yaml")
    assert survey.rejected
    assert not any(one.severity == "error" for one in said)
    study = study_text(STRATEGY.replace("[10 GB, 15 GB, 20 GB]", axes), "one.yaml", Context("trial"))
    assert not any("variants.axes" in one.path for one in study.report.found)


def test_too_few_survivors_are_told() -> None:
    _, said = survey_text(NUMERIC + AXES.replace("[30 s, 60 s]", "[60 s]"), "one.yaml")
    assert [one.code for one in said] == ["few-variants"]
    assert "only 3 variants are left of 3 draws" in said[0].what


def test_one_variant_is_told_in_the_singular() -> None:
    _, said = survey_text(NUMERIC + "variants: {axes: {run.interruptions: [419]}}\n", "one.yaml")
    assert [one.what for one in said] == ["only 1 variant is left of 1 draw"]


def test_the_base_satisfies_its_own_where(trial: Trial) -> None:
    problem = trial.problem(NUMERIC + AXES.replace("variants: {", "variants: {where: [run.interruptions < 300], "))
    assert "the question's own numbers do not satisfy this" in problem.what
    assert problem.path == "variants.where[0]"


def test_more_draws_than_anybody_tries_are_refused(trial: Trial) -> None:
    many = ", ".join(str(one) for one in range(1, 17))
    text = (
        NUMERIC
        + f"variants: {{axes: {{run.interruptions: [{many}], cluster.gpus: [{many}], run.observed: [1 day, 2 day]}}}}\n"
    )
    assert trial.problem(text).code == "too-many-draws"


def test_rendering_a_variant_is_deterministic() -> None:
    axes = {"run.interruptions": "100", "checkpoint.stall": "30 s"}
    first, second = (
        render_variant(
            NUMERIC.replace("  cited: {quote: 7.9 h, source: memo, as_of: 2025-02}\n", "").replace(
                "; a memo says {{ cited }}", ""
            )
            + AXES,
            "one.yaml",
            Context("trial"),
            axes,
        )
        for _ in range(2)
    )
    assert first == second
