"""Names as people of the field spell them."""

from __future__ import annotations

import pytest

from quiz.tui.words import topic


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("lora-qlora", "LoRA QLoRA"),
        ("mfu-roofline", "MFU roofline"),
        ("moe-ep", "MoE EP"),
        ("zero-stages", "ZeRO stages"),
    ],
)
def test_a_topic_is_spelled_as_the_papers_spell_it(name: str, title: str) -> None:
    """Short names keep their own capitals, the rest of a title begins with one."""
    assert topic(name) == title
