"""A form read in spite of what is wrong with it, so that the rest can be checked too.

What pydantic refuses is left out, and something that means nothing stands in its place: `TOLD` for a text, an empty
mapping or list, a form of such. A value that has no such text (a number, a switch, a unit) raises `EchoError` when it
is asked for: what leans on it is not told, since it was told itself. The keys of a file stay as they are, so that every
path leads to the place where the author wrote it.
"""

from __future__ import annotations

import re
import types
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, Union, get_args, get_origin

from quiz.bank.document import ASIDE
from quiz.bank.fields import has_blank, is_preference
from quiz.bank.forms import REQUIRED, After, Before, ByKey, Form, Limits, Told, is_plainly
from quiz.bank.problems import TOLD, EchoError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.complaints import Complaint
    from quiz.bank.document import Path
    from solvers.expr.declared import Units

_UNIONS: Final = (Union, types.UnionType)
NOTHING: Final = object()
"""Stands for a value for which nothing can stand."""


class Partial(dict[str, Any]):
    """A mapping of which something was told. `lost` are keys that were refused; `is_lost` says that no key is known."""

    lost: frozenset[str] = frozenset()
    is_lost = False


class Refused(Exception):
    """A value that does not have its form; pydantic tells why."""


class Fault:
    """What a rule says of the value at `path`: an error as pydantic has them."""

    def __init__(self, path: Path, error: Mapping[str, object]) -> None:
        self.path, self.error = path, {**error, "loc": path}


class Lenient:
    """Reads a form leniently. `faults` are what the rules of whole forms, lists and mappings say of it.

    Pydantic asks these rules only where every part is in order.
    """

    def __init__(self, units: Units) -> None:
        self._units = units
        self.faults: list[Fault] = []

    def read(self, annotation: Any, value: object, path: Path = ()) -> Any:  # noqa: ANN401 - any annotation
        """The value that is meant by `value`. Raises `Refused`."""
        if value is ASIDE:
            raise Refused
        origin, arguments = get_origin(annotation), get_args(annotation)
        if isinstance(annotation, type) and issubclass(annotation, Form):
            return self._form(annotation, value, path)
        if origin is Annotated:
            return self._ruled(arguments[0], arguments[1:], value, path)
        if origin in _UNIONS:
            return self._any_of(arguments, value, path)
        if origin is dict:
            return self._mapping(arguments[0], arguments[1], value, path)
        if origin is tuple:
            if not isinstance(value, list):
                raise Refused
            return tuple(self._entry(arguments[0], one, (*path, index)) for index, one in enumerate(value))
        if not is_plainly(annotation, value):
            raise Refused
        return value

    def _ruled(self, inner: Any, rules: tuple[object, ...], value: object, path: Path) -> Any:  # noqa: ANN401
        for rule in rules:
            if isinstance(rule, Told):
                return self.read(dict(zip(rule.tags, get_args(inner), strict=True))[rule.tell(value)], value, path)
            if isinstance(rule, ByKey):
                return self.read(_member(inner, rule.key, value), value, path)
        try:
            for rule in rules:
                if isinstance(rule, Before):
                    value = rule.work(value, self._units)
            found = self.read(inner, value, path)
            for rule in rules:
                if isinstance(rule, Limits):
                    self._limit(rule, found, path)
                elif isinstance(rule, After):
                    found = rule.work(found, self._units)
        except ValueError:
            raise Refused from None
        return found

    def _limit(self, rule: Limits, value: Any, path: Path) -> None:  # noqa: ANN401
        if isinstance(value, dict | tuple):
            for name, is_over in (("min_length", False), ("max_length", True)):
                bound = getattr(rule, name)
                if bound is not None and (len(value) > bound if is_over else len(value) < bound):
                    context = {name: bound, "actual_length": len(value)}
                    kind = "too_long" if is_over else "too_short"
                    self.faults.append(Fault(path, {"type": kind, "ctx": context, "input": value, "msg": ""}))
        elif isinstance(value, int):
            if (rule.ge is not None and value < rule.ge) or (rule.le is not None and value > rule.le):
                raise Refused
        elif not (rule.min_length or 0) <= len(value) <= (rule.max_length or len(value)) or (
            rule.pattern is not None and re.fullmatch(rule.pattern, value) is None
        ):
            raise Refused

    def _any_of(self, members: tuple[Any, ...], value: object, path: Path) -> Any:  # noqa: ANN401
        for member in members:
            faults = len(self.faults)
            try:
                return self.read(member, value, path)
            except Refused:
                del self.faults[faults:]
        raise Refused

    def _mapping(self, keys: Any, values: Any, value: object, path: Path) -> Partial:  # noqa: ANN401
        if not isinstance(value, dict):
            raise Refused
        found = Partial()
        lost = set()
        for key, one in value.items():
            try:
                self.read(keys, key, path)
            except Refused:
                lost.add(str(key))
            found[key] = self._entry(values, one, (*path, key))
        found.lost = frozenset(lost)
        return found

    def _entry(self, annotation: Any, value: object, path: Path) -> Any:  # noqa: ANN401
        try:
            return self.read(annotation, value, path)
        except Refused:
            return blank(annotation)

    def _form(self, form: type[Form], value: object, path: Path) -> Any:  # noqa: ANN401
        if not isinstance(value, dict):
            raise Refused
        fields = {field.key: field for field in form.fields}
        told: set[str] = set()
        values: dict[str, object] = {}
        for key, field in fields.items():
            if key in value:
                try:
                    values[field.name] = self.read(field.annotation, value[key], (*path, key))
                except Refused:
                    told.add(key)
            elif field.default is REQUIRED:
                told.add(key)
        made = made_of(form, values, {fields[key].name for key in told})
        asked = made_of(form, values, {fields[key].name for key in told}, blanks=False)
        if value.keys() <= fields.keys():  # a key that nobody knows may be the one that a rule misses
            try:
                for complaint in asked.faults():
                    self._complain(complaint, value, path)
            except EchoError:
                pass
        return made

    def _complain(self, complaint: Complaint, value: object, path: Path) -> None:
        error = {"type": "value_error", "ctx": {"error": complaint}, "input": value, "msg": str(complaint)}
        self.faults.append(Fault(path, error))


