"""What a learner does, key by key, on each kind of question."""

from __future__ import annotations

from quiz.tui import app
from quiz.tui.page import Dialog, Page
from quiz.tui.ports import Answer
from quiz.tui.screens.end import End
from quiz.tui.screens.help import Help
from quiz.tui.screens.home import Home
from quiz.tui.screens.preview import Preview
from quiz.tui.screens.question import Question
from quiz.tui.screens.rate import Rate
from quiz.tui.screens.reveal import Reveal
from quiz.tui.terminal import TerminalApp
from quiz.tui.widgets.menu import Menu
from quiz.tui.widgets.writing import Writing
from tests.tui.driving import asked, opened
from tests.tui.fixtures import NUMERIC, OPEN, ORDERING, STRATEGY
from tests.tui.memory_desk import MemoryDesk


async def test_home_says_what_is_due_what_is_new_and_how_the_topics_stand() -> None:
    async with opened(MemoryDesk()) as at:
        text = await at.see("2 due · 2 new · 1 later today", "Memory budget")
        line = next(line for line in text.splitlines() if "Memory budget" in line)
        assert "4 of 7 seen" in line
        assert "2 due" in line
        assert "83 % right" in line


async def test_one_key_starts() -> None:
    for key in ("enter", "space"):
        async with opened(MemoryDesk()) as at:
            await at.press(key)
            await at.see("Which plan leaves the model trainable?")


async def test_a_topic_under_the_cursor_is_what_is_started() -> None:
    async with opened(MemoryDesk()) as at:
        await at.press("down", "down", "enter")
        await at.see("16,384 GPUs saw")


async def test_the_question_shows_scenario_conventions_and_options() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        shown = ("Memory budget", "due", "conventions", "1 GB = 1e9 B", "DDP across all 32 GPUs", "I don't know")
        await at.see(*shown)


async def test_a_strategy_goes_from_choice_to_figure_to_confidence_to_reveal() -> None:
    desk = MemoryDesk((STRATEGY,))
    async with asked(desk) as at:
        await at.press("1")
        await at.see("How many GB of training state")
        await at.type("35 GB")
        await at.see("read as  = 35 GB")
        await at.press("enter")
        await at.see("How sure are you?")
        await at.press("x")
        await at.see("✓ Right", "good · back in 3 days", "you said certain (95 %)")
    assert desk.stored == [(STRATEGY.id, Answer(chosen="fsdp", then="35 GB"), 95)]


async def test_verdict_bars_and_what_to_do_next_are_on_the_screen_at_once_at_80x24() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        await at.press("2")
        await at.see("How many GB")
        await at.type("140 GB")
        await at.press("enter")
        await at.see("How sure")
        await at.press("c")
        parts = ("ZeRO-1: shard only", "30 GB free", "1,055 GB over", "80 GB capacity", "optimizer", "given")
        await at.see("✗ Not right", *parts, "You divided by the GPUs of one node", "enter next")


async def test_a_recognised_mistake_is_named_and_a_wrong_figure_shows_the_right_one() -> None:
    async with asked(MemoryDesk((NUMERIC,))) as at:
        await at.type("13.63 min")
        await at.press("enter")
        await at.see("How sure")
        await at.press("l")
        await at.see("Not right", "The 2 under the root is missing.", "19.28 min")


async def test_what_cannot_be_read_costs_nothing_and_shows_the_place() -> None:
    desk = MemoryDesk((NUMERIC,))
    async with asked(desk) as at:
        await at.type("12!4")
        await at.press("enter")
        text = await at.see("A number cannot hold")
        lines = text.splitlines()
        caret = next(index for index, line in enumerate(lines) if line.strip() == "^")
        assert lines[caret - 1][lines[caret].index("^")] == "!"
        assert desk.stored == []
        await at.press("backspace", "backspace")
        await at.see("read as  = 12")


async def test_enter_on_nothing_asks_once_more_before_it_means_i_dont_know() -> None:
    desk = MemoryDesk((NUMERIC,))
    async with asked(desk) as at:
        await at.press("enter")
        await at.see("Nothing typed.")
        assert desk.stored == []
        await at.press("enter")
        await at.see("Not known yet")
    assert desk.stored == [(NUMERIC.id, Answer(), None)]


async def test_i_dont_know_the_figure_keeps_the_choice() -> None:
    desk = MemoryDesk((STRATEGY,))
    async with asked(desk) as at:
        await at.press("1")
        await at.see("How many GB")
        await at.press("f2")
        await at.see("no figure")
        await at.press("g")
        await at.see("Right")
    assert desk.stored == [(STRATEGY.id, Answer(chosen="fsdp"), 25)]


