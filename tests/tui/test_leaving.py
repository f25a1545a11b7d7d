"""However quickly it is left, the program ends without a word of its own on the terminal."""

from __future__ import annotations

import gc
import warnings

from quiz.tui.app import ShardwiseApp
from tests.tui.driving import asked
from tests.tui.fixtures import NUMERIC
from tests.tui.memory_desk import MemoryDesk


async def test_what_was_begun_in_the_moment_of_leaving_is_put_away_without_a_warning() -> None:
    """Python says of work that never began that it was never awaited, in the middle of the person's shell."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        async with asked(MemoryDesk((NUMERIC,))) as at:
            app = at.app
            assert isinstance(app, ShardwiseApp)
            app.take_up(app.show_home())
            app.exit()
        gc.collect()
