"""`shardwise check`: an answer judged against a question, against any reference, or a file of them line by line."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from math import isfinite
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Final, cast

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, NEGATIVE, USAGE, Failure
from quiz.nouns import count, plural

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from fractions import Fraction
    from typing import BinaryIO

    from quiz.grading.check import Checked
    from quiz.grading.records import Grade

NAME = "check"
HELP = "Judge a typed answer: against a question, against a reference, or a file of them (a JSON object a line)."

_EXAMPLES = """\
examples:
  shardwise check ft-young-daly --answer "19.3 min"
  shardwise check --reference "16*P" --given P=70e9 --unit GB --rtol 0.02 --answer "1.12 TB"
  shardwise check --reference "2*P*(N-1)/N" --variable P N --answer "2P - 2P/N"
  shardwise check --batch answers.jsonl > verdicts.jsonl

exit codes: 0 correct; 1 close, incorrect or wrong-unit; 2 invalid, or the request cannot be read;
            with --batch 0 when every line was judged"""

_OPTIONS: Final = {"inclusive": "exclusive", "percent": "no-percent", "need_unit": "no-unit",
                   "trailing_zeros_ambiguous": "strict-zeros"}  # fmt: skip
_LONGEST_LINE: Final = 1_000_000
_LONGEST_WHOLE: Final = 1000
_MOST_PLACES: Final = 5
# What a batch calls a key is what the command line calls an option.
_TEXTS: Final = ("unit", "rtol", "atol", "combine", "geometric", "sigfigs", "extra_digits", "range", "estimate",
                 "digits_written", "digits_written_at_least", "decimal_places_written", "relation", "assume", "decimal",
                 "thousands")  # fmt: skip
_FLAGS: Final = ("inclusive", "percent", "need_unit", "same_unit", "half_unit", "power_of_ten", "truncation",
                 "trailing_zeros_ambiguous")  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("question", nargs="?", metavar="QUESTION", help="the id of a question of the bank")
    add("--answer", action="append", metavar="TEXT", help="what was typed; repeated, for each part of a QUESTION")
    add("--bank", type=Path, metavar="FOLDER", help="the bank of QUESTION, in place of the bundled one")
    add("--option", metavar="ID", help="with QUESTION: the option that was chosen, where the number follows from it")
    add("--reference", action="append", metavar="EXPR", help="the right answer, in place of QUESTION; repeated, a list")
    add("--given", action="extend", nargs="+", metavar="NAME=VALUE", help="names with their values; repeatable")
    add("--variable", action="extend", nargs="+", metavar="NAME", help="names that stand for any value; repeatable")
    add("--unit", metavar="UNIT", help="the unit asked for, such as GB")
    add("--no-unit", dest="need_unit", action="store_const", const=False, help="a number without a unit will do")
    add("--same-unit", action="store_const", const=True, help="the very unit asked for must be typed")
    add("--units", metavar="SET", help="known units beside those of the field: si")
    add("--define", action="append", metavar="NAME=UNIT", help="a unit of your own: m=base, ft='0.3048 m'; repeatable")
    add("--rtol", metavar="SHARE", help="relative tolerance, such as 0.02")
    add("--atol", metavar="VALUE", help="absolute tolerance, such as '1 GB'")
    add("--combine", metavar="HOW", help="with both: larger (as it is) or sum")
    add("--half-unit", action="store_const", const=True, help="tolerance: half a unit of the reference's last digit")
    add("--geometric", metavar="T", help="tolerance from reference/(1+T) to reference*(1+T)")
    add(
        "--range",
        metavar="HOW",
        help="a range that is typed must be contained in the tolerance (as it is) or overlapping",
    )
    add("--estimate", metavar="FULL[,NONE]", help="all points within a factor FULL, none from NONE on")
    add("--sigfigs", metavar="N", help="equal when both are rounded to N significant digits")
    add("--extra-digits", metavar="N", help="with --sigfigs: N further digits must be right where they are typed")
    add("--truncation", action="store_const", const=True, help="with --sigfigs: cut off is as good as rounded")
    add("--power-of-ten", action="store_const", const=True, help="with --sigfigs: wherever the point stands")
    add("--digits-written", metavar="N", help="N significant digits must be typed")
    add("--digits-written-at-least", metavar="N", help="at least N significant digits must be typed")
    add("--decimal-places-written", metavar="N", help="N places behind the point must be typed")
    add(
        "--strict-zeros",
        dest="trailing_zeros_ambiguous",
        action="store_const",
        const=False,
        help="the zeros at the end of 61300 are not significant",
    )
    add("--relation", metavar="SIGN", help="how the answer must stand to the reference: < <= == != >= >")
    add("--exclusive", dest="inclusive", action="store_const", const=False, help="the edge of a tolerance is outside")
    add("--no-percent", dest="percent", action="store_const", const=False, help="refuse %%")
    add("--assume", metavar="DOMAIN", help="what --variable stands for: positive (reals) or integers")
    add("--decimal", metavar="SIGN", help="the decimal sign of the answer: . or ,")
    add("--thousands", metavar="SIGN", help="the sign between groups of three digits of the answer")
    add("--json", action="store_true", help="print the verdict as a line of --batch would")
    add("--batch", metavar="FILE", help="judge each line of FILE (- for standard input)")
    parser.epilog = _EXAMPLES


def run(args: argparse.Namespace) -> int:
    """Judge, print the verdict, and return its exit code."""
    if args.batch is not None:
        _refuse_beside_batch(args)
        return _batch(args.batch)
    if args.answer is None:
        raise Failure("what was answered? Add --answer TEXT.", code=USAGE)
    if (args.question is None) == (args.reference is None):
        raise Failure("what is it checked against? Name one QUESTION or one --reference.", code=USAGE)
    if args.question is not None:
        _refuse_beside_question(args)
        judged, began = _of_question(args)
        return _told(args, judged.grade, _line(args.question, judged, args.answer, began))
    checked, began = _of_reference(args)
    return _told(args, checked.grade, _line(None, checked, args.answer, began))


def _refuse_beside_batch(args: argparse.Namespace) -> None:
    if args.answer is not None or args.question is not None or args.reference is not None:
        raise Failure("--batch stands alone: each of its lines has its own answer and reference.", code=USAGE)


def _refuse_beside_question(args: argparse.Namespace) -> None:
    mine = (*_TEXTS, *_FLAGS, "given", "variable", "units", "define")
    beside = [key for key in mine if getattr(args, key) is not None]
    if beside:
        name = _OPTIONS.get(beside[0], beside[0]).replace("_", "-")
        raise Failure(f"--{name} goes with --reference; a question brings its own tolerance and unit.", code=USAGE)


def _of_question(args: argparse.Namespace) -> tuple[Checked, float]:
    """The verdict, and when judging began: the bank was open by then."""
    from quiz.bank.library import BankError, open_bank
    from quiz.grading import Chosen, Typed, grade, value_of
    from quiz.grading.check import Checked
    from quiz.paths import bundled_bank, cache_folder

    folder = args.bank if args.bank is not None else bundled_bank()
    try:
        bank = open_bank(folder, cache_folder(), bundled=args.bank is None)
    except BankError as error:
        raise Failure(str(error), code=USAGE) from error
    known = [entry.id for entry in bank.index]
    if args.question not in known:
        raise Failure(f"there is no question {args.question!r}.{_nearest(args.question, known)}", code=USAGE)
    question = bank.question(args.question)
    if question.numeric is None:
        raise Failure(
            f"{args.question} has no number to type; answer it with: shardwise practice --question {args.question}",
            code=USAGE,
        )
    if len(args.answer) > 1 + len(question.parts):
        parts = count(1 + len(question.parts), "part")
        raise Failure(f"{args.question} has {parts}; give an --answer for each.", code=USAGE)
    began = thread_time()
    text, value = args.answer[0], value_of(question.numeric, args.answer[0])
    if not question.options:
        found = grade(question, Typed(text, parts=tuple(args.answer[1:])), strict=True)
        return Checked(found, value, question.numeric.unit), began
    option = args.option if args.option is not None else question.key[0]
    if option not in [one.id for one in question.options]:
        raise Failure(f"{args.question} has the options {', '.join(one.id for one in question.options)}.", code=USAGE)
    found = cast("Grade", grade(question, Chosen(option, then=text), strict=True).part)
    return Checked(found, value, question.numeric.unit), began


def _nearest(word: str, known: list[str]) -> str:
    from quiz.cli.nearest import nearest

    guess = nearest(word, known)
    return f" Did you mean {guess}?" if guess else ""


def _of_reference(args: argparse.Namespace) -> tuple[Checked, float]:
    from quiz.grading.check import check
    from quiz.grading.task import TaskError, task_of

    if len(args.answer) > 1:
        raise Failure("one --answer for a --reference; a list is one text, such as '1; 2; 4'.", code=USAGE)
    line: dict[str, object] = {"answer": args.answer[0]}
    line["reference"] = args.reference[0] if len(args.reference) == 1 else args.reference
    line |= {key: getattr(args, key) for key in (*_TEXTS, *_FLAGS) if getattr(args, key) is not None}
    if args.estimate is not None:
        line["estimate"] = dict(zip(("full", "none"), args.estimate.split(",", maxsplit=1), strict=False))
    line |= _units_of(args)
    line["variables"] = args.variable or []
    line["given"] = dict(_split(item) for item in args.given or [])
    try:
        began = thread_time()
        return check(task_of(line)), began
    except TaskError as error:
        raise Failure(str(error), code=USAGE) from error


def _units_of(args: argparse.Namespace) -> dict[str, object]:
    included = {} if args.units is None else {"include": args.units}
    defined: dict[str, object] = {}
    for item in args.define or []:
        name, sign, value = item.partition("=")
        if not sign:
            raise Failure(f"--define takes NAME=UNIT, such as ft='0.3048 m', not {item!r}.", code=USAGE)
        defined[name.strip()] = value.strip()
    return {"units": {**included, **defined}} if included or defined else {}


def _split(item: str) -> tuple[str, str]:
    name, sign, value = item.partition("=")
    if not sign:
        raise Failure(f"--given takes NAME=VALUE, such as P=70e9, not {item!r}.", code=USAGE)
    return name.strip(), value.strip()


def _told(args: argparse.Namespace, grade: Grade, line: dict[str, object]) -> int:
    if args.json:
        print(json.dumps(line))
    else:
        print(grade.status)
        if grade.read_as:
            print(f"read as: {grade.read_as}")
        if line["reason"] is not None:
            print(line["reason"])
    return {"correct": DONE, "invalid": USAGE}.get(grade.status, NEGATIVE)


def _reason(grade: Grade, answers: list[str]) -> str | None:
    """The words of a grade, with the place of what could not be read, where that is not the whole answer."""
    if grade.span is None or len(answers) != 1 or not answers[0][slice(*grade.span)].strip(" "):
        return grade.message or None
    start, end = grade.span
    rest = f"{answers[0][:start]}{answers[0][end:]}".strip(" ")
    return f"{grade.message} (at character {start + 1})" if rest else grade.message


def _line(name: object, checked: Checked, answers: list[str], began: float) -> dict[str, object]:
    """One line of output: the same keys in the same order for every line that was judged."""
    grade = checked.grade
    line: dict[str, object] = {
        "id": name,
        "verdict": grade.status,
        "read_as": grade.read_as or None,
        "value": _value(checked.value),
        "unit": checked.unit or None,
        "reason": _reason(grade, answers),
        "diagnosis": {"name": grade.slip, "text": grade.message} if grade.slip else None,
        "ms": round((thread_time() - began) * 1000, 3),
    }
    if grade.credit is not None:
        line["credit"] = _number(grade.credit)
    return line


def _value(value: Fraction | tuple[Fraction | None, ...] | None) -> object:
    if isinstance(value, tuple):
        return [_value(one) for one in value]
    return None if value is None else _number(value)


def _number(value: Fraction) -> int | float | str:
    """A JSON number as near as one can be; a text where no float is near."""
    if value.denominator == 1 and abs(value) < 2**53:
        return int(value)
    try:
        near = float(value)
    except OverflowError:
        near = float("inf")
    if near in (float("inf"), float("-inf")) or (near == 0 and value != 0):
        with localcontext(prec=17, Emax=MAX_EMAX, Emin=MIN_EMIN):
            return str((Decimal(value.numerator) / value.denominator).normalize()).lower()
    return near


def _batch(name: str) -> int:
    unjudged: list[int] = []
    left_out: dict[str, list[int]] = {}
    with _opened(name) as lines:
        for number, raw in enumerate(_lines_of(lines), start=1):
            if raw.strip():
                result = _judged(raw, number)
                if result["verdict"] is None:
                    unjudged.append(number)
                for key in cast("list[str]", result.get("ignored", [])):
                    left_out.setdefault(key, []).append(number)
                print(json.dumps(result), flush=True)  # whoever sends the next line waits for this one
    for key, where in left_out.items():
        say(f"the key {key!r} has no meaning here and was left out, in {_places(where)}.")
    if unjudged:
        why = f"{plural(len(unjudged), 'Its', 'Their')} reason says why."
        say(f"{count(len(unjudged), 'line')} could not be judged: {_places(unjudged)}. {why}")
    return USAGE if unjudged else DONE


def _places(lines: list[int]) -> str:
    """The numbers of lines; of many the first few."""
    told = ", ".join(str(number) for number in lines[:_MOST_PLACES])
    more = f" and {len(lines) - _MOST_PLACES:,} more" if len(lines) > _MOST_PLACES else ""
    return f"{plural(len(lines), 'line')} {told}{more}"


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - closed below, so that only the opening is caught
    except OSError as error:
        raise Failure(f"{name} cannot be read: {error.strerror}.", code=USAGE) from error
    with file:
        yield file


def _lines_of(file: BinaryIO) -> Iterator[bytes]:
    """The lines, of which none is held whole that is longer than the longest."""
    while raw := file.readline(_LONGEST_LINE + 2):
        rest = raw
        while not rest.endswith(b"\n") and (rest := file.readline(_LONGEST_LINE)):
            pass
        yield raw


def _judged(raw: bytes, number: int) -> dict[str, object]:
    from quiz.grading.check import check
    from quiz.grading.keys import refuse_mistyped, strangers
    from quiz.grading.task import TaskError, task_of

    began = thread_time()
    name: object = None
    try:
        line = _object(raw, number)
        name = line.pop("id", None)
        refuse_mistyped(line)
        task = task_of(line)
        result = _line(name, check(task), [task.answer], began)
    except TaskError as error:
        reason = str(error)
        return _unjudged(name, reason if reason.startswith("Line ") else f"Line {number}: {reason}", began)
    left = strangers(line)
    return {**result, "ignored": left} if left else result


def _object(raw: bytes, number: int) -> dict[str, object]:
    """The JSON object of a line, numbers exact; raises `TaskError`."""
    from quiz.grading.task import TaskError, exact_number

    if len(raw) > _LONGEST_LINE:
        raise TaskError(f"Line {number} is longer than {_LONGEST_LINE:,} bytes.")
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        line = json.loads(text, parse_float=exact_number, parse_int=_whole, parse_constant=_no_constant,
                          object_pairs_hook=_once)  # fmt: skip
        if isinstance(line, dict):
            line["id"] = _name(line.get("id"))
    except RecursionError as error:
        raise TaskError(f"Line {number} is nested too deeply.") from error
    except UnicodeDecodeError as error:
        raise TaskError(f"Line {number} is no JSON: byte {error.start + 1} is no text in UTF-8.") from error
    except ValueError as error:
        what = f"{error.msg}, at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise TaskError(f"Line {number} is no JSON: {what}.") from error
    if not isinstance(line, dict):
        raise TaskError(f"Line {number} is no JSON object.")
    return line


def _whole(text: str) -> object:
    """A whole number; one that is longer than Python reads stays a decimal, and is judged or refused as such."""
    from quiz.grading.task import exact_number

    return int(text) if len(text) < _LONGEST_WHOLE else exact_number(text)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, in which no key stands twice: of two answers none would be known to be the one meant."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place]))
        raise ValueError(f"the key {twice[:40]!r} stands in it twice")
    return made


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no number")


def _name(value: object) -> object:
    """The id as it came, whatever it is."""
    return json.loads(json.dumps(value, default=_number_or_text))


def _number_or_text(value: Decimal) -> float | str:
    number = float(value)
    return number if isfinite(number) else str(value)


def _unjudged(name: object, reason: str, began: float) -> dict[str, object]:
    return {"id": name, "verdict": None, "read_as": None, "value": None, "unit": None, "reason": reason,
            "diagnosis": None, "ms": round((thread_time() - began) * 1000, 3)}  # fmt: skip
