"""Foreign HTML as plain text: nothing of it is executed, shown as HTML, or fetched; what a text cannot hold is told."""

from __future__ import annotations

import re
from html.parser import HTMLParser
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
_SOUND: Final = re.compile(r"\[sound:[^\]]{1,200}\]")
_MARKUP: Final = re.compile(r"<[a-zA-Z/!]|&#?\w{1,32};")
_SPACES: Final = re.compile(r"[ \t\xa0\u202f]+")
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
    reader.feed(source)
    reader.close()
    lines = [_SPACES.sub(" ", line).strip() for line in printable("".join(reader.parts)).split("\n")]
    text = _GAPS.sub("\n\n", "\n".join(lines)).strip()
    return text, tuple(dict.fromkeys([*lost, *reader.lost]))


def has_markup(text: str) -> bool:
    """Whether a text has tags or entities, so that it is HTML and not plain."""
    return _MARKUP.search(text) is not None


class _Reader(HTMLParser):
    """Collects text; blocks and line breaks become line ends, list items get a hyphen."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.lost: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Break lines, mark items, note what is lost."""
        if tag in _TOLD and not self._hidden:
            self.lost.append(_TOLD[tag])
        if tag in _HIDDEN:
            self._hidden.append(tag)
        elif tag == "br":
            self.parts.append("\n")
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag in ("td", "th"):
            self.parts.append(" ")
        elif tag in ("sup", "sub") and not self._hidden:
            self.parts.append("^" if tag == "sup" else "_")
        elif tag in _BLOCKS:
            self.parts.append("\n")
        if tag == "img":
            alt = next((value for name, value in attrs if name == "alt" and value), "")
            self.parts.append(f" [{alt}] " if alt else "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take `<br/>` as `<br>`; a hidden element that closes itself hides nothing."""
        self.handle_starttag(tag, attrs)
        if tag in _HIDDEN:
            self._hidden.pop()

    def handle_endtag(self, tag: str) -> None:
        """End a paragraph, or what is hidden."""
        if tag in self._hidden:
            del self._hidden[self._hidden.index(tag) :]
        elif tag in _BLOCKS:
            self.parts.append("\n\n" if tag in ("p", "pre", "table", "ul", "ol") else "\n")

    def handle_data(self, data: str) -> None:
        """Collect what is seen."""
        if not self._hidden:
            self.parts.append(data.replace("\r", "").replace("\n", " ") if data.strip() else " ")
