"""Read a bank file: a strict part of YAML, every problem at once, exact numbers.

docs/instructors/yaml.md says which YAML and why. PyYAML is used for its events alone, and of its two parsers the C
one where it is there (libyaml); both give the same documents and the same problems.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from quiz.bank.diagnostics import in_order
from quiz.bank.document import Document, MisreadError
from quiz.bank.yaml_checks import without_directives
from quiz.bank.yaml_events import Pass
from quiz.bank.yaml_fast import Places, read_fast
from quiz.bank.yaml_fault import FaultError, from_yaml_error
from quiz.bank.yaml_problems import Problems, Stop
from quiz.bank.yaml_syntax import explain
from quiz.bank.yaml_text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Document", "has_libyaml", "read_yaml"]

_MAX_REPAIRS = 10
# A text that the C parser refuses is read by the Python one again, so that the same mistake is explained in the same
# words everywhere; a longer text is not, because that takes a second for every 250 kB. (Nesting is
# met by libyaml's own bound of 1000 before ours of 32, when all of it is on one line.)
_MAX_REREAD = 64 * 1024


def has_libyaml() -> bool:
    """Whether PyYAML was built with its C parser."""
    import yaml

    return bool(yaml.__with_libyaml__)


def read_yaml(text: str | bytes, file: str, *, pure: bool = False) -> Document:
    """Read one document. `file` is named in messages as given; nothing is opened.

    `pure` takes the Python parser where the C one is there too. Raises MisreadError with every problem found.
    """
    quick = None if pure else _quick(text, file)
    return quick or _explained(text, file, pure=pure)


def _quick(text: str | bytes, file: str) -> Document | None:
    """The document of a file in which nothing is wrong; None where something may be."""
    problems = Problems(file)
    try:
        cleaned = clean(text, problems)
    except Stop:
        return None
    if problems.found or cleaned.text.startswith("%") or "\n%" in cleaned.text:
        return None
    found = read_fast(cleaned.text)
    if found is None:
        return None
    data, top = found
    return Document(data, file, problems.source, Places(top, lambda: _explained(text, file, pure=False).places))


def _explained(text: str | bytes, file: str, *, pure: bool) -> Document:
    """The document with every place, or every problem with its place."""
    problems = Problems(file)
    passed: Pass | None = None
    try:
        cleaned = clean(text, problems)
        if cleaned.usable:
            passed = _read(without_directives(problems, cleaned.text), problems, pure=pure)
            _check_root(passed, problems)
    except Stop:
        passed = None
    if passed is None:
        raise MisreadError(problems.found)
    document = Document(passed.data, file, problems.source, MappingProxyType(passed.places), in_order(problems.found))
    if problems.errors:
        raise MisreadError(problems.found, None if passed.in_doubt or not isinstance(passed.data, dict) else document)
    return document


def _read(text: str, problems: Problems, *, pure: bool) -> Pass:
    """Parse; after a mistake that is confined to a line, parse again without it.

    The problems of the last pass hold those of the passes before it, whose places the repairs have not moved.
    """
    before = len(problems.found)
    mended_lines: set[int] = set()
    aside: list[int] = []
    in_doubt = False
    for repair in range(_MAX_REPAIRS + 1):
        passed, fault = _attempt(text, problems, aside, pure=pure)
        if fault is not None and not pure and (len(text) <= _MAX_REREAD or "nesting depth" in fault.problem):
            del problems.found[before:]
            again, its_fault = _attempt(text, problems, aside, pure=True)
            if its_fault is not None:
                passed, fault, pure = again, its_fault, True
        if fault is None:
            passed.in_doubt = passed.in_doubt or in_doubt
            return passed
        syntax = Problems(problems.file)
        syntax.source = problems.source
        mended = explain(fault, text, passed.last_quoted, syntax)
        line = syntax.found[0].place.line
        if line in mended_lines:
            break  # what a repair left behind, and no mistake of the author's
        if mended is None or repair == _MAX_REPAIRS or passed.open_bracket_line not in {None, line}:
            problems.found += syntax.found
            break
        if syntax.found[0].code != "escape":  # a line may hold several
            mended_lines.add(line)
        problems.found[before:] = syntax.found
        before += len(syntax.found)
        text = mended.text
        if mended.aside is None:
            in_doubt = True
        else:
            aside.append(mended.aside)
    raise Stop


def _attempt(text: str, problems: Problems, aside: list[int], *, pure: bool) -> tuple[Pass, FaultError | None]:
    """One pass, and the fault that ended it."""
    passed = Pass(text, problems, aside)
    try:
        passed.run(_events(text, pure=pure))
    except FaultError as fault:
        return passed, fault
    return passed, None


def _events(text: str, *, pure: bool) -> Iterator[Any]:
    """The events of the parser, its errors as FaultError."""
    import yaml

    loader: Any = yaml.SafeLoader(text) if pure or not yaml.__with_libyaml__ else yaml.CSafeLoader(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    except yaml.MarkedYAMLError as error:
        raise from_yaml_error(error) from None
    except (ValueError, OverflowError):
        # The Python parser hands "\UFFFFFFFF" to chr(). Nothing else in it raises these.
        mark = loader.get_mark()
        raise FaultError("found unknown escape character", mark.index, 0, "quoted") from None
    finally:
        loader.dispose()


def _check_root(passed: Pass, problems: Problems) -> None:
    """A file holds keys with values, or a list."""
    if problems.errors:
        return
    if passed.data is None:
        problems.at(
            1,
            1,
            "empty",
            "this file holds nothing"
            if not problems.source.strip()
            else "this file holds only comments, or an empty document",
            next_="Write the question in it, or delete the file.",
        )
    elif not isinstance(passed.data, dict | list):
        line, column = passed.places[()].value
        problems.at(
            line,
            column,
            "not-a-mapping",
            "the whole file is a single text",
            why="Keys end with a colon and a space; a line may lack the space.",
            next_="Write it as `key: value` lines.",
        )
