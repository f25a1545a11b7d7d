"""The key is computed: what decides it, what leaves it undecided, and what the author is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.trial_bank import CLAIM, NUMERIC, OPEN, ORDERING, STRATEGY

if TYPE_CHECKING:
    from tests.trial_bank import Trial


def test_the_option_that_meets_the_requirement_is_the_key(trial: Trial) -> None:
    shown = trial.only(STRATEGY)
    assert shown.key == ("whole",)
    assert [option.id for option in shown.options if option.correct] == ["whole"]


def test_a_verdict_says_the_figures_and_the_margin(trial: Trial) -> None:
    whole, optimizer, nothing = trial.only(STRATEGY).options
    assert whole.verdict == "50.0 GB of 80 GB: fits, 30.0 GB (37.5 %) free"
    assert optimizer.verdict.startswith("321.3 GB of 80 GB: does not fit, 241.3 GB (301.6 %) too much")
    assert "weights" in optimizer.verdict
    assert nothing.verdict.startswith("1,135.0 GB of 80 GB: does not fit")


def test_no_option_that_satisfies_is_an_error_with_every_figure(trial: Trial) -> None:
    text = STRATEGY.replace("15 GB\nstem", "75 GB\nstem").replace("+ room <=", "<=").replace("  fewest:", "  # fewest:")
    problem = trial.problem(text.replace("; {{ fewest }} GPUs at least", ""))
    assert "no option meets" in problem.what
    for figure in ("whole: 110 GB", "optimizer: 381.3 GB", "nothing: 1,195 GB", "80 GB"):
        assert figure in problem.why
    assert problem.path == "decide.require"


def test_two_options_that_satisfy_are_an_error_with_every_figure(trial: Trial) -> None:
    problem = trial.problem(STRATEGY.replace("70e9\n  recipe", "2e9\n  recipe"))
    assert "whole, optimizer and nothing meet what is required" in problem.what
    assert "whole: 16 GB" in problem.why
    assert "nothing: 47 GB" in problem.why


@pytest.mark.parametrize(
    ("given", "decided"),
    [("40 GB", True), ("41 GB", True), ("42 GB", False), ("44 GB", False), ("45 GB", False), ("48 GB", False)],
)
def test_a_winner_needs_five_percent_of_the_capacity_as_slack(trial: Trial, given: str, *, decided: bool) -> None:
    text = _plain_strategy(given)
    if decided:
        assert trial.only(text).key == ("whole",)
    else:
        assert any(one.code == "no-key" for one in trial.problems(text))


def test_exactly_the_decisive_share_decides(trial: Trial) -> None:
    assert trial.only(_plain_strategy("41 GB")).key == ("whole",)  # 35 + 41 = 76 = 95 % of 80


def test_a_loser_needs_five_percent_of_overflow(trial: Trial) -> None:
    text = _plain_strategy("15 GB").replace(
        "{layout.dp: cluster.gpus, layout.zero: 1}", "{layout.zero: 3, layout.dp: 17}"
    )
    problem = trial.problem(text)  # 1,120 / 17 + 15 = 80.9 GB
    assert "optimizer is within 5.0 % of the edge" in problem.what
    assert "80.88 GB" in problem.why


def test_a_stricter_share_can_be_asked_for(trial: Trial) -> None:
    text = STRATEGY.replace("capacity_per_gpu\noptions", "capacity_per_gpu\n  decisive: 40 %\noptions")
    assert "within 40.0 %" in trial.problem(text).what


def test_the_first_preference_decides_among_those_that_satisfy(trial: Trial) -> None:
    text = _all_fit("least memory.state_per_gpu")
    assert trial.only(text).key == ("whole",)
    assert trial.only(text.replace("least memory", "most memory")).key == ("nothing",)


def test_an_equal_first_preference_leaves_it_to_the_second(trial: Trial) -> None:
    text = _all_fit("least model.parameters, most memory.state_per_gpu")
    assert trial.only(text).key == ("nothing",)


def test_preferences_that_tie_to_the_end_leave_no_key(trial: Trial) -> None:
    problem = trial.problem(_all_fit("least model.parameters"))
    assert "also equal in every preference" in problem.what


def test_values_that_are_close_and_not_equal_neither_tie_nor_decide(trial: Trial) -> None:
    text = _all_fit("least memory.state_per_gpu").replace(
        "{layout.dp: cluster.gpus, layout.zero: 1}", "{layout.dp: 31, layout.zero: 3}"
    )
    problem = trial.problem(text)
    assert "within 5.0 % of each other" in problem.what
    assert "not equal" in problem.what


def test_a_preference_is_told_in_the_verdicts_of_those_that_satisfy(trial: Trial) -> None:
    whole, optimizer, _ = trial.only(_all_fit("least memory.state_per_gpu")).options
    assert "the least" in whole.verdict
    assert "is possible" in optimizer.verdict


def test_a_requirement_may_join_conditions(trial: Trial) -> None:
    text = STRATEGY.replace(
        "require: memory.total_per_gpu <= cluster.capacity_per_gpu",
        "require: memory.total_per_gpu <= cluster.capacity_per_gpu and not (layout.zero < 2) or layout.dp < 4",
    )
    assert trial.only(text).key == ("whole",)


def test_a_failed_condition_decides_even_beside_a_close_one(trial: Trial) -> None:
    text = _plain_strategy("43 GB").replace(
        "require: memory.total_per_gpu <= cluster.capacity_per_gpu",
        "require: memory.total_per_gpu <= cluster.capacity_per_gpu and memory.state_per_gpu <= 10 GB "
        "or layout.zero == 1",
    )
    assert trial.only(text).key == ("optimizer",)


def test_zero_on_the_right_is_no_measure(trial: Trial) -> None:
    text = STRATEGY.replace(
        "memory.total_per_gpu <= cluster.capacity_per_gpu\noptions", "memory.margin_per_gpu >= 0 GB\noptions"
    )
    assert "the right-hand side is zero" in trial.problem(text).what


def test_a_requirement_is_a_condition(trial: Trial) -> None:
    text = STRATEGY.replace(
        "require: memory.total_per_gpu <= cluster.capacity_per_gpu", "require: memory.total_per_gpu"
    )
    assert "a condition is expected" in trial.problem(text).what


def test_an_asserted_option_needs_a_source_and_counts_as_asserted(trial: Trial) -> None:
    asserted = STRATEGY.replace("set: {layout.dp: cluster.gpus, layout.zero: 0}", "asserted: false")
    assert "needs a source" in trial.problem(asserted).what
    trial.write(asserted.replace("asserted: false", "asserted: false\n    source: memo"))
    bank = trial.open()
    option = bank.question("which-fits").options[2]
    assert (option.asserted, option.source, option.bar, option.correct) == (True, "A memo", None, False)
    assert (bank.asserted, bank.options) == (1, 3)


def test_an_asserted_truth_beside_a_computed_one_leaves_no_key(trial: Trial) -> None:
    text = STRATEGY.replace("set: {layout.dp: cluster.gpus, layout.zero: 0}", "asserted: true\n    source: memo")
    assert "whole and nothing meet" in trial.problem(text).what


def test_exactly_one_claim_holds(trial: Trial) -> None:
    assert trial.only(CLAIM).key == ("kept_whole",)
    both = trial.problem(CLAIM.replace("few: {input: 100 GB}", "few: {input: 900 GB}"))
    assert "more than one claim holds: small, kept_whole" in both.what
    none = trial.problem(CLAIM.replace("whole: (", "whole: 2 * ("))
    assert "no claim holds" in none.what
    assert "280 GB = 560 GB: fails" in none.why


def test_the_question_may_ask_for_the_claim_that_fails(trial: Trial) -> None:
    text = CLAIM.replace("kind: claim", "kind: claim\nwanted: false").replace("asserted: false", "asserted: true")
    assert trial.only(text).key == ("small",)


def test_an_equality_holds_exactly_or_is_off_by_the_decisive_share(trial: Trial) -> None:
    near = trial.problem(CLAIM.replace("whole: (recipe", "whole: 1.01 * (recipe"))
    assert "kept_whole is within 5.0 % of the edge" in near.what


def test_a_comparison_in_a_claim_is_decided_by_a_share_of_its_right_side(trial: Trial) -> None:
    assert "small is within" in trial.problem(CLAIM.replace("100 GB", "290 GB")).what


def test_a_claim_is_read_under_its_own_patch(trial: Trial) -> None:
    text = CLAIM.replace(
        "holds: memory.state_per_gpu < few", "holds: memory.state_per_gpu > few\n    set: {layout.zero: 3}"
    )
    assert trial.only(text).key == ("kept_whole",)


def test_a_claim_is_computed_or_asserted_and_not_both(trial: Trial) -> None:
    both = CLAIM.replace("asserted: false", "asserted: false\n    holds: 1 < 2")
    assert "both computed and asserted" in trial.problem(both).what
    neither = CLAIM.replace("    asserted: false\n    source: zero-2019\n", "")
    assert "holds by an expression or is asserted" in trial.problem(neither).what


def test_items_are_put_in_order(trial: Trial) -> None:
    shown = trial.only(ORDERING)
    assert shown.key == ("none", "one", "three")
    assert [(item.id, item.place, item.figure) for item in shown.items] == [
        ("three", 2, "17.5 GB"),
        ("none", 0, "1,120 GB"),
        ("one", 1, "293.1 GB"),
    ]
    assert trial.only(ORDERING.replace("descending", "ascending")).key == ("three", "one", "none")


@pytest.mark.parametrize("patch", ["layout.zero: 1, layout.dp: 66", "layout.zero: 1"])
def test_neighbours_in_an_order_lie_apart(trial: Trial, patch: str) -> None:
    problem = trial.problem(ORDERING.replace("layout.zero: 3", patch))
    assert "within 5.0 % of each other" in problem.what
    assert "none: 1,120 GB" in problem.why


def test_an_item_may_be_ordered_by_an_expression_of_its_own(trial: Trial) -> None:
    text = (
        ORDERING.replace("by: memory.state_per_gpu\n", "")
        .replace("set: {layout.zero: 3}", "by: 1 GB")
        .replace("set: {layout.zero: 0}", "by: 2 GB")
        .replace("set: {layout.zero: 1}", "by: memory.state_total")
    )
    assert trial.only(text).key == ("one", "none", "three")
    assert "nothing says what one is ordered by" in trial.problem(text.replace(", by: memory.state_total", "")).what


def test_an_open_question_has_a_rubric_and_no_key(trial: Trial) -> None:
    shown = trial.only(OPEN)
    assert (shown.key, shown.rubric, shown.sketch) == ((), ("computes the state first",), "State first.")


def test_a_numeric_question_has_a_reference_and_no_key(trial: Trial) -> None:
    shown = trial.only(NUMERIC)
    assert shown.key == ()
    assert shown.numeric is not None
    assert shown.numeric.text == "19.27 min"


def _plain_strategy(given: str) -> str:
    """The strategy with other activations, without the parts that such a number would break too."""
    return (
        STRATEGY.replace("15 GB\nstem", f"{given}\nstem")
        .replace("; {{ fewest }} GPUs at least with {{ room }} of room", "")
        .replace(
            "variants:\n  axes:\n    model.parameters: [34e9, 70e9, 100e9]\n"
            "    memory.activations_per_gpu: [10 GB, 15 GB, 20 GB]\n",
            "",
        )
        .replace("  fewest: {", "  # {")
    )


def _all_fit(preferences: str) -> str:
    """The strategy with a model that fits under every plan, and preferences."""
    return STRATEGY.replace("70e9\n  recipe", "2e9\n  recipe").replace(
        "capacity_per_gpu\noptions", f"capacity_per_gpu\n  prefer: [{preferences}]\noptions"
    )
