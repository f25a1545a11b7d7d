"""`shardwise check`: verdicts on stdout, exit codes as an interface, a batch that judges line by line."""

from __future__ import annotations

import json
import os
import select
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quiz.cli.entry import main

ROOT = Path(__file__).parents[2]
KEYS = ["id", "verdict", "read_as", "value", "unit", "reason", "diagnosis", "ms"]
STATE = ["check", "--reference", "16*P", "--given", "P=70e9", "--unit", "GB", "--rtol", "0.02"]


@pytest.mark.parametrize(("answer", "code", "verdict"), [
    ("1.12 TB", 0, "correct"), ("16P", 0, "correct"), ("1150 GB", 1, "close"), ("2000 GB", 1, "incorrect"),
    ("1120", 1, "wrong-unit"), ("60 s", 1, "wrong-unit"), ("70B", 2, "invalid"), ("frog", 2, "invalid"),
])  # fmt: skip
def test_the_exit_code_is_the_verdict(answer: str, code: int, verdict: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*STATE, "--answer", answer]) == code
    shown, said = capsys.readouterr()
    assert shown.splitlines()[0] == verdict
    assert said == ""


def test_an_unreadable_answer_names_the_character(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--reference", "35 GB", "--answer", "35 GB + \x1b[31m"]) == 2
    shown = capsys.readouterr().out
    assert "at character 9" in shown
    assert r"\x1b" in shown
    assert "\x1b" not in shown


def test_a_recognised_mistake_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--reference", "35 GB", "--rtol", "1 %", "--answer", "32.6 GB", "--json"]) == 1
    line = json.loads(capsys.readouterr().out)
    assert list(line) == KEYS
    assert line["diagnosis"]["name"] == "GiB-as-GB"
    assert (line["value"], line["unit"]) == (32.6, "GB")


@pytest.mark.parametrize("names", [["--variable", "P", "--variable", "N"], ["--variable", "P", "N"]])
def test_a_formula_is_checked_for_all_values(names: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--reference", "2*P*(N-1)/N", *names, "--answer", "2P - 2P/N"]) == 0
    assert main(["check", "--reference", "2*P*(N-1)/N", *names, "--answer", "2P"]) == 1
    capsys.readouterr()


def test_values_are_given_one_by_one_or_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--given", "a=3", "b=4", "--given", "c=2", "--reference", "a*b*c", "--answer", "24"]) == 0
    assert capsys.readouterr().out.startswith("correct")


def test_a_value_that_begins_with_a_minus_is_told_to_be_joined(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--reference=-P", "--variable", "P", "--answer=-P"]) == 0
    assert main(["check", "--reference", "1", "--answer", "-P"]) == 2
    assert "joined by =, as in --answer=-P" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "words"), [
    (["--reference", "1"], "Add --answer"),
    (["--answer", "1"], "Name one QUESTION or one --reference"),
    (["one", "--reference", "1", "--answer", "1"], "Name one QUESTION or one --reference"),
    (["--reference", "frog", "--answer", "1"], "reference cannot be read"),
    (["--reference", "1", "--answer", "1", "--rtol", "much"], "rtol is a number"),
    (["--reference", "1", "--answer", "1", "--given", "P"], "NAME=VALUE"),
    (["--reference", "1", "--answer", "1", "--relation", "~"], "relation is one of"),
    (["--batch", "x", "--answer", "1"], "--batch stands alone"),
    (["--batch", "/no/such/file"], "cannot be read"),
    (["one", "--answer", "1", "--rtol", "0.1"], "--rtol goes with --reference"),
])  # fmt: skip
def test_a_request_that_cannot_be_read_says_what_belongs_there(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *options]) == 2
    shown, said = capsys.readouterr()
    assert shown == ""
    assert words in said


def judged(path: Path, lines: list[object], capsys: pytest.CaptureFixture[str], *, code: int) -> list[dict[str, Any]]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text, encoding="utf-8")
    assert main(["check", "--batch", str(path)]) == code
    return [json.loads(line, parse_constant=pytest.fail) for line in capsys.readouterr().out.splitlines()]


