"""`shardwise history fit`: figures shown, weights kept as events, the way back, and every refusal with its reason."""

from __future__ import annotations

import json
import random
import sys
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from quiz.cli.entry import main
from quiz.cli.history import history_path
from quiz.scheduling.cards import CardKey
from quiz.scheduling.rating import Rating
from quiz.session.events import SettingChange
from quiz.store import Store
from tests.unit.session.made import START, attempt, identity

if TYPE_CHECKING:
    from quiz.session.attempt import Attempt

needs_extra = pytest.mark.skipif(find_spec("fsrs_rs_python") is None, reason="the extra `fit` is not installed")


@pytest.fixture
def forgetful() -> None:
    """A history of 60 questions answered ten times each, every third answer of them forgotten, whatever the wait."""
    draw = random.Random(4)  # noqa: S311 - no secret
    found: list[Attempt] = []
    for card in range(60):
        now = START + timedelta(days=draw.randrange(30))
        for _ in range(10):
            rating = Rating.AGAIN if draw.random() < 1 / 3 else Rating.GOOD
            number = len(found)
            one = attempt(number, now=now, key=CardKey("core", f"q{card}"), rating=rating)
            found.append(replace(one, id=identity(now, number)))
            now += timedelta(days=draw.choice((1, 2, 4, 9)))
    with Store.open(history_path()) as store:
        store.merge(found)


def weights() -> tuple[float, ...]:
    with Store.open(history_path(), read_only=True) as store:
        return store.settings().weights


@needs_extra
@pytest.mark.usefixtures("forgetful")
def test_a_fit_that_predicts_better_is_kept_shown_and_can_be_taken_back(capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(history_path(), read_only=True) as store:
        before = store.cards("core")
    assert main(["history", "fit"]) == 0
    out = capsys.readouterr().out
    assert "540 of 60 questions" in out
    assert "(default weights)" in out
    assert "Accepted" in out
    fitted = weights()
    assert len(fitted) == 21
    with Store.open(history_path()) as store:
        assert store.rebuild().changed == 0
        moved = store.cards("core")
    assert {key: card.due for key, card in moved.items()} == {key: card.due for key, card in before.items()}
    assert all(moved[key].stability != card.stability for key, card in before.items())
    assert main(["history", "fit"]) == 1
    assert "Not accepted, nothing was changed" in capsys.readouterr().out
    assert weights() == fitted
    assert main(["history", "fit", "--back"]) == 0
    assert "the default ones" in capsys.readouterr().out
    assert weights() == ()
    with Store.open(history_path(), read_only=True) as store:
        assert store.cards("core") == before
    assert main(["history", "fit", "--back"]) == 0
    assert "those fitted to 540 reviews" in capsys.readouterr().out
    assert weights() == fitted


@needs_extra
@pytest.mark.usefixtures("forgetful")
def test_the_figures_are_there_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "fit", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["accepted"]
    assert data["gain"] == pytest.approx(data["before"] - data["after"])
    assert (data["reviews"], data["refused"]) == (540, None)
    with Store.open(history_path(), read_only=True) as store:
        kept = [event.value for event in store.of_kind("setting") if isinstance(event, SettingChange)]
    assert isinstance(kept[0], dict)
    assert kept[0]["values"] == data["weights"]
    assert kept[0]["reviews"] == 540


def test_too_short_a_history_is_refused_with_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "fit"]) == 1
    out = capsys.readouterr().out
    assert out == ("Nothing was changed: 0 reviews came on a later day than the answer before; 400 are needed.\n")
    assert main(["history", "fit", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert [data[name] for name in ("reviews", "before", "after", "error", "gain")] == [0, None, None, None, None]


@pytest.mark.usefixtures("forgetful")
def test_without_the_extra_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fsrs_rs_python", None)
    assert main(["history", "fit"]) == 3
    assert "-m pip install 'shardwise[fit]'" in capsys.readouterr().err
    assert weights() == ()


def test_there_is_no_way_back_from_weights_that_were_never_changed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "fit", "--back"]) == 1
    assert "never changed" in capsys.readouterr().err
