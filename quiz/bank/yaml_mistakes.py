"""Mistakes within a value: what an author did where a YAML parser gives up.

A parser names the token that surprised it; the mistake is usually earlier on the line, or on the line before. So each
look here takes the source around the two marks first, and the parser's phrase (two parsers, two wordings of each)
only to tell constructs apart.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from quiz.bank.diagnostics import shown
from quiz.bank.yaml_checks import IN_A_BLOCK, IN_QUOTES, NO_ESCAPES, OR_BLOCK
from quiz.bank.yaml_scene import Finding, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#.*$")


def _braces(scene: Scene) -> Finding | None:
    """`key: {{ name }} and more`, and `{{ }}` in an unquoted text within brackets."""
    where = re.search(r"(?:^|[:,\[{-] +|[\[])(\{\{)", scene.line[: scene.at - scene.line_start + 2])
    begins = scene.value.startswith("{{")
    if not begins and not (where and "flow" in scene.fault.context):
        return None
    index = scene.value_at if begins or where is None else scene.line_start + where.start(1)
    return Finding(
        index,
        "braces",
        "an unquoted text that begins with {{",
        "YAML reads { as the beginning of a mapping, so this is not a text.",
        IN_A_BLOCK,
        "value",
    )


def _reserved(scene: Scene) -> Finding | None:
    if "cannot start any token" not in scene.fault.problem:
        return None
    return Finding(
        scene.at,
        "reserved-character",
        f"an unquoted text cannot begin with {scene.text[scene.at]}",
        "YAML keeps this character for itself.",
        IN_QUOTES,
        "value",
    )


def _sign(scene: Scene) -> Finding | None:
    """A text that begins with &, *, ! or ?."""
    names = {"anchor": "&", "alias": "*", "tag": "!"}
    kind = next((name for name in names if name in scene.fault.context), None)
    if kind is None and "undefined tag handle" in scene.fault.problem:
        kind = "tag"
    if kind is None and "simple key" in scene.fault.context and scene.text[scene.begun] == "!":
        kind = "tag"
    if kind is None or "directive" in scene.fault.context:
        return None
    index = scene.at if kind == "tag" and scene.text[scene.at] == "!" else scene.begun
    return Finding(
        index,
        kind,
        f"an unquoted text cannot begin with {names[kind]}",
        f"YAML reads a word that begins with {names[kind]} as {_A[kind]}, and a bank has none.",
        IN_QUOTES,
        "value",
    )


_A = {"anchor": "an anchor", "alias": "an alias", "tag": "a tag"}


def _directive(scene: Scene) -> Finding | None:
    if (
        "directive" not in scene.fault.context
        and "directive" not in scene.fault.problem
        and "incompatible yaml" not in scene.fault.problem
        and "duplicate tag handle" not in scene.fault.problem
    ):
        return None
    index = scene.begun if "directive" in scene.fault.context else scene.at
    return Finding(
        index,
        "directive",
        "a YAML directive (a line that begins with %)",
        "A bank file is read in one way only; directives change that.",
        "Delete the line.",
        "lines",
    )


def _escape(scene: Scene) -> Finding | None:
    problem = scene.fault.problem
    if not ("escape" in problem or "hexdecimal" in problem) or "tag" in scene.fault.context:
        return None
    index = scene.text.rfind("\\", scene.begun, scene.at + 1)
    index = scene.at if index < 0 else index
    word = re.match(r"\\.[a-zA-Z0-9]*", scene.text[index:])
    return Finding(
        index,
        "escape",
        f"in double quotes {shown(word[0] if word else 'this')} means nothing",
        "In double quotes a backslash begins an escape.",
        NO_ESCAPES,
        "escape",
    )


def _unclosed_quote(scene: Scene) -> Finding | None:
    if "quoted scalar" not in scene.fault.context:
        return None
    return Finding(
        scene.begun,
        "unclosed-quote",
        "the quote that opens here is never closed",
        "The rest of the file was read as part of the text.",
        f"Close it; a quote within single quotes is doubled (''); {OR_BLOCK}",
    )


def _block_header(scene: Scene) -> Finding | None:
    if "block scalar" not in scene.fault.context:
        return None
    sign = scene.text[scene.begun]
    return Finding(
        scene.begun,
        "block-scalar",
        f"after {sign} the text must begin on the next line",
        f"At the beginning of a value {sign} announces a block scalar.",
        f"Move the text to the next line, indented; or quote a text that begins with {sign}.",
        "value",
    )


def _brackets(scene: Scene) -> Finding | None:
    """Something within [ ] or { }."""
    if (
        "flow" not in scene.fault.context
        and "unexpected ':'" not in scene.fault.problem
        and scene.fault.problem != "found '?'"
    ):
        return None
    character = scene.text[scene.at]
    if character == "?":
        return Finding(
            scene.at,
            "question-mark",
            "an unquoted ? within [ ] or { }",
            "There YAML may read it as the sign of a key.",
            "Put the text in quotes.",
            "value",
        )
    begun = _bracket_at(scene)
    opening = scene.text[begun]
    lines = scene.text.count("\n", scene.begun, scene.at)
    if "unexpected ':'" in scene.fault.problem or (character == ":" and not lines):
        return Finding(
            scene.at,
            "space-after-colon",
            "a colon without a space after it",
            "Within { } a key ends with a colon and a space; a text with a colon is quoted.",
            "Write `key: value`, or put the text in quotes.",
            "value",
        )
    closing = {"[": "]", "{": "}"}.get(opening, "bracket")
    if lines or not scene.text[scene.at :].strip():
        return Finding(
            begun,
            "unclosed-bracket",
            f"the {opening} that opens here is not closed",
            f"What follows was read as part of it, without a comma or {closing} before it.",
            f"Close it with {closing}, or quote a text that begins with {opening}.",
        )
    return Finding(
        scene.at,
        "bracket",
        f"a comma or {closing} is missing before this",
        f"Within {opening} {closing} values are separated by commas, and a text that holds brackets, "
        "commas or quotes is quoted.",
        "Add what is missing, or put the text in quotes.",
        "value",
    )


def _bracket_at(scene: Scene) -> int:
    """Where the bracket stands: with nothing behind it the parser names the place where a value should have begun."""
    if scene.text[scene.begun] in "[{":
        return scene.begun
    before = _COMMENT.sub(lambda comment: " " * len(comment[0]), scene.text[: scene.begun])
    last = max(before.rfind(bracket) for bracket in "[{")
    return last if last >= 0 else scene.begun


def _colon_in_text(scene: Scene) -> Finding | None:
    """`key: some text: more`."""
    if "mapping values" not in scene.fault.problem or scene.at <= scene.value_at:
        return None
    if scene.value_at == scene.line_start + len(scene.line) - len(scene.line.lstrip(" ")):
        return None  # the line has no key of its own before this colon
    return Finding(
        scene.at,
        "colon-in-text",
        "a colon and a space within an unquoted text",
        "YAML reads them as the end of a key.",
        IN_QUOTES,
        "value",
    )


def _after_quote(scene: Scene) -> Finding | None:
    """`key: "text" and more`, also where the quote was closed by another one far below."""
    if scene.quoted is None or scene.text[scene.quoted[1] : scene.at].strip(" "):
        return None
    begun, end = scene.quoted
    if "\n" in scene.text[begun:end]:
        return Finding(
            begun,
            "unclosed-quote",
            "the quote that opens here is closed only some lines further down",
            "What stands between was read as one text.",
            f"Close it where the text ends, {OR_BLOCK}",
        )
    return Finding(
        scene.at,
        "after-quote",
        "text after the closing quote",
        "A value that begins with a quote ends at the next one.",
        f"Put the whole text in the other kind of quotes, {OR_BLOCK}",
        "value",
    )


def _after_bracket(scene: Scene) -> Finding | None:
    if scene.value[:1] not in {"[", "{"} or scene.value[:1] == "" or scene.at <= scene.value_at:
        return None
    return Finding(
        scene.at,
        "after-bracket",
        "text after the closing bracket",
        f"A value that begins with {scene.value[0]} ends with its closing bracket.",
        IN_QUOTES,
        "value",
    )


def _list_on_key_line(scene: Scene) -> Finding | None:
    if "sequence entries" not in scene.fault.problem:
        return None
    return Finding(
        scene.at,
        "list-after-key",
        "a list cannot begin on the line of its key",
        "",
        f"Put each - on a line of its own. If it is a text: {IN_QUOTES}",
        "value",
    )


def _question_mark(scene: Scene) -> Finding | None:
    if "mapping keys" not in scene.fault.problem:
        return None
    return Finding(
        scene.at,
        "question-mark",
        "an unquoted text cannot begin with ? and a space",
        "YAML reads it as the sign of a key.",
        IN_QUOTES,
        "value",
    )


def _no_content(scene: Scene) -> Finding | None:
    if "node content" not in scene.fault.problem:
        return None
    return Finding(
        scene.at,
        "no-value",
        f"an unquoted text cannot begin with {shown(scene.text[scene.at].strip())}"
        if scene.text[scene.at].strip()
        else "a value is missing here",
        "",
        IN_QUOTES,
        "value",
    )


IN_VALUES: tuple[Callable[[Scene], Finding | None], ...] = (
    _directive,
    _braces,
    _reserved,
    _sign,
    _escape,
    _unclosed_quote,
    _block_header,
    _brackets,
    _colon_in_text,
    _list_on_key_line,
    _question_mark,
    _no_content,
    _after_quote,
    _after_bracket,
)
