"""The preview of a question that is being written: it follows the file, whatever becomes of it."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

import pytest

from quiz.authoring import preview as preview_module
from quiz.authoring.preview import Preview
from quiz.cli.entry import main
from quiz.tui import previewing
from quiz.tui.preview_app import PreviewApp
from tests.bounds import slower
from tests.trial_bank import CLAIM, MANIFEST, NUMERIC, OPEN, ORDERING, SOURCES, STRATEGY
from tests.tui.driving import Driver

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

SOURCED = "sources: [{source: memo}]\nwaive: {missing-reveal: Short., no-rationale: Short., key-longest: Short.}\n"
WIDE, USUAL, LEAST = (120, 40), (80, 24), (40, 15)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A bank of one strategy question."""
    folder = tmp_path / "bank"
    (folder / "t").mkdir(parents=True)
    (folder / "bank.yaml").write_text(MANIFEST, encoding="utf-8")
    (folder / "sources.yaml").write_text(SOURCES, encoding="utf-8")
    write(folder, STRATEGY + SOURCED)
    return folder


def write(folder: Path, text: str, name: str = "t/one.yaml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


@asynccontextmanager
async def previewed(folder: Path, size: tuple[int, int] = WIDE, name: str = "t/one.yaml") -> AsyncIterator[Driver]:
    app = PreviewApp(Preview(folder), name)
    async with app.run_test(size=size, notifications=True) as pilot:
        driver = Driver(app, pilot)
        await driver.see(lambda text: "variant" in text or "error" in text)
        yield driver
    app.let_go()


async def test_the_question_stands_beside_its_findings_and_changes_as_the_file_is_saved(bank: Path) -> None:
    async with previewed(bank) as at:
        await at.see("variant 1 of 9", "70B parameters on 4 nodes of 8 NVIDIA H100")
        await at.see("model.parameters 70B · memory.activations_per_gpu 15 GB")
        await at.see("✓ clean", "Everything sharded over 32 GPUs", "How much state per GPU?")
        write(bank, STRATEGY.replace("Which plan fits?", "Which of these plans does fit?") + SOURCED)
        await at.see("Which of these plans does fit?")


def test_a_save_is_read_with_little_work(bank: Path) -> None:
    """So that it is shown within 300 ms."""
    preview = Preview(bank)
    preview.look("t/one.yaml")
    spent = []
    for word in ("first", "second", "third"):
        write(bank, STRATEGY.replace("Which plan fits?", f"Which {word} plan fits?") + SOURCED)
        began = time.thread_time()
        look = preview.look("t/one.yaml", quick=True)
        assert look.picture is not None
        stem = previewing.rendered(look.picture, 0).stem
        spent.append(time.thread_time() - began)
        assert f"Which {word} plan fits?" in stem
        assert len(look.picture.draws) == 9  # those of the last whole look, until they are tried again
    assert min(spent) < 0.2 * slower(), spent


async def test_all_variants_and_all_ways_of_answering_can_be_gone_through(bank: Path) -> None:
    async with previewed(bank) as at:
        await at.press("n")
        await at.see("variant 2 of 9")
        await at.see("34B parameters on 4 nodes")
        await at.press("p", "p")
        await at.see("variant 9 of 9")
        await at.press("n", "enter")
        await at.see("✓ Right")
        await at.press("a")
        await at.see("✗ Not right", "wrong: optimizer · 2/6")
        await at.press("a", "a")
        await at.see("slip one-node", "Over one node only.")
        await at.press("A", "escape")
        await at.see("How much state per GPU?")
        await at.press("3")
        await at.see("wrong: nothing")
        await at.press("escape", "0")
        await at.see("○ Not known yet")
        await at.press("a")
        await at.see("I don't know")


@pytest.mark.parametrize("text", [NUMERIC, CLAIM, ORDERING, OPEN], ids=["numeric", "claim", "ordering", "open"])
async def test_every_kind_is_shown_with_its_solution(bank: Path, text: str) -> None:
    write(bank, text + SOURCED)
    async with previewed(bank, USUAL) as at:
        await at.press("enter")
        await at.see("✓ Right")
        await at.press("a")
        await at.see(lambda shown: "✗ Not right" in shown or "≈ Close" in shown)


async def test_a_file_that_breaks_keeps_its_last_good_picture_and_shows_its_errors(bank: Path) -> None:
    """With the line of each; and it is whole again as soon as the file is."""
    async with previewed(bank) as at:
        await at.see("✓ clean")
        write(bank, STRATEGY.replace("{{ kept }}", "{{ kpt }}") + SOURCED)
        await at.see("✗ 1 error", "31:10 unknown-name", "{{ kpt }} stay whole.", "Shown is the last version that")
        await at.see("Everything sharded over 32 GPUs")
        write(bank, "id: [\n")
        await at.see(lambda shown: "as last whole" in shown and "unknown-name" not in shown)
        write(bank, "")
        await at.see(lambda shown: "✗ 1 error" in shown and "Everything sharded" in shown)
        write(bank, STRATEGY + SOURCED)
        await at.see("✓ clean")


async def test_a_file_or_a_folder_that_goes_away_is_said_and_comes_back(bank: Path, tmp_path: Path) -> None:
    async with previewed(bank) as at:
        await at.see("✓ clean")
        (bank / "t" / "one.yaml").unlink()
        await at.see("this file is not there any more")
        write(bank, STRATEGY + SOURCED)
        await at.see("✓ clean")
        shutil.move(bank, tmp_path / "away")
        await at.see("✗ 1 error")
        shutil.copytree(tmp_path / "away", bank)
        write(bank, STRATEGY.replace("Which plan fits?", "Which plan is left?") + SOURCED)
        await at.see("Which plan is left?")
        (bank / "bank.yaml").write_text("id: [\n", encoding="utf-8")
        await at.see("bank.yaml", "Which plan is left?")


async def test_where_there_is_no_width_one_key_shows_the_findings(bank: Path) -> None:
    write(bank, STRATEGY.replace("Nothing sharded", "Nothing is ever sharded, always") + SOURCED)
    for size in (USUAL, LEAST):
        async with previewed(bank, size) as at:
            text = await at.see("warning")
            assert "absolute-word" not in text
            await at.press("f")
            await at.see("absolute-word")
            await at.press("f")
            await at.see("70B parameters")
            await at.press("tab")
            await at.see("absolute-word")
            await at.press("question_mark")
            await at.see("Here")


async def test_a_file_that_never_was_whole_shows_its_errors_at_once(bank: Path) -> None:
    write(bank, "id: x\nkind: claim\n")
    async with previewed(bank, USUAL) as at:
        shown = await at.see("Nothing can be shown yet", "missing")
        assert "whole" not in shown
        await at.press("f")
        shown = await at.see("Nothing can be shown yet: f shows why.")
        assert "solution" not in shown


async def test_no_text_of_a_file_is_read_as_markup_or_steers_the_terminal(bank: Path) -> None:
    hostile = "[red]Which[/red] [bold plan] \\\\[fits] <b>? [@click=app.quit]x[/]"
    write(bank, STRATEGY.replace("Which plan fits?", hostile) + SOURCED)
    for size in (WIDE, USUAL):
        async with previewed(bank, size) as at:
            await at.see("[red]Which[/red]", "[@click=app.quit]x[/]")
    write(bank, 'id: "\x1b[2J[red]"\nkind: x\n')
    async with previewed(bank) as at:
        text = await at.see("error")
        assert "\x1b" not in text


async def test_another_question_of_the_bank_can_be_chosen(bank: Path) -> None:
    """An id that another file has, and a link that leads nowhere, are found once the others are known."""
    write(bank, CLAIM + SOURCED, "t/two.yaml")
    async with previewed(bank) as at:
        await at.press("o")
        await at.see("t/two.yaml")
        await at.press("down", "enter")
        await at.see("Which holds for 64 GPUs?")
        write(bank, CLAIM.replace("which-holds", "which-fits") + SOURCED + "related: [nowhere]\n", "t/two.yaml")
        await at.see(lambda text: "duplicate-id" in text and "unknown-question" in text)


def test_of_a_bank_that_the_lint_has_not_seen_the_other_files_are_left_alone(
    bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read them all would keep the author waiting, and half of them would make good links seem dead."""
    read: list[str] = []
    monkeypatch.setattr(preview_module, "maker", lambda _listing: read.append)
    for number in range(61):
        write(bank, CLAIM.replace("which-holds", f"claim-{number}") + SOURCED, f"t/claim-{number}.yaml")
    Preview(bank).meet()
    assert read == []
    (bank / "t" / "claim-60.yaml").unlink()
    (bank / "t" / "claim-59.yaml").unlink()
    Preview(bank).meet()
    assert min(read) == "t/claim-0.yaml"
    assert len(read) == 60


async def test_of_many_files_a_part_of_the_name_finds_one(bank: Path) -> None:
    for number in range(3000):
        write(bank, f"id: many-{number}\n", f"t/many-{number:04}.yaml")
    write(bank, CLAIM + SOURCED, "t/which-holds.yaml")
    async with previewed(bank) as at:
        await at.press("o")
        await at.see("12 of 3,002 files")
        await at.type("nowhere-at-all")
        await at.see("no file has that in its name")
        await at.press(*["backspace"] * 14)
        await at.type("HICH-HO")
        await at.see("1 of 3,002 files")
        await at.press("enter")
        await at.see("Which holds for 64 GPUs?")


async def test_the_editor_opens_at_the_line_of_the_finding(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = bank.parent / "seen"
    program = f"import sys; open({str(seen)!r}, 'a').write(' '.join(sys.argv[1:]) + chr(10))"
    write(bank, STRATEGY.replace("{{ kept }}", "{{ kpt }}") + SOURCED)
    async with previewed(bank) as at:
        await at.see("unknown-name")
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.delenv("EDITOR", raising=False)
        await at.press("e")
        await at.see("export EDITOR=vim")
        monkeypatch.setenv("EDITOR", f'{sys.executable} -c "{program}"')
        monkeypatch.setattr(at.app, "suspend", nullcontext)
        await at.press("e")
        await at.until(lambda: seen.exists() and seen.read_text(encoding="utf-8").endswith("\n"))
        assert seen.read_text(encoding="utf-8") == f"+31 {bank / 't' / 'one.yaml'}\n"


async def test_no_line_is_wider_than_its_room(bank: Path) -> None:
    write(bank, STRATEGY.replace("{{ kept }}", "{{ kpt }} and more and more of it " * 4) + SOURCED)
    preview = Preview(bank)
    look = preview.look("t/one.yaml")
    write(bank, STRATEGY + SOURCED)
    whole = preview.look("t/one.yaml")
    assert whole.picture is not None
    turn = previewing.turn_of(whole.picture.variant(0), "one")
    for width in (1, 2, 8, 33, 40, 116):
        made = [*previewing.finding_lines(look, 0, width), *previewing.finding_lines(whole, 0, width)]
        made += previewing.numbers_lines(whole.picture, turn.question, 1, width)
        for told, answer in previewing.answers_of(turn.question):
            made += previewing.verdict_line(previewing.revealed(turn, answer), told, width)
        assert all(line.cell_length <= width for line in made), width


def test_without_a_terminal_the_question_and_the_findings_are_printed(
    bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["author", "preview", str(bank / "t" / "one.yaml"), "--variant", "2"]) == 0
    shown, said = capsys.readouterr()
    assert "variant 2 of 9" in shown
    assert "34B parameters on 4 nodes" in shown
    assert "1 question is whole, 0 errors, 0 warnings" in shown
    assert said == ""
    write(bank, STRATEGY.replace("{{ kept }}", "{{ kpt }}") + SOURCED)
    assert main(["author", "preview", str(bank), "--question", "which-fits", "--text"]) == 1
    assert f"{bank / 't' / 'one.yaml'}:31:10: unknown-name" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--question", "nowhere"), "there is no question 'nowhere'"),
        (("--variant", "10"), "t/one.yaml has 9"),
        (("--variant", "0"), "the first one is 1"),
    ],
)
def test_what_is_not_there_is_said(
    bank: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    assert main(["author", "preview", str(bank), *words, "--text"]) == 2
    assert told in capsys.readouterr().err
    assert main(["author", "preview", str(bank / "nowhere")]) == 2


def test_what_is_no_question_of_a_bank_is_refused_with_what_to_do(
    bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever its content is: a text, a file of another ending, a hidden one, a folder without questions."""
    (tmp_path / "notes.txt").write_text("notes", encoding="utf-8")
    (tmp_path / "lone.yaml").write_text(STRATEGY, encoding="utf-8")
    (bank / "notes.txt").write_text(STRATEGY, encoding="utf-8")
    (bank / "t" / "two.yml").write_text(STRATEGY, encoding="utf-8")
    (bank / ".hidden.yaml").write_text(STRATEGY, encoding="utf-8")
    (bank / "bare").mkdir()
    for path, told in (
        (tmp_path / "notes.txt", "is no question: a question is a .yaml file in the folder of a bank"),
        (tmp_path / "lone.yaml", "lies in no bank"),
        (bank / "notes.txt", "its name does not end in .yaml"),
        (bank / "t" / "two.yml", "Rename it: the files of a bank end in .yaml"),
        (bank / ".hidden.yaml", "this file is hidden"),
        (bank / "bare", "holds no question"),
        (bank / "t" / "gone.yaml", "this file does not exist"),
        (tmp_path, "has no bank.yaml"),
    ):
        assert main(["author", "preview", str(path), "--text"]) == 2, path
        shown, said = capsys.readouterr()
        assert shown == ""
        assert told in said, path


def test_an_empty_file_is_shown_as_what_it_is(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(bank, "")
    assert main(["author", "preview", str(bank / "t" / "one.yaml"), "--text"]) == 1
    assert "one.yaml:1:1: empty: this file holds nothing" in capsys.readouterr().out


def test_a_folder_in_a_bank_stands_for_its_questions(bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (bank / "u").mkdir()
    write(bank, OPEN + SOURCED, "u/say.yaml")
    assert main(["author", "preview", str(bank / "u"), "--text"]) == 0
    assert "say-it" in capsys.readouterr().out
    assert main(["author", "preview", str(bank / "u"), "--question", "say-it"]) == 0
    assert main(["author", "preview", str(bank / "u"), "--question", "which-fits"]) == 2
