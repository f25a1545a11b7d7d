"""Every question of the bundled bank has every part that a learner is promised, in the file and as it is shown."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from itertools import combinations
from typing import TYPE_CHECKING, cast

import pytest

from quiz.bank.library import open_bank
from quiz.bank.yaml_reader import read_yaml
from tests.house import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.rendered import Rendered

FIRST = "mb-70b-4nodes"
"""The successor of the source card; it opens the first topic."""
PARTS = (
    "title",
    "topic",
    "difficulty",
    "stem",
    "answer_line",
    "framing",
    "decision_rule",
    "concept",
    "analogy",
    "stops_working_when",
)
EASIER_THAN_WHAT_LEADS_TO_IT = {("mb-largest-on-80", FIRST)}
"""The first topic begins with the card's question, whatever is easier."""


@pytest.fixture(scope="module")
def files() -> dict[str, Mapping[str, object]]:
    paths = sorted((ROOT / "questions").glob("*/*.yaml"))
    return {path.stem: cast("Mapping[str, object]", read_yaml(path.read_bytes(), path.name).data) for path in paths}


@pytest.fixture(scope="module")
def questions() -> dict[str, Rendered]:
    bank = open_bank(ROOT / "questions", None, bundled=True)
    return {entry.id: bank.question(entry.id) for entry in bank.index}


def before(questions: Mapping[str, Rendered], name: str) -> set[str]:
    """All questions that lead to a question."""
    found: set[str] = set()
    left = [name]
    while left:
        new = set(questions[left.pop()].prerequisites) - found
        found |= new
        left += new
    return found


def test_each_part_is_written(files: dict[str, Mapping[str, object]]) -> None:
    """The parts of a whole question stand in each file; none is left to the program."""
    missing = {name: [part for part in PARTS if not data.get(part)] for name, data in files.items()}
    assert {name: parts for name, parts in missing.items() if parts} == {}


def test_each_question_says_what_comes_before_it(files: dict[str, Mapping[str, object]]) -> None:
    """Where nothing does, the file says `prerequisites: []`, so that nobody has to guess whether it was forgotten."""
    assert [name for name, data in files.items() if "prerequisites" not in data] == []


def test_few_questions_come_first(questions: dict[str, Rendered]) -> None:
    """The bank is learnt from a few foundations; each leads to others, or is the only question of its topic."""
    firsts = [name for name, question in questions.items() if not question.prerequisites]
    assert len(firsts) <= len(questions) / 8, firsts
    led_to = {name for question in questions.values() for name in question.prerequisites}
    topics = [question.topic for question in questions.values()]
    assert [name for name in firsts if name not in led_to and topics.count(questions[name].topic) > 1] == []


def test_prerequisites_lead_in_no_circle(questions: dict[str, Rendered]) -> None:
    """There is an order in which everybody meets what comes before a question first."""
    order = TopologicalSorter({name: question.prerequisites for name, question in questions.items()}).static_order()
    assert set(order) == set(questions)


def test_nothing_harder_comes_before(questions: dict[str, Rendered]) -> None:
    """What leads to a question is no harder than the question itself."""
    harder = {
        (name, other)
        for name, question in questions.items()
        for other in question.prerequisites
        if questions[other].difficulty > question.difficulty
    }
    assert harder == EASIER_THAN_WHAT_LEADS_TO_IT


def test_the_first_topic_opens_with_the_source_cards_question(questions: dict[str, Rendered]) -> None:
    """Every other question of its topic comes after it, and of the topic nothing comes before it."""
    topic = {name for name, question in questions.items() if question.topic == questions[FIRST].topic}
    assert [name for name in sorted(topic - {FIRST}) if FIRST not in before(questions, name)] == []
    assert before(questions, FIRST) & topic == set()


def test_it_opens_with_the_story_of_the_movers(questions: dict[str, Rendered]) -> None:
    """Movers and wardrobe, once with each plan: carried whole, with the toolbox shared, taken apart."""
    told = questions[FIRST].analogy
    assert [word for word in ("movers", "wardrobe", "DDP", "toolbox", "ZeRO-1", "boards") if word not in told] == []