async def test_items_are_moved_into_order() -> None:
    desk = MemoryDesk((ORDERING,))
    async with asked(desk) as at:
        await at.press("down", "down", "shift+up", "alt+up")  # pp dp tp -> tp pp dp
        await at.press("end", "K", "enter")  # -> tp dp pp
        await at.see("How sure")
        await at.press("4")
        await at.see("✓ Right")
    assert desk.stored == [(ORDERING.id, Answer(ordered=("tp", "dp", "pp")), 95)]


async def test_a_wrong_order_shows_both_places() -> None:
    async with asked(MemoryDesk((ORDERING,))) as at:
        await at.press("enter")
        await at.see("How sure")
        await at.press("1")
        text = await at.see("Not right")
        line = next(line for line in text.splitlines() if line.lstrip().startswith("1 ✗ tensor"))
        assert "61.2 GB" in line
        assert "you: 3" in line


async def test_an_open_answer_is_compared_with_the_sketch_and_ticked() -> None:
    desk = MemoryDesk((OPEN,))
    async with asked(desk) as at:
        await at.type("moments")
        await at.press("ctrl+s")
        await at.see("How sure")
        await at.press("c")
        await at.see("Tick what you said", "moments", "The moments are allocated")
        await at.press("1", "3", "1", "2", "enter")
        await at.see("Close")
    assert desk.stored == [(OPEN.id, Answer(text="moments", points=2, of=3), 75)]


async def test_space_ticks_and_enter_finishes_wherever_the_cursor_stands() -> None:
    desk = MemoryDesk((OPEN,))
    async with asked(desk) as at:
        await at.type("State first:")
        await at.press("enter")
        await at.type("- moments")
        await at.press("ctrl+s", "c")
        await at.see(
            "space tick  pgdn read on  1-3 tick  enter done", "  State first:\n    - moments"
        )  # as it was written
        await at.press("space", "down", "space", "up", "space", "enter")
        await at.see("Close", "  State first:\n    - moments")
    assert desk.stored == [(OPEN.id, Answer(text="State first:\n- moments", points=1, of=3), 75)]


async def test_enter_with_nothing_ticked_asks_once_more() -> None:
    desk = MemoryDesk((OPEN,))
    async with asked(desk) as at:
        await at.type("moments")
        await at.press("ctrl+s", "c")
        await at.see("Tick what you said")
        await at.press("enter")
        await at.see("Nothing is ticked.")
        assert desk.stored == []
        await at.press("enter")
        await at.see("Sketch")
    assert desk.stored == [(OPEN.id, Answer(text="moments", points=0, of=3), 75)]


async def test_escape_folds_the_conventions_before_it_leaves() -> None:
    async with asked(MemoryDesk((STRATEGY,)), size=(50, 20)) as at:
        await at.see("more: v shows")
        await at.press("v")
        await at.see(lambda text: "v shows" not in text)
        await at.press("escape")
        await at.see("more: v shows")
        await at.press("1")
        await at.see("more: F3 shows")  # where a v is part of the answer
        await at.press("f3")
        await at.see(lambda text: "F3 shows" not in text)
        await at.press("escape", "escape", "escape")
        await at.see("No question was answered.")


async def test_verdict_own_answer_answer_and_figure_stay_on_top_of_every_section_at_every_size() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        await at.press("2")
        await at.see("How many GB")
        await at.press("f2", "c")
        await at.see("✗ Not right")
        for size in ((120, 40), (36, 10)):
            await at.resize(*size)
            for name in ("Memory", "Why"):
                shown = "\n".join((await at.see(name)).splitlines()[:9])
                for words in ("✗ Not r", "you     ZeRO-1", "answer  FSDP / ZeRO-3", "figure  35 GB · you gave none"):
                    assert words in shown, (size, shown)
                await at.press("right")
            await at.press("1")


async def test_escape_goes_a_step_back_and_keeps_what_was_typed() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        await at.press("3")
        await at.see("How many GB")
        await at.type("1120")
        await at.press("enter")
        await at.see("How sure")
        await at.press("escape")
        await at.see("= 1120")
        await at.press("escape")
        await at.see("I don't know", "▌3")


async def test_a_click_chooses() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        menu = at.app.screen.query_one("#menu")
        await at.pilot.click(menu, offset=(8, 2))
        await at.see("How many GB", "DDP across")


