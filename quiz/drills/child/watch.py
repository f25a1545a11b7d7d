"""The one dispatch mode: it sees every operation on real or fake tensors and tells those who observe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from torch import Tensor, no_grad

from quiz.drills.child import private

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class Operation:
    """An operation as it was called and what it gave.

    `name` is "namespace.operator", without the overload; `views` says that it only looks at what it was given.
    """

    __slots__ = ("args", "kwargs", "name", "out", "views")

    def __init__(self, kind: tuple[str, bool], args: tuple[Any, ...], kwargs: Mapping[str, Any], out: object) -> None:
        self.name, self.views = kind
        self.args, self.kwargs, self.out = args, kwargs, out


class Observer(Protocol):
    """Whoever wants to know of operations."""

    def saw(self, operation: Operation) -> None:
        """Take note of an operation that has just returned."""


_Mode: type[Any] = private.dispatch_mode()


class Watch(_Mode):
    """Tells observers of every operation that runs inside `with Watch(observers):`, autograd's included.

    Distributed tensors are not counted as such: the operation goes on to what the rank holds of them, which is seen.
    """

    def __init__(self, observers: Iterable[Observer]) -> None:
        super().__init__()
        self._observers = tuple(observers)
        self._wrappers = private.wrappers()
        self._kinds: dict[Any, tuple[str, bool]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Run the operation and tell of it."""
        if any(issubclass(each, self._wrappers) for each in types):
            return NotImplemented
        given = kwargs or {}
        out = func(*args, **given)
        kind = self._kinds.get(func)
        if kind is None:
            kind = self._kinds[func] = (f"{func.namespace}.{func.overloadpacket.__name__}", _views(func))
        operation = Operation(kind, args, given, out)
        for observer in self._observers:
            observer.saw(operation)
        return out


def _views(operator: Any) -> bool:
    """Whether all that an operator returns are views of its arguments, which it does not write to."""
    returned = [each.alias_info for each in operator._schema.returns]  # noqa: SLF001 - there is no other way to ask
    return bool(returned) and all(alias is not None and not alias.is_write for alias in returned)


def tensors(value: object) -> Iterator[Tensor]:
    """The tensors of a value, within lists and tuples too."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors(each)


def local(tensor: Tensor) -> Tensor:
    """What this rank holds of a tensor."""
    to_local = getattr(tensor, "to_local", None)
    if to_local is None:
        return tensor
    with no_grad():  # autograd would take a view of it each time, a third of what a drill on fake tensors costs
        return to_local()
