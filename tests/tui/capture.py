"""Pictures of the screens for docs/screens: `python -m tests.tui.capture`. The bundled bank, a fixed day and seed."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from quiz import paths
from quiz.authoring.begin import plan, write
from quiz.authoring.preview import Preview
from quiz.authoring.scaffold import Wanted as WantedQuestion
from quiz.bank.library import open_bank
from quiz.statistics.report import report
from quiz.tui.app import ShardwiseApp
from quiz.tui.desk import HistoryDesk
from quiz.tui.marking import Marking
from quiz.tui.ports import Today, Turn, Wanted, WantedFigures
from quiz.tui.preview_app import PreviewApp
from quiz.tui.themes import DARK, LIGHT
from tests.house import ROOT
from tests.tui.driving import Driver
from tests.tui.fixtures import STRATEGY
from tests.tui.memory_desk import MemoryDesk
from tests.tui.memory_lab import MemoryLab, finished
from tests.unit.statistics.simulated import a_year

if TYPE_CHECKING:
    from quiz.tui.terminal import TerminalApp

FOLDER = ROOT / "docs" / "screens"
RECORDED = ROOT / "tests" / "tui" / "recorded-run"
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
# A picture asks nobody for a font, and names none that has to be fetched.
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def main() -> int:
    """Make all pictures anew."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(all_pictures(Path(folder)))
    return 0


def desk(folder: Path) -> HistoryDesk:
    """A desk over the bundled bank, on a day that does not change."""
    bank = open_bank(paths.bundled_bank(), folder / "cache", bundled=True)
    made = HistoryDesk(lambda: bank, folder / "history.db", Marking(), clock=lambda: NOON, seed="pictures")
    made.open()
    return made


async def all_pictures(folder: Path) -> None:
    """Each screen at the sizes at which it has to look right."""
    for columns, rows, theme in ((80, 24, DARK.name), (120, 40, DARK.name), (40, 15, DARK.name), (80, 24, LIGHT.name)):
        size = f"{columns}x{rows}" + ("-light" if theme == LIGHT.name else "")
        await pictures(folder / size, (columns, rows), theme, size)
        await statistics((columns, rows), theme, size)
        await beside_practice(folder / f"beside-{size}", (columns, rows), theme, size)
        await drill((columns, rows), theme, size)
        await author(folder / f"author-{size}", (columns, rows), theme, size)


async def author(folder: Path, size: tuple[int, int], theme: str, name: str) -> None:
    """The preview of a question as `author new` writes it, with two faults of craft and then one of fact."""
    file = folder / "my-bank" / "memory" / "which-fits.yaml"
    write(plan(WantedQuestion("strategy", "which-fits", "memory"), folder / "my-bank", file))
    whole = file.read_text(encoding="utf-8")
    longer = whole.replace(
        "    ZeRO-3 on all", "    ZeRO-3 always, with all of its state divided and gathered again, on all"
    )
    app = PreviewApp(Preview(folder / "my-bank"), "memory/which-fits.yaml")
    app.theme = theme
    async with app.run_test(size=size) as pilot:
        at = Driver(app, pilot)
        await at.see("✓ clean")
        file.write_text(longer, encoding="utf-8")
        await at.see("2 warnings")
        await at.see(lambda text: "ZeRO-3 always" in text or size[1] < 20)
        await pilot.pause()
        save(app, f"preview-{name}")
        await at.press("a", "a", "n")
        await at.see("Not right")
        await pilot.pause()
        save(app, f"preview-answer-{name}")
        await at.press("escape")
        file.write_text(whole.replace("{{ kept }}", "{{ kpt }}"), encoding="utf-8")
        await at.see("error")
        await at.press("tab")
        await at.see("did you mean")
        await pilot.pause()
        save(app, f"preview-findings-{name}")
    app.let_go()


async def beside_practice(folder: Path, size: tuple[int, int], theme: str, name: str) -> None:
    """Home with marks, the list of all questions, a mark, the settings, an interview and its report."""
    at_work = desk(folder)
    at_work.mark_question("zero1-floor", "suspend", value=True)
    at_work.mark_question("pp-bubble", "flag", value=True)
    at_work.mark_question("inf-kv", "note", "GQA")
    app = ShardwiseApp(at_work)
    app.theme = theme
    async with app.run_test(size=size) as pilot:
        at = Driver(app, pilot)
        await at.see("1 suspended")
        await at.press("b")
        await at.see(" questions")
        await pilot.pause()
        save(app, f"browse-{name}")
        await at.press("m")
        await at.see("Suspend")
        save(app, f"mark-{name}")
        await at.press("escape", "q")
        await at.see("1 suspended")
        await at.press("comma")
        await at.see("new_per_day")
        save(app, f"settings-{name}")
        await at.press("q")
        await at.see("1 suspended")
        await at.press("i")
        await at.see("1/8")
        await pilot.pause()
        save(app, f"interview-{name}")
        for number in range(1, 9):
            await at.see(f"{number}/8")
            await at.press("f2")
        await at.see("0 of 8 right")
        await pilot.pause()
        save(app, f"report-{name}")
    app.let_go()


