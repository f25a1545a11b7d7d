"""What holds for every test of the screens: the histories that it opened are closed at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui import real_desk

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _closed_desks() -> Iterator[None]:
    """Else a later test would be blamed for them, when the garbage is collected: Python 3.13 warns of each."""
    yield
    while real_desk.OPENED:
        real_desk.OPENED.pop().close()
