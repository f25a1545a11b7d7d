"""Half of a list is worked on in a copy of the process: the result is that of going through it alone."""

from __future__ import annotations

import json
import os
import signal
import sys
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from quiz.authoring import halves
from quiz.authoring.halves import in_halves
from quiz.authoring.lint import maker
from quiz.bank.files import list_bank
from tests.trial_bank import STRATEGY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.trial_bank import Trial

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="a process is copied on Linux only"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # the test runner may have threads
]
HERE = os.getpid()


COPIES: list[int] = []
"""The processes that the test at hand has made. Others of the test runner's are none of its business."""


@pytest.fixture(autouse=True)
def _always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fork = os.fork

    def noted() -> int:
        number = fork()
        COPIES.append(number)
        return number

    COPIES.clear()
    monkeypatch.setattr(os, "fork", noted)
    monkeypatch.setattr(halves, "_WORTH_IT", 0.0)
    monkeypatch.setattr(halves, "may_fork", lambda: True)


def doubled(items: Sequence[int]) -> list[int]:
    return [2 * item for item in items]


def with_process(items: Sequence[int]) -> list[int]:
    return [os.getpid() for _ in items]


def pack(part: list[int]) -> bytes:
    return json.dumps(part).encode()


def no_child_is_left() -> bool:
    return not any(is_ours(number) for number in COPIES)


def is_ours(number: int) -> bool:
    """Whether a process is a child of this one: it goes on, or nobody has waited for its end."""
    try:
        os.waitpid(number, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 9])
def test_the_parts_follow_one_another(count: int) -> None:
    parts = in_halves(doubled, range(count), pack, json.loads)
    assert [item for part in parts for item in part] == [2 * item for item in range(count)]
    assert no_child_is_left()


def test_the_second_half_is_another_process_work() -> None:
    first, here, there = in_halves(with_process, range(9), pack, json.loads)
    assert set(first) == set(here) == {HERE}
    assert len(set(there)) == 1 != (set(there) == {HERE})


def test_what_the_copy_cannot_hand_back_is_worked_on_here() -> None:
    def gone_in_the_copy(items: Sequence[int]) -> list[int]:
        if os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return doubled(items)

    def failing_in_the_copy(items: Sequence[int]) -> list[int]:
        if os.getpid() != HERE:
            raise ValueError
        return doubled(items)

    for work in (gone_in_the_copy, failing_in_the_copy):
        assert [*chain(*in_halves(work, range(5), pack, json.loads))] == [0, 2, 4, 6, 8]
    assert [*chain(*in_halves(with_process, range(5), lambda _: None, json.loads))] == [HERE] * 5
    assert no_child_is_left()


def test_an_error_is_raised_here_and_leaves_no_process() -> None:
    def failing(items: Sequence[int]) -> list[int]:
        if 2 in items:
            raise ValueError("the third")
        return doubled(items)

    for count in (4, 5, 6):
        with pytest.raises(ValueError, match="the third"):
            in_halves(failing, range(count), pack, json.loads)
        assert no_child_is_left()


@pytest.mark.parametrize("sizes", ["34e9, 70e9, 100e9", "100e9, 70e9, 34e9", "70e9, 34e9, 40e9"])
def test_draws_in_halves_make_the_same_sheet(sizes: str, trial: Trial) -> None:
    """Also where a sentence is untrue in some draws: the first of them is told, whoever met it."""
    said = "  - |\n    {{ model.parameters }} is less than {{ most }}.\n"
    text = STRATEGY.replace("34e9, 70e9, 100e9", sizes).replace("  room:", "  most: {input: 90e9}\n  room:")
    trial.write(f"{text}{said}")
    listing = list_bank(trial.folder)
    (name,) = listing.questions
    alone = maker(listing)(name)
    assert maker(listing, halves=True)(name) == alone
    untrue = [one.what for one in alone.findings if one.code == "comparison-contradicted"]
    assert len(untrue) == ("100e9" in sizes)
    assert all("with model.parameters = 100000000000, memory.activations_per_gpu = 10 GB" in what for what in untrue)
