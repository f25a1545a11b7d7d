"""Every format holds the figures, the key and the way, and nothing in it is read as a mark of that format."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from quiz.authoring.exchange.as_csv import COLUMNS, FORMULA, as_csv, guarded, unguarded
from quiz.authoring.exchange.as_gift import as_gift, decimal
from quiz.authoring.exchange.as_html import as_html
from quiz.authoring.exchange.as_markdown import as_markdown
from quiz.authoring.exchange.drawn import draw
from quiz.authoring.exchange.marks import block_html, block_markdown, printable
from tests.trial_bank import CLAIM, NUMERIC, OPEN, STRATEGY

if TYPE_CHECKING:
    from quiz.authoring.exchange.drawn import Sheet
    from tests.trial_bank import Trial

VOID = {"meta", "img", "br"}


class Tags(HTMLParser):
    """The tags of a page, each of which must be closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_seed_draws_the_same_sheet_again_and_another_one_another(trial: Trial) -> None:
    trial.write(STRATEGY)
    bank = trial.open()
    sheets = [draw(bank, ["which-fits"], seed) for seed in ("", "a", "a", "b", "c", "d")]
    assert sheets[1] == sheets[2]
    assert sheets[0].questions[0].question.axes == {}
    assert len({sheet.code for sheet in sheets}) == 5
    assert len({str(sheet.questions[0].question.axes) for sheet in sheets}) > 2


def test_an_order_is_not_given_in_its_right_order(sheet: Sheet) -> None:
    drawn = next(one for one in sheet.questions if one.question.items)
    assert drawn.order != drawn.question.key
    assert sorted(drawn.order) == sorted(drawn.question.key)