async def drill(size: tuple[int, int], theme: str, name: str) -> None:
    """A drill: its predictions, while it runs, its result. The run is one that was recorded."""
    question = structs.replace(STRATEGY, id="zero-order", drill={"tier": "ranks"})
    at_work = MemoryDesk((question,))
    first = at_work.begin(Wanted())
    assert isinstance(first, Turn)
    lab = MemoryLab(finished(RECORDED), batch=20, holds_at=560)
    app = ShardwiseApp(at_work, first, lambda: lab)
    app.theme = theme
    async with app.run_test(size=size) as pilot:
        at = Driver(app, pilot)
        await at.see("1/1")
        await at.press("0")
        await at.see("Not known")
        await at.press("d")
        await at.see("prediction 1 of 4")
        await at.type("16 P")
        await at.see("read as")
        save(app, f"drill-predict-{name}")
        await at.press("f5")
        await at.see(lambda _: bool(lab.runs) and lab.runs[0].at == lab.holds_at, seconds=60)
        await pilot.pause(0.5)
        save(app, f"drill-run-{name}")
        lab.runs[0].holds_at = len(lab.done.events)
        await at.see("Measured", seconds=60)
        for number, section in enumerate(("result", "memory", "traffic", "loss"), start=1):
            await at.press(str(number))
            await pilot.pause()
            save(app, f"drill-{section}-{name}")
    app.let_go()


STATISTICS = ("overview", "memory", "topics", "ahead", "practice", "confidence", "mistakes")
SAYS = {
    "no-master": "You left out the fp32 master copy of the weights.",
    "one-node": "That is what one node holds; the plan has four.",
    "GB-as-GiB": "The number is right in GB, not in GiB: 1 GiB is 1.073741824 GB.",
    "bits": "This is 8 times too large: bits were counted, and a byte has 8.",
    "twice-inverse": "This is half the value: something that comes twice was counted once.",
    "weights-only": "That is the weights alone; gradients and optimizer state come on top.",
}


def simulated() -> MemoryDesk:
    """A desk whose statistics are those of a simulated year."""
    given = a_year(interview=date(2026, 4, 17))
    made = report(given)
    slips = tuple(structs.replace(slip, says=SAYS.get(slip.id, "")) for slip in made.mistakes.slips)
    made = structs.replace(made, mistakes=structs.replace(made.mistakes, slips=slips))
    return MemoryDesk(figures=made, day=Today(given.today))


async def statistics(size: tuple[int, int], theme: str, name: str) -> None:
    """The sections of the statistics; beyond the dark theme at the two usual sizes only the first."""
    app = ShardwiseApp(simulated(), WantedFigures())
    app.theme = theme
    wanted = STATISTICS if theme == DARK.name and size[0] >= 80 else STATISTICS[:1]
    async with app.run_test(size=size) as pilot:
        at = Driver(app, pilot)
        await at.see("Recall today")
        for number, section in enumerate(wanted, start=1):
            await at.press(str(number))
            await pilot.pause()
            save(app, f"stats-{section}-{name}")
    app.let_go()


async def pictures(folder: Path, size: tuple[int, int], theme: str, name: str) -> None:
    """One walk through the screens at one size."""
    at_work = desk(folder)
    app = ShardwiseApp(at_work)
    app.theme = theme
    async with app.run_test(size=size) as pilot:
        at = Driver(app, pilot)
        await at.see("Memory budget")
        save(app, f"home-{name}")
    app.let_go()
    at_work.open()
    first = at_work.begin(Wanted(questions=("mb-70b-4nodes", "ft-young-daly")))
    assert isinstance(first, Turn)
    app = ShardwiseApp(at_work, first)
    app.theme = theme
    async with app.run_test(size=size) as pilot:
        at = Driver(app, pilot)
        await at.see("1/2")
        await pilot.pause()
        save(app, f"question-{name}")
        await at.press(str(first.order.index("fsdp") + 1))
        await at.see("How many")
        await at.type("140 GB")
        await at.see("read as")
        save(app, f"figure-{name}")
        await at.press("enter")
        await at.see("How sure")
        save(app, f"confidence-{name}")
        await at.press("c")
        await at.see("Memory")
        for section in ("memory", "why", "steps", "idea", "flags", "follow-ups"):
            await pilot.pause()
            if section == "follow-ups":
                await at.press("enter")
            await pilot.pause()
            save(app, f"reveal-{section}-{name}")
            await at.press("right")
        await at.press("n")
        await at.see("2/3")
        await at.press("f2")
        await at.see("Not known yet")
        await at.press("n")
        await at.see("Nothing else is left now")
        save(app, f"pause-{name}")
        await at.press("q")
        await at.see("Session done")
        save(app, f"end-{name}")
    app.let_go()


def save(app: TerminalApp, name: str) -> None:
    """Write what the screen shows as a picture."""
    picture = FONTS.sub("", app.export_screenshot(title="shardwise")).replace("Fira Code", "monospace")
    # The export draws a new number for its names each time; a picture changes only with what it shows.
    picture = re.sub(r"terminal-\d+", "terminal", picture)
    lines = [line.rstrip() for line in picture.splitlines()]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.svg").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