def _member(union: Any, key: str, value: object) -> Any:  # noqa: ANN401
    """The form in a union whose `key` has the literal that stands in `value`."""
    said = value.get(key) if isinstance(value, dict) else None
    for form in get_args(union):
        if said in get_args(next(field.annotation for field in form.fields if field.key == key)):
            return form
    raise Refused


def made_of(form: type[Form], values: Mapping[str, object], told: set[str], *, blanks: bool = True) -> Any:  # noqa: ANN401
    """A form of `values`, whose fields in `told` were told: something blank, or raising `EchoError` when asked for."""
    said = {name: one for name, one in values.items() if name not in told}
    raising = set()
    for field in form.fields:
        if field.name in told:
            stand_in = blank(field.annotation) if blanks else NOTHING
            if stand_in is NOTHING:
                raising.add(field.name)
            else:
                said[field.name] = stand_in
    return _filled(_with(form, frozenset(raising)) if raising else form, said)


def with_fields(form: Any, **changes: object) -> Any:  # noqa: ANN401
    """A form that was read leniently, with other values in some fields, which then are told no more."""
    kind = type(form)
    raising = raising_in(form).difference(changes)
    plain = getattr(kind, "plain", kind)
    return _filled(_with(plain, raising) if raising else plain, {**vars(form), **changes})


def raising_in(form: Form) -> frozenset[str]:
    """The fields that were told and for which nothing can stand."""
    return getattr(type(form), "raising", frozenset())


def _filled(kind: Any, values: Mapping[str, object]) -> Any:  # noqa: ANN401
    made = kind.__new__(kind)
    vars(made).update(values)
    return made


_MADE: Final[dict[tuple[Any, frozenset[str]], Any]] = {}


def _with(form: Any, raising: frozenset[str]) -> Any:  # noqa: ANN401
    """The form with these of its fields told."""
    if (form, raising) not in _MADE:
        more = {"__annotations__": {}, "plain": form, "raising": raising}
        made = type(form.__name__, (form,), {**more, **{name: property(_told) for name in raising}})
        _MADE[form, raising] = made
    return _MADE[form, raising]


def _told(_: object) -> NoReturn:
    raise EchoError


def blank(annotation: Any) -> Any:  # noqa: ANN401
    """What stands for a value that was told; `NOTHING` where there is no such value."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    found: Any = NOTHING
    if isinstance(annotation, type) and issubclass(annotation, Form):
        found = made_of(annotation, {}, {field.name for field in annotation.fields})
    elif origin in _UNIONS:
        found = blank(arguments[0])
    elif origin is dict:
        found = Partial()
        found.is_lost = True
    elif origin is tuple:
        found = ()
    elif annotation is str:
        found = TOLD
    elif origin is Annotated and is_preference(annotation):
        found = f"least {TOLD}"
    elif origin is Annotated and (arguments[0] is not str or has_blank(annotation)):
        found = blank(arguments[0])
    return found
