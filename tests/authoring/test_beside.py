"""What is wrong in facts and craft is told beside an error that has no part in it, and nothing else is."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.examine import examined
from quiz.bank.files import list_bank
from quiz.bank.loader import Loader
from tests.authoring.mistakes import SOUND
from tests.authoring.test_at_once import CONTEXT
from tests.authoring.test_bad_questions import BAD, SPECIMENS

if TYPE_CHECKING:
    from quiz.bank.bench import Context

DIFFICULTY = re.compile(r"(?m)^difficulty: [1-5]$")
BREAKABLE = [name for name in SPECIMENS if DIFFICULTY.search((BAD / name).read_bytes().decode("utf-8", "replace"))]


@cache
def context_of_the_bad() -> Context:
    return Loader(list_bank(BAD), None).context


def found_in(text: str, context: Context = CONTEXT) -> set[tuple[int, int, str, str]]:
    """Every finding in a question, warnings too, its variants not being drawn."""
    sheet = examined(text.encode(), "t/one.yaml", "", context, draws=False).sheet
    return {(one.place.line, one.place.column, one.code, one.what) for one in sheet.findings}


def of(*codes: str, text: str, context: Context = CONTEXT) -> list[tuple[int, str]]:
    return sorted((line, code) for line, _, code, _ in found_in(text, context) if code in codes)


@pytest.mark.parametrize("name", BREAKABLE)
def test_a_fault_of_any_kind_is_told_beside_a_difficulty_that_there_is_none_of(name: str) -> None:
    text = (BAD / name).read_bytes().decode("utf-8", "replace")
    broken = found_in(DIFFICULTY.sub("difficulty: 9", text), context_of_the_bad())
    rest = {one for one in broken if one[2] != "out-of-range"}
    assert rest == found_in(text, context_of_the_bad())


APART = {
    "an unknown source": ("uses: []\n", "uses: [{text: A run, source: nowhere}]\n"),
    "an unknown key": ("uses: []\n", "remark: |\n  For those who read this file.\n"),
    "a misspelled key": ("uses: []\n", "framng: |\n  As a clerk would ask.\n"),
    "a name in the reveal": ("uses: []\n", "framing: |\n  It is {{ nothing }}.\n"),
    "an axis": ("uses: []\n", "variants: {axes: {model.parameters: [1, metre]}}\n"),
}


@pytest.mark.parametrize(("old", "new"), APART.values(), ids=APART)
def test_a_contradicted_rationale_is_told_beside_what_has_no_part_in_it(old: str, new: str) -> None:
    text = SOUND["claim"].replace("Both are counted.", "It is wrong.") + old
    broken = text.replace(old, new)
    told = [(21, "verdict-contradicted")]
    assert of("verdict-contradicted", text=broken) == of("verdict-contradicted", text=text) == told
    assert found_in(broken) - found_in(text)


def test_a_question_with_errors_is_not_taken_for_a_sound_one() -> None:
    """No row, no stem and no options of it go on a sheet, and there is nothing of which variants could be drawn."""
    text = SOUND["strategy"].replace("difficulty: 2", "difficulty: 9").replace("{{ kept }} stay whole.", "It fits.")
    made = examined(text.encode(), "t/one.yaml", "", CONTEXT)
    assert {"out-of-range", "verdict-contradicted"} <= {one.code for one in made.sheet.findings}
    assert (made.subject, made.tried, made.sheet.row, made.sheet.stem, made.sheet.choices) == (None, None, None, "", ())


GUESSES = {
    "a key that may be a patch": ("    set: {layout.zero: 0}\n", "    plan: {layout.zero: 0}\n"),
    "a patch under a misspelled key": ("    set: {layout.zero: 0}\n", "    sets: {layout.zero: 0}\n"),
    "a mapping that nobody knows": ("difficulty: 1\n", "difficulty: 1\nassume: {layout.zero: 0}\n"),
    "a word that nobody knows": ("difficulty: 1\n", "difficulty: 1\nthose: false\n"),
    "a scenario that lacks something": ("recipe: zero-paper, ", ""),
}


@pytest.mark.parametrize(("old", "new"), GUESSES.values(), ids=GUESSES)
def test_of_a_guess_no_figure_says_anything(old: str, new: str) -> None:
    """What decides may be meant by what is wrong: another option could be the key."""
    text = SOUND["claim"].replace("Both are counted.", "It is wrong.")
    assert text.count(old) == 1
    assert of("verdict-contradicted", text=text.replace(old, new)) == []


def test_what_an_unread_part_may_hold_is_not_told_as_missing() -> None:
    """A list that could not be read may name the convention, be the bullets, or use the figure."""
    text = SOUND["strategy"].replace("bullets:\n  - |\n    {{ state }}", "bullets: |\n    {{ state }}")
    assert of("missing-reveal", "unused-figure", text=text) == []
    text = (
        SOUND["strategy"].replace("{{ fewest }} GPUs", "{{ fewset }} GPUs").replace("with {{ room }}", "with {{ rom }}")
    )
    assert of("unused-figure", text=text) == []
    bad = (BAD / "no-convention.yaml").read_text()
    for more in ("conventions: young\n", "conventions: [young]\n", "assumptions: [young]\n"):
        assert of("no-convention", text=f"{bad}{more}", context=context_of_the_bad()) == []


def test_options_are_compared_by_their_surface_only_where_all_were_read() -> None:
    assert of("key-longest", text=SOUND["strategy"].replace("difficulty: 2", "difficulty: 9")) != []
    assert of("key-longest", text=SOUND["strategy"].replace("A memo's plan", "A plan for {{ gpus }}")) == []
    assert of("key-longest", text=SOUND["strategy"].replace("A memo's plan", "A plan for 80 GPUs")) == []