def test_a_batch_prints_a_line_for_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = judged(tmp_path / "lines", [
        {"id": "a", "answer": "1.12 TB", "reference": "16*P", "given": {"P": 70e9}, "unit": "GB", "rtol": 0.02},
        {"id": 2, "answer": "2P", "reference": "P+P", "variables": ["P"]},
        {"answer": "x", "reference": "1"},
        {"answer": "46.0", "reference": 45.8, "atol": 0.2},
        {"answer": "3,14", "reference": "3.14", "decimal": ",", "note": "left alone"},
        "",
    ], capsys, code=0)  # fmt: skip
    assert [line["verdict"] for line in found] == ["correct", "correct", "invalid", "correct", "correct"]
    assert [line["id"] for line in found] == ["a", 2, None, None, None]
    assert all(list(line)[:8] == KEYS for line in found)
    assert found[0]["value"] == 1120
    assert found[4]["ignored"] == ["note"]
    assert all(isinstance(line["ms"], int | float) and line["ms"] >= 0 for line in found)


def test_a_line_that_is_no_check_is_named_and_the_others_are_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = judged(tmp_path / "lines", [
        "{", "[1]", {"reference": "1"}, "[" * 100_000, {"answer": "1", "reference": "1"},
        '{"answer": "1", "reference": "1", "rtol": 1e999999999}',
    ], capsys, code=2)  # fmt: skip
    assert [line["verdict"] for line in found] == [None, None, None, None, "correct", None]
    assert "Line 1 is no JSON" in found[0]["reason"]
    assert "no JSON object" in found[1]["reason"]
    assert "answer is missing" in found[2]["reason"]


def test_a_batch_of_bytes_that_are_no_text_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b'{"answer": "\xff", "reference": "1"}\n')
    assert main(["check", "--batch", str(path)]) == 2
    assert "no JSON" in json.loads(capsys.readouterr().out)["reason"]


def test_an_enormous_value_is_still_json(capsys: pytest.CaptureFixture[str]) -> None:
    for answer in ("1e400", "1e-400", "1/3"):
        main(["check", "--reference", "1", "--answer", answer, "--json"])
        value = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["value"]
        assert isinstance(value, str if "e" in answer else float)


@pytest.mark.parametrize(("answer", "code"), [("19.3 min", 0), ("13.6 min", 1), ("frog", 2)])
def test_a_question_of_the_bank_is_checked(answer: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "ft-young-daly", "--answer", answer]) == code
    assert capsys.readouterr().out


def test_a_question_that_is_not_there_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "ft-young-dalyy", "--answer", "1"]) == 2
    assert "Did you mean ft-young-daly?" in capsys.readouterr().err


def test_a_line_names_the_place_of_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = judged(tmp_path / "lines", [
        {"answer": "35 parsec", "reference": "35 GB"}, {"answer": "frog", "reference": "1"},
        {"answer": "[bold]35[/bold]", "reference": "35"},
    ], capsys, code=0)  # fmt: skip
    places = [line["reason"].rpartition("(at character ")[2] for line in found]
    assert places == ["4)", found[1]["reason"], "1)"]


@pytest.mark.parametrize("name", ["a", 7, 1.5, True, None, [1, {"a": None}], "9" * 400, "\ud800"])
def test_an_id_comes_back_as_it_came(name: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[object] = [{"id": name, "answer": "1", "reference": "1"}, {"id": name, "reference": "1"}]
    found = judged(tmp_path / "lines", lines, capsys, code=2)
    assert [line["id"] for line in found] == [name, name]


def test_an_enormous_id_is_still_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[object] = [f'{{"id": {number}, "answer": "1", "reference": "1"}}' for number in ("9" * 3000, "1e999")]
    judged(tmp_path / "lines", lines, capsys, code=0)


def test_each_line_is_answered_before_the_next_is_sent() -> None:
    """A program may ask one line at a time and wait."""
    command = [sys.executable, "-m", "quiz", "check", "--batch", "-"]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=buffered) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for number in range(3):
            running.stdin.write(json.dumps({"id": number, "answer": "1", "reference": "1"}).encode() + b"\n")
            running.stdin.flush()
            assert select.select([running.stdout], [], [], 300)[0], "no answer to the line"
            assert json.loads(running.stdout.readline())["id"] == number
        running.stdin.close()
        assert running.wait(300) == 0