@pytest.mark.parametrize("part", ["exam", "answers", "both"])
def test_html_is_well_formed_loads_nothing_and_runs_nothing(sheet: Sheet, part: str) -> None:
    page = as_html(sheet, part)  # type: ignore[arg-type]
    tags = Tags(page)
    assert {tag for tag, _ in tags.seen} <= {
        "html", "head", "meta", "title", "style", "body", "article", "header", "h1", "h2", "h3", "section", "p", "span",
        "i", "ol", "ul", "li", "strong", "code", "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert not [attrs for _, attrs in tags.seen if attrs.keys() & {"src", "href", "srcset", "onerror", "onload"}]
    assert "default-src 'none'" in page
    assert "url(" not in page
    assert "@import" not in page


def test_an_exam_does_not_hold_its_answers(sheet: Sheet) -> None:
    exam, answers = as_html(sheet, "exam"), as_html(sheet, "answers")
    assert f"Sheet {sheet.code}" in exam
    assert f"Sheet {sheet.code}" in answers
    for solution in ("17.5 GB</", "Derivation", "Over one node only", "1,120 GB in all"):
        assert solution in Tags(answers).text + answers
        assert solution not in exam


def test_every_page_holds_the_key_the_verdicts_and_the_way(sheet: Sheet) -> None:
    """With the figures as the program shows them in practice."""
    drawn = next(one for one in sheet.questions if one.question.id == "which-fits")
    way = drawn.question.options[0].way
    assert way is not None
    shown = Tags(as_html(sheet, "answers")).text
    for text in (
        *(option.verdict for option in drawn.question.options),
        *(line.value for line in (*way.inputs, *way.steps)),
        *(line.substituted for line in way.steps),
        f"Answer: {drawn.key_letters[0]}.",
    ):
        assert text in shown


def test_a_derivation_that_a_typed_part_repeats_in_another_unit_stands_once(trial: Trial) -> None:
    """It is that of the part, with the result in the unit asked for."""
    then = "then: {ask: 'How many TB?', answer: {is: memory.state_per_gpu, unit: TB}}\n"
    trial.write(CLAIM + then)
    page = as_markdown(draw(trial.open(), ["which-holds"]), "answers")
    assert re.findall(r"Derivation: training state that a GPU holds.*", page) == [
        "Derivation: training state that a GPU holds: weights, gradients and optimizer state = 0.2931 TB"
    ]


@pytest.mark.parametrize("line", ["", "answer_line: It starts with the state.\n"])
def test_the_solution_of_an_open_question_holds_its_sketch_once_and_the_points_that_it_makes(
    trial: Trial, line: str
) -> None:
    trial.write(OPEN + line)
    page = as_markdown(draw(trial.open(), ["say-it"]), "both")
    assert page.count("State first.") == 1
    assert page.index("State first.") < page.index("#### It says") < page.index("- computes the state first")


def test_a_derivation_without_a_name_says_which_value_it_derives() -> None:
    from quiz.authoring.exchange.page import Heading, way
    from quiz.bank.rendered import Way

    assert next(way(Way("", "24", (), ()))) == Heading("Derivation of 24")
    assert next(way(Way("state per GPU", "35 GB", (), ()))) == Heading("Derivation: state per GPU = 35 GB")


def test_hostile_texts_stand_in_html_as_they_were_written(sheet: Sheet) -> None:
    shown = " ".join(Tags(as_html(sheet, "both")).text.split())
    for text in ("<script>alert(1)</script>", "=1+1 <img src=x onerror=y>", "</code>|", "=HYPERLINK(evil)", "&amp;"):
        assert text in shown


def test_markdown_shows_hostile_texts_as_they_were_written(sheet: Sheet) -> None:
    page = as_markdown(sheet)
    assert r"\<script\>alert(1)\</script\>" in page
    assert r"\| \_g\_ \[h\](i) \&amp; \$j\$ `</code>|`" in page
    assert "\n\\# no heading\n" in page
    assert "### Solution" in page


def test_a_bar_in_a_table_of_markdown_is_escaped_even_in_code() -> None:
    from quiz.authoring.exchange.as_markdown import _cell

    assert _cell("a | b `c|d`") == r"a \| b `c\|d`"


def test_markdown_is_read_back_by_a_parser_as_the_same_text(sheet: Sheet) -> None:
    """markdown-it, which the screen library brings along, stands for everybody's parser."""
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    tags = Tags(parser.render(as_markdown(sheet)))
    assert {tag for tag, _ in tags.seen} <= {
        "h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "strong", "code", "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    shown = " ".join(tags.text.split())
    for text in ("<script>alert(1)</script>", "=1+1 <img src=x onerror=y>", "| _g_ [h](i) &amp; $j$", "# no heading"):
        assert text in shown


def test_a_figure_at_the_start_of_a_line_is_no_list() -> None:
    assert block_markdown("36.75 GB are sent.") == "36.75 GB are sent."
    assert block_markdown("1984.\nA year.") == "1984\\. A year."
    assert block_html("1. one\n2. two") == "<ol><li>one</li><li>two</li></ol>"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_no_cell_of_csv_begins_as_a_formula_does(sheet: Sheet) -> None:
    text = as_csv(sheet)
    for row in csv.reader(io.StringIO(text, newline="")):
        assert not [cell for cell in row if cell.lstrip().startswith(FORMULA)]
    (hostile,) = [row for row in rows(text) if row["id"] == "hostile"]
    assert hostile["title"] == "'=HYPERLINK(evil)"
    (raw,) = [row for row in rows(as_csv(sheet, safe=False)) if row["id"] == "hostile"]
    assert raw["title"] == "=HYPERLINK(evil)"


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\t=1", " =1", "＝1", "'", "'=1", "''", "plain", "", "a=b"])  # noqa: RUF001 - the full-width form is meant
def test_what_is_guarded_comes_back(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell


def test_csv_holds_options_by_letter_key_and_way(sheet: Sheet) -> None:
    (row,) = [row for row in rows(as_csv(sheet)) if row["id"] == "which-fits"]
    drawn = next(one for one in sheet.questions if one.question.id == "which-fits")
    assert tuple(row) == COLUMNS
    assert row[f"option {row['key']}"].startswith("Everything sharded over 32 GPUs")
    assert row["key"] == drawn.key_letters[0]
    assert "35 GB" in row["answer"]
    assert "= 35 GB" in row["derivation"]


def test_gift_escapes_its_own_signs_and_has_no_blank_line_in_a_question(sheet: Sheet) -> None:
    text = as_gift(sheet)
    entries = [entry for entry in text.split("\n\n") if entry.startswith("::")]
    assert len(entries) == 7  # the strategy's second part is a question of its own
    for entry in entries:
        bare = re.sub(r"\\.", "", entry)
        assert bare.count("{") == bare.count("}") == 1
        assert bare.startswith("::")
    (hostile,) = [entry for entry in entries if entry.startswith("::hostile::")]
    assert r"&lt;script&gt;alert(1)&lt;/script&gt; \{a\} \~b \=c \#d \:e\: \\f" in hostile
    assert r"=\=1+1 &lt;img src\=x onerror\=y&gt;#" in hostile


def test_gift_asks_for_a_number_in_the_unit_that_its_text_names(trial: Trial) -> None:
    trial.write(NUMERIC)
    bank = trial.open()
    text = as_gift(draw(bank, ["how-often"]))
    part = bank.question("how-often").numeric
    assert part is not None
    found = re.search(r"^  #([\d.]+):([\d.]+)$", text, re.MULTILINE)
    assert found is not None
    assert float(found[1]) * 60 == pytest.approx(float(Fraction(part.exact)))
    assert float(found[2]) == pytest.approx(float(found[1]) * 0.03)
    assert "Type a number (min)" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 3), "0.333333333333"), (Fraction(10**15), "1000000000000000"), (Fraction(3, 2), "1.5"),
     (Fraction(0), "0"), (Fraction(-7), "-7")],
)  # fmt: skip
def test_a_number_in_gift_is_plain_decimal(value: Fraction, text: str) -> None:
    assert decimal(value) == text


def test_what_does_not_print_is_shown_as_such() -> None:
    assert printable("a\0b\x1bc\u202ed\ud800") == "a\ufffdb\ufffdc\ufffdd\ufffd"
    assert printable("two\nlines") == "two\nlines"
