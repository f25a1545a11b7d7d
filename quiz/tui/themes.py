"""The colours: one dark and one light theme.

The five terms of memory use hues that stay apart for the common kinds of colour blindness, and each also has
a letter; right and wrong always have a sign and a word besides their colour.
"""

from __future__ import annotations

import os

from textual.theme import Theme

DARK = Theme(
    name="shardwise-dark",
    primary="#7cb7ff",
    secondary="#9aa7bd",
    accent="#e8c37a",
    success="#7ecf9a",
    warning="#f0b35e",
    error="#ff8f7d",
    foreground="#dde3ed",
    background="#10141b",
    surface="#161b24",
    panel="#202735",
    dark=True,
    variables={
        "code": "#a9d3ff",
        "quiet": "#8c98ab",
        "faint": "#4a5568",
        "chosen": "#243349",
        "right": "#7ecf9a",
        "wrong": "#ff8f7d",
        "almost": "#f0b35e",
        "line": "#f4f6fa",
        "term-weights": "#5cb3ef",
        "term-gradients": "#e8a33d",
        "term-optimizer": "#2fb08b",
        "term-activations": "#d48ab8",
        "term-buffers": "#e6dc62",
        "on-term": "#0d1117",
        "heat-1": "#1f4a3d",
        "heat-2": "#2a7a5e",
        "heat-3": "#3fb184",
        "heat-4": "#8ff0c0",
        "block-cursor-background": "#243349",
        "block-cursor-foreground": "#dde3ed",
        "footer-background": "#10141b",
        "input-selection-background": "#7cb7ff 35%",
    },
)

LIGHT = Theme(
    name="shardwise-light",
    primary="#1d5fae",
    secondary="#5c6778",
    accent="#8a5a00",
    success="#1b7a43",
    warning="#9a5b00",
    error="#b3261e",
    foreground="#1d2430",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#e8e5dd",
    dark=False,
    variables={
        "code": "#174f92",
        "quiet": "#5c6778",
        "faint": "#bcb7ab",
        "chosen": "#dde8f6",
        "right": "#1b7a43",
        "wrong": "#b3261e",
        "almost": "#9a5b00",
        "line": "#1d2430",
        "term-weights": "#56a8e0",
        "term-gradients": "#e69f00",
        "term-optimizer": "#33ad87",
        "term-activations": "#cf86b3",
        "term-buffers": "#d9cd3f",
        "on-term": "#10151d",
        "heat-1": "#b7dfcc",
        "heat-2": "#74bd9b",
        "heat-3": "#35906a",
        "heat-4": "#0d5a3c",
        "block-cursor-background": "#dde8f6",
        "block-cursor-foreground": "#1d2430",
        "footer-background": "#fbfaf7",
        "input-selection-background": "#1d5fae 25%",
    },
)

THEMES = (DARK, LIGHT)
VARIABLE = "SHARDWISE_THEME"
# COLORFGBG ends with the number of the background colour; of the sixteen these are the light ones.
_LIGHT_BACKGROUNDS = ("7", "15")


def first_theme() -> str:
    """The theme to start with: the one that SHARDWISE_THEME names, else what the terminal says of itself, else dark."""
    chosen = os.environ.get(VARIABLE, "").strip().lower()
    for theme in THEMES:
        if chosen in (theme.name, theme.name.removeprefix("shardwise-")):
            return theme.name
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT.name if background in _LIGHT_BACKGROUNDS else DARK.name
