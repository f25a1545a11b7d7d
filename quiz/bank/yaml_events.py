"""One pass over the events of a YAML parser: refuse what a bank may not hold, compose the rest.

Composing happens here and not in PyYAML, because nothing that is refused may first be built: an alias bomb takes
0.4 ms to build and a minute to walk. Each refused construct is reported with its place and the pass goes on, as if
it had not been written, so that an author sees all problems at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from quiz.bank import yaml_checks as checks
from quiz.bank.document import ASIDE, Path, Site, Spot
from quiz.bank.yaml_problems import Problems, Stop
from quiz.bank.yaml_scalars import NumberRefusedError, Scalar, resolve

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MAX_DEPTH = 32
MAX_VALUES = 20_000
MAX_SCALAR = 64 * 1024

Event: TypeAlias = Any  # PyYAML's events; its C parser is untyped


@dataclass(slots=True)
class _Frame:
    """One open list or mapping."""

    data: list[object] | dict[str, object]
    path: Path
    bracket: int = -1  # where the bracket of a list or mapping in [ ] or { } stands
    braces: bool = False  # a mapping in { }
    aside: bool = False  # a mistake leaves open what it holds
    lost: bool = False  # what it holds is checked but goes nowhere
    quiet: bool = False  # part of a mistake that has been reported as a whole
    is_key: bool = False  # it stands where a key should
    want_key: bool = True
    key: str = ""
    key_event: Event = None
    key_lost: bool = False
    key_again: bool = False
    first_at: dict[str, int] = field(default_factory=dict)


class Pass:
    """The pass over one document. `places` fills as `data` does.

    What stands at the indices `mended` is put aside (`ASIDE`): a mistake stood there, which was reported. `in_doubt`
    says that it is not known what the mapping of the whole file holds.
    """

    def __init__(self, text: str, problems: Problems, mended: Collection[int] = ()) -> None:
        self.text = text
        self.problems = problems
        self.in_doubt = False
        self._mended = mended
        self._anchors: set[str | None] = set()
        self.data: object = None
        self.places: dict[Path, Site] = {}
        self.documents = 0
        self.last_quoted: tuple[int, int] | None = None
        self._stack: list[_Frame] = []
        self._values = 0

    def run(self, events: Iterable[Event]) -> None:
        """Take every event in turn. Raises Stop where going on is pointless, Fault where libyaml refuses."""
        handlers = {
            "ScalarEvent": self._scalar,
            "MappingStartEvent": self._open,
            "SequenceStartEvent": self._open,
            "MappingEndEvent": self._close,
            "SequenceEndEvent": self._close,
            "AliasEvent": self._alias,
            "DocumentStartEvent": self._document,
        }
        for event in events:
            handler = handlers.get(type(event).__name__)
            if handler is not None:
                handler(event)

    @property
    def open_bracket_line(self) -> int | None:
        """The line of the outermost bracket that is open."""
        outer = next((frame.bracket for frame in self._stack if frame.bracket >= 0), None)
        return None if outer is None else self.problems.spot(outer)[0]

    def _document(self, event: Event) -> None:
        start = event.start_mark.index
        self.documents += 1
        if self.documents > 1:
            self.problems.at_index(
                start,
                "second-document",
                "a second document begins here",
                why="A file holds one document; `---` in the middle begins another.",
                next_="Move it to a file of its own.",
            )
            raise Stop

    def _alias(self, event: Event) -> None:
        checks.alias(self.problems, event, self._path())
        frame = self._stack[-1] if self._stack else None
        as_key = frame is not None and isinstance(frame.data, dict) and frame.want_key
        if frame is not None and as_key:
            frame.aside = True
        # What an anchor holds may stand under a key that is there for nothing else.
        self.in_doubt = self.in_doubt or event.anchor in self._anchors
        self._place_value(ASIDE, event, "", lost=as_key)

    def _scalar(self, event: Event) -> None:
        self._count(event)
        start, end = event.start_mark.index, event.end_mark.index
        told = len(self.problems.found)
        style: str = event.style or ""
        frame = self._stack[-1] if self._stack else None
        as_key = frame is not None and isinstance(frame.data, dict) and frame.want_key
        path = self._path()
        if event.anchor is not None or event.tag is not None:
            self._anchors.add(event.anchor)
            checks.properties(self.problems, self.text, event, path)
        text: str = event.value
        if len(text) > MAX_SCALAR:
            self.problems.at_index(
                start,
                "text-too-long",
                f"a text of {len(text)} characters",
                next_=f"At most {MAX_SCALAR} are read.",
                path=path,
            )
            text = text[:80]
        if style == '"':
            checks.escapes(self.problems, self.text, start, end, path)
        elif style in {"|", ">"}:
            checks.block_header(self.text, start, style)
        if style in {'"', "'"}:
            self.last_quoted = (start, end)
        value: Scalar = text
        if style == "" and event.tag is None:
            if frame is not None and frame.bracket >= 0:
                checks.flow_plain(self.text, start, end)
            value = self._resolved(text, start, path)
            if not as_key and isinstance(value, str):
                checks.cut_by_comment(self.problems, self.text, end, path)
        if frame is not None and as_key:
            self._take_key(frame, event, text, value, style)
            frame.aside = frame.aside or (not frame.key_again and self._is_wrong(told, text, start, end))
        else:
            self._place_value(ASIDE if self._is_wrong(told, text, start, end) else value, event, style)

    def _is_wrong(self, told: int, text: str, start: int, end: int) -> bool:
        """Whether a mistake was reported of a scalar: since there were `told` problems, or before this pass."""
        found = self.problems.found
        return (
            any(one.severity == "error" for one in found[told:])
            or any(start <= index < max(end, start + 1) for index in self._mended)
            or ("\N{REPLACEMENT CHARACTER}" in text and bool(found))
        )

    def _resolved(self, text: str, start: int, path: Path) -> Scalar:
        try:
            return resolve(text)
        except NumberRefusedError as refused:
            self.problems.at_index(start, "number", refused.what, next_=refused.advice, path=path)
            return 0

    def _take_key(self, frame: _Frame, event: Event, text: str, value: Scalar, style: str) -> None:
        frame.want_key = False
        frame.key, frame.key_event, frame.key_lost, frame.key_again = text, event, frame.lost, False
        if frame.quiet:
            return
        path = (*frame.path, text)
        if style == "" and text == "<<":
            checks.merge_key(self.problems, event, path)
            frame.key_lost = True
        elif not isinstance(value, str):
            checks.key_not_text(self.problems, event, text, path)
        elif checks.key(self.problems, event, text, style, path) and text in frame.first_at:
            checks.duplicate(self.problems, event, text, frame.first_at[text], path)
            frame.key_lost = frame.key_again = True
        frame.first_at.setdefault(text, event.start_mark.index)

    def _open(self, event: Event) -> None:
        self._count(event)
        start = event.start_mark.index
        is_mapping = type(event).__name__ == "MappingStartEvent"
        frame = self._stack[-1] if self._stack else None
        path = self._path()
        if len(self._stack) >= MAX_DEPTH:
            self.problems.at_index(
                start,
                "too-deep",
                f"lists and mappings nested more than {MAX_DEPTH} deep",
                why="No question needs that.",
                next_="Look for a bracket that is repeated, or for lines that are indented further and further.",
                path=path,
            )
            raise Stop
        if event.anchor is not None or event.tag is not None:
            self._anchors.add(event.anchor)
            checks.properties(self.problems, self.text, event, path)
        bracket = event.end_mark.index - 1 if event.flow_style else -1
        opened = _Frame({} if is_mapping else [], path, bracket, braces=is_mapping and bracket >= 0)
        if opened.braces and self.text[bracket] != "{":
            checks.pair_in_list(self.problems, self.text, start, path)
            opened.quiet = True
            if frame is not None:
                frame.aside = True
        if frame is not None and isinstance(frame.data, dict) and frame.want_key:
            opened.is_key = opened.lost = True
            frame.key, frame.key_event, frame.key_lost, frame.want_key = "", event, True, False
            frame.aside, frame.key_again = True, False
            self._key_is_collection(frame, opened, start)
        else:
            opened.lost = self._place_value(opened.data, event, "{" if is_mapping else "[")
        if frame is not None:
            opened.quiet = opened.quiet or frame.quiet
        self._stack.append(opened)

    def _key_is_collection(self, frame: _Frame, opened: _Frame, start: int) -> None:
        if frame.quiet:
            return
        if frame.braces and opened.braces and opened.bracket == frame.bracket + 1:
            checks.double_brace(self.problems, frame.bracket, frame.path)
            frame.quiet = opened.quiet = True
        else:
            self.problems.at_index(
                start,
                "key-not-text",
                "a list or a mapping stands where a key should",
                next_="A key is a short text.",
                path=frame.path,
            )

    def _close(self, event: Event) -> None:
        closed = self._stack.pop()
        if not self._stack:
            self.in_doubt = self.in_doubt or closed.aside
            return
        frame = self._stack[-1]
        if closed.is_key:
            frame.key_event = event  # a key's end is where the collection ends
        elif closed.aside and isinstance(frame.data, list):
            frame.data[-1] = ASIDE
        elif closed.aside and isinstance(frame.data, dict) and frame.key in frame.data:
            frame.data[frame.key] = ASIDE

    def _place_value(self, value: object, event: Event, style: str, *, lost: bool = False) -> bool:
        """Put a value where it belongs; returns whether it is lost, and all that it will hold."""
        spot = _spot(event)
        if not self._stack:
            if self.documents == 1:
                self.data = value
                self.places[()] = Site(spot, None, style)
            return False
        frame = self._stack[-1]
        lost = lost or frame.lost
        if isinstance(frame.data, list):
            if not lost:
                self.places[(*frame.path, len(frame.data))] = Site(spot, None, style)
            frame.data.append(value)
            return lost
        frame.want_key = True
        lost = lost or frame.key_lost
        start = event.start_mark.index
        if style == "" and start == event.end_mark.index and value is None:
            if frame.braces and not frame.quiet:
                told = len(self.problems.found)
                checks.key_without_value(self.problems, self.text, frame.key, frame.key_event, frame.path)
                frame.aside = frame.aside or len(self.problems.found) > told
            spot = _spot(frame.key_event)
        if frame.key_again and frame.data.get(frame.key, ASIDE) != value:
            frame.data[frame.key] = ASIDE
        if not lost and frame.key_event.end_mark.index in self._mended:
            value, lost = ASIDE, True
            frame.data[frame.key] = value
            self.places[(*frame.path, frame.key)] = Site(spot, _spot(frame.key_event), style)
        if not lost:
            key_spot = _spot(frame.key_event)
            frame.data[frame.key] = value
            self.places[(*frame.path, frame.key)] = Site(spot, key_spot, style)
        return lost

    def _path(self) -> Path:
        """The path of the value or key that comes next; a key's is its mapping's."""
        if not self._stack:
            return ()
        frame = self._stack[-1]
        if isinstance(frame.data, list):
            return (*frame.path, len(frame.data))
        return frame.path if frame.want_key else (*frame.path, frame.key)

    def _count(self, event: Event) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self.problems.at_index(
                event.start_mark.index,
                "too-many-values",
                f"more than {MAX_VALUES} values",
                why="A question holds a few hundred.",
                next_="Write one question in a file.",
            )
            raise Stop


def _spot(event: Event) -> Spot:
    """The line and column, from 1, where an event begins."""
    mark = event.start_mark
    return mark.line + 1, mark.column + 1
