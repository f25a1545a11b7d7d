"""The single checks of the pass over events: what a construct is, and what the author should write instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from quiz.bank.diagnostics import shown
from quiz.bank.yaml_fault import FaultError
from quiz.bank.yaml_text import name_character, refused_character

if TYPE_CHECKING:
    from quiz.bank.document import Path
    from quiz.bank.yaml_problems import Problems

_BLOCK = "a block scalar: `|` after the colon, the text on the next line, indented."
IN_A_BLOCK: Final = f"Put the text in {_BLOCK}"
IN_QUOTES: Final = f"Put the whole text in quotes, or in {_BLOCK}"
OR_BLOCK: Final = f"or put the text in {_BLOCK}"
NO_ESCAPES: Final = f"Use single quotes, in which a backslash is a backslash, or {_BLOCK}"

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_SHORT_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    "N": "\x85", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_TEX_AFTER_N = re.compile(r"n(?:abla|atural|earrow|eg|eq?|i|mid|olimits|ot|otin|u|warrow)(?![a-zA-Z])")
_BEFORE_DOCUMENT = re.compile(r"(?:(%.*)| *(?:#.*)?)\n")
_COMMENT = re.compile(r"( +)#(.?)")
_BLOCK_HEADER = re.compile(r".[-+1-9]* *(?:(?<= )#.*)?$", re.MULTILINE)
_COLON_NEXT = re.compile(r"(?:[ \n]+(?:#.*)?)*:")
_QUANTITY = re.compile(r"([a-z]\w*\.\w+):(?= |$)", re.MULTILINE)
_FLOW_COLON = re.compile(r":(?=[,\[\]{}?])")
_FLOW_COLON_AFTER = re.compile(r"[ \n]*(:)[,\[\]{}?]")


def without_directives(problems: Problems, text: str) -> str:
    """Report the lines before the document that begin with %, and blank them. The parsers differ in most of them."""
    at = 0
    while match := _BEFORE_DOCUMENT.match(text, at):
        if match[1]:
            problems.at_index(
                at,
                "directive",
                "a YAML directive (a line that begins with %)",
                why="A bank file is read in one way only; directives change that.",
                next_="Delete the line, or quote a text that begins with %.",
            )
            text = text[:at] + " " * (match.end() - 1 - at) + text[match.end() - 1 :]
        at = match.end()
    return text


def alias(problems: Problems, event: Any, path: Path) -> None:  # noqa: ANN401
    """`*name`."""
    problems.at_index(
        event.start_mark.index,
        "alias",
        f"an alias, *{shown(event.anchor)}",
        why="Each value of a bank is written out, so that a reader sees it where it stands.",
        next_="Write the value again, or quote a text that begins with *.",
        path=path,
    )


def properties(problems: Problems, text: str, event: Any, path: Path) -> None:  # noqa: ANN401
    """`&anchor` and `!tag` in front of a value."""
    start = event.start_mark.index
    if event.anchor is not None:
        at = text.find("&", start, event.end_mark.index)
        problems.at_index(
            max(at, start),
            "anchor",
            f"an anchor, &{shown(event.anchor)}",
            why="The & and the word after it would not be part of the text.",
            next_="Delete it, or quote a text that begins with &.",
            path=path,
        )
    if event.tag is not None:
        at = text.find("!", start, event.end_mark.index)
        raise FaultError("found a tag", max(at, start), max(at, start), "while scanning a tag")


def block_header(text: str, start: int, style: str) -> None:
    """The line of | or >: the parsers disagree about a # without a space before it."""
    if not _BLOCK_HEADER.match(text, text.index(style, start)):
        raise FaultError("did not find expected comment or line break", start, start, "while scanning a block scalar")


def merge_key(problems: Problems, event: Any, path: Path) -> None:  # noqa: ANN401
    """`<<` as a key."""
    problems.at_index(
        event.start_mark.index,
        "merge-key",
        "a merge key, <<",
        why="What it merges would not be visible here.",
        next_="Write the keys out.",
        path=path,
    )


def duplicate(problems: Problems, event: Any, text: str, first: int, path: Path) -> None:  # noqa: ANN401
    """A key for the second time in one mapping."""
    problems.at_index(
        event.start_mark.index,
        "duplicate-key",
        f"the key `{shown(text)}` stands here again",
        why=f"It was given on line {problems.spot(first)[0]}, and one of the two would be lost.",
        next_="Keep one of them.",
        path=path,
    )


def key_not_text(problems: Problems, event: Any, text: str, path: Path) -> None:  # noqa: ANN401
    """A key that YAML reads as a number, true, false or nothing."""
    if text:
        problems.at_index(
            event.start_mark.index,
            "key-not-text",
            f"the key `{shown(text)}` is not a text",
            why="YAML reads it as a number or as a word with a meaning of its own.",
            next_=f'Put it in quotes: "{shown(text)}".',
            path=path,
        )
    else:
        problems.at_index(
            event.start_mark.index,
            "key-not-text",
            "a key is missing before the colon",
            next_="Write the key, or quote a text that begins with a colon.",
            path=path[:-1],
        )


