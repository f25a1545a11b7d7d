"""Several processes on one history, and processes that are killed."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from quiz.session.attempt import Attempt
from quiz.store import Store

ROOT = Path(__file__).parents[3]

WORKER = """
    import sys
    from datetime import timedelta
    from pathlib import Path
    from quiz.scheduling.cards import CardKey
    from quiz.store import Store
    from tests.unit.session.made import START, attempt

    path, who, count, cards = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    with Store.open(path, patience=120) as store:
        for number in range(count):
            now = START + timedelta(minutes=number, seconds=7 * who)
            name = f"q{number % 5}" if cards == "shared" else f"q{who}-{number % 5}"
            one = attempt(who * 100_000 + number, now=now, key=CardKey("core", name))
            recorded = store.append(one)
            assert not recorded.duplicate
            print(recorded.event.id, flush=True)
"""


def start(path: Path, who: int, count: int, cards: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WORKER), str(path), str(who), str(count), cards],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def both_answer(path: Path, count: int, cards: str) -> None:
    workers = [start(path, who, count, cards) for who in (1, 2)]
    told = [worker.communicate(timeout=300) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], told
    with Store.open(path) as store:
        attempts = [event for event in store.events() if isinstance(event, Attempt)]
        assert len(attempts) == 2 * count
        assert {one.id for one in attempts} == {line for out, _ in told for line in out.split()}
        assert sum(card.reps for card in store.cards("core").values()) == 2 * count
        assert store.rebuild().changed == 0
        assert store.integrity() == ()


@pytest.mark.parametrize("cards", ["own", "shared"])
def test_two_processes_answering_100_each_lose_none_and_none_fails(tmp_path: Path, cards: str) -> None:
    """They begin the file together, too: one of them makes the schema."""
    both_answer(tmp_path / "data" / "history.db", 100, cards)


@pytest.mark.long
def test_two_processes_answering_500_each_lose_none_and_none_fails(tmp_path: Path) -> None:
    both_answer(tmp_path / "data" / "history.db", 500, "shared")


def kill_at_random(path: Path, rounds: int) -> None:
    """Kill a process that answers, at a random moment, again and again on the same file."""
    chance = random.Random(1)  # noqa: S311
    accepted: set[str] = set()
    for number in range(rounds):
        worker = start(path, number + 1, 100_000, "shared")
        assert worker.stdout is not None
        first = worker.stdout.readline() + worker.stdout.readline()  # it is under way
        time.sleep(chance.random() * 0.15)
        worker.kill()
        rest, _ = worker.communicate(timeout=300)
        lines = (first + rest).splitlines(keepends=True)
        accepted |= {line.strip() for line in lines if line.endswith("\n")}
        with Store.open(path) as store:
            there = {event.id for event in store.events()}
            assert accepted <= there
            assert store.damaged == ()
    assert len(accepted) > rounds
    with Store.open(path) as store:
        assert store.rebuild().changed == 0
        assert store.integrity() == ()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are Unix's")
def test_no_accepted_answer_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    kill_at_random(tmp_path / "data" / "history.db", 15)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are Unix's")
def test_no_accepted_answer_is_lost_when_the_process_is_killed_200_times(tmp_path: Path) -> None:
    kill_at_random(tmp_path / "data" / "history.db", 200)
