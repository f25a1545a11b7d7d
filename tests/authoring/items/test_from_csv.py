from __future__ import annotations

import pytest

from quiz.authoring.items.figures import figures_of
from quiz.authoring.items.from_csv import Asked, UnreadableError, checked_csv, read_csv
from quiz.authoring.items.table import Cell, Item

KEYED = """\
learner,which-fits,how-often
key,sharded,
options,sharded|replicated|pipeline,
ada,sharded,1
ben,replicated,0
eve,-,
"""


def test_a_table_with_key_and_options_is_read_as_documented() -> None:
    table = read_csv(KEYED.encode())
    assert table.people == ("ada", "ben", "eve")
    assert table.items == (Item("which-fits", ("sharded", "replicated", "pipeline"), "sharded"), Item("how-often"))
    assert table.cells["which-fits"] == {0: Cell(1, "sharded"), 1: Cell(0, "replicated"), 2: Cell(0)}
    assert table.cells["how-often"] == {0: Cell(1), 1: Cell(0)}


def test_a_row_may_stand_for_many_learners() -> None:
    table = read_csv(b"pattern,a,b,count\n11,1,1,3\n10,1,0,2\n")
    found = figures_of(table)
    assert (found.n, [item.right for item in found.items]) == (5, [5, 3])


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_what_spreadsheets_write_is_read(delimiter: str) -> None:
    """Semicolons or tabs, a byte order mark, CRLF, quoted cells over two lines, empty rows at the end."""
    text = f'\ufeffwho{delimiter}a\r\n"Ada\r\nLovelace"{delimiter}1\r\n\r\n{delimiter}\r\n'
    assert read_csv(text.encode()).people == ("Ada\r\nLovelace",)


HOSTILE = {
    "empty": (b"", 0, "empty"),
    "blank lines": (b"\n\n", 0, "empty"),
    "no question": (b"learner\nada\n", 1, "no column names a question"),
    "no answers": (b"learner,a\n", 1, "no row with answers"),
    "unequal rows": (b"learner,a\nada,1\nben,1,0\n", 3, "3 cells, and the first row has 2"),
    "a learner twice": (b"learner,a\nada,1\nben,0\nada,1\n", 4, "on line 2 already"),
    "a question twice": (b"learner,a,a\nada,1,1\n", 1, "two columns are named 'a'"),
    "no name of a question": (b"learner,a,\nada,1,1\n", 1, "column 3 has no name"),
    "no name of a learner": (b"learner,a\n,1\n", 2, "first cell of this row is empty"),
    "a letter without a key": (b"learner,a\nada,B\n", 2, "without a key"),
    "a formula": (b"learner,a\nada,=1+1\n", 2, "without a key"),
    "two keys": (b"learner,a\nkey,x\nkey,y\nada,x\n", 3, "two rows named key"),
    "options without a key": (b"learner,a\noptions,x|y\nada,1\n", 2, "none named key"),
    "an open quotation mark": (b'learner,a\nada,"1\nben,0\n', 2, "no CSV"),
    "a NUL": (b"learner,a\nada,1\nb\0n,0\n", 3, "NUL"),
    "Latin-1": (b"learner,a\nada,1\nJos\xe9,0\n", 3, "not UTF-8"),
    "an endless count": (b"learner,a,count\nada,1,99999999999999999999\n", 2, "not a whole number"),
    "a negative count": (b"learner,a,count\nada,1,-3\n", 2, "not a whole number"),
    "too many learners": (b"learner,a,count\nada,1,99999\nben,0,99999\n", 3, "too large"),
    "too many questions": (("learner," + ",".join(map(str, range(1001))) + "\n").encode(), 1, "more than 1,000"),
    "a long answer": (b"learner,a\nkey,x\nada," + b"x" * 300 + b"\n", 3, "longer than 200"),
    "a long name": (b"learner," + b"x" * 300 + b"\nada,1\n", 1, "longer than 200"),
    "a megabyte in a cell": (b"learner,a\nada," + b"1" * 1_000_000 + b"\n", 2, "no CSV"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_does_not_fit_is_refused_with_its_line(name: str) -> None:
    content, line, what = HOSTILE[name]
    with pytest.raises(UnreadableError, match=what) as caught:
        read_csv(content)
    assert caught.value.line == line


def test_a_file_of_gigabytes_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quiz.authoring.items.from_csv.MAX_BYTES", 10)
    with pytest.raises(UnreadableError, match="larger than"):
        read_csv(b"learner,a\nada,1\n")


STRANGERS = """\
learner,which-fits,how-often,e-mail
key,sharded,,
options,sharded|replicated|pipeline,,
ada,sharded,1,1
ben,replicatd,0,0
cyd,Sharded,1,1
dan,replicatd,1,1
"""


def test_an_answer_that_is_no_option_is_left_out_and_told_once_with_its_place_and_the_nearest() -> None:
    table, left_out = checked_csv(STRANGERS.encode(), None)
    assert [(one.line, one.column, one.cells) for one in left_out] == [(5, 2, 2), (6, 2, 1)]
    assert left_out[0].what == "which-fits: 'replicatd' is none of the options (sharded, replicated, pipeline)"
    assert [one.next for one in left_out] == ["Did you mean replicated?", "Did you mean sharded?"]
    assert table.cells["which-fits"] == {0: Cell(1, "sharded")}
    assert table.items[0].options == ("sharded", "replicated", "pipeline")
    assert len(table.cells["how-often"]) == 4


def test_a_column_that_is_no_question_of_the_bank_is_left_out_and_told() -> None:
    asked = Asked(("which-fits", "how-often"), {"which-fits": ("sharded", "none"), "how-often": ()}.__getitem__)
    table, left_out = checked_csv(STRANGERS.replace("how-often", "how-oftn").encode(), asked)
    assert [item.id for item in table.items] == ["which-fits"]
    columns = [one for one in left_out if one.line == 1]
    assert [(one.column, one.what) for one in columns] == [
        (3, "how-oftn: the bank has no such question"),
        (4, "e-mail: the bank has no such question"),
    ]
    assert columns[0].next == "Did you mean how-often?"
    assert "by its id" in columns[1].next


def test_where_a_table_lists_no_options_those_of_the_bank_are_known() -> None:
    """Unless its key is none of them: then it has letters of its own."""
    asked = Asked(("a",), lambda _: ("sharded", "whole", "pipeline"))
    table, left_out = checked_csv(b"learner,a\nkey,sharded\nada,sharded\nben,hole\n", asked)
    assert table.items[0].options == ("sharded", "whole", "pipeline")
    assert [(one.line, one.next) for one in left_out] == [(4, "Did you mean whole?")]
    table, left_out = checked_csv(b"learner,a\nkey,B\nada,B\nben,C\n", asked)
    assert (table.items[0].options, left_out) == (("B", "C"), ())


def test_a_key_that_is_no_option_leaves_out_its_question_alone() -> None:
    table, left_out = checked_csv(b"learner,a,b\nkey,shrded,\noptions,sharded|whole,\nada,whole,1\n", None)
    assert [item.id for item in table.items] == ["b"]
    assert [(one.line, one.column, one.next) for one in left_out] == [(2, 2, "Did you mean sharded?")]


def test_an_answer_that_only_differs_from_the_key_in_large_and_small_letters_is_told() -> None:
    table, left_out = checked_csv(b"learner,a\nkey,B\nada,b\nben,B\ncyd,C\n", None)
    assert table.cells["a"] == {1: Cell(1, "B"), 2: Cell(0, "C")}
    assert [(one.line, one.next) for one in left_out] == [(3, "Write it as the key is written: B.")]
