"""The plots of the statistics, without a screen: whole at any width, legible without colour, as the JSON says."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.scheduling.rating import Rating
from quiz.session.attempt import Response
from quiz.statistics.report import document, report
from quiz.tui import plots
from quiz.tui.figures import Drawn, as_text, sections, spelled
from quiz.tui.heat import Heat, bounds, level
from quiz.tui.heat import lay as lay_heat
from tests.unit.statistics.histories import HISTORIES, ONE, TODAY, daily, reported
from tests.unit.statistics.simulated import given as of_history

if TYPE_CHECKING:
    from quiz.tui.lines import Lines

WIDTHS = (1, 36, 56, 75, 113, 200)


def plain(lines: Lines) -> str:
    return "\n".join(line.plain for line in lines)


def drawn(name: str, section: str, width: int = 75, **more: bool) -> str:
    lay = next(one.lay for one in sections() if one.id == section)
    return plain(lay(Drawn(reported(name), **more), width))


@pytest.mark.parametrize("name", HISTORIES)
def test_no_line_is_wider_than_the_room_whatever_the_history(name: str) -> None:
    for width in WIDTHS:
        for section in sections():
            lines = section.lay(Drawn(reported(name), colourless=width % 2 == 0, tall=width % 3 == 0), width)
            wide = [line.plain for line in lines if line.cell_length > width]
            assert wide == [], (section.id, width)


@pytest.mark.parametrize("name", ["none", "one answer", "three answers"])
def test_three_answers_draw_no_percentage_of_theirs(name: str) -> None:
    """Only the target, the least counts and the scale stand there with a percent sign."""
    said = "\n".join(as_text(reported(name), 113))
    assert set(re.findall(r"[\d.]+ %", said)) <= {"90 %", "95 %", "100 %", "25 %", "50 %", "75 %"}
    assert "Not enough data" in said


def test_text_and_json_show_the_same_figures() -> None:
    """Every figure that the sections tell is the JSON's, rounded."""
    made, said = document(reported("a year")), "\n".join(as_text(reported("a year"), 113))
    for row in made["memory"]["rows"]:
        passed = row["passed"]
        if passed["share"] is not None:
            assert f"{spelled.percent(passed['share'])} n = {passed['n']:,}" in said
    for topic in made["topics"]:
        row = next(line for line in said.splitlines() if line.startswith(spelled_topic(topic["topic"])) and "━" in line)
        tested = topic["tested"]
        cells = [
            f"{topic['seen']}/{topic['questions']}",
            spelled.percent(topic["recall"]),
            spelled.percent(tested["share"]),
            "–" if tested["share"] is None else f"{100 * tested['low']:.0f}–{100 * tested['high']:.0f}",
            f"{tested['n']}",
            spelled.seconds(1000 * topic["seconds"]),
        ]
        assert " ".join(re.split(r"[━╍─]+", row)[-1].split()) == " ".join(cells)
    calibration = made["calibration"]
    for part in ("brier", "reliability", "resolution", "uncertainty"):
        assert f"{calibration[part]:.3f}" in said
    for bin_ in calibration["bins"]:
        if bin_["right"]["share"] is not None:
            assert re.search(rf"{spelled.percent(bin_['right']['share'])} +n = {bin_['right']['n']}\b", said)
    practice = made["practice"]
    assert f"{practice['answers']:,} answers on {practice['days']} days" in said
    assert f"{practice['lately']} of the last 28 days" in said
    assert f"Half take {spelled.seconds(practice['times']['median'])}" in said
    days = made["forecast"]["days"]
    assert f"{days[0]['due']} today · {days[1]['due']} tomorrow" in said
    assert f"{sum(day['due'] for day in days[:7])} in 7 days · {sum(day['due'] for day in days)} in 30" in said
    assert f"{made['forecast']['overdue']} overdue" in said
    for topic in made["ready"]["topics"]:
        if topic["unseen"]:
            own = spelled.day(date.fromisoformat(topic["own"]), date(2026, 3, 3))
            assert re.search(rf"{spelled_topic(topic['topic'])} .* {topic['unseen']}  {own} ", said)
    for slip in made["mistakes"]["slips"]:
        assert re.search(rf"{slip['id'].replace('-', ' ')} +[━╸]+ +{slip['count']}\n", said)


def spelled_topic(name: str) -> str:
    from quiz.tui import words

    return words.topic(name)[:16]


def test_the_pace_and_the_missing_data_are_told_in_words() -> None:
    said = drawn("none", "ahead")
    assert "Your pace: not enough data yet, 7 more days to go (0 new questions in 0" in " ".join(said.split())
    assert "Every question has been seen." in drawn("three answers", "ahead")


