"""Where the screens run drills: made only when a drill is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from quiz.tui.drill.ports import Lab
    from quiz.tui.ports import Desk


def lab_for(desk: Desk) -> Callable[[], Lab]:
    """A laboratory on this machine, whose runs lie in the learner's data folder and whose scores go to the history."""

    def make() -> Lab:
        from quiz.cli.remember import remember
        from quiz.drills.folder import runs_folder
        from quiz.paths import data_folder
        from quiz.tui.laboratory import LocalLab

        return LocalLab(runs_folder(data_folder()), remember, desk.title)

    return make