async def test_follow_ups_stay_covered_until_asked_for() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        await at.press("0")
        await at.see("1 Memory")
        await at.press("6")
        text = await at.see("What is the fewest GPUs")
        assert "19 GPUs" not in text
        assert "enter uncover" in text
        await at.press("enter")
        text = await at.see("19 GPUs")
        assert "39.38 GB" not in text
        await at.press("enter")
        await at.see("39.38 GB", "enter next")


async def test_every_part_of_the_solution_can_be_reached() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        await at.press("0")
        await at.see("1 Memory")
        for words in (
            "Only full sharding divides all of 2+2+4+4+4.",
            "= 1,120 GB / 32 = 35 GB",
            "Housemates share one encyclopaedia",
            "We just use ZeRO-1",
            "What is the fewest GPUs",
            "ZeRO-1 keeps weights and gradients whole",
            "too small to hide the gathers",
            "section 3, figure 1",
        ):
            await at.press("right")
            text = ""
            for _ in range(12):
                text += at.text
                if words in text:
                    break
                await at.press("down", "down", "down")
            assert words in text


async def test_space_reads_on_through_all_sections() -> None:
    async with asked(MemoryDesk((STRATEGY,)), size=(60, 16)) as at:
        await at.press("0")
        await at.see("Not known yet")
        for _ in range(60):
            if "arxiv.org/abs/1910.02054" in at.text:
                break
            await at.press("space")
        assert "arxiv.org/abs/1910.02054" in at.text


async def test_undo_takes_the_answer_back_and_asks_again() -> None:
    desk = MemoryDesk((STRATEGY,))
    async with asked(desk) as at:
        await at.press("0")
        await at.see("Not known yet")
        await at.press("u")
        await at.see("Which plan leaves the model trainable?")
    assert desk.stored == []


async def test_a_rating_of_ones_own_replaces_the_rules() -> None:
    async with asked(MemoryDesk((STRATEGY,))) as at:
        await at.press("0")
        await at.see("again · back in 1 minute")
        await at.press("r")
        await at.see("How well did you know it?")
        await at.press("4")
        await at.see("easy · back in 8 days")


async def test_an_answer_that_cannot_be_stored_stays_and_is_stored_again() -> None:
    desk = MemoryDesk((STRATEGY,), failing="The disk is full. Free some space.")
    async with asked(desk) as at:
        await at.press("0")
        await at.see("not saved")
        await at.see("The disk is full.", "r store again")
        assert desk.stored == []
        await at.press("1", "enter")  # nothing else is taken meanwhile
        desk.failing = ""
        await at.press("r")
        await at.see("Not known yet")
    assert desk.stored == [(STRATEGY.id, Answer(), None)]


async def test_leaving_shows_what_the_session_came_to_and_goes_home() -> None:
    async with asked(MemoryDesk()) as at:
        await at.press("0")
        await at.see("Not known yet")
        await at.press("n")
        await at.see("16,384 GPUs")
        await at.press("escape")
        await at.see("Comes back", "3 questions left")
        await at.press("enter")
        await at.see("Fault tolerance", "2 due")


async def test_i_dont_know_needs_no_confidence_and_two_hurried_keys_answer_once() -> None:
    desk = MemoryDesk((STRATEGY,))
    async with asked(desk) as at:
        await at.pilot.press("0", "0", "enter", "0")
        await at.see(lambda text: "Not known yet" in text or "Session done" in text)
        await at.press("ctrl+c")
    assert at.app.return_code == 130  # at once, as anywhere; the answer is kept
    assert desk.stored == [(STRATEGY.id, Answer(), None)]


async def test_help_lists_the_keys_of_the_screen_it_was_called_from() -> None:
    async with asked(MemoryDesk((STRATEGY,)), size=(80, 40)) as at:
        await at.press("question_mark")
        await at.see("escape closes this", "I don't know", "command palette")
        await at.press("escape")
        await at.see("1-4 choose")


def test_all_bindings_of_ours_have_ids_of_their_own_so_that_they_can_be_rebound() -> None:
    owners = (TerminalApp, Page, Dialog, Home, Question, Reveal, End, Help, Rate, Preview, Menu, Writing)
    for owner in owners:
        ids = [getattr(binding, "id", None) for binding in owner.__dict__["BINDINGS"]]
        assert all(ids), owner
        assert len(set(ids)) == len(ids), owner


async def test_trouble_at_opening_ends_with_its_message_and_code() -> None:
    refused = app.ShardwiseApp(MemoryDesk(trouble="The history is damaged."))
    async with refused.run_test() as pilot:
        while not refused.ending:
            await pilot.pause(0.02)
    refused.let_go()
    assert refused.ending == "The history is damaged."
    assert refused.return_code == 3