def test_the_verdicts_are_the_same_on_every_run() -> None:
    """Nothing hangs on the order of a set: two processes with other hashes print the same, times left out."""
    rows = (ROOT / "tests" / "unit" / "grading" / "answers.jsonl").read_bytes()
    printed = []
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-m", "quiz", "check", "--batch", "-"]
        done = subprocess.run(command, input=rows, capture_output=True, cwd=ROOT, env=environment, check=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        printed.append([{key: value for key, value in line.items() if key != "ms"} for line in lines])
    assert printed[0] == printed[1]
    assert len(printed[0]) == rows.count(b"\n")


def test_the_examples_of_the_help_and_of_the_page_are_right_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--help"]) == 0
    page = (ROOT / "docs" / "instructors" / "check.md").read_text(encoding="utf-8")
    for text in (capsys.readouterr().out, page):
        examples = [line.strip() for line in text.splitlines() if line.strip().startswith("shardwise check ")]
        asked = [shlex.split(line)[1:] for line in examples if "--batch" not in line and "QUESTION" not in line]
        assert len(asked) == 3
        for arguments in asked:
            assert main(arguments) == 0, arguments
            capsys.readouterr()


def test_a_key_that_was_meant_for_another_is_an_error_of_its_line_and_no_silence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verdict without the tolerance that a mistyped key asked for would look like one with it."""
    found = judged(tmp_path / "lines", [
        {"answer": "5", "reference": 5, "tolerence": 0.1}, {"answer": "5", "reference": 5, "tolerance": 0.1},
        {"answer": "5", "reference": 5, "Unit": "GB"}, {"answer": "5", "reference": 5, "digits": 3},
        {"answer": "5", "question": "ft-young-daly"}, '{"answer": "5", "reference": 5, "answer": "6"}',
        {"answer": "5", "reference": 5, "note": "mine", "expected": "correct"},
        {"answer": "5", "reference": 5, "digits": 1, "tolerance": "digits"},
    ], capsys, code=2)  # fmt: skip
    assert [line["verdict"] for line in found] == [None] * 6 + ["correct", "correct"]
    for line, words in zip(found, (
        "Line 1: The key tolerence has no meaning here. Did you mean rtol or atol?",
        "Line 2: The key tolerance with this value has no meaning here. Did you mean rtol or atol?",
        "Line 3: The key Unit has no meaning here. Did you mean unit?",
        "Line 4: The key digits with this value has no meaning here. Did you mean sigfigs",
        "Line 5: The key question has no meaning here. Did you mean reference",
        "Line 6 is no JSON: the key 'answer' stands in it twice",
    ), strict=False):  # fmt: skip
        assert str(line["reason"]).startswith(words)
    assert found[6]["ignored"] == ["expected", "note"]


def test_what_was_left_out_and_what_was_not_judged_is_told_with_the_numbers_of_the_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lines"
    good, noted = '{"answer": "1", "reference": 1}', '{"answer": "1", "reference": 1, "note": 0}'
    path.write_text("\n".join(["", good, noted, "x", *[noted] * 6]), encoding="utf-8")
    assert main(["check", "--batch", str(path)]) == 2
    said = capsys.readouterr().err
    assert "the key 'note' has no meaning here and was left out, in lines 3, 5, 6, 7, 8 and 2 more." in said
    assert "1 line could not be judged: line 4." in said


def test_a_number_that_nobody_can_mean_is_an_error_of_its_line_and_the_others_are_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tolerance of 1e400 would accept anything; a reference of ten thousand digits is none."""
    line = '{"answer": "5 GB", "reference": 5, "unit": "GB", %s}'
    found = judged(tmp_path / "lines", [
        line % '"rtol": 1e400', line % '"atol": 1e400', line % f'"sigfigs": {"9" * 10_000}',
        '{"answer": "5", "reference": %s}' % ("9" * 10_000), line % '"rtol": 0.1',
    ], capsys, code=2)  # fmt: skip
    assert [one["verdict"] for one in found] == [None] * 4 + ["correct"]
    words = ("rtol is zero or a positive number, at most", "atol is so large", "sigfigs is a whole number from",
             "reference cannot be read: This is 10,000 characters long")  # fmt: skip
    for number, (one, said) in enumerate(zip(found, words, strict=False), start=1):
        assert str(one["reason"]).startswith(f"Line {number}: {said}")


def test_a_value_that_no_float_holds_is_written_short(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--reference", "1", "--answer", "1e-400", "--json"])
    assert json.loads(capsys.readouterr().out)["value"] == "1e-400"