@pytest.mark.parametrize(("questions", "new_per_day", "limit"), [(1, 9, "–"), (1, 0, "–"), (2, 0, "never")])
def test_a_topic_seen_as_a_whole_is_not_said_to_be_never_ready(questions: int, new_per_day: int, limit: str) -> None:
    """A dash where its recall is not known yet, with what that takes; "never" where the limit lets nothing new in."""
    asked = tuple(ONE[0]._replace(id=name) for name in ("mb-70b-4nodes", "another")[:questions])
    made = report(of_history(daily(3), asked, TODAY, new_per_day=new_per_day))
    lay = next(one.lay for one in sections() if one.id == "ahead")
    for width in WIDTHS[3:]:
        said = plain(lay(Drawn(made), width))
        row = next(line for line in said.splitlines() if line.startswith("Memory budget"))
        assert row.split()[-1] == limit
        told = "a day takes 20 answers in the topic and 20 reviews in all: not enough data yet"
        assert (told in " ".join(said.split())) == (questions == 1)


def test_tiles_without_a_figure_say_how_far_the_data_has_come_and_what_a_review_is() -> None:
    none, three = drawn("none", "overview", 80), drawn("three answers", "overview", 80)
    assert none.count("not enough data") == three.count("not enough data") == 3
    assert "Nothing has been answered yet. Counts begin with the first answer" in none
    assert "0 of 20 reviews, 20 more to go" in none
    assert "2 of 20 reviews, 18 more to go" in three
    assert "A review is the first answer of a day to a question" in three
    assert "A review is" not in drawn("a year", "overview", 80)


def test_nothing_to_draw_says_what_is_missing() -> None:
    assert "Nothing has been learned yet" in drawn("none", "ahead")
    assert "No answers yet." in drawn("none", "practice")
    assert "No answer with a confidence yet." in drawn("none", "confidence")
    assert "None was recognised." in drawn("none", "mistakes")
    assert "Not enough data yet: 0 reviews; it takes two months with 20" in drawn("none", "memory")
    assert "0/9" in drawn("none", "topics")


def test_the_day_of_the_interview_is_told_before_on_and_after_it() -> None:
    assert "Interview on Fri 17 Apr, in 45 days" in " ".join(drawn("a year", "ahead", 113).split())
    assert "The interview is today. Good luck!" in drawn("the last day", "ahead")
    assert "The interview was on Sat 28 Feb." in drawn("nothing to say", "ahead")


@pytest.mark.parametrize("width", [34, 36, 76, 113])
def test_no_number_is_cut_on_a_screen_of_40_columns_and_more(width: int) -> None:
    """Of 1,000 answers, all of them wrong and with the same slip, before an interview."""
    made = daily(1000, verdict="incorrect", rating=Rating.AGAIN, response=Response(("ddp",)), slip="gib")
    for interview in (None, date(2026, 12, 31)):
        lines = as_text(report(of_history(made, ONE, TODAY, interview=interview)), width)
        assert [line for line in lines if re.search(r"[\d,]…|interview.*…", line)] == []


def test_what_the_bank_no_longer_holds_is_told_beside_the_topics() -> None:
    told = "1 question with a history is asked no more (retired, or gone from the bank) and in none of these figures."
    assert told in " ".join(drawn("a topic that is gone", "topics").split())


# ---------------------------------------------------------------- plots


@settings(max_examples=25)
@given(st.lists(st.integers(0, 5000), max_size=60), st.integers(1, 200), st.integers(2, 12))
def test_upright_bars_have_their_height_and_keep_to_the_room(values: list[int], width: int, height: int) -> None:
    lines = plots.upright([plots.Bar(value) for value in values], width, height)
    assert all(line.cell_length <= width for line in lines)
    assert len(lines) in (0, height + 1)
    if lines and values[0]:
        column = [
            line.plain[line.plain.index("└") + 1]
            if "└" in line.plain
            else line.plain[len(lines[-1].plain.split("└")[0]) + 1]
            for line in lines[:-1]
        ]
        eighths = sum(max(0, plots.EIGHTHS.index(cell)) for cell in column)
        top = plots.nice_top(max(values))
        assert eighths == max(1, round(values[0] / top * height * 8))


@settings(max_examples=25)
@given(st.floats(0.01, 1e9))
def test_the_top_of_an_axis_is_round_and_just_above_the_most(value: float) -> None:
    top = plots.nice_top(value)
    assert value <= top <= max(1, 2 * value + 1e-9)
    assert f"{top:.0e}"[1:].startswith("e")
    assert f"{top:.0f}"[0] in "12468"


@settings(max_examples=25)
@given(st.lists(st.floats(0, 100), min_size=1, max_size=5), st.integers(0, 80))
def test_a_stack_fills_its_width_and_keeps_a_cell_for_each_part(sizes: list[float], width: int) -> None:
    line = plots.stack([(size, "abcde"[place], "") for place, size in enumerate(sizes)], width).plain
    assert len(line) == width
    shown = [place for place, size in enumerate(sizes) if size > 0]
    if sum(sizes) > 0 and width >= len(shown):
        assert set(line) == {"abcde"[place] for place in shown}
        assert line == "".join(sorted(line))


