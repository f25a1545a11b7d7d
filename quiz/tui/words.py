"""Names and phrases for a person: topics, verdicts, ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.nouns import count as count  # noqa: PLC0414 - the screens know it by this name
from quiz.tui.ports import CONFIDENCES

if TYPE_CHECKING:
    from quiz.tui.ports import Standing

VERDICTS = {
    "correct": ("✓", "Right", "$right"),
    "close": ("≈", "Close", "$almost"),
    "incorrect": ("✗", "Not right", "$wrong"),
    "wrong-unit": ("✗", "Wrong unit", "$wrong"),
    "invalid": ("?", "Not readable", "$almost"),
    "unknown": ("○", "Not known yet", "$almost"),
}
RULE = (
    "How an answer is rated: wrong or not known, again; close, or right as a guess or a lean, hard; right, certain and "
    "quick, easy; right, good."
)
REASONS = {"learning": "again", "due": "due", "new": "new", "asked": "chosen"}
DIFFICULTIES = 5
SHORT = {
    name.lower(): name for name in ("DDP", "EP", "FSDP", "GPU", "HSDP", "LoRA", "MFU", "MoE", "OOM", "QLoRA", "ZeRO")
}


def topic(name: str) -> str:
    """`memory-budget` as a title."""
    words = [SHORT.get(word, word) for word in name.replace("-", " ").replace("_", " ").split()]
    told = " ".join(words)
    return told[:1].upper() + told[1:] if told else "Other"


def dots(difficulty: int) -> str:
    """A difficulty as filled and empty dots."""
    filled = max(0, min(DIFFICULTIES, difficulty))
    return "●" * filled + "○" * (DIFFICULTIES - filled)


def confidence(percent: int) -> str:
    """`certain (95 %)`."""
    name = next((name for value, name, _ in CONFIDENCES if value == percent), "")
    return f"{name} ({percent} %)" if name else f"{percent} %"


def nothing(standing: Standing, where: str, *, due_only: bool, start: str) -> str:
    """What to say where a session would be empty: why, when the next question is due, and what to do instead.

    `standing` is that of the topics asked for, `where` names them (` in DDP`), `start` is what begins new questions.
    """
    if not standing.questions:
        return "This bank holds no questions."
    new = f"{start} starts with {count(standing.new, 'new question')}." if standing.new else ""
    if due_only and not standing.seen:
        said = f"Nothing has been learned yet{where}, so nothing is due."
    else:
        said = f"Nothing is {'due' if due_only else 'due or new'}{where} now."
        said += f" Next: {standing.next_due}." if standing.next_due else ""
    if not new and standing.unseen:
        new = f"Today's new questions are done; {standing.unseen} not seen yet are left for other days."
    return f"{said} {new}".rstrip()
