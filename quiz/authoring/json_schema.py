"""The JSON Schema of a question file, made from the models that read it, with a description for whoever types a key.

Editors with yaml-language-server complete keys and show the descriptions. What a schema cannot say (whether a name
exists, what the key is) the lint says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic.json_schema import GenerateJsonSchema

from quiz._version import __version__
from quiz.authoring.codes import codes
from quiz.bank.forms_refused import adapter_of
from quiz.bank.schema import QUESTION
from solvers import relations as _relations  # noqa: F401 - declares every symbol
from solvers.catalogue import CATALOGUE
from solvers.relation import RELATIONS

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import core_schema

    from solvers.catalogue import SymbolInfo

# By the name of the key; where it means something else in a model, by `Model.key`.
DESCRIPTIONS: Final = {
    "id": "What histories know this question by: lower case, digits, single hyphens. A new one needs `renamed_from`.",
    "Slip.id": "The name of this mistake, unique in the question.",
    "kind": "strategy: a plan; claim: a statement; numeric: type a value; ordering: put in order; open: in words.",
    "Slip.kind": "mistake, or convention: right by another convention.",
    "topic": "The topic's folder, such as memory-budget.",
    "difficulty": "1 (one step) to 5 (several, with a trap).",
    "title": "What lists call the question; made from the stem where it is left out.",
    "prerequisites": "Ids of questions to be known before; [] says that there are none.",
    "scenario": "Inputs only, by the names of `shardwise solve --list`, such as `model.parameters: 70e9`.",
    "given": "Pins what a relation could derive, such as `memory.activations_per_gpu: 15 GB`.",
    "stem": "The question. Every figure is a name: `{{ model.parameters }}`. Put it in a block scalar (`|`).",
    "conventions": "Named texts for the conventions box; what the figures rest on is rendered by itself.",
    "figures": "Names for figures: a formula, or `is`, `input`, `quote`, `fewest`, `largest`.",
    "variants": "Other numbers for the same question.",
    "answer_line": "The answer in one sentence, with the figure that proves it.",
    "framing": "What the question is really about.",
    "decision_rule": "The one rule to remember.",
    "why": "Why the answer is right: the shortest honest way to it.",
    "StrategyOption.why": "Spoken to the one who chose it: what is true in the belief, then the figure that breaks it.",
    "ClaimOption.why": "Spoken to the one who chose it: what is true in the belief, then the figure that breaks it.",
    "RedFlag.why": "What the sentence shows about the speaker's thinking.",
    "concept": "The explanation, in sections.",
    "red_flags": "What one really hears, why it worries an interviewer, what to say instead. At least two.",
    "follow_ups": "What an interviewer asks next, with a sketch of the answer. At least two.",
    "bullets": "What to remember on the way to the call. At least three.",
    "analogy": "One picture, in everyday things, that carries the mechanism.",
    "stops_working_when": "The honest limits.",
    "uses": "What somebody did, as the source tells it, with its date. Figures may be typed here.",
    "sources": "Keys of sources.yaml, with the place in each.",
    "related": "Ids of questions to practise next.",
    "drill": "What a learner could measure.",
    "renamed_from": "Ids under which this question was known before.",
    "generation": "Raise it by one where everybody is to begin this question anew.",
    "deprecated": "Why this question is not asked any more, and what to practise instead.",
    "waive": "Warnings of the lint that do not apply here: the code of each, and why.",
    "decide": "How the key is computed: what must hold, then what is preferred.",
    "require": "A condition that an option must meet, read under each.",
    "prefer": "Among those that meet it: `least EXPRESSION` or `most EXPRESSION`, in order.",
    "decisive": "How far from the edge every comparison must be, as a share; 5 % if left out.",
    "options": "The options by name. None is marked as the key: `decide` or `holds` computes it.",
    "then": "A typed part that follows the choice.",
    "text": "What the learner reads.",
    "Citation.text": "What somebody did, as the source tells it.",
    "set": "A patch of the scenario, such as `{layout.dp: cluster.gpus, layout.zero: 3}`.",
    "slip": "The belief behind this option, a name for statistics.",
    "asserted": "true or false where no figure decides; needs a `source`.",
    "source": "A key of sources.yaml.",
    "holds": "A condition by which the claim is true, with a quantity on the left.",
    "in": "The option under which this is read; `key` is whichever is right.",
    "wanted": "false asks for the claim that fails.",
    "items": "What is put in order, by name.",
    "by": "The expression by which items are ordered.",
    "order": "descending: largest first.",
    "answer": "The reference of a typed answer.",
    "slips": "Wrong values that are recognised and named.",
    "parts": "Further typed parts, which may rest on the ones before.",
    "rubric": "What a good answer does, each point checkable by the learner alone.",
    "sketch": "An answer in two or three sentences.",
    "is": "An expression over names, quantities and figures.",
    "unit": "The unit in which it is shown, such as GB or min.",
    "decimals": "Digits behind the point.",
    "input": "A number of your own, said to be an assumption.",
    "quote": "A figure of somebody else's, even a wrong one; needs a `source`.",
    "where": "The place in the source.",
    "Variants.where": "Conditions that the numbers of a variant must meet.",
    "as_of": "When the source said so, as 2026, 2026-04 or 2026-04-30.",
    "fewest": "The symbol whose smallest value is searched for.",
    "largest": "The symbol whose largest value is searched for.",
    "such_that": "The condition for which it is searched.",
    "step": "The steps of the search: 8 searches in whole nodes of eight.",
    "within": "The tolerance: a share (`3 %`) or an amount with its unit.",
    "need_unit": "false where the question names the unit: a bare number is then read in it.",
    "in_unit": "true takes no other unit, since the conversion is what is asked for.",
    "followed_by": "The further values of an ordered list.",
    "estimate": "Judges by the factor that an answer is off, instead of by `within`.",
    "range": "Whether a range that is typed must lie within the tolerance (contained) or need only touch it.",
    "full": "Up to this factor an answer is right.",
    "none": "From this factor on it earns nothing.",
    "says": "The sentence that is said.",
    "Slip.says": "Names the mistake and what is right about it, in one sentence, without blame.",
    "ask": "What is asked.",
    "axes": "Inputs of the question with the values to draw from; all combinations are tried.",
    "key": "same: a variant that moves the key is left out; may-move: it is kept.",
    "instead": "A sentence to say instead, in the first person, with a figure.",
    "spot": "Words that mark the sentence in a text.",
    "heading": "The heading of the section.",
    "table": "A table of rendered cells.",
    "columns": "The head of the table.",
    "rows": "Its rows; `in` names the option under which a row is read.",
    "cells": "One text for each column.",
    "tier": "ranks: a small model, trained; fake: the true size on fake tensors; oom: out of memory on purpose.",
    "plans": "The options that are run.",
    "predict": "The quantities that the learner predicts first.",
}  # fmt: skip


_NAMED: Final = {"scenario": "Inputs", "given": "Quantities", "set": "Quantities", "axes": "Axes", "waive": "Waivers"}
"""Keys below which names of a list stand, and the definition that has them."""
_LISTED: Final = 12


class _Generator(GenerateJsonSchema):
    """Numbers are exact fractions inside, and plain numbers in a file."""

    def is_instance_schema(self, schema: core_schema.IsInstanceSchema) -> JsonSchemaValue:  # noqa: ARG002
        """A number: the only class that the models name is Fraction."""
        return {"type": "number"}


def question_schema() -> dict[str, Any]:
    """The schema of a question file (JSON Schema 2020-12)."""
    schema = adapter_of(QUESTION.annotation).json_schema(by_alias=True, schema_generator=_Generator)
    definitions: dict[str, Any] = schema["$defs"]
    for name, model in definitions.items():
        _describe(name, model)
    definitions |= _names(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A question of a Shardwise bank (shardwise {__version__})",
        "description": "Key, verdicts and figures are computed; `shardwise author lint` says what is wrong.",
        "oneOf": schema["oneOf"],
        "discriminator": schema["discriminator"],
        "$defs": definitions,
    }


def _names(definitions: dict[str, Any]) -> dict[str, Any]:
    """The keys that an author takes from a list: quantities of the catalogue, warnings of the lint.

    With each name its meaning, so that an editor completes and explains it, and marks one that there is not.
    """
    quantities = {one.name: _meaning(one) for one in CATALOGUE}
    inputs = {name: said for name, said in quantities.items() if CATALOGUE[name].statable or not RELATIONS.of(name)}
    warnings = {code.name: code.what for code in codes().values() if code.severity == "warning"}
    named = {"Inputs": inputs, "Quantities": quantities, "Axes": quantities, "Waivers": warnings}
    models: dict[str, Any] = {}
    for model in definitions.values():
        for key, field in model.get("properties", {}).items():
            name = _NAMED.get(key)
            if name is not None and "patternProperties" in field:
                models.setdefault(name, {**field})
                said = field["description"]
                field.clear()
                field.update({"$ref": f"#/$defs/{name}", "description": said})
    values: dict[str, Any] = {}
    for name, model in models.items():
        (values[f"{name}Value"],) = model.pop("patternProperties").values()
        del model["description"], model["propertyNames"]
        value = {"$ref": f"#/$defs/{name}Value"}
        model["properties"] = {one: {**value, "description": said} for one, said in named[name].items()}
        model["additionalProperties"] = False
    return {**models, **values}


def _meaning(info: SymbolInfo) -> str:
    """What a quantity is, and how a person would state it."""
    more = ", ..." if len(info.choices) > _LISTED else ""
    choices = f": {', '.join(info.choices[:_LISTED])}{more}" if info.choices else ""
    unit = f", in {info.unit}" if str(info.unit) else ""
    example = f"; such as {info.example}" if info.example else ""
    return f"{info.meaning}{choices or unit}{example}."


def _describe(name: str, model: dict[str, Any]) -> None:
    if "description" in model:
        model["description"] = " ".join(model["description"].partition("\n\n")[0].split())
    for key, field in model.get("properties", {}).items():
        field.pop("title", None)
        field["description"] = DESCRIPTIONS.get(f"{name}.{key}") or DESCRIPTIONS[key]
