"""What a learner says before the run: what is asked, how it is read, what it is worth."""

from __future__ import annotations

import pytest

from quiz.drills.machine import Machine
from quiz.drills.plan import Options, plan
from quiz.drills.predictions import Unreadable, asked, credit, error_of, read, score
from quiz.drills.records import Prediction
from quiz.drills.things import Found

HERE = Machine(memory=20_000_000_000, cores=2, torch="2.13.0", gpus=0)
SPEC = plan(None, Options(), HERE)
BYTES = Prediction(key="rest.state@fsdp", ask="", kind="bytes", unit="MB")
RATIO = Prediction(key="traffic.payload@fsdp/ddp", ask="", kind="ratio")
PHASE = Prediction(key="peak.phase@fsdp", ask="", kind="phase", options=("forward", "backward", "optimizer"))


@pytest.mark.parametrize("tier", ["ranks", "fake", "oom"])
@pytest.mark.parametrize("predict", ["", "memory.peak_per_gpu, memory.binding_phase", "traffic.data_parallel_sent"])
def test_two_to_four_things_are_asked_of_every_tier(tier: str, predict: str) -> None:
    """Each once, and each has a truth to come: a leg of the run and a thing that is measured."""
    spec = plan(None, Options(tier=tier), HERE)  # type: ignore[arg-type]
    found = asked(spec, predict)
    assert 2 <= len(found) <= 4
    assert len({one.key for one in found}) == len(found)


def test_what_the_author_wants_comes_first() -> None:
    """A question's quantities go before our own."""
    assert asked(SPEC, "memory.binding_phase")[0].key == "peak.phase@ddp"


@pytest.mark.parametrize(
    ("prediction", "text", "value"),
    [
        (BYTES, "34 MB", 34e6),
        (BYTES, "0.034GB", 34e6),
        (BYTES, "16 P / N", 16 * 4_196_608 / 2),
        (BYTES, "32 MiB", 32 * 1024**2),
        (RATIO, "1.5", 1.5),
        (RATIO, "3/2", 1.5),
        (RATIO, "150 %", 1.5),
    ],
)
def test_a_number_is_read_as_answers_are(prediction: Prediction, text: str, value: float) -> None:
    """By the reader of the grading: units, letters, arithmetic."""
    found = read(prediction, text, SPEC)
    assert found.value == pytest.approx(value)
    assert found.raw == text


@pytest.mark.parametrize(
    ("text", "choice"), [("backward", "backward"), ("BACK", "backward"), ("3", "optimizer"), ("step", "optimizer")]
)
def test_a_name_is_read_by_its_beginning_or_its_number(text: str, choice: str) -> None:
    """Any case."""
    assert read(PHASE, text, SPEC).choice == choice


@pytest.mark.parametrize(
    ("prediction", "text"),
    [
        (BYTES, "34"),
        (BYTES, "much"),
        (BYTES, "-34 MB"),
        (BYTES, "1e390 MB"),
        (RATIO, "3 GB"),
        (RATIO, "1e390"),
        (PHASE, "sideways"),
        (PHASE, "4"),
    ],
)
def test_what_cannot_be_read_is_handed_back(prediction: Prediction, text: str) -> None:
    """With a sentence, and at no cost."""
    with pytest.raises(Unreadable, match=r"\w+ \w+"):
        read(prediction, text, SPEC)


def test_an_empty_line_skips() -> None:
    """What was skipped is worth neither nothing nor something."""
    skipped = read(BYTES, "  \n", SPEC)
    assert skipped.raw is None
    assert credit(skipped, Found(34e6)) is None
    assert score((skipped,), {BYTES.key: Found(34e6)}) is None


@pytest.mark.parametrize(("text", "worth"), [("34 MB", 1), ("35 MB", 1), ("69 MB", 0), ("17 MB", 0)])
def test_within_five_percent_is_right_and_twice_is_wrong(text: str, worth: float) -> None:
    """On a scale by the logarithm."""
    assert credit(read(BYTES, text, SPEC), Found(34e6)) == worth


def test_between_right_and_wrong_something_is_left() -> None:
    """A factor of the root of two is about half."""
    found = credit(read(BYTES, "48.1 MB", SPEC), Found(34e6))
    assert found is not None
    assert 0.4 < found < 0.65


def test_the_score_is_the_mean_of_what_was_said() -> None:
    """Things that the run did not show do not count."""
    said = (read(BYTES, "34 MB", SPEC), read(PHASE, "forward", SPEC), read(RATIO, "2", SPEC))
    truths = {BYTES.key: Found(34e6), PHASE.key: Found(choice="backward"), RATIO.key: Found()}
    assert score(said, truths) == 0.5
    assert error_of(said[0], truths[BYTES.key]) == 0
