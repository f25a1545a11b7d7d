"""Mistakes are told at once: what is found where several are planted is what is found of each alone."""

from __future__ import annotations

from datetime import date
from functools import cache
from itertools import combinations
from random import Random

import pytest

from quiz.authoring.examine import examined
from quiz.authoring.lint import lint
from quiz.authoring.together import dead_links
from quiz.bank.at_once import told_at_once
from quiz.bank.bench import Context
from quiz.bank.compile import study_text
from quiz.bank.schema import SourceEntry
from quiz.bank.yaml_reader import read_yaml
from tests.authoring.mistakes import FACTS, MISTAKES, SOUND, Mistake
from tests.authoring.mistakes_apart import DECIDING, LEANING, OF_YAML
from tests.trial_bank import OPEN, Trial

CONTEXT = Context("trial", {name: SourceEntry.of({"title": name}) for name in ("zero-2019", "memo")})
CRAFT = {"absolute-word", "all-or-none", "blank-in-stem", "negative-stem"}
CONTRADICTED = {"comparison-contradicted", "verdict-contradicted"}
SINGLES = [(kind, mistake) for kind, mistakes in MISTAKES.items() for mistake in mistakes]


@cache
def found_in(text: str) -> tuple[tuple[int, int, str, str], ...]:
    """What is wrong with a question: line, column, code and sentence of each error, and of faults that are planted."""
    sheet = examined(text.encode(), "t/one.yaml", "", CONTEXT, draws=False).sheet
    found = (*sheet.findings, *dead_links([sheet]))
    errors = [one for one in found if one.severity == "error" or one.code in CRAFT]
    return tuple(sorted((one.place.line, one.place.column, one.code, one.what) for one in errors))


def planted(kind: str, mistakes: tuple[Mistake, ...]) -> str | None:
    """The sound question with these mistakes; None where two of them stand in the same place."""
    text = SOUND[kind]
    for mistake in mistakes:
        if text.count(mistake.old) != 1:
            return None
        text = text.replace(mistake.old, mistake.new)
    return text if all(mistake.new in text for mistake in mistakes) else None


def apart(kind: str, mistakes: tuple[Mistake, ...]) -> bool:
    """Whether no two mistakes lean on each other or share a line, where one would move the column of the other."""
    if any({first, second} <= {mistake.new for mistake in mistakes} for first, second in LEANING):
        return False
    if any(mistake in FACTS.get(kind, ()) for mistake in mistakes) and any(one.code in OF_YAML for one in mistakes):
        return False
    lines = [found_in(str(planted(kind, (mistake,))))[0][0] for mistake in mistakes]
    return planted(kind, mistakes) is not None and len(set(lines)) == len(lines)


def differing(kind: str, mistakes: tuple[Mistake, ...]) -> str:
    """What several mistakes hide or add; empty where all are told as each alone."""
    waits = any(mistake.new in DECIDING for mistake in mistakes)
    each = {
        one
        for mistake in mistakes
        for one in found_in(str(planted(kind, (mistake,))))
        if not (waits and one[2] in CONTRADICTED)
    }
    found = found_in(str(planted(kind, mistakes)))
    if {*found} == each and len(found) == len(each):
        return ""
    named = " and ".join(mistake.new.strip() for mistake in mistakes)
    return f"{named}: hidden {sorted(each - {*found})}, added {sorted({*found} - each)}"


@pytest.mark.parametrize("kind", SOUND)
def test_the_sound_questions_have_no_error(kind: str) -> None:
    assert {code for _, _, code, _ in found_in(SOUND[kind])} == set()


@pytest.mark.parametrize(("kind", "mistake"), SINGLES, ids=[f"{kind}-{one.new.strip()}" for kind, one in SINGLES])
def test_a_mistake_is_told_once(kind: str, mistake: Mistake) -> None:
    text = planted(kind, (mistake,))
    assert text is not None
    assert [code for _, _, code, _ in found_in(text)] == [mistake.code]


