"""What may be typed for a formula in practice may be typed in the shell: the same powers, products and digits."""

from __future__ import annotations

import pytest

from quiz.cli.entry import main


@pytest.mark.parametrize(
    "typed", ["70*10**9", "70*10^9", "70×10⁹", "\N{FULLWIDTH DIGIT SEVEN}0e9", "7⋅10¹⁰", "140e9÷2", "71e9−1e9", "70B"]
)
def test_a_value_for_solve_may_be_spelled_as_an_answer_may(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    rest = ["--set", "recipe=zero-paper", "--set", "layout.zero=3", "--set", "layout.dp=8", "--brief"]
    assert main(["solve", "memory.state_per_gpu", "--set", f"model.parameters={typed}", *rest]) == 0
    assert capsys.readouterr().out.startswith("memory.state_per_gpu = 140 GB")


def test_a_bound_and_a_range_may_be_spelled_so_too(capsys: pytest.CaptureFixture[str]) -> None:
    rest = ["--set", "model.parameters=70e9", "--set", "recipe=zero-paper", "--set", "layout.zero=3"]
    assert main(["solve", "memory.state_per_gpu", "--for", "layout.dp", "--at-most", "2**3 * 10 GB", *rest]) == 0
    assert "layout.dp = 14 (fewest)" in capsys.readouterr().out
    assert main(["solve", "memory.state_per_gpu", "--compare", "layout.dp=2**3,2⁴", "--json", *rest]) == 0
    assert '"16"' in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "words"), [
    ("1e-399", "must be a whole number, not 1e-399."), ("7.99999", "must be a whole number, not 7.99999."),
    ("70000000000.5", "must be a whole number, not 70,000,000,000.5."), ("0", "must be above zero, not 0."),
    ("-1", "must be above zero, not −1."), ("1e400", "is larger than anything that can be meant here, not 1e400."),
    ("nan", "nan is not a number; for example 70e9."), ("inf", "inf is not a number; for example 70e9."),
    ("nan GB", "nan GB is not a number; for example 70e9."),
    ("", "--set model.parameters= has no value; write it, as in --set model.parameters=70e9."),
])  # fmt: skip
def test_a_value_that_cannot_be_is_refused_with_what_was_typed(
    typed: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is called zero that was not typed as zero, nor whole that is not."""
    assert main(["solve", "model.parameters", "--set", f"model.parameters={typed}"]) == 2
    assert words in capsys.readouterr().err


def test_a_bound_that_nobody_can_mean_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    rest = ["--set", "model.parameters=70e9", "--set", "recipe=zero-paper", "--set", "layout.zero=3"]
    assert main(["solve", "memory.state_per_gpu", "--for", "layout.dp", "--at-most", "1e400 GB", *rest]) == 2
    assert "the bound means nothing: memory.state_per_gpu is larger" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--replay", "--erase"])
@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_no_run_even_where_there_is_one_only(
    option: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each name begins and ends with nothing: the only run there is must not be shown for it, let alone erased."""
    assert main(["prove", option, name]) == 2
    assert "an empty name is no run" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["browse", "stats"])
def test_an_empty_topic_is_no_topic_and_not_all_of_them(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A script whose variable is empty gets an error, and not the figures of everything."""
    assert main([command, "--topic", ""]) == 2
    assert "there is no topic ''" in capsys.readouterr().err
