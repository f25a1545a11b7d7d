"""What `author new` starts from: a small question of each kind, whole, for its author to change.

The questions lie beside this file, a template a kind. A line that is a comment teaches, and may be left out; what
stands between `#+then` and `#-then` is the typed part that follows a choice, and may be left out too.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

KINDS: Final = {
    "strategy": "a plan to be chosen; the one that fits is computed",
    "claim": "statements of which one holds by a computed condition",
    "ordering": "things to be put in the order of a computed quantity",
    "numeric": "a value to be typed, with the mistakes that are recognised",
    "open": "an answer in words, compared with a rubric",
}
"""The kinds of questions, and what each asks for."""

TITLES: Final = {
    "strategy": "Which plan fits on one node",
    "claim": "ZeRO-2 on twice as many GPUs",
    "ordering": "Recipes by the state that they leave on a GPU",
    "numeric": "State per GPU under ZeRO-1",
    "open": "Out of memory in the second step",
}
"""What a question is called where its author says nothing else."""

SCHEMA_FILE: Final = "question.schema.json"
_HERE: Final = Path(__file__).parent
_THEN: Final = re.compile(r"^#\+then\n(.*?)^#-then\n", re.DOTALL | re.MULTILINE)
_STEM: Final = re.compile(r"^stem: \|\n((?:  .*\n|\n)+)", re.MULTILINE)
_COMMENT: Final = re.compile(r"^ *#.*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an author answers. `then`: with the typed part (kinds with a choice); `taught`: with the comments."""

    kind: str
    id: str
    topic: str
    title: str = ""
    difficulty: int = 2
    then: bool = True
    taught: bool = True


def question_text(wanted: Wanted, source: str, depth: int) -> str:
    """The text of a new question. `source` is a key of sources.yaml; `depth` counts its folders within the bank."""
    text = (_HERE / f"{wanted.kind}.yaml").read_text(encoding="utf-8")
    text = _THEN.sub(r"\1" if wanted.then else "", text)
    if not wanted.taught:
        text = _COMMENT.sub("", text)
    for name, value in (
        ("id", wanted.id),
        ("topic", wanted.topic),
        ("difficulty", str(wanted.difficulty)),
        ("source", source),
        ("title", json.dumps(wanted.title or TITLES[wanted.kind], ensure_ascii=False)),
    ):
        text = text.replace(f"@{name}@", value)
    return f"# yaml-language-server: $schema={'../' * depth}{SCHEMA_FILE}\n{text.lstrip()}"


@cache
def untouched_stems() -> frozenset[str]:
    """The stems of the templates on one line, their figures left out: what a question says that nobody has edited."""
    found = (_STEM.search((_HERE / f"{kind}.yaml").read_text(encoding="utf-8")) for kind in KINDS)
    return frozenset(" ".join(re.sub(r"\{\{.*?\}\}", " ", stem[1]).split()) for stem in found if stem)
