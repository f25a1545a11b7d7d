"""How the form of a file is declared, and read without pydantic where it is plainly in order.

A `Form` is a class with annotations; what a value must satisfy beyond its type stands in `Annotated`. Nearly every
file is sound, and importing pydantic and building its validators takes a third of the time of an author's lint of one
changed file. So what is sound is read here, and at the first thing that is not plainly in order the reading gives up:
pydantic (`forms_refused`), with models made of the same declarations, then says all that is wrong. A test holds both
to the same values.
"""

from __future__ import annotations

import re
import types
from fractions import Fraction
from sys import maxsize
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    NamedTuple,
    NoReturn,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

from solvers.expr.declared import FIELD, Units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pydantic import ValidationError

_T = TypeVar("_T")
_Read: TypeAlias = "Callable[[Any, Units], Any]"

EMPTY: Final[dict[str, Any]] = {}
"""The default of a mapping that may be left out; nobody writes into a form."""


class Limits(NamedTuple):
    """Bounds of a number, or the form and length of a text, a list or a mapping."""

    pattern: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    ge: int | None = None
    le: int | None = None


class Before:
    """A function that makes a value of what stands in the file, before its type is looked at.

    It takes the value and the units that may stand in it, and raises `Complaint`. `schema` is what the JSON Schema
    says of what may stand there.
    """

    def __init__(self, work: Callable[[object, Units], object], schema: Mapping[str, object]) -> None:
        self.work, self.schema = work, schema


class After(NamedTuple):
    """As `Before`, for a value that has its type."""

    work: Callable[[Any, Units], object]


class Told(NamedTuple):
    """Tells by a function which member of a union is meant; `tags` are its answers, in the order of the members."""

    tell: Callable[[object], str]
    tags: tuple[str, ...]


class ByKey(NamedTuple):
    """Tells by the value of a key which member of a union is meant: each member has that key with a literal."""

    key: str


class FormRefusedError(ValueError):
    """The data do not have the form; `cause` has every error, `models` the pydantic models that found them."""

    def __init__(self, cause: ValidationError, models: object) -> None:
        super().__init__(str(cause))
        self.cause, self.models = cause, models


class _UnfitError(Exception):
    """Something is not plainly in order."""


class Field(NamedTuple):
    """A field of a form: its name in Python, its annotation, its default (`REQUIRED` where there is none)."""

    name: str
    annotation: Any
    default: object

    @property
    def key(self) -> str:
        """The key in a file: the name without the underscore that Python needs after a word of its own."""
        return self.name.removesuffix("_")


REQUIRED: Final = object()


@dataclass_transform(eq_default=False, kw_only_default=True, frozen_default=True)
class Form:
    """The base of every form: closed (no other keys), strict (no value is made to fit), frozen.

    Its annotations are read while running, so that its module does not postpone them.
    """

    fields: ClassVar[tuple[Field, ...]] = ()
    """Those of the bases first."""

    def __init_subclass__(cls) -> None:
        own = cls.__annotations__.items()
        cls.fields = (*cls.fields, *(Field(name, said, vars(cls).get(name, REQUIRED)) for name, said in own))

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Self:
        """The form with these fields, the others being as declared. Raises `Complaint`."""
        made = cls.__new__(cls)
        vars(made).update(values)
        made.check()
        return made

    def check(self) -> None:
        """Raise `Complaint` where the fields do not go together."""
        for fault in self.faults():
            raise fault

    def faults(self) -> Iterable[ValueError]:
        """Each `Complaint` about fields that do not go together; what must be asked first comes first."""
        return ()

    def states(self, name: str) -> bool:
        """Whether the file has this field, or leaves it as declared."""
        return name in vars(self)

    def as_data(self) -> dict[str, object]:
        """All fields by their keys."""
        return {field.key: getattr(self, field.name) for field in self.fields}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen: {name} cannot be set")


class Shape(Generic[_T]):
    """What a file as a whole must be: a form, a union of forms, a mapping of them."""

    def __init__(self, annotation: Any) -> None:  # noqa: ANN401 - any annotation
        self.annotation = annotation
        self._read: _Read | None = None

    def read(self, data: object, units: Units = FIELD) -> _T:
        """The value that `data` is, in whose expressions `units` may stand. Raises `FormRefusedError`."""
        if self._read is None:
            self._read = _reader(self.annotation)
        try:
            found: _T = self._read(data, units)
        except _UnfitError:
            from quiz.bank.forms_refused import read_or_refuse

            found = read_or_refuse(self.annotation, data, units)
        return found


def _reader(annotation: Any) -> _Read:  # noqa: ANN401
    """A function that reads what an annotation says. It raises `_UnfitError`."""
    arguments = get_args(annotation)
    if arguments:
        return _COMPOSED[get_origin(annotation)](*arguments)
    if isinstance(annotation, type) and issubclass(annotation, Form):
        return lambda value, units: _read_form(annotation, value, units)
    return _PLAIN[annotation]


def is_plainly(annotation: Any, value: object) -> bool:  # noqa: ANN401
    """Whether a value is of a plain type, or one of a few texts."""
    try:
        _reader(annotation)(value, FIELD)
    except _UnfitError:
        return False
    return True


def _unfit(*_: object) -> NoReturn:
    raise _UnfitError


