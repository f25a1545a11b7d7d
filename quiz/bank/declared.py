"""The units that a bank declares for itself, as text.

They travel as JSON with each typed part that needs them: whoever grades has the question and not the bank.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from quiz.bank.forms import Form

if TYPE_CHECKING:
    from collections.abc import Mapping


def spell_definitions(units: Mapping[str, object]) -> str:
    """Definitions as one text, the same for the same definitions in the same order."""
    return json.dumps({name: _plain(one) for name, one in units.items()}, ensure_ascii=False, separators=(",", ":"))


def _plain(definition: object) -> object:
    return definition.as_data() if isinstance(definition, Form) else definition
