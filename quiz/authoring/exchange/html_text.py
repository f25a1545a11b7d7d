"""Foreign HTML as plain text: nothing of it is executed, shown as HTML, or fetched; what a text cannot hold is told."""

from __future__ import annotations

import html
import re
from typing import Final

from quiz.authoring.exchange.marks import printable

_BLOCKS: Final = frozenset((
    "address", "article", "aside", "blockquote", "center", "dd", "div", "dl", "dt", "figure", "footer", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "tbody",
    "tfoot", "thead", "tr", "ul",
))  # fmt: skip
_HIDDEN: Final = frozenset(("script", "style", "template", "title", "noscript", "svg", "math", "object", "iframe"))
_TOLD: Final = {
    "img": "a picture", "audio": "a sound", "video": "a film", "script": "a script", "iframe": "a frame",
    "svg": "a drawing", "math": "a formula in MathML", "object": "an embedded object", "embed": "an embedded object",
    "form": "a form",
}  # fmt: skip
_MARKS: Final = {"br": "\n", "li": "\n- ", "td": " ", "th": " ", "sup": "^", "sub": "_"}
_PARTED: Final = frozenset(("p", "pre", "table", "ul", "ol"))
_KNOWN: Final = frozenset((
    *_BLOCKS, *_HIDDEN, *_TOLD, *_MARKS, "a", "abbr", "acronym", "area", "b", "base", "bdi", "bdo", "big", "body",
    "button", "canvas", "caption", "cite", "code", "col", "colgroup", "data", "del", "details", "dfn", "em", "fieldset",
    "font", "head", "html", "i", "input", "ins", "kbd", "label", "legend", "link", "map", "mark", "meta", "nobr",
    "option", "param", "picture", "q", "rp", "rt", "ruby", "s", "samp", "select", "small", "source", "span", "strike",
    "strong", "summary", "textarea", "time", "track", "tt", "u", "var", "wbr",
))  # fmt: skip
# Nothing in a tag may be `<`, so that a piece is looked at once, however many are left open.
_TAG: Final = re.compile(r"""<(?P<closing>/?)(?P<name>[a-zA-Z][\w:-]*+)(?P<rest>(?:[^<>"']|"[^"<]*"|'[^'<]*')*+)>""")
_DECLARED: Final = re.compile(r"<[!?][^<>]*>")
_ALT: Final = re.compile(r"""\balt\s{0,9}=\s{0,9}("[^"]*"|'[^']*')""", re.IGNORECASE)
_SOUND: Final = re.compile(r"\[sound:[^\]]{1,200}\]")
_MARKUP: Final = re.compile(r"<!--|<!doctype\b", re.IGNORECASE)
_ENTITY: Final = re.compile(r"&#?\w{1,32};")
_SPACES: Final = re.compile(r"[ \t\xa0\u202f]+")
_ATTRIBUTES: Final = re.compile(r"""(?:\s+[a-zA-Z_:][\w:.-]*+\s*+=\s*+(?:"[^"]*"|'[^']*'|[^\s"'=<>`]++))*+\s*+/?""")
#: Formatting that stands alone, or whose end may be left out.
_ALONE: Final = frozenset((
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p",
    "param", "source", "td", "th", "tr", "track", "wbr",
))  # fmt: skip
_LINES: Final = frozenset(("br", "div", "li", "ol", "p", "pre", "ul"))
_GAPS: Final = re.compile(r"\n{3,}")
_LONGEST: Final = 200_000


def plain_text(source: str) -> tuple[str, tuple[str, ...]]:
    """The text of a piece of HTML, and what was in it that no text can hold, as words for a list."""
    if len(source) > _LONGEST:
        return "", (f"a text of {len(source):,} characters",)
    lost: list[str] = []
    if _SOUND.search(source):
        lost.append("a sound")
        source = _SOUND.sub(" ", source)
    reader = _Reader()
    reader.read(source)
    lines = [_SPACES.sub(" ", line).strip() for line in printable("".join(reader.parts)).split("\n")]
    text = _GAPS.sub("\n\n", "\n".join(lines)).strip()
    return text, tuple(dict.fromkeys([*lost, *reader.lost]))


def has_markup(text: str) -> bool:
    """Whether a text that may be plain has tags or entities, so that it is HTML.

    A tag here has attributes with values or none, and its end where it needs one: in `if a<b, then b>a`, in
    `p<q and q>r` and in `List<int>` there is none.
    """
    if _MARKUP.search(text) or any(html.unescape(found[0]) != found[0] for found in _ENTITY.finditer(text)):
        return True
    ends = {tag["name"].lower() for tag in _TAG.finditer(text) if tag["closing"]}
    return any(_is_meant(tag, ends) for tag in _TAG.finditer(text))


def tags_in(text: str) -> str:
    """The tags that format a text, each once, as `<b>, <i>`; those that part its lines are kept as lines."""
    names = (tag["name"].lower() for tag in _TAG.finditer(text) if _is_tag(tag["name"]))
    return ", ".join(dict.fromkeys(f"<{name}>" for name in names if name not in {*_LINES, *_TOLD, *_HIDDEN}))


def _is_meant(tag: re.Match[str], ends: set[str]) -> bool:
    name = tag["name"].lower()
    if tag["closing"] or not _is_tag(name) or not _ATTRIBUTES.fullmatch(tag["rest"]):
        return False
    return name in _ALONE or name in ends or ":" in name or tag["rest"].endswith("/")


def _is_tag(name: str) -> bool:
    """Whether HTML, or a program that adds its own to it, has such a tag: `vector<int>` has none."""
    return name.lower() in _KNOWN or ":" in name or name.startswith("anki-")


class _Reader:
    """Collects text; blocks and line breaks become line ends, list items get a hyphen.

    A scanner of our own, since the time that html.parser takes grows with the square of what is left open.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.lost: list[str] = []

    def read(self, source: str) -> None:
        """Take a whole piece, in time that grows as its length does."""
        at = 0
        while (start := source.find("<", at)) >= 0:
            self._text(source[at:start])
            tag = _TAG.match(source, start)
            if tag and _is_tag(tag["name"]):
                at = self._tag(source, tag)
            elif source.startswith("<!--", start):
                end = source.find("-->", start)
                if end < 0:
                    return  # what is commented out to the end is not seen
                at = end + 3
            elif declared := _DECLARED.match(source, start):
                at = declared.end()
            else:
                self.parts.append("<")
                at = start + 1
        self._text(source[at:])

    def _tag(self, source: str, tag: re.Match[str]) -> int:
        """Take a tag; return where it, or what it hides, ends."""
        name = tag["name"].lower()
        if tag["closing"]:
            if name in _BLOCKS:
                self.parts.append("\n\n" if name in _PARTED else "\n")
            return tag.end()
        if name in _TOLD:
            self.lost.append(_TOLD[name])
        if name in _HIDDEN and not tag["rest"].endswith("/"):
            closing = re.compile(rf"</{name}\b[^<>]*>?", re.IGNORECASE).search(source, tag.end())
            return closing.end() if closing else len(source)
        self._opened(name, tag["rest"])
        return tag.end()

    def _opened(self, name: str, rest: str) -> None:
        if name == "img":
            alt = _ALT.search(rest)
            self.parts.append(f" [{html.unescape(alt[1][1:-1])}] " if alt and alt[1][1:-1] else "")
        elif name in _MARKS:
            self.parts.append(_MARKS[name])
        elif name in _BLOCKS:
            self.parts.append("\n")

    def _text(self, data: str) -> None:
        words = html.unescape(data)
        if words:
            self.parts.append(words.replace("\r", "").replace("\n", " ") if words.strip() else " ")