def _text(value: object, _: Units) -> str:
    if not isinstance(value, str):
        raise _UnfitError
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:  # half a character, which only an escape can write
            raise _UnfitError from None
    return value


def _whole(value: object, _: Units) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _UnfitError


_PLAIN: Final[Mapping[object, _Read]] = {
    str: _text,
    int: _whole,
    bool: lambda value, _: value if isinstance(value, bool) else _unfit(),
    Fraction: lambda value, _: value if isinstance(value, Fraction) else _unfit(),
    types.NoneType: lambda value, _: _unfit() if value is not None else None,
}


def _annotated(inner: Any, *rules: object) -> _Read:  # noqa: ANN401
    told = next((rule for rule in rules if isinstance(rule, Told)), None)
    by_key = next((rule for rule in rules if isinstance(rule, ByKey)), None)
    if told is not None:
        return _member(told.tell, dict(zip(told.tags, get_args(inner), strict=True)))
    if by_key is not None:
        members = {tag: form for form in get_args(inner) for tag in _tags(form, by_key.key)}
        return _member(lambda value: value.get(by_key.key) if isinstance(value, dict) else None, members)
    before = [rule.work for rule in rules if isinstance(rule, Before)]
    after = [_rule(rule) for rule in rules if isinstance(rule, Limits | After)]
    steps = (*before, _reader(inner), *after)

    def read_within(value: object, units: Units) -> object:
        try:
            for step in steps:
                value = step(value, units)
        except ValueError:  # a complaint, which is told with its place
            raise _UnfitError from None
        return value

    return read_within


def _rule(rule: Limits | After) -> _Read:
    if isinstance(rule, After):
        return rule.work
    if rule.ge is not None or rule.le is not None:
        return _bounds(rule.ge, rule.le)
    least, most = rule.min_length or 0, maxsize if rule.max_length is None else rule.max_length
    fits = None if rule.pattern is None else re.compile(rule.pattern).fullmatch

    def within(value: Any, _: Units) -> object:  # noqa: ANN401
        if least <= len(value) <= most and (fits is None or fits(value)):
            return value
        raise _UnfitError

    return within


def _bounds(low: int | None, high: int | None) -> _Read:
    def within(value: int, _: Units) -> int:
        if (low is None or value >= low) and (high is None or value <= high):
            return value
        raise _UnfitError

    return within


def _tags(form: type[Form], key: str) -> tuple[str, ...]:
    return next(get_args(field.annotation) for field in form.fields if field.key == key)


def _member(tell: Callable[[Any], object], members: Mapping[str, Any]) -> _Read:
    """Reads the member that is told, each made ready when it is first met."""
    ready: dict[str, _Read] = {}

    def read(value: object, units: Units) -> object:
        tag = tell(value)
        if not isinstance(tag, str) or tag not in members:
            raise _UnfitError
        if tag not in ready:
            ready[tag] = _reader(members[tag])
        return ready[tag](value, units)

    return read


def _any_of(*annotations: Any) -> _Read:  # noqa: ANN401
    members = [_reader(annotation) for annotation in annotations]
    if all(annotation in _PLAIN for annotation in annotations):
        by_type = dict(zip(annotations, members, strict=True))
        return lambda value, units: by_type.get(type(value), _unfit)(value, units)

    def read(value: object, units: Units) -> object:
        for member in members:
            try:
                return member(value, units)
            except _UnfitError:
                continue
        raise _UnfitError

    return read


def _mapping(keys: Any, values: Any) -> _Read:  # noqa: ANN401
    read_key, read_value = _reader(keys), _reader(values)

    def read(value: object, units: Units) -> dict[Any, Any]:
        if not isinstance(value, dict):
            raise _UnfitError
        return {read_key(key, units): read_value(item, units) for key, item in value.items()}

    return read


def _sequence(items: Any, _: object) -> _Read:  # noqa: ANN401
    read_item = _reader(items)

    def read(value: object, units: Units) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _UnfitError
        return tuple([read_item(item, units) for item in value])

    return read


def _literal(*texts: str) -> _Read:
    return lambda value, _: value if isinstance(value, str) and value in texts else _unfit()


_COMPOSED: Final[Mapping[object, Callable[..., _Read]]] = {
    Annotated: _annotated,
    Union: _any_of,
    types.UnionType: _any_of,
    Literal: _literal,
    dict: _mapping,
    tuple: _sequence,
}
"""By the origin of an annotation, what takes its arguments."""


_Fields: TypeAlias = tuple[dict[str, tuple[str, _Read]], frozenset[str]]
_READY: Final[dict[type[Form], _Fields]] = {}
"""Of each form that was met: by the key of a field its name and how it is read; and the fields that must be there."""


def _ready(form: type[Form]) -> _Fields:
    if form not in _READY:
        required = frozenset(field.name for field in form.fields if field.default is REQUIRED)
        _READY[form] = {field.key: (field.name, _reader(field.annotation)) for field in form.fields}, required
    return _READY[form]


def _read_form(form: type[Form], value: object, units: Units) -> Form:
    if not isinstance(value, dict):
        raise _UnfitError
    fields, required = _ready(form)
    values: dict[str, object] = {}
    for key, item in value.items():
        if key not in fields:
            raise _UnfitError
        name, read = fields[key]
        values[name] = read(item, units)
    if not required <= values.keys():
        raise _UnfitError
    try:
        return form.of(values)
    except ValueError:
        raise _UnfitError from None