def test_it_keeps_what_its_outline_promises(questions: dict[str, Rendered]) -> None:
    """The source card announced arithmetic, each wrong option, gathers, traffic and 3D, and told the first of them."""
    outline, *sections = questions[FIRST].concept
    told = [section.heading.lower() for section in sections]
    for promised in ("arithmetic", "others overflow", "gather", "on the wire", "3d", "formula", "once more"):
        assert any(promised in heading for heading in told), promised
    assert all(
        word in outline.text for word in ("overflows", "run time", "wire", "pipeline", "formula", "other numbers")
    )
    assert any("fully_shard(" in section.text for section in sections)
    assert any(len(section.table) == 1 + len(questions[FIRST].options) for section in sections)


def test_concepts_explain(questions: dict[str, Rendered]) -> None:
    """A concept has two sections at the least, and each says something."""
    for name, question in questions.items():
        assert len(question.concept) >= 2, name
        assert all(section.heading and (section.text.strip() or section.table) for section in question.concept), name


def test_red_flags_have_a_reason_and_a_better_sentence(questions: dict[str, Rendered]) -> None:
    """Two at the least; each says why it gives the speaker away, and what to say instead."""
    for name, question in questions.items():
        assert len(question.red_flags) >= 2, name
        assert all(flag.says and flag.why and flag.instead for flag in question.red_flags), name


def test_follow_ups_can_be_graded(questions: dict[str, Rendered]) -> None:
    """Two at the least, each with a sketched answer and what a good one does."""
    for name, question in questions.items():
        assert len(question.follow_ups) >= 2, name
        assert all(one.ask and one.sketch and one.rubric for one in question.follow_ups), name


def test_bullets_are_read_in_a_minute(questions: dict[str, Rendered]) -> None:
    """Three to five, and no more words than one reads in sixty seconds."""
    for name, question in questions.items():
        assert 3 <= len(question.bullets) <= 5, name
        assert sum(len(bullet.split()) for bullet in question.bullets) <= 150, name


def test_each_analogy_is_its_own(questions: dict[str, Rendered]) -> None:
    """No picture is told twice: none begins like another, or has two fifths of its longer words in common with it."""
    told = {name: question.analogy for name, question in questions.items()}
    words = {name: set(re.findall(r"[a-z]{5,}", text.lower())) for name, text in told.items()}
    alike = [
        (one, other)
        for one, other in combinations(sorted(told), 2)
        if told[one][:40] == told[other][:40]
        or len(words[one] & words[other]) > max(3, min(len(words[one]), len(words[other])) * 2 / 5)
    ]
    assert alike == []


def test_conventions_stand_beside_each_question(questions: dict[str, Rendered]) -> None:
    """No figure is asked for without what it is counted by."""
    assert [name for name, question in questions.items() if not question.conventions] == []


def test_each_answer_is_derived_or_sketched(questions: dict[str, Rendered]) -> None:
    """A typed answer and a choice have a derivation, an open question its sketch and rubric."""
    for name, question in questions.items():
        if question.kind == "open":
            assert question.sketch, name
            assert len(question.rubric) >= 3, name
        elif question.kind in ("numeric", "ordering"):
            assert question.way or question.items, name
        else:
            assert question.why or all(option.reasoning for option in question.options), name
            assert question.way or any(option.way for option in question.options), name


def test_uses_and_sources_can_be_looked_up(questions: dict[str, Rendered]) -> None:
    """A use has source and date; a source says where in it."""
    for name, question in questions.items():
        assert question.uses, name
        assert question.sources, name
        assert all(use.text and use.source and use.as_of for use in question.uses), name
        assert all(source.where for source in question.sources), name


def test_related_questions_are_of_other_kinds_too(questions: dict[str, Rendered]) -> None:
    """Two at the least, one of them of another kind, and none of them the question itself."""
    for name, question in questions.items():
        assert len(set(question.related)) >= 2, name
        assert name not in question.related, name
        assert {questions[other].kind for other in question.related} - {question.kind}, name