@settings(max_examples=25)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(1, 60))
def test_an_interval_row_has_its_point_between_its_ends(one: float, two: float, three: float, width: int) -> None:
    low, share, high = sorted((one, two, three))
    line = plots.interval_row(share, low, high, width, mark=0.9).plain
    assert len(line) == width
    assert line.count("●") == 1
    assert not re.search(r"[├─].*●.*├|┤.*●", line)


def test_a_share_that_is_not_known_has_no_point() -> None:
    assert "●" not in plots.interval_row(None, None, None, 20, mark=0.9).plain
    points = [plots.Point(0.5, "x", None, None, None)]
    assert "●" not in plain(plots.intervals(points, 40, 8, plots.Reference(0, 1)))


def test_labels_that_would_touch_are_left_out() -> None:
    assert plots.ruler([(0, "today"), (3, "Mon"), (12, "Tue")], 20) == "today      Tue"


# ---------------------------------------------------------------- calendar

MONDAY = date(2025, 3, 3)


def calendar(width: int, *, colourless: bool = True, weeks: int = 53) -> list[str]:
    answers = {MONDAY + timedelta(days=day): day % 7 for day in range(7 * weeks - 5)}
    end = MONDAY + timedelta(days=7 * weeks - 6)
    return [line.plain for line in lay_heat(Heat(answers, MONDAY, end, colourless), width)]


@pytest.mark.parametrize(("width", "strips", "cell"), [(113, 1, 2), (75, 1, 1), (40, 2, 1)])
def test_a_year_takes_one_strip_or_two(width: int, strips: int, cell: int) -> None:
    lines = calendar(width)
    assert sum(line.startswith("Mon") for line in lines) == strips
    mondays = "".join(line[4:] for line in lines if line.startswith("Mon"))
    assert len(mondays) == 53 * cell


def test_the_rows_are_weekdays_and_the_days_to_come_are_blank() -> None:
    lines = calendar(75)
    assert [line[:3] for line in lines[1:8]] == ["Mon", "   ", "Wed", "   ", "Fri", "   ", "Sun"]
    assert lines[1][4:] == "·" * 53  # no answers on any Monday
    assert lines[3][4:] == lines[3][4] * 52 + " "  # two on each Wednesday; the last one is to come


def test_months_stand_over_the_week_in_which_they_begin() -> None:
    head = calendar(113)[0]
    assert head[4:7] == "Mar"
    april = (date(2025, 4, 1) - MONDAY).days // 7
    assert head[4 + 2 * april :].startswith("Apr")


def test_shades_are_told_apart_without_colour_and_with_it() -> None:
    assert len({glyph for line in calendar(75)[1:8] for glyph in line[4:]} - {" "}) == 5
    styles = {
        str(span.style)
        for line in lay_heat(Heat({MONDAY: 1, MONDAY + timedelta(1): 9}, MONDAY, MONDAY + timedelta(6)), 75)
        for span in line.spans
    }
    assert {"$heat-3", "$heat-4"} <= styles


@settings(max_examples=25)
@given(st.lists(st.integers(0, 300), max_size=40))
def test_more_answers_never_have_a_lighter_shade(counts: list[int]) -> None:
    shades = bounds(counts)
    ranked = [level(count, shades) for count in sorted(counts)]
    assert ranked == sorted(ranked)
    assert all((found > 0) == (count > 0) for found, count in zip(ranked, sorted(counts), strict=True))
    assert not counts or max(counts) == 0 or ranked[-1] == 4


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "–"), (0.0, "0 %"), (1.0, "100 %"), (0.999, "> 99 %"), (0.001, "< 1 %"), (0.934, "93 %")],
)
def test_only_all_and_nothing_say_100_and_0_percent(value: float | None, said: str) -> None:
    assert spelled.percent(value) == said


@pytest.mark.parametrize(
    ("milliseconds", "answer", "spent"),
    [
        (900, "0.9 s", "1 s"),
        (37_400, "37 s", "37 s"),
        (125_000, "2:05 min", "2 min"),
        (4_000_000, "66:40 min", "1 h 06 min"),
    ],
)
def test_times_are_said_as_people_say_them(milliseconds: int, answer: str, spent: str) -> None:
    assert (spelled.seconds(milliseconds), spelled.span(milliseconds)) == (answer, spent)


@pytest.mark.parametrize(
    ("gap", "half", "said"),
    [
        (0.03, 0.01, "Well calibrated"),
        (0.12, 0.05, "12 points too sure"),
        (-0.05, 0.04, "5 points too cautious"),
        (0.05, 0.06, "Well calibrated"),
        (0.05, 0.15, "No gap to be seen yet"),
    ],
)
def test_a_gap_is_told_where_the_answers_show_one_of_more_than_three_points(gap: float, half: float, said: str) -> None:
    assert spelled.calibrated(gap, gap - half, gap + half)[0] == said
