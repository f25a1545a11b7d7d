"""The codes of the lint: how bad each is, and its explanation with a bad and a good example.

The texts lie in `explanations/`, one file a subject. A code is stable: scripts and waivers name it.
"""

from __future__ import annotations

import textwrap
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quiz.bank.diagnostics import Severity

SUBJECTS: Final = {
    "yaml": "the YAML of a file",
    "form": "the form of a question",
    "figures": "figures, keys, answers, variants",
    "craft": "craft",
    "bank": "the bank as a whole",
}
_FOLDER: Final = Path(__file__).parent / "explanations"


class UnknownCodeError(LookupError):
    """The lint has no such code; the message names the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Code:
    """One code. `bad` and `good` are pieces of a question, or what is typed."""

    name: str
    subject: str
    severity: Severity
    what: str
    fix: str
    bad: str
    good: str


@cache
def codes() -> Mapping[str, Code]:
    """Every code by its name."""
    found: dict[str, Code] = {}
    for subject in SUBJECTS:
        entries = tomllib.loads((_FOLDER / f"{subject}.toml").read_text(encoding="utf-8"))
        for name, entry in entries.items():
            texts = {key: entry[key].strip("\n") for key in ("what", "fix", "bad", "good")}
            found[name] = Code(name, subject, cast("Severity", entry["severity"]), **texts)
    return found


def severities() -> dict[str, str]:
    """The severity of every code."""
    return {name: code.severity for name, code in codes().items()}


def explained(name: str) -> str:
    """What a code means, why it matters, and how it looks badly and well written. Raises `UnknownCodeError`."""
    code = codes().get(name)
    if code is None:
        near = get_close_matches(name, codes(), n=1)
        hint = f"Did you mean {near[0]}?" if near else "`shardwise author lint --explain` lists them."
        raise UnknownCodeError(f"the lint has no code {name!r}. {hint}")
    waived = f"\nA question may answer it:\n\n  waive:\n    {name}: The reason.\n" if code.severity == "warning" else ""
    return (
        f"{name} ({code.severity}, {SUBJECTS[code.subject]})\n\n{code.what}\n{textwrap.fill(code.fix, 100)}\n\n"
        f"bad:\n{textwrap.indent(code.bad, '  ')}\n\ngood:\n{textwrap.indent(code.good, '  ')}\n{waived}"
    ).rstrip()


def listed() -> str:
    """Every code with its sentence, by subject."""
    width = max(len(name) for name in codes())
    blocks = []
    for subject, title in SUBJECTS.items():
        rows = [
            f"  {code.name:<{width}}  {code.severity:<7}  {code.what}"
            for code in codes().values()
            if code.subject == subject
        ]
        blocks.append("\n".join([f"{title[0].upper()}{title[1:]}", *rows]))
    return "\n\n".join([*blocks, "`shardwise author lint --explain CODE` shows how each looks badly and well written."])
