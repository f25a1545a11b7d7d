"""The quick way through a file in which nothing is wrong: the events once, no place kept beyond the second level.

Whatever is not plainly in order (a character to be looked at twice, a doubtful comment, an empty value) ends it with
None, and the pass that explains mistakes reads the file instead. Where it gives data, that pass gives the same data and
says nothing; a property test holds it to that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from quiz.bank.document import Path, Site, Spot
from quiz.bank.yaml_events import MAX_DEPTH, MAX_SCALAR, MAX_VALUES
from quiz.bank.yaml_scalars import NUMERIC_START, WORDS, NumberRefusedError, resolve

if TYPE_CHECKING:
    from quiz.bank.yaml_scalars import Scalar

_AFTER_FLOW_TEXT: Final = frozenset(",]}")
_AFTER_TEXT: Final = re.compile(r" *\n| {2,}# ")  # nothing, or what is a comment beyond doubt
_MANY_KEYS: Final = 4096
_TOP: Final = 2
_known_keys: set[str] = set()
"""Keys that were found to be short visible texts; the same few stand in every question."""


class Places(Mapping[Path, Site]):
    """The places of a document: those of the first two levels at once, the others when one of them is asked for."""

    def __init__(self, top: dict[Path, Site], whole: Callable[[], Mapping[Path, Site]]) -> None:
        self._top: Mapping[Path, Site] = top
        self._whole: Callable[[], Mapping[Path, Site]] | None = whole

    def __getitem__(self, path: Path) -> Site:
        return (self._top if len(path) <= _TOP else self._all)[path]

    def __iter__(self) -> Iterator[Path]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def _all(self) -> Mapping[Path, Site]:
        if self._whole is not None:
            self._top, self._whole = self._whole(), None
        return self._top


class _DoubtError(Exception):
    """Something here must be looked at by the pass that explains."""


def read_fast(text: str) -> tuple[object, dict[Path, Site]] | None:
    """The data of a text that `clean` has passed, and the places of its first two levels; None where in doubt."""
    import yaml

    if not yaml.__with_libyaml__:
        return None
    loader: Any = yaml.CSafeLoader(text)
    try:
        return _Reader(text, loader.get_event).document()
    except (yaml.YAMLError, _DoubtError, NumberRefusedError):
        return None
    finally:
        loader.dispose()


class _Reader:
    """One document. A method for each kind of collection, so that no state is kept but the interpreter's own."""

    def __init__(self, text: str, next_event: Callable[[], Any]) -> None:
        from yaml import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

        self._text, self._next = text, next_event
        self._map, self._map_end, self._scalar_kind = MappingStartEvent, MappingEndEvent, ScalarEvent
        self._list, self._list_end = SequenceStartEvent, SequenceEndEvent
        self._values = 0
        self.top: dict[Path, Site] = {}

    def document(self) -> tuple[object, dict[Path, Site]]:
        """The one document of a stream."""
        from yaml import DocumentEndEvent, DocumentStartEvent, StreamEndEvent, StreamStartEvent

        event: Any = None
        for kind in (StreamStartEvent, DocumentStartEvent, self._map):
            event = self._next()
            if type(event) is not kind:
                raise _DoubtError
        self.top[()] = Site(_spot(event), None, "{")
        data = self._mapping(event, (), 1)
        for ending in (DocumentEndEvent, StreamEndEvent):
            if type(self._next()) is not ending:
                raise _DoubtError
        return data, self.top

    def _begin(self, event: Any, opening: str, depth: int) -> bool:  # noqa: ANN401 - PyYAML's events are untyped
        """Check the start of a collection; whether it stands in brackets."""
        if event.anchor is not None or event.tag is not None or depth > MAX_DEPTH:
            raise _DoubtError
        if event.flow_style and self._text[event.end_mark.index - 1] != opening:
            raise _DoubtError
        return bool(event.flow_style)

    def _mapping(self, start: Any, path: Path, depth: int) -> dict[str, object]:  # noqa: ANN401
        flow = self._begin(start, "{", depth)
        data: dict[str, object] = {}
        next_event, scalar, kept = self._next, self._scalar, depth <= _TOP
        map_end, map_start, scalar_kind = self._map_end, self._map, self._scalar_kind
        while True:
            event = next_event()
            if type(event) is map_end:
                self._values += 2 * len(data)
                if self._values > MAX_VALUES:
                    raise _DoubtError
                return data
            if type(event) is not scalar_kind:
                raise _DoubtError
            key = self._key(event, flow=flow)
            if key in data:
                raise _DoubtError
            value = next_event()
            kind = type(value)
            below = (*path, key) if kept else path
            if kept:
                self.top[below] = Site(_spot(value), _spot(event), _style(value))
            if kind is scalar_kind:
                data[key] = scalar(value, flow=flow)
            elif kind is map_start:
                data[key] = self._mapping(value, below, depth + 1)
            else:
                data[key] = self._sequence(value, below, depth + 1)

    def _sequence(self, start: Any, path: Path, depth: int) -> list[object]:  # noqa: ANN401
        if type(start) is not self._list:
            raise _DoubtError
        flow = self._begin(start, "[", depth)
        data: list[object] = []
        kept = depth <= _TOP
        while True:
            event = self._next()
            kind = type(event)
            if kind is self._list_end:
                self._values += len(data)
                return data
            below = (*path, len(data)) if kept else path
            if kept:
                self.top[below] = Site(_spot(event), None, _style(event))
            if kind is self._scalar_kind:
                data.append(self._scalar(event, flow=flow))
            elif kind is self._map:
                data.append(self._mapping(event, below, depth + 1))
            else:
                data.append(self._sequence(event, below, depth + 1))

    def _key(self, event: Any, *, flow: bool) -> str:  # noqa: ANN401
        key: str = event.value
        if event.anchor is not None or event.tag is not None:
            raise _DoubtError
        if event.style == "":
            end = event.end_mark.index
            # A key and its colon, and behind it no bracket, which the parsers read differently.
            if self._text[end] != ":" or self._text[end + 1] not in " \n":
                raise _DoubtError
        elif flow or "\\" in self._text[event.start_mark.index : event.end_mark.index] or event.style in "|>":
            raise _DoubtError
        if key not in _known_keys:
            _check_key(key)
            if event.start_mark.line != event.end_mark.line:
                raise _DoubtError
            if len(_known_keys) < _MANY_KEYS:
                _known_keys.add(key)
        elif event.start_mark.line != event.end_mark.line:
            raise _DoubtError
        return key

    def _scalar(self, event: Any, *, flow: bool) -> Scalar:  # noqa: ANN401
        value: str = event.value
        if event.anchor is not None or event.tag is not None or len(value) > MAX_SCALAR:
            raise _DoubtError
        style = event.style
        if style == "":
            return self._plain(value, event.end_mark.index, flow=flow)
        start = event.start_mark.index
        if style == "'":
            return value
        if style == '"':
            if "\\" in self._text[start : event.end_mark.index]:
                raise _DoubtError
            return value
        if self._text[start + 1] != "\n":  # more in the first line than the sign of a block
            raise _DoubtError
        return value

    def _plain(self, value: str, end: int, *, flow: bool) -> Scalar:
        after = self._text[end]
        if not value:
            raise _DoubtError
        if flow:
            if after not in _AFTER_FLOW_TEXT or "?" in value or ":" in value:
                raise _DoubtError
        elif after != "\n" and not _AFTER_TEXT.match(self._text, end):
            raise _DoubtError
        return resolve(value) if value[0] in NUMERIC_START or value in WORDS else value


def _check_key(key: str) -> None:
    if not key or not key.isprintable() or "[" in key or "{" in key or key == "<<" or len(key) > MAX_SCALAR:
        raise _DoubtError
    if not isinstance(resolve(key), str):
        raise _DoubtError


def _spot(event: Any) -> Spot:  # noqa: ANN401
    mark = event.start_mark
    return mark.line + 1, mark.column + 1


def _style(event: Any) -> str:  # noqa: ANN401
    style = getattr(event, "style", None)
    if style is None:
        return "{" if type(event).__name__ == "MappingStartEvent" else "["
    return str(style)
