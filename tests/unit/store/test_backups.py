"""A backup a day; a damaged history is put right from it, and nothing is deleted."""

from __future__ import annotations

import os
import random
import sqlite3
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from quiz.store import Store, StoreError, salvage, sound
from quiz.store.daily import unsound
from quiz.store.places import backup_path, backups
from quiz.store.restore import restore, trouble
from tests.unit.session.made import series

if TYPE_CHECKING:
    from pathlib import Path

TODAY = date(2026, 3, 1)
YESTERDAY = TODAY - timedelta(days=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


def answered(path: Path, first: int, last: int, day: date = TODAY) -> None:
    """Answers number `first` to `last`, given on a day."""
    with Store.open(path, today=day) as store:
        for one in series(last)[first:]:
            store.append(one)


def ids(path: Path) -> list[str]:
    with Store.open(path, read_only=True) as store:
        return [event.id for event in store.events()]


WANTED = [one.id for one in series(40)]


#: A stored text with one byte changed.
ALTERED = "CAST(substr(body, 1, 40) || x'07' || substr(body, 42) AS BLOB)"


def damage(path: Path) -> None:
    """Overwrite pages in the middle of the file, where answers lie."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4_096 * 4_096)
        file.write(b"\xff" * 8_192)


def test_a_damaged_history_is_not_backed_up_over_a_sound_one_and_the_advice_works(path: Path) -> None:
    answered(path, 0, 30, YESTERDAY)
    answered(path, 30, 40)
    damage(path)
    with pytest.raises(StoreError, match="shardwise history restore") as refused:
        Store.open(path, today=TODAY + timedelta(days=1))
    assert refused.value.kind == "corrupt"
    assert str(TODAY) in str(refused.value)
    assert [one.day for one in backups(path)] == [TODAY]
    damaged = path.read_bytes()
    done = restore(path)
    assert done.source == backup_path(path, TODAY)
    assert done.aside is not None
    assert done.aside.read_bytes() == damaged
    assert trouble(path) is None
    assert set(WANTED[:30]) <= set(ids(path)) <= set(WANTED)
    assert done.events == len(ids(path))
    with Store.open(path) as store:
        assert store.stale() == (0, 0)


def test_whole_answers_after_the_backup_are_saved_out_of_the_damaged_file(path: Path) -> None:
    answered(path, 0, 30, YESTERDAY)
    answered(path, 30, 40)
    with sqlite3.connect(path) as raw:
        raw.execute("DROP TRIGGER events_are_not_updated")
        raw.execute(f"UPDATE events SET body = {ALTERED} WHERE id IN (?, ?)", WANTED[5:7])  # noqa: S608
    raw.close()
    found = trouble(path)
    assert found is not None
    assert WANTED[5] in found.why
    assert restore(path).saved == 10
    assert ids(path) == WANTED
    assert trouble(path) is None


@pytest.mark.parametrize("keep", [0.7, 0.95])
def test_a_cut_history_without_a_backup_keeps_what_can_be_read(path: Path, keep: float) -> None:
    answered(path, 0, 200)
    os.truncate(path, int(path.stat().st_size * keep))
    found = trouble(path)
    assert found is not None
    assert "`shardwise history restore` saves what can still be read" in found.advice
    done = restore(path)
    assert done.source is None
    assert 0 < len(ids(path)) == done.events
    assert set(ids(path)) <= {one.id for one in series(200)}
    assert trouble(path) is None


def cut(path: Path, keep: float) -> None:
    os.truncate(path, int(path.stat().st_size * keep))


@pytest.mark.parametrize("keep", [0.5, 0.7, 0.95])
def test_of_a_cut_history_the_cards_say_how_many_answers_are_lost(path: Path, keep: float) -> None:
    """The counters beside the answers lie elsewhere in the file; where they can be read whole, the number is exact."""
    made = series(200)
    with Store.open(path, today=TODAY) as store:
        for one in made:
            store.append(one)
        undone = store.undo(made[-1].time + timedelta(minutes=1), 0)
        assert undone is not None
    sound_ = salvage.left(path)
    assert (sound_.answers, sound_.counted, sound_.exact) == (199, 199, True)
    assert "that is all of them" in sound_.told()
    cut(path, keep)
    found = salvage.left(path)
    restore(path)
    here = [one for one in ids(path) if one in {attempt.id for attempt in made}]
    assert found.answers in (len(here), len(here) - 1)  # the one that was taken back is among those that are here
    if found.exact:
        assert found.counted == 199
        assert f"and {199 - found.answers} answers cannot" in found.told()
    else:
        assert (found.counted or 0) <= 199
    assert found.events < 180 < found.stored <= 201


def test_where_the_counters_are_damaged_too_what_is_lost_is_said_to_be_unknown_and_why(path: Path) -> None:
    answered(path, 0, 40)
    with sqlite3.connect(path) as raw:
        raw.execute("DELETE FROM cards")
        raw.execute("UPDATE days SET cells = 'damaged'")
    raw.close()
    found = salvage.left(path)
    assert (found.answers, found.counted) == (40, None)
    assert "how many there were cannot be known, since what counted them is damaged" in found.told()


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (
            salvage.Left(3, 5, exact=True),
            "3 answers can still be read, and 2 answers cannot, by what counted them: lost",
        ),
        (salvage.Left(1, 2, exact=True), "1 answer can still be read, and 1 answer cannot, by what counted them"),
        (salvage.Left(3, 5, exact=False), "and 2 answers or more cannot"),
        (salvage.Left(3, 5, exact=False, events=4, stored=40), "and 36 events or more (an answer is one, a mark too)"),
        (salvage.Left(3, 3, exact=True, events=4, stored=4), "by the counters beside them that is all of them"),
        (salvage.Left(3, 3, exact=False), "how many there were cannot be known, since what counted them is damaged"),
        (salvage.Left(0, None, exact=False), "0 answers can still be read; how many there were cannot be known"),
    ],
)
def test_what_is_lost_is_told_with_what_it_is_known_from(left: salvage.Left, said: str) -> None:
    assert said in left.told()


@pytest.mark.parametrize("keep", [0.3, 0.5])
def test_of_a_cut_history_that_was_merged_the_pages_above_the_answers_say_how_many_there_were(
    path: Path, keep: float
) -> None:
    """All counters lie behind the answers then, and are cut off: what is known is a bound, close below the truth."""
    with Store.open(path, today=TODAY) as store:
        store.merge(series(900))
    assert (salvage.left(path).events, salvage.left(path).stored) == (900, 900)
    cut(path, keep)
    found = salvage.left(path)
    assert found.events < 800 < found.stored <= 900
    if not found.exact:
        assert "or more" in found.told()


def test_a_backup_is_named_only_after_it_was_read_and_found_whole(path: Path) -> None:
    """The newest one is cut: the one before it is named, with what it holds; then none is."""
    answered(path, 0, 30, YESTERDAY)
    answered(path, 30, 40)
    answered(path, 30, 40, TODAY + timedelta(days=1))
    newest, older = backups(path)
    cut(path, 0.5)
    cut(newest.path, 0.5)
    with pytest.raises(StoreError) as told:
        Store.open(path)
    assert f"that of {older.day} is whole: 30 answers" in str(told.value)
    assert str(newest.day) not in str(told.value)
    assert "`shardwise doctor` says how many answers are lost" in str(told.value)
    with older.path.open("r+b") as file:
        file.seek(file.seek(0, os.SEEK_END) // 2)
        file.write(b"\xff" * 64)
    with pytest.raises(StoreError, match=r"None of the 2 backups in .* is whole, so none is named here"):
        Store.open(path)
    path.unlink()
    with pytest.raises(StoreError, match="None of the 2 backups"):
        Store.open(path)


def test_a_backup_of_which_one_answer_was_altered_is_not_whole(path: Path) -> None:
    answered(path, 0, 30, YESTERDAY)
    Store.open(path, today=TODAY).close()
    (made,) = backups(path)
    assert sound.answers(made.path) == 30
    with sqlite3.connect(made.path) as raw:
        raw.execute("DROP TRIGGER events_are_not_updated")
        raw.execute(f"UPDATE events SET body = {ALTERED} WHERE id = ?", WANTED[5:6])  # noqa: S608
    raw.close()
    assert sound.answers(made.path) is None
    assert sound.newest(path) is None
    assert sound.answers(path.with_name("none.db")) is None


def test_answers_in_the_log_of_a_file_whose_header_is_gone_are_not_forgotten(path: Path) -> None:
    """The former file keeps its log beside it, under its new name."""
    answered(path, 0, 5, YESTERDAY)
    with Store.open(path, today=TODAY) as store:
        store.append(series(6)[5])
        log = path.with_name("history.db-wal").read_bytes()
        assert log
        content = path.read_bytes()
    path.write_bytes(b"text " + content[5:])
    path.with_name("history.db-wal").write_bytes(log)
    done = restore(path)
    assert done.aside is not None
    assert done.aside.with_name(done.aside.name + "-wal").read_bytes() == log
    assert ids(path)[:5] == WANTED[:5]


@pytest.mark.parametrize("content", [b"just a text\n" * 99, b"", b"SQLite format 3\0" + bytes(84), b"\xff" * 9_000])
def test_nothing_is_touched_where_nothing_can_be_saved(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreError, match="nothing in it can be read"):
        restore(path)
    assert [one.name for one in path.parent.iterdir()] == ["history.db"]
    assert path.read_bytes() == content


def test_where_no_backup_can_be_read_either_that_is_said_and_no_restore_advised(path: Path) -> None:
    """It names every backup that was tried, and what to move aside; once that is done a history can begin."""
    content = {path: b"\xff" * 9_000}
    content |= {backup_path(path, day): b"\xfe" * 9_000 for day in (YESTERDAY, TODAY)}
    for file, data in content.items():
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)
    with pytest.raises(StoreError) as caught:
        restore(path)
    told = str(caught.value)
    assert "there is no backup" not in told
    assert "history restore" not in told
    assert all(file.name in caught.value.why for file in content if file != path)
    assert f"move {path} and {path.parent / 'backups'} aside" in caught.value.advice
    assert {file: file.read_bytes() for file in content} == content
    path.rename(path.with_name("aside.db"))
    (path.parent / "backups").rename(path.with_name("backups-aside"))
    answered(path, 0, 5)
    assert ids(path) == WANTED[:5]


@pytest.mark.parametrize("content", [b"just a text\n" * 99, b"", None])
def test_a_foreign_an_empty_and_a_missing_file_give_way_to_the_backup(path: Path, content: bytes | None) -> None:
    answered(path, 0, 5, YESTERDAY)
    answered(path, 5, 6)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    done = restore(path)
    assert ids(path) == WANTED[:5]
    assert (done.aside is None) == (content is None)
    assert done.aside is None or done.aside.read_bytes() == content


def test_the_fullest_backup_is_taken_and_a_broken_one_passed_over(path: Path) -> None:
    for number in range(4):
        answered(path, 3 * number, 3 * number + 3, TODAY + timedelta(days=number))
    newest = backups(path)[0].path
    os.truncate(newest, 5_000)
    path.write_bytes(b"")
    done = restore(path)
    assert done.source == backups(path)[1].path
    assert ids(path) == WANTED[:6]


def test_a_broken_backup_that_is_named_is_refused_and_nothing_changes(path: Path) -> None:
    answered(path, 0, 5, YESTERDAY)
    answered(path, 5, 6)
    (made,) = backups(path)
    os.truncate(made.path, 5_000)
    with pytest.raises(StoreError, match="cut short"):
        restore(path, made.path)
    assert ids(path) == WANTED[:6]
    assert [one.name for one in path.parent.iterdir() if "aside" in one.name or "restored" in one.name] == []


def test_a_program_that_has_the_former_file_open_stores_no_answer_in_it_silently(path: Path) -> None:
    answered(path, 0, 5, YESTERDAY)
    with Store.open(path, today=TODAY) as store:
        restore(path, backups(path)[0].path, add=False)
        with pytest.raises(StoreError, match="no longer the file that was opened"):
            store.append(series(6)[5])
    assert ids(path) == WANTED[:5]


def test_salvage_reads_a_sound_history_whole_and_leaves_it_alone(path: Path) -> None:
    answered(path, 0, 40)
    before = path.read_bytes()
    assert [event.id for event in salvage.events(path)] == WANTED
    assert path.read_bytes() == before


def alter(path: Path, place: int) -> str:
    """Change a byte of an answer's text behind the store's back; return the answer's id."""
    with sqlite3.connect(path) as raw:
        raw.execute("DROP TRIGGER IF EXISTS events_are_not_updated")
        raw.execute(f"UPDATE events SET body = {ALTERED} WHERE seq = ?", (place,))  # noqa: S608
        (identity,) = raw.execute("SELECT id FROM events WHERE seq = ?", (place,)).fetchone()
    raw.close()
    return str(identity)


def test_an_answer_that_was_damaged_is_said_at_the_next_backup_and_no_older_one_goes(path: Path) -> None:
    """SQLite's check does not see it: the file is sound, the text is another."""
    for number in range(7):
        answered(path, 3 * number, 3 * number + 3, TODAY + timedelta(days=number))
    identity = alter(path, 4)
    before = [one.day for one in backups(path)]
    with Store.open(path, today=TODAY + timedelta(days=30)) as store:
        (told,) = store.notices
    assert identity in told
    assert "history restore" in told
    assert [one.day for one in backups(path)] == [TODAY + timedelta(days=30), *before]
    assert restore(path).events == 21
    assert trouble(path) is None


def test_every_answer_of_a_large_history_is_verified_in_its_turn(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quiz.store.daily._READ", 4)
    answered(path, 0, 14)
    identity = alter(path, 2)
    (found,) = {one for day in range(4) for one in unsound(path, TODAY + timedelta(days=day))}
    assert found == identity
    assert [unsound(path, TODAY + timedelta(days=day)) for day in range(4)].count(()) == 3


@pytest.mark.parametrize("page", [2, 4, 7])
def test_an_overwritten_page_is_met_at_the_next_backup(path: Path, page: int) -> None:
    """Where SQLite's check finds it the history is not opened; where an answer's checksum does, that is said."""
    answered(path, 0, 200, YESTERDAY)
    with path.open("r+b") as file:
        file.seek(page * 4_096)
        file.write(random.Random(page).randbytes(4_096))  # noqa: S311 - the same in every run
    try:
        with Store.open(path, today=TODAY) as store:
            assert store.notices != ()
    except StoreError as error:
        assert error.kind == "corrupt"  # noqa: PT017 - either way of noticing is right
