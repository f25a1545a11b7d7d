"""Names and phrases for a person: topics, verdicts, ratings."""

from __future__ import annotations

from quiz.tui.ports import CONFIDENCES

VERDICTS = {
    "correct": ("✓", "Right", "$right"),
    "close": ("≈", "Close", "$almost"),
    "incorrect": ("✗", "Not right", "$wrong"),
    "wrong-unit": ("✗", "Wrong unit", "$wrong"),
    "invalid": ("?", "Not readable", "$almost"),
    "unknown": ("○", "Not known yet", "$almost"),
}
REASONS = {"learning": "again", "due": "due", "new": "new", "asked": "chosen"}
DIFFICULTIES = 5
SHORT = {"ddp": "DDP", "fsdp": "FSDP", "hsdp": "HSDP", "oom": "OOM", "zero": "ZeRO", "moe": "MoE", "gpu": "GPU"}


def topic(name: str) -> str:
    """`memory-budget` as a title."""
    words = [SHORT.get(word, word) for word in name.replace("-", " ").replace("_", " ").split()]
    told = " ".join(words)
    return told[:1].upper() + told[1:] if told else "Other"


def dots(difficulty: int) -> str:
    """A difficulty as filled and empty dots."""
    filled = max(0, min(DIFFICULTIES, difficulty))
    return "●" * filled + "○" * (DIFFICULTIES - filled)


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 question`, `2 questions`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def confidence(percent: int) -> str:
    """`certain (95 %)`."""
    name = next((name for value, name, _ in CONFIDENCES if value == percent), "")
    return f"{name} ({percent} %)" if name else f"{percent} %"