def key(problems: Problems, event: Any, text: str, style: str, path: Path) -> bool:  # noqa: ANN401
    """A key that is a text: short, on one line, and visible. False where it is not fit to be compared."""
    start = event.start_mark.index
    if event.start_mark.line != event.end_mark.line or style in {"|", ">"}:
        hint = _space_missing(text)
        problems.at_index(
            start,
            "key-not-on-one-line",
            "a key that runs over several lines",
            why=hint or "A line before it may lack its colon.",
            next_="Write each key on one line.",
            path=path,
        )
        return False
    if not style and (bracket := re.search(r"[\[{]", text)):
        problems.at_index(
            start + bracket.start(),
            "colon-missing",
            f"a {bracket[0]} within the key `{shown(text)}`",
            why="A colon may be missing before it.",
            next_=f"Write `{shown(text[: bracket.start()].rstrip())}: {bracket[0]}...`, or put the key in quotes.",
            path=path,
        )
        return False
    if text.isprintable():
        return True
    hidden = next(character for character in text if not character.isprintable())
    if not refused_character(hidden):  # the others are made by escapes, and reported as such
        problems.at_index(
            start,
            "key-not-visible",
            f"the key `{shown(text)}` holds an invisible character ({name_character(hidden)})",
            next_="Type the key again.",
            path=path,
        )
    return False


def key_without_value(problems: Problems, text: str, name: str, event: Any, path: Path) -> None:  # noqa: ANN401
    """`{a}` and `{x:1}`: in braces, a key that no colon follows."""
    if not name or _COLON_NEXT.match(text, event.end_mark.index):
        return
    start = event.start_mark.index
    if ":" in name:
        before, _, rest = name.partition(":")
        problems.at_index(
            start + len(before),
            "space-after-colon",
            f"no space after the colon in `{shown(name)}`",
            why="Without the space this is one long key and has no value.",
            next_=f"Write `{shown(before)}: {shown(rest)}`.",
            path=path,
        )
    else:
        problems.at_index(
            start,
            "key-without-value",
            f"`{shown(name)}` stands in {{ }} without a value",
            why="In { } each key has a colon, a space and a value; a list of texts stands in [ ].",
            next_=f"Write `{shown(name)}: ...`, or quote a text that holds {{ or }} or a comma.",
            path=path,
        )


def double_brace(problems: Problems, index: int, path: Path) -> None:
    """A value that begins with `{{`."""
    problems.at_index(
        index,
        "braces",
        "an unquoted text that begins with {{",
        why="YAML reads { as the beginning of a mapping, so this is not a text.",
        next_=IN_A_BLOCK,
        path=path,
    )


def pair_in_list(problems: Problems, text: str, index: int, path: Path) -> None:
    """`[a: b]`."""
    quantity = _QUANTITY.match(text, index)
    problems.at_index(
        index,
        "pair-in-list",
        "a key and its value stand in [ ] without braces",
        why="YAML reads a colon and a space as the end of a key, also within a text.",
        next_=f"Write {{ }} in the place of [ ]: `{{{quantity[1]}: ...}}`."
        if quantity
        else "Put a text in quotes; a mapping stands in { }, as {key: value}.",
        path=path,
    )


def cut_by_comment(problems: Problems, text: str, end: int, path: Path) -> None:
    """A warning for a plain text that ends at a # which may have been meant as part of it.

    Two spaces before the # and one after it mark a comment beyond doubt, as in most YAML style guides.
    """
    match = _COMMENT.match(text, end)
    if match is not None and (len(match[1]) == 1 or match[2].isdigit()):
        problems.at_index(
            match.end(1),
            "cut-by-comment",
            "this text ends at the #",
            why="A # after a space begins a comment, and what follows it is not part of the text.",
            next_="Quote the text if the # belongs to it; put two spaces before a comment.",
            severity="warning",
            path=path,
        )


def flow_plain(text: str, start: int, end: int) -> None:
    """What one parser refuses in a plain text within brackets and the other reads: refused for both."""
    colon = _FLOW_COLON.search(text, start, end)
    after = _FLOW_COLON_AFTER.match(text, end)
    if colon is not None or after is not None:
        at = colon.start() if colon is not None else after.start(1) if after is not None else start
        raise FaultError("found unexpected ':'", at, start)
    question = text.find("?", start, end)
    if question >= 0:
        raise FaultError("found '?'", question, start)


def escapes(problems: Problems, text: str, start: int, end: int, path: Path) -> None:
    r"""Escapes of a double-quoted text that make invisible characters: "\frac" is a form feed and "rac"."""
    if "\\" not in text[start:end]:
        return
    for match in _ESCAPE.finditer(text, start, end):
        character = _unescaped(match)
        if not character:
            raise FaultError("found no such escape", match.start(), start, "quoted scalar")
        rest = re.match(r"[a-zA-Z]*", text[match.end() : end])
        word = match[0] + (rest[0] if rest else "")
        if refused_character(character):
            problems.at_index(
                match.start(),
                "escape",
                f"in double quotes {match[0]} is not text but {name_character(character)}",
                why=f"So {shown(word)} loses its backslash." if match[4] else "",
                next_=NO_ESCAPES,
                path=path,
            )
        elif match[4] == "n" and _TEX_AFTER_N.match(text, match.end() - 1):
            problems.at_index(
                match.start(),
                "escape",
                f"in double quotes {shown(word)} is a line break and the letters after the n",
                next_=NO_ESCAPES,
                severity="warning",
                path=path,
            )


def _unescaped(match: re.Match[str]) -> str:
    """The character of an escape; "" for half of one or one that does not exist; a space for any that prints."""
    digits = match[1] or match[2] or match[3]
    if digits:
        code = int(digits, 16)
        return "" if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code)  # noqa: PLR2004
    return _SHORT_ESCAPES.get(match[4], " ")


def _space_missing(text: str) -> str:
    match = re.match(r"[\w.-]+:(?=\S)", text)
    return f"A space may be missing after the colon of `{shown(match[0])}`." if match else ""
