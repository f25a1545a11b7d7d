"""What `shardwise prove` tells of its plans, of a run that was ended, and of one whose plan died."""

from __future__ import annotations

import re
import shutil
import sys
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from quiz.cli import prove_ask
from quiz.drills import folder
from quiz.drills.records import Expected

if TYPE_CHECKING:
    from tests.cli.conftest import Prove

EXAMPLE = Path(__file__).parents[1] / "unit" / "drills" / "example-run"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the fake child forks ranks")


def left_behind(tmp_path: Path, *lines: str, without: str = "") -> str:
    """The example run as its folder is where nobody saw its end: these lines of events came last."""
    where = tmp_path / "data" / "drills" / "20261130T061500-zero3-traffic-1f3c"
    shutil.copytree(EXAMPLE, where)
    (where / folder.RESULT).unlink()
    events = [line for line in (where / folder.EVENTS).read_text().splitlines() if '"kind":"done"' not in line]
    if without:
        for ranked in where.glob("rank*.json"):
            ranked.unlink()
        events = [line for line in events if f'"leg":"{without}"' not in line]
    (where / folder.EVENTS).write_text("".join(f"{line}\n" for line in (*events, *lines)))
    return where.name


@pytest.mark.parametrize(
    ("last", "word"),
    [
        ('{"kind":"cancelled","v":1,"t":9.0,"by":"parent"}', "cancelled"),
        ('{"kind":"failed","v":1,"t":9.0,"rank":1,"cause":"it broke"}', "failed"),
        ('{"kind":"log","v":1,"t":9.0,"text":"the last word"}', "failed"),
    ],
)
def test_a_run_is_in_one_state_wherever_it_is_shown(
    prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str], last: str, word: str
) -> None:
    """The list calls it what its replay calls it, before anybody wrote a result and after."""
    name = left_behind(tmp_path, last)
    assert prove("--runs") == 0
    assert capsys.readouterr().out.split() == [name, "ranks", word]
    assert prove("--replay", name) == 1
    assert f"the run {'was cancelled' if word == 'cancelled' else word}" in " ".join(capsys.readouterr().err.split())
    assert prove("--runs") == 0
    assert capsys.readouterr().out.split() == [name, "ranks", word]


def test_what_a_cancelled_run_had_measured_is_shown_as_partial(
    prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """How far each plan came, and the figures of those that came so far; nothing is made up of the others."""
    name = left_behind(tmp_path, '{"kind":"cancelled","v":1,"t":9.0,"by":"interrupt"}', without="fsdp")
    assert prove("--replay", name) == 1
    out = capsys.readouterr().out
    assert out.startswith("Partial: the run did not come to its end.")
    assert re.search(r"ddp +2 of 2 steps done, loss 7.630 to 7.620", out), out
    assert re.search(r"fsdp +no step done", out)
    assert re.search(r"state at rest, ddp +67.15 MB +67.15 MB +exact", out)
    assert "peak of a step, fsdp" not in out


def test_the_table_says_what_its_plans_are_and_why_a_ratio_is_what_it_is(
    prove: Prove, capsys: pytest.CaptureFixture[str]
) -> None:
    """That one computes in BF16 is told where its figures are, and so is how payload is counted."""
    prove("--steps", "3", "--no-predict", "--plan", "ddp", "--plan", "fsdp-bf16")
    out = capsys.readouterr().out
    assert "FSDP2 that computes in BF16 and reduces in FP32" in out
    assert "An all-reduce counts once" in out


def test_before_it_asks_it_says_what_the_plans_are(
    prove: Prove, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A prediction of a plan in BF16 needs to know that it is one."""
    monkeypatch.setattr(prove_ask, "is_there", lambda: True)
    monkeypatch.setattr(sys, "stdin", StringIO("\n\n\n\n"))
    prove("--steps", "3", "--plan", "ddp", "--plan", "fsdp-bf16")
    err = capsys.readouterr().err
    assert err.index("fsdp-bf16: FSDP2 that computes in BF16") < err.index("What will you see?")


def test_a_death_under_a_cap_is_foretold_measured_and_explained(
    prove: Prove, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The solver's column says who dies and where; plain words say what happened, and torch's stand beneath."""
    cause = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 6291456 bytes."
    death = '{"held":874644484,"asked":6291456,"left":2232832}'
    died = f'"state":"died","phase":"optimizer","cause":"{cause}","death":{death}'
    name = left_behind(
        tmp_path,
        f'{{"kind":"leg","v":1,"t":9.0,"leg":"ddp","rank":0,{died}}}',
        '{"kind":"done","v":1,"t":9.5}',
        without="ddp",
    )
    where = tmp_path / "data" / "drills" / name
    foretold = [("died", "ddp"), ("died.phase", "optimizer")]
    peaks = [("peak.total@ddp", 1.1e9), ("peak.total@fsdp", 5.8e8)]
    expected = (
        *(Expected(key=key, choice=choice, unit="") for key, choice in foretold),
        *(Expected(key=key, value=value) for key, value in peaks),
    )
    spec = replace(folder.spec_of(where), tier="oom", cap=886_000_000, expected=expected, predictions=())
    folder.write(where / folder.SPEC, spec)
    assert prove("--replay", name) == 0
    out = capsys.readouterr().out
    assert re.search(r"which one dies +ddp +ddp +right", out), out
    assert re.search(r"in which phase it dies +optimizer +optimizer +right", out)
    assert re.search(r"peak of a step, ddp +1.1 GB\n", out)
    assert "1.1 GB under ddp, which does not fit, and 580 MB under fsdp, which fits" in out
    assert "ddp ran out of memory on rank 0, in optimizer of the first step: it held 874.6 MB of tensors" in out
    assert f"\n  torch: {cause}\n" in out
