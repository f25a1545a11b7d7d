"""What an answer to the question on the screen stores, worked out while the question is read."""

from __future__ import annotations

from quiz.session import choosing
from quiz.session.messages import Begin, GoOn, Wait
from tests.unit.session.test_practice import START, Driver


def test_what_is_made_ready_while_a_question_is_read_changes_nothing_of_the_session() -> None:
    """Nor where the answer comes on another day, or from another offset, than it was made ready for."""
    told = []
    for ready in (False, True):
        driver = Driver("one", "two")
        driver.send(Begin(START))
        found: list[object] = []
        for verdict, seconds in (("correct", 40), ("incorrect", 20), ("correct", 90_000), ("correct", 600_000)):
            if ready:
                driver.state = choosing.ready(driver.state, driver.now, -480)
                driver.state = choosing.ready(driver.state, driver.now, 60)
            attempt = driver.answer(verdict, seconds=seconds)  # type: ignore[arg-type]  # two of the verdicts
            found += [attempt, driver.record(attempt)]
            if ready:
                assert choosing.ready(driver.state, driver.now, 60) is driver.state
            found.append(driver.send(GoOn(driver.now)) if isinstance(driver.go_on(), Wait) else driver.effects)
        told.append(found)
    assert told[0] == told[1]
