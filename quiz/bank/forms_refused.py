"""What is wrong with the form of a file: pydantic models of the same declarations, made when a file is refused.

Pydantic tells all errors at once, each with its path, and writes the JSON Schema.
"""

from __future__ import annotations

import os
import types
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Tag,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic import Field as ModelField

from quiz.bank.forms import (
    EMPTY,
    REQUIRED,
    After,
    Before,
    ByKey,
    Form,
    FormRefusedError,
    Limits,
    Told,
)
from solvers.expr.declared import FIELD, Units

if TYPE_CHECKING:
    from collections.abc import Callable

# Looking for plugins of pydantic, of which a bank has none, costs an author's every lint a thirtieth of a second.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


class _Model(BaseModel):
    """The base of every model of a bank: strict, closed, frozen."""

    model_config = ConfigDict(
        defer_build=True,  # the adapters build all at once, and nobody validates a part alone
        extra="forbid",
        strict=True,
        frozen=True,
        arbitrary_types_allowed=True,
        hide_input_in_errors=True,
        protected_namespaces=(),
    )


def read_or_refuse(annotation: Any, data: object, units: Units) -> Any:  # noqa: ANN401 - any annotation
    """What `forms.Shape.read` gives, with every error told. Raises `FormRefusedError`."""
    try:
        return adapter_of(annotation).validate_python(data, context={"units": units})
    except ValidationError as error:
        raise FormRefusedError(error, as_models(annotation)) from error


@cache
def adapter_of(annotation: Any) -> TypeAdapter[Any]:  # noqa: ANN401
    """The validator of an annotation."""
    return TypeAdapter(as_models(annotation))


def as_models(annotation: Any) -> Any:  # noqa: ANN401
    """The annotation with a pydantic model in the place of each form, and pydantic's rules in the place of ours."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Form):
        return _model(annotation)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:])
    if origin in (Union, types.UnionType):
        return Union[tuple(as_models(argument) for argument in arguments)]  # noqa: UP007 - made of a tuple
    if origin in (dict, tuple):
        made = origin[tuple(argument if argument is Ellipsis else as_models(argument) for argument in arguments)]
        return Annotated[made, ModelField(strict=False)] if origin is tuple else made  # a list becomes a tuple
    return annotation


def _annotated(inner: Any, rules: tuple[object, ...]) -> Any:  # noqa: ANN401
    made = as_models(inner)
    for rule in rules:
        if isinstance(rule, Told):
            members = zip(get_args(made), rule.tags, strict=True)
            tagged: Any = Union[tuple(Annotated[member, Tag(tag)] for member, tag in members)]  # noqa: UP007
            made = Annotated[tagged, Discriminator(rule.tell)]
        elif isinstance(rule, ByKey):
            made = Annotated[made, ModelField(discriminator=rule.key)]
        elif isinstance(rule, Limits):
            made = Annotated[made, ModelField(**{k: v for k, v in rule._asdict().items() if v is not None})]
        elif isinstance(rule, Before):
            made = Annotated[made, BeforeValidator(_with_units(rule.work)), WithJsonSchema(dict(rule.schema))]
        elif isinstance(rule, After):
            made = Annotated[made, AfterValidator(_with_units(rule.work))]
    return made


def _with_units(work: Callable[[Any, Units], object]) -> Callable[[Any, ValidationInfo], object]:
    def validate(value: object, info: ValidationInfo) -> object:
        return work(value, info.context.get("units", FIELD) if isinstance(info.context, dict) else FIELD)

    return validate


_MODELS: Final[dict[type[Form], type[BaseModel]]] = {}


def _model(form: type[Form]) -> type[BaseModel]:
    """The model of a form; what it validates becomes the form itself."""
    if form in _MODELS:
        return _MODELS[form]

    def as_form(model: BaseModel) -> Form:
        return form.of({name: getattr(model, name) for name in model.model_fields_set})

    fields: dict[str, Any] = {}
    for field in form.fields:
        more: dict[str, Any] = {} if field.key == field.name else {"alias": field.key}
        if field.default is EMPTY:
            more["default_factory"] = dict
        elif field.default is not REQUIRED:
            more["default"] = field.default
        fields[field.name] = as_models(field.annotation), ModelField(**more)
    validators: Any = {"as_form": model_validator(mode="after")(as_form)}  # type: ignore[misc] # no method of a class
    model = create_model(form.__name__, __base__=_Model, __doc__=form.__doc__, __validators__=validators, **fields)
    return _MODELS.setdefault(form, model)
