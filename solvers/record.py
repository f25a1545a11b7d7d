"""Small frozen records: what a frozen dataclass with slots is, without what making one costs at import.

A dataclass writes source text for each of its methods and has it compiled, about half a millisecond a class, and
brings the inspect module along; with thirty classes that was more than half of the time that `import solvers`
took. Here the methods are closures over the names of the fields, and `dataclasses` is loaded only by whoever asks
for `dataclasses.fields` or `dataclasses.replace`, which work as on any dataclass.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    _Put: TypeAlias = Callable[..., None]

_Field: TypeAlias = Any
_T = TypeVar("_T", bound="Record")
_OPEN: Final = object()
EMPTY: Final[Mapping[Any, Any]] = {}
"""The default of a mapping; nobody writes into a record."""


class RecordType(type):
    """Turns the annotations of a class into slots, a constructor, equality and a hash.

    The fields of the base come first. Names in `uncompared` count for nothing in equality and hash.
    """

    record_fields: tuple[str, ...]
    record_defaults: Mapping[str, Any]
    record_key: Callable[[object], object]

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], uncompared: tuple[str, ...] = ()
    ) -> RecordType:
        """Make the class."""
        own = tuple(namespace.get("__annotations__", ()))
        defaults = {field: namespace.pop(field) for field in own if field in namespace}
        base = next((base for base in bases if isinstance(base, RecordType)), None)
        fields = (*(base.record_fields if base else ()), *own)
        made = super().__new__(cls, name, bases, namespace | {"__slots__": own, "__match_args__": fields})
        made.record_fields = fields
        made.record_defaults = {**(base.record_defaults if base else {}), **defaults}
        compared = [field for field in fields if field not in uncompared]
        made.record_key = attrgetter(*compared) if compared else _no_key
        if "__init__" not in namespace:
            type.__setattr__(made, "__init__", _constructor(made))
        return made


def _no_key(_: object) -> object:
    return None


def _constructor(made: RecordType) -> _Put:
    """`__init__` over the fields; in the usual case each value is put into its slot and that is all."""
    fields, defaults, name = made.record_fields, made.record_defaults, made.__name__
    putters = tuple(getattr(made, field).__set__ for field in fields)
    count = len(fields)
    tails = {
        at: tuple(defaults[field] for field in fields[at:])
        for at in range(count)
        if all(field in defaults for field in fields[at:])
    }

    def put_all(self: object, *values: _Field, **named: _Field) -> None:
        if named or len(values) != count:
            tail = None if named else tails.get(len(values))
            values = (*values, *tail) if tail else _completed(name, fields, defaults, values, named)
        for put, value in zip(putters, values, strict=True):
            put(self, value)

    # Nodes and quantities have two or three fields and are made by the thousand.
    ends = [defaults.get(field, _OPEN) for field in fields[1:]]
    if count == 2:  # noqa: PLR2004 - as said
        return _two(putters, put_all, *ends)
    return _three(putters, put_all, *ends) if count == 3 else put_all  # noqa: PLR2004 - as said


def _two(putters: tuple[_Put, ...], put_all: _Put, end: _Field) -> _Put:
    put_left, put_right = putters

    def put_two(self: object, left: _Field = _OPEN, right: _Field = end, /, **named: _Field) -> None:
        if named or right is _OPEN or left is _OPEN:
            put_all(self, *_given((left, right), (_OPEN, end)), **named)
        else:
            put_left(self, left)
            put_right(self, right)

    return put_two


def _three(putters: tuple[_Put, ...], put_all: _Put, middle: _Field, end: _Field) -> _Put:
    put_first, put_second, put_third = putters

    def put_three(
        self: object,
        first: _Field = _OPEN,
        second: _Field = middle,
        third: _Field = end,
        /,
        **named: _Field,
    ) -> None:
        if named or third is _OPEN or second is _OPEN or first is _OPEN:
            put_all(self, *_given((first, second, third), (_OPEN, middle, end)), **named)
        else:
            put_first(self, first)
            put_second(self, second)
            put_third(self, third)

    return put_three


def _given(values: tuple[Any, ...], unless: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values up to the last that is not what stands there when none is given."""
    count = len(values)
    while count and (values[count - 1] is _OPEN or values[count - 1] is unless[count - 1]):
        count -= 1
    return values[:count]


def _completed(
    name: str, fields: tuple[str, ...], defaults: Mapping[str, Any], values: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, ...]:
    """The values of all fields, from those in order, those by name and the defaults. Raises `TypeError`."""
    if len(values) > len(fields):
        raise TypeError(f"{name} has {len(fields)} fields, {len(values)} were given")
    rest = fields[len(values) :]
    known = {**defaults, **named}
    if not named.keys() <= set(rest):
        strange = next(field for field in named if field not in rest)
        raise TypeError(f"{name} has no field {strange} that is still open")
    try:
        return (*values, *[known[field] for field in rest])
    except KeyError as missing:
        raise TypeError(f"{name} needs {missing.args[0]}") from None


class _AsDataclass:
    """What `dataclasses` looks for, made when it looks."""

    def __init__(self) -> None:
        self._made: dict[RecordType, Mapping[str, Any]] = {}

    def __get__(self, _: Record | None, owner: RecordType) -> Mapping[str, Any]:
        if owner not in self._made:
            from dataclasses import fields, make_dataclass

            twin = make_dataclass(owner.__name__, owner.record_fields)
            self._made[owner] = {field.name: field for field in fields(twin)}
        return self._made[owner]


@dataclass_transform(frozen_default=True)
class Record(metaclass=RecordType):
    """A frozen value with named fields, equal to another of its class with equal fields.

    >>> class Point(Record):
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, 0), changed(Point(1), y=2)
    (Point(x=1, y=0), True, Point(x=1, y=2))
    """

    __dataclass_fields__ = _AsDataclass()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        key = type(self).record_key
        return bool(key(self) == key(other))

    def __hash__(self) -> int:
        return hash(type(self).record_key(self))

    def __repr__(self) -> str:
        said = ", ".join(f"{field}={getattr(self, field)!r}" for field in type(self).record_fields)
        return f"{type(self).__qualname__}({said})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen: {name} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field) for field in type(self).record_fields)


def changed(record: _T, **values: _Field) -> _T:
    """The same record with other values in some of its fields. Raises `TypeError` for a field that it has not."""
    return type(record)(**{field: getattr(record, field) for field in type(record).record_fields} | values)
