"""What the requests of other checkers call the keys of a `Task`, so that their collections of answers can be run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ALIASES: Final = {"learner_answer": "answer", "values": "given", "digits_accurate": "sigfigs",
                  "extra_digits_must_match": "extra_digits", "truncation_ok": "truncation",
                  "units_domain": "units"}  # fmt: skip
"""What others call a key."""
_SAID: Final[Mapping[tuple[str, object], dict[str, object]]] = {
    ("units", "required_convertible"): {"need_unit": True},
    ("units", "required_exact"): {"same_unit": True},
    ("tolerance", "half_unit_in_last_digit_of_reference"): {"half_unit": True},
    ("check", "equal_up_to_power_of_ten"): {"power_of_ten": True},
    ("decimal_comma", True): {"decimal": ","},
    ("decimal_comma", False): {"decimal": "."},
}
BORROWED: Final = frozenset([*ALIASES, "digits", *(key for key, _ in _SAID)])
"""The keys that are understood beside those of a `Task`."""


def in_own_words(line: Mapping[str, object]) -> dict[str, object]:
    """The request with the keys of a `Task` put in for those of others; its own keys win."""
    own: dict[str, object] = {}
    kept = dict(line)
    for key, value in line.items():
        if isinstance(value, str | bool) and (key, value) in _SAID:
            own |= _SAID[key, value]
            del kept[key]
        elif key in ALIASES:
            own[ALIASES[key]] = value
    if "digits" in line and (line.get("tolerance") == "digits" or own.get("power_of_ten")):
        own["sigfigs"] = line["digits"]
    return own | kept
