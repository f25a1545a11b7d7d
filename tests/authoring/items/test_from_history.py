from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from quiz.authoring.items.figures import figures_of
from quiz.authoring.items.from_history import Class, Learner, events_of, first_attempts, responses_of, unknown_of
from quiz.scheduling.cards import CardKey
from quiz.session.attempt import Response, Shown
from quiz.session.events import Retraction
from quiz.store import Store
from quiz.store.export import line
from tests.trial_bank import NUMERIC, STRATEGY
from tests.unit.session.made import START, attempt, identity

if TYPE_CHECKING:
    from pathlib import Path

    from quiz.session.attempt import Attempt
    from quiz.session.events import Event
    from tests.trial_bank import Trial

FITS = CardKey("trial", "which-fits")
OFTEN = CardKey("trial", "how-often")
OPTIONS = ("whole", "optimizer", "nothing")


def answer(number: int, chosen: str, *, key: CardKey = FITS, right: str = "whole", **more: Any) -> Attempt:
    shown = Shown("m", {}, OPTIONS, (right,), {})
    return attempt(
        number,
        now=START + timedelta(minutes=number),
        key=key,
        shown=shown,
        response=Response((chosen,)),
        verdict="correct" if chosen == right else "incorrect",
        **more,
    )


def typed(number: int, *, right: bool, key: CardKey = OFTEN) -> Attempt:
    return attempt(
        number,
        now=START + timedelta(minutes=number),
        key=key,
        shown=Shown("m", {}, (), ("100 min",), {}),
        response=Response((), "1 h"),
        verdict="correct" if right else "close",
    )


def test_only_the_first_answer_counts_and_not_one_that_was_taken_back() -> None:
    events: list[Event] = [
        answer(3, "whole"),
        answer(1, "nothing"),
        answer(2, "optimizer"),
        Retraction(identity(START + timedelta(hours=1)), START, 0, answer(1, "nothing").id),
        answer(0, "whole", key=CardKey("other", "which-fits")),
    ]
    assert first_attempts(events, "trial") == {"which-fits": answer(2, "optimizer")}


def test_a_reset_card_does_not_make_a_second_first_answer() -> None:
    again = answer(5, "whole", key=CardKey("trial", "which-fits", 1))
    assert first_attempts([again, answer(1, "nothing")], "trial")["which-fits"].response.chosen == ("nothing",)


def test_close_and_unknown_are_not_right(trial: Trial) -> None:
    trial.write(NUMERIC)
    table = responses_of([Learner("ada", {"1": typed(1, right=False)})], trial.open())
    assert table.cells["how-often"][0].right == 0
    assert table.items[0].options == ()


def test_a_class_is_one_table_with_the_options_of_the_bank(trial: Trial) -> None:
    trial.write(STRATEGY)
    trial.write(NUMERIC, "topic/two.yaml")
    learners = [
        Learner("ada", {"1": answer(1, "whole"), "2": typed(2, right=True)}),
        Learner("ben", {"1": answer(1, "optimizer")}),
        Learner("eve", {"1": answer(1, "whole", key=CardKey("other", "x"))}),
    ]
    table = responses_of(learners, trial.open())
    assert table.people == ("ada", "ben")
    assert [(item.id, item.options, item.key) for item in table.items] == [
        ("which-fits", OPTIONS, "whole"),
        ("how-often", (), ""),
    ]
    item = figures_of(table).items[0]
    assert [(one.id, one.chosen) for one in item.options] == [("whole", 1), ("optimizer", 1), ("nothing", 0)]


def test_a_key_that_moved_between_answers_is_told_and_not_mixed(trial: Trial) -> None:
    trial.write(STRATEGY)
    learners = [
        Learner("ada", {"1": answer(1, "whole")}),
        Learner("ben", {"1": answer(1, "nothing", right="nothing")}),
    ]
    (item,) = responses_of(learners, trial.open()).items
    assert (item.key, item.moved) == ("", True)


def test_a_question_that_left_the_bank_keeps_its_answers(trial: Trial) -> None:
    trial.write(STRATEGY)
    bank = trial.open()
    table = responses_of([Learner("ada", {"1": answer(1, "whole", key=CardKey("trial", "gone"))})], bank)
    assert unknown_of(table, bank) == ("gone",)
    assert table.items[0].options == OPTIONS


def test_two_files_that_share_an_answer_are_one_learner() -> None:
    together = Class()
    together.add("laptop.jsonl", [answer(1, "whole"), answer(2, "nothing", key=OFTEN)])
    together.add("ben.jsonl", [answer(7, "whole")])
    together.add("desktop.jsonl", [answer(2, "nothing", key=OFTEN), answer(3, "whole")])
    assert [len(learner.events) for learner in together.learners] == [3, 1]
    assert together.said == ["desktop.jsonl holds answers that are in laptop.jsonl too: taken as one learner."]


def test_an_export_and_a_history_file_give_the_same_events(tmp_path: Path) -> None:
    given = answer(1, "whole")
    path = tmp_path / "history.db"
    with Store.open(path) as store:
        stored = store.append(given).event
    export = tmp_path / "answers.jsonl"
    export.write_text(f"{line(stored)}\n\nnot json\n", encoding="utf-8")
    said: list[str] = []
    assert [event.id for event in events_of(path, said)] == [given.id]
    assert [event.id for event in events_of(export, said)] == [given.id]
    assert len(said) == 1
    assert said[0].startswith(f"{export}:3: it is not JSON")


def test_a_table_in_the_place_of_a_history_is_told_once_with_its_option(tmp_path: Path) -> None:
    table = tmp_path / "s.csv"
    table.write_text("learner,which-fits\nada,1\nben,0\n", encoding="utf-8")
    said: list[str] = []
    assert list(events_of(table, said)) == []
    assert said == [f"{table}: a table is no history. Its answers are read by `--csv {table}`."]


def test_an_answer_under_a_former_id_counts_for_the_question_of_today(trial: Trial) -> None:
    trial.write(STRATEGY.replace("id: which-fits", "id: which-plan\nrenamed_from: [which-fits]"))
    learner = Learner("ada", {"1": answer(1, "nothing"), "2": answer(2, "whole", key=CardKey("trial", "which-plan"))})
    table = responses_of([learner], trial.open())
    assert [item.id for item in table.items] == ["which-plan"]
    assert table.cells["which-plan"][0].option == "nothing"
