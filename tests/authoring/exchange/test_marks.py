"""Prose on its way to other programs."""

from __future__ import annotations

from quiz.authoring.exchange.marks import Paragraph, paragraphs


def test_each_line_of_fenced_code_is_a_line_of_code() -> None:
    """No format of exchange shows the fences as text, or takes code for a list."""
    assert paragraphs("Wrap\nit:\n```\nx = 1\n\n- y\n```\nDone.") == [
        Paragraph("Wrap it:"),
        Paragraph("`x = 1`"),
        Paragraph("`- y`"),
        Paragraph("Done."),
    ]
