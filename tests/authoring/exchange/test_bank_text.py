"""Foreign texts as questions of a bank: each is shown as it came, and its file is read without a complaint of form."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.authoring.exchange import filing
from quiz.authoring.exchange.as_csv import as_csv
from quiz.authoring.exchange.as_gift import as_gift
from quiz.authoring.exchange.bank_text import amount, amount_off
from quiz.authoring.exchange.draft import Choice, Draft, Imported, Value
from quiz.authoring.exchange.drawn import draw
from quiz.authoring.exchange.from_csv import read_csv
from quiz.authoring.exchange.from_gift import read_gift
from quiz.authoring.exchange.marks import printable
from quiz.bank.bench import ALONE
from quiz.bank.compile import study_text
from quiz.bank.problems import Report
from quiz.bank.prose import Writer
from quiz.bank.yaml_reader import read_yaml
from tests.trial_bank import NUMERIC, OPEN, Trial

PIECES = [
    "{{", "}}", "{", "}", "{n}", "{{ model.parameters }}", '{{ "{{" }}', "{% x %}", "\\{{", "\n", "\n\n", "\r\n", "\r",
    " ", ":", " #", "'", '"', "\\", "- ", "1. ", "> ", "| ", "```", "#", "%", "&a", "*a", "!t", "---", "...", "@", "`",
    "yes", "null", "1e9", "0x1", "2024-01-01", "~", "?", "=cmd", "<b>", "<int>", "\t", "\ufeff", "\u200b", "\u2028",
    "\x85", "\x00", "\x1b[31m", "\ud800", "\ufffe", "\U0001fffe", "\u202e", "\u3000", "中文", "עברית", "🙂", "e\u0301",
]  # fmt: skip
OF_FORM = {"missing-key", "literal-figure"}


def drafts_of(text: str) -> list[Draft]:
    """A question of each kind whose every text is this one."""
    found = Imported()
    found.add(Draft(1, text, value=Value("-1.5", "0.1", "GB"), why=text, title=text, id=text, topic=text))
    found.add(Draft(2, text, sketch=text, title=text))
    found.add(Draft(3, text, (Choice(text, right=True, why=text), Choice("b", right=False))))
    return found.drafts


def assert_shown_as_it_came(text: str) -> None:
    for topic, id_, draft in filing.named(drafts_of(text), set()):
        content = filing.written(topic, id_, draft, text)
        document = read_yaml(content, "x.yaml")
        report = Report(document)
        data = document.data
        assert isinstance(data, dict)
        for key in ("stem", "why", "sketch"):
            if key in data:
                shown = Writer(report).text(data[key], None, (key,))  # type: ignore[arg-type]  # no name is looked up
                assert shown.split() == printable(text).split()
        assert report.found == []
        odd = [one for one in study_text(content, "x.yaml", ALONE).report.found if one.code not in OF_FORM]
        assert all("needs a source" in one.what for one in odd), odd


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(max_examples=150, deadline=None)
def test_whatever_a_text_holds_it_is_shown_as_it_came(text: str) -> None:
    """Braces, signs of YAML, words that YAML takes for values, controls, other scripts."""
    assert_shown_as_it_came(text)


@pytest.mark.parametrize("text", PIECES)
def test_each_of_these_alone_is_shown_as_it_came(text: str) -> None:
    assert_shown_as_it_came(text)


def test_lines_stay_lines_and_code_keeps_its_indentation() -> None:
    (_, _, draft) = filing.named(drafts_of("one\ntwo\n- a\n- b\n```\nif x:\n    y\n```"), set())[1]
    data = read_yaml(filing.written("t", "i", draft, ""), "x.yaml").data
    assert data["stem"] == "one\n\ntwo\n- a\n- b\n```\nif x:\n    y\n```\n"  # type: ignore[index]


def test_braces_in_a_text_of_a_bank_are_written_as_a_name_is(trial: Trial) -> None:
    written = OPEN.replace("State first.", 'A template holds {{ "{{" }} name {{ "}}" }}.')
    assert "A template holds {{ name }}." in trial.only(written).sketch
    assert '{{ "{{" }}' in trial.problem(OPEN.replace("State first.", "A template holds {{ name.")).next


def test_a_title_of_many_quotation_marks_ends_where_it_should() -> None:
    (_, _, draft) = filing.named(drafts_of('"' * 400), set())[1]
    data = read_yaml(filing.written("t", "i", draft, ""), "x.yaml").data
    assert data["title"] == '"' * 200  # type: ignore[index]


def test_a_text_that_is_too_long_once_its_braces_are_written_out_is_left_out_and_told() -> None:
    found = Imported()
    found.add(Draft(7, "{{" * 3_000))
    assert found.drafts == []
    assert (found.lost[0].line, "longer than 8,000" in found.lost[0].what) == (7, True)


def test_what_only_looks_like_a_tag_stays_in_the_text() -> None:
    csv = b"question,answer\nWhat is a vector<int> of List<String>?,<T>\n"
    (draft,) = read_csv(csv).drafts
    assert (draft.stem, draft.sketch) == ("What is a vector<int> of List<String>?", "<T>")
    (draft,) = read_gift(b"What is a vector<int>?{=a <b>list</b> of <T>}").drafts
    assert (draft.stem, draft.sketch) == ("What is a vector<int>?", "- a list of <T>")


def test_line_ends_of_other_systems_are_line_ends() -> None:
    (draft,) = read_csv(b'question,answer\r\n"one\r\ntwo\rthree",x\r\n').drafts
    assert draft.stem == "one\ntwo\nthree"


@pytest.mark.parametrize(
    ("number", "unit", "joined"),
    [("87.5", "GB", "87.5 GB"), ("-3", "s", "-3 s"), ("2", "GB/s", "2 GB/s"), ("5", "bananas", ""), ("5", "* 2", "")],
)
def test_a_number_and_its_unit_are_one_amount_where_the_unit_is_known(number: str, unit: str, joined: str) -> None:
    assert amount(number, unit) == joined


def test_points_of_a_percentage_are_no_share_of_it() -> None:
    assert amount_off("1.5", "%") == "0.015"
    assert amount_off("1.5", "GB") == "1.5 GB"


def as_forms(found: Imported) -> dict[str, str]:
    """The answer of each draft as its file has it, on one line."""
    return {
        id_: " ".join(filing.written(topic, id_, draft, "x").partition("\nanswer:")[2].partition("\n\n")[0].split())
        for topic, id_, draft in filing.named(found.drafts, set())
        if draft.value is not None
    }


def test_what_this_program_exports_comes_back_with_unit_and_tolerance(trial: Trial) -> None:
    """In a table and in GIFT, and the question that comes back has the same value."""
    trial.write(NUMERIC)
    trial.write(NUMERIC.replace("id: how-often", "id: how-much").replace("within: 3 %", "within: 30 s"), "topic/b.yaml")
    bank = trial.open()
    sheet = draw(bank, [entry.id for entry in bank.index])
    assert as_forms(read_csv(as_csv(sheet).encode())) == {
        "how-much": 'is: 19.27 min unit: "min" within: 0.5 min',
        "how-often": 'is: 19.27 min unit: "min" within: 3 %',
    }
    (one, other) = read_gift(as_gift(sheet).encode()).drafts
    assert one.value is not None
    assert (one.value.unit, one.value.within) == ("min", "0.5")
    assert "Type a number" not in one.stem
    assert other.value is not None
    for draft in (one, other):
        text = (
            filing.written("topic", "back", draft, "x").replace("# difficulty", "difficulty").replace(": 1 (", ": 1 #")
        )
        found = [one for one in study_text(text, "x.yaml", ALONE).report.found if one.code != "literal-figure"]
        assert found == []


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        ("9.81,m/s^2,", "is: 9.81 # within: 3 %"),
        ("$1,011,122,$,1 %", 'is: 1011122 $ unit: "$" within: 1 %'),
        ("−5 GB,,0.5", 'is: -5 GB unit: "GB" within: 0.5 GB'),
        ("77.8,%,1.5", 'is: 77.8 % unit: "%" within: 0.015'),
        ("24,,0.4", "is: 24 within: 0.4"),
    ],
)
def test_a_number_of_a_table_is_one_amount_with_its_unit(cells: str, form: str) -> None:
    row = ",".join(f'"{cell}"' for cell in cells.rsplit(",", 2))
    found = read_csv(f"id,question,answer,unit,tolerance\na,How much?,{row}\n".encode())
    assert as_forms(found) == {"a": form}
    assert found.lost == []


def test_a_unit_that_is_not_known_is_said_in_the_file() -> None:
    draft = Draft(1, "How long?", value=Value("3", unit="furlong"))
    assert "# - unit: furlong is none that is known" in filing.written("t", "a", draft, "x")


def test_an_answer_beside_a_choice_and_several_answers_are_told_where_they_are_lost() -> None:
    head = "question,option a,option b,key,answer,unit\n"
    found = read_csv(f"{head}Which?,x,y,A,19 GB,GB\nHow much?,,,,1 GB; 2 s,GB; s\nWhich?,x,y,A,x,\n".encode())
    assert [(one.line, one.what) for one in found.lost] == [
        (2, "the answer '19 GB' beside the choice is not taken over"),
        (3, "several answers, '1 GB; 2 s'; they are asked for in words"),
    ]
