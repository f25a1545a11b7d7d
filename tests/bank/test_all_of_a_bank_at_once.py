"""Everything that is wrong in a bank is told at once, also where what its questions rest on is wrong too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quiz.bank import shared_files
from quiz.bank.diagnostics import BankError
from quiz.bank.files import list_bank
from quiz.cli.entry import main
from tests.trial_bank import MANIFEST, NUMERIC, OPEN, SOURCES, STRATEGY

if TYPE_CHECKING:
    from tests.trial_bank import Trial

BAD_SOURCES = SOURCES.replace("title:", "titel:", 1)


@pytest.fixture
def broken(trial: Trial) -> Trial:
    """A bank of a good question, a wrong one, one that is no text, and one that cannot be opened."""
    trial.write(STRATEGY)
    trial.write(OPEN.replace("kind: open", "kind: opn"), "topic/wrong.yaml")
    (trial.folder / "topic" / "binary.yaml").write_bytes(b"\xff\xfe\x00b")
    (trial.folder / "topic" / "away.yaml").symlink_to(trial.folder / "nowhere.yaml")
    return trial


WRONG = {"topic/wrong.yaml", "topic/binary.yaml", "topic/away.yaml"}


@pytest.mark.parametrize(
    ("files", "also"),
    [
        ({}, set()),
        ({"sources.yaml": BAD_SOURCES}, {"sources.yaml"}),
        ({"bank.yaml": f"{MANIFEST}oops: 1\n"}, {"bank.yaml"}),
        ({"bank.yaml": f"{MANIFEST}oops: 1\n", "sources.yaml": BAD_SOURCES}, {"bank.yaml", "sources.yaml"}),
        ({"sources.yaml": "a: [\n"}, {"sources.yaml"}),
    ],
)
def test_an_export_tells_of_every_file_that_is_wrong(
    broken: Trial, capsys: pytest.CaptureFixture[str], files: dict[str, str], also: set[str]
) -> None:
    """And of no source that a sources.yaml names which cannot be read."""
    for name, text in files.items():
        broken.write(text, name)
    for command in (("export", "csv"), ("lint",)):
        code = main(["author", *command, str(broken.folder)])
        told = "".join(capsys.readouterr())
        assert code == (2 if command[0] == "export" else 1)
        every = ("bank.yaml", "sources.yaml", *sorted(WRONG))
        assert {name for name in every if f"{name}:" in told} == WRONG | also
        assert "unknown-source" not in told


def test_where_the_units_of_a_bank_are_not_known_its_expressions_are_not_judged(trial: Trial) -> None:
    """A bank.yaml that cannot be read may have declared the unit that an expression has."""
    trial.write(NUMERIC.replace("checkpoint.stall: 60 s", "checkpoint.stall: 60 blink"))
    trial.write("id: [\n", "topic/wrong.yaml")
    trial.write(f"{MANIFEST}oops: 1\nunits: {{blink: 1 s}}\n", "bank.yaml")
    assert {one.place.file for one in trial.problems()} == {"bank.yaml", "topic/wrong.yaml"}


def test_of_a_huge_bank_a_part_is_looked_at_and_the_rest_is_named(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_files, "_MOST", 1)
    trial.write(OPEN)
    trial.write(OPEN.replace("kind: open", "kind: opn"), "topic/wrong.yaml")
    trial.write(BAD_SOURCES, "sources.yaml")
    with pytest.raises(BankError) as caught:
        shared_files.shared_or_all_problems(list_bank(trial.folder))
    told = [one.what for one in caught.value.diagnostics if one.severity == "warning"]
    assert told == ["1 more of its files are not looked at while what they rest on is broken"]


def test_an_unknown_key_of_what_a_bank_is_gets_the_nearest(trial: Trial) -> None:
    trial.write(OPEN)
    trial.write(MANIFEST.replace("title:", "titel:"), "bank.yaml")
    trial.write(BAD_SOURCES, "sources.yaml")
    found = [one for one in trial.problems() if one.code == "unknown-key"]
    assert [one.next for one in found] == ["Did you mean `title`?", "Did you mean `title`?"]