BROKEN = {
    "a value": SOUND["strategy"].replace("cluster.nodes: 4", "cluster.nodes: four"),
    "the form": SOUND["strategy"].replace("difficulty: 2", "difficulty: 9"),
    "the YAML": SOUND["strategy"].replace("[34e9, 70e9, 100e9]", "[34e9, 70e9, 100e9"),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_question_with_errors_is_known_by_its_id(broken: str, trial: Trial) -> None:
    """Others may name it, and may not have its id, whatever is wrong with it."""
    trial.write(broken, "t/broken.yaml")
    trial.write(OPEN + "related: [which-fits]\n", "t/names-it.yaml")
    trial.write(OPEN.replace("say-it", "which-fits"), "t/same-id.yaml")
    linted = lint(trial.folder, date(2026, 11, 30), workers=1).diagnostics
    for found in (linted, trial.problems()):
        errors = {(one.place.file, one.code) for one in found if one.severity == "error"}
        assert {("t/broken.yaml", "duplicate-id"), ("t/same-id.yaml", "duplicate-id")} < errors
        assert "unknown-question" not in {code for _, code in errors}


def test_a_link_to_nowhere_is_told_beside_other_errors_of_its_file(trial: Trial) -> None:
    trial.write(OPEN.replace("difficulty: 3", "difficulty: 9") + "related: [nowhere]\n")
    assert {one.code for one in trial.problems()} == {"out-of-range", "unknown-question"}


HALF_READ = {
    "a duplicate key": ("topic: fault-tolerance\n", "topic: fault-tolerance\ntopic: t\n", "duplicate-key"),
    "a colon in a text": ("kind: numeric\n", "kind: numeric\ntitle: State: the whole\n", "colon-in-text"),
    "a pair in a list": ("[young-first-order]", "[young: first-order]", "pair-in-list"),
    "an escape": ('"That is Daly\'s."', '"That is \\frac Daly\'s."', "escape"),
    "an alias": ("difficulty: 3\n", "difficulty: *three\n", "alias"),
    "no space after a colon": ("difficulty: 3\n", "difficulty:3\n", "space-after-colon"),
    "a tab": ("kind: numeric\n", "kind: numeric\t# of a number\n", "tab"),
}


@pytest.mark.parametrize(("old", "new", "code"), HALF_READ.values(), ids=HALF_READ)
def test_a_mistake_of_the_yaml_on_one_line_hides_nothing_of_the_rest(old: str, new: str, code: str) -> None:
    text = SOUND["numeric"].replace("answer:\n", "answer:\n  unt: GB\n", 1)
    text = text.replace("  unit: min\n", "").replace("cluster.gpus: 16384", "cluster.gpus: many").replace(old, new)
    assert sorted(found[2] for found in found_in(text)) == sorted([code, "unknown-key", "unit", "input"])


NOT_KNOWN = {
    "a line that is no key": ("topic: fault-tolerance\n", "topic fault-tolerance\n", ["no-colon"]),
    "a key that is no text": ("topic: fault-tolerance\n", "1: fault-tolerance\n", ["key-not-text"]),
    "a merge": ("difficulty: 3\n", "<<: {difficulty: 3}\n", ["merge-key"]),
    "two scenarios": ("stem: |", "scenario: {run.mtbf: 1 h}\nstem: |", ["duplicate-key"]),
    "two lists of slips": ("parts:\n", "slips: []\nparts:\n", ["duplicate-key"]),
    "two values of one input": ("stall: 60 s\n", "stall: 60 s\n  run.observed: 3 GB\n", ["duplicate-key"]),
    "a mapping in brackets": (
        'checkpoint.interval_young, unit: "%"}',
        'checkpoint.interval_young, unit "%"}',
        ["key-without-value"],
    ),
}


@pytest.mark.parametrize(("old", "new", "codes"), NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_a_mistake_of_the_yaml_has_no_echo(old: str, new: str, codes: list[str]) -> None:
    """What the mistake leaves open is neither said to be missing nor judged."""
    text = SOUND["numeric"].replace(old, new)
    assert text != SOUND["numeric"]
    assert [found[2] for found in found_in(text)] == codes


def test_a_misspelled_key_is_read_as_the_one_that_is_meant() -> None:
    """Its names are known, what stands under it is checked, and nothing is said to be missing."""
    text = SOUND["strategy"].replace("figures:", "figure:").replace("unit: GB}", "unit: km}")
    assert [code for _, _, code, _ in found_in(text)] == ["unknown-key", "unit"]


def test_what_the_scenario_lacks_is_told_where_it_is_first_named() -> None:
    """One line mends all places, so that it is one mistake; an axis of that name is no other."""
    text = SOUND["strategy"].replace("  model.parameters: 70e9\n  model.layers: 80\n", "")
    assert [(line, code) for line, _, code, _ in found_in(text)] == [(16, "missing")]
    text = SOUND["strategy"].replace("  cluster.nodes: 4\n", "")
    assert [(line, code) for line, _, code, _ in found_in(text)] == [(17, "missing")]


def test_a_figure_that_is_not_defined_is_told_where_it_is_first_named_with_its_other_lines() -> None:
    text = SOUND["strategy"].replace("  kept: {", "  ketp: {")
    report = study_text(text, "t/one.yaml", CONTEXT).report
    assert [(one.place.line, one.code) for one in report.found] == [(39, "unknown-name")]
    assert "line 72 too" in report.found[0].why


def test_a_source_that_the_bank_lacks_is_told_once_and_one_that_is_misspelled_where_it_stands() -> None:
    lacking = SOUND["strategy"].replace("zero-2019", "elsewhere")
    assert [(line, code) for line, _, code, _ in found_in(lacking)] == [(97, "unknown-source")]
    misspelled = SOUND["strategy"].replace("zero-2019", "zero-2018")
    assert [(line, code) for line, _, code, _ in found_in(misspelled)] == [
        (97, "unknown-source"),
        (99, "unknown-source"),
    ]


def test_what_a_misspelled_option_value_decides_is_not_told() -> None:
    """An option without its plan would change the key, the ways and the figures: all of that only follows."""
    text = SOUND["strategy"].replace("layout.zero: 3", "layout.zeros: 3").replace("layout.zero: 1}", "layout.zro: 1}")
    assert [code for _, _, code, _ in found_in(text)] == ["unknown-name", "unknown-name"]


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_the_second_pass_finds_nothing_in_a_sound_question(text: str) -> None:
    report, question = told_at_once(read_yaml(text, "t/one.yaml"), CONTEXT)
    assert not report.failed
    assert question is not None


def several(count: int) -> list[tuple[str, tuple[Mistake, ...]]]:
    return [
        (kind, chosen)
        for kind, mistakes in MISTAKES.items()
        for chosen in combinations(mistakes, count)
        if apart(kind, chosen)
    ]


def test_two_or_three_mistakes_are_told_as_each_alone() -> None:
    chance = Random(20261130)  # noqa: S311 - a sample that is the same in every run
    chosen = [
        (kind, tuple(chance.sample(mistakes, count)))
        for kind, mistakes in MISTAKES.items()
        for count in (2, 2, 2, 3)
        for _ in range(4)
    ]
    assert [said for kind, pair in chosen if apart(kind, pair) and (said := differing(kind, pair))] == []


@pytest.mark.parametrize("kind", FACTS)
def test_mistakes_of_fact_and_craft_are_told_beside_those_of_form(kind: str) -> None:
    """Each fact with every fifth of the others, those in what decides among them."""
    pairs = [(fact, other) for fact in FACTS[kind] for other in MISTAKES[kind][::5] if other != fact]
    assert [said for pair in pairs if apart(kind, pair) and (said := differing(kind, pair))] == []


@pytest.mark.long
def test_all_pairs_of_mistakes_are_told_as_each_alone() -> None:
    assert [said for kind, pair in several(2) if (said := differing(kind, pair))] == []
