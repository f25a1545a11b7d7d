"""What a person is told when the history cannot be used; and what is never lost."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quiz.scheduling.cards import CardKey
from quiz.session.events import Mark, SettingChange
from quiz.store import Store, StoreError
from quiz.store.connection import file_system
from quiz.store.errors import translate
from quiz.store.schema import SCHEMA
from tests.unit.session.made import START, attempt, identity, series

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


def filled(path: Path, count: int = 3) -> Path:
    with Store.open(path) as store:
        for one in series(count):
            store.append(one)
    return path


def refused(path: Path, *, read_only: bool = False) -> StoreError:
    def use() -> None:
        with Store.open(path, read_only=read_only) as store:
            list(store.events())
            store.cards("core")
            store.append(attempt(99, now=START + timedelta(days=99)))

    with pytest.raises(StoreError) as caught:
        use()
    message = str(caught.value)
    assert str(path) in message  # where
    assert message.count(". ") >= 1  # what next
    assert message[-1] == "."
    assert caught.value.code == 3
    return caught.value


def test_a_file_that_is_no_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    for content in (b"not a database, but quite long enough to be one" * 9, b"x"):
        path.write_bytes(content)
        error = refused(path)
        assert error.kind == "not-a-database"
        assert path.read_bytes() == content


def test_a_folder_in_its_place_is_refused(path: Path) -> None:
    path.mkdir(parents=True)
    assert refused(path).kind == "not-a-database"


def test_a_file_in_the_place_of_its_folder_is_refused(path: Path) -> None:
    """It is named: being allowed to write, which is what a refusal mostly lacks, would not help."""
    path.parent.write_text("")
    told = refused(path)
    assert told.why == f"{path.parent} is a file, and a folder is needed there"
    assert told.advice.startswith("Move it aside")


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (text)")
    connection.close()
    content = path.read_bytes()
    assert refused(path).kind == "not-a-database"
    assert path.read_bytes() == content


def test_a_newer_schema_is_refused_with_advice(path: Path) -> None:
    connection = sqlite3.connect(filled(path))
    connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    connection.close()
    error = refused(path)
    assert error.kind == "newer"
    assert "Update Shardwise" in str(error)
    assert refused(path, read_only=True).kind == "newer"


def test_an_empty_file_becomes_a_history(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    assert filled(path).stat().st_size > 0


@pytest.mark.parametrize("keep", [17, 99, 100, 4_096, 0.5, 0.9])
def test_a_truncated_file_is_said_to_be_damaged(path: Path, keep: float) -> None:
    size = filled(path, 30).stat().st_size
    os.truncate(path, int(size * keep) if keep < 1 else int(keep))
    assert refused(path).kind == "corrupt"


@pytest.mark.parametrize("page", [1, 2, 3, 5, 9])
def test_an_overwritten_page_is_said_and_nothing_is_used_silently(path: Path, page: int) -> None:
    """Garbage over a page: SQLite stumbles on it, or a checksum does; what is read is what was written."""
    filled(path, 30)
    with path.open("r+b") as file:
        file.seek(page * 4_096)
        file.write(bytes(range(256)) * 16)
    written = {one.id: one for one in series(30)}
    try:
        with Store.open(path) as store:
            told = store.integrity()
            for event in store.events():
                assert event.id in {damaged.id for damaged in store.damaged} or event.id in written
    except StoreError as error:
        assert error.kind in ("corrupt", "not-a-database")  # noqa: PT017 - either way of noticing is right
    else:
        assert told


def test_a_full_disk_refuses_the_answer_and_keeps_what_was_stored(path: Path) -> None:
    """With the number of pages limited, an answer fails with `full`; the same answer goes in once there is room."""
    with Store.open(path) as store:
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 6}")
        with pytest.raises(StoreError, match="the disk is full") as full:
            all(store.append(one) for one in series(500))
        stored = len(list(store.events()))
        assert full.value.kind == "full"
        assert stored > 0
        assert [event.id for event in store.events()] == [one.id for one in series(stored)]
        store._connection.execute("PRAGMA max_page_count = 100000")
        assert not store.append(series(stored + 1)[-1]).duplicate
        assert store.integrity() == ()


ANSWER = """
    import sys
    from datetime import timedelta
    from pathlib import Path
    from quiz.scheduling.cards import CardKey
    from quiz.store import Store, StoreError
    from tests.unit.session.made import START, attempt

    def answer(store, who, number):
        now = START + timedelta(minutes=number)
        return store.append(attempt(who * 10_000 + number, now=now, key=CardKey("core", f"q{who}-{number % 9}")))
"""


def script(body: str) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(ANSWER) + textwrap.dedent(body)]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of this kind are Unix's")
def test_a_limit_on_the_size_of_files_is_a_full_disk(path: Path) -> None:
    done = subprocess.run(
        script(
            f"""
            import resource
            with Store.open(Path({str(path)!r})) as store:
                for number in range(20):
                    answer(store, 1, number)
                resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
                try:
                    for number in range(20, 2_000):
                        answer(store, 1, number)
                except StoreError as error:
                    print(error.kind, number)
            """
        ),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    kind, number = done.stdout.split()
    assert kind == "full"
    with Store.open(path) as store:
        assert len(list(store.events())) == int(number)
        assert store.integrity() == ()


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that another user may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of this kind are Unix's")
@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "read"),
    [
        (0o555, 0o666, "3"),
        (0o777, 0o444, "3"),
        (0o555, 0o444, "3"),
        (0o555, None, "missing"),
        (0o777, 0o000, "read-only"),
        (0o000, 0o666, "read-only"),
    ],
)
def test_a_read_only_place_is_refused_and_can_still_be_read(
    public_folder: Path, folder_mode: int, file_mode: int | None, read: str
) -> None:
    """A folder or a file that cannot be written is said; reading what is there goes on. As root, permissions
    do not bind, so the attempt is made as another user."""
    path = public_folder / "data" / "history.db"
    if file_mode is None:
        path.parent.mkdir()
    else:
        filled(path)
        path.chmod(file_mode)
    path.parent.chmod(folder_mode)
    body = """
        import os, sys
        from pathlib import Path
        from quiz.store import Store, StoreError
        from tests.unit.session.made import attempt
        path = Path(sys.argv[1])
        # Everything once as ourselves: another user may not be able to read the library.
        warm = path.parents[1] / "warm" / "history.db"
        with Store.open(warm) as store:
            store.append(attempt())
        with Store.open(warm, read_only=True) as store:
            list(store.events())
        if os.getuid() == 0:
            os.setgid(65534); os.setuid(65534)
        try:
            Store.open(path)
        except StoreError as error:
            print(error.kind)
        try:
            with Store.open(path, read_only=True) as store:
                print(len(list(store.events())))
        except StoreError as error:
            print(error.kind)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(body), str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    path.parent.chmod(0o755)
    assert not done.stderr
    assert done.stdout.split() == ["read-only", read]


@pytest.mark.parametrize("replace", [False, True])
def test_a_file_moved_away_while_open_takes_no_more_answers(path: Path, replace: bool) -> None:  # noqa: FBT001
    """SQLite would write on into a file that nobody finds; what was accepted before is in the moved one."""
    moved = path.with_name("moved.db")
    with Store.open(path) as store:
        store.append(series(1)[0])
        path.rename(moved)
        if replace:
            path.write_bytes(moved.read_bytes())
        with pytest.raises(StoreError, match="no longer the file that was opened") as error:
            store.append(series(2)[1])
        assert error.value.kind == "moved"
    with Store.open(moved) as store:
        assert len(list(store.events())) == 1


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_BUSY, "locked"),
        (sqlite3.SQLITE_CORRUPT, "corrupt"),
        (sqlite3.SQLITE_CORRUPT_VTAB, "corrupt"),
        (sqlite3.SQLITE_NOTADB, "not-a-database"),
        (sqlite3.SQLITE_FULL, "full"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "moved"),
        (sqlite3.SQLITE_CANTOPEN, "read-only"),
        (sqlite3.SQLITE_IOERR_READ, "disk"),
    ],
)
def test_every_error_of_sqlite_becomes_a_sentence(code: int, kind: str, tmp_path: Path) -> None:
    error = sqlite3.OperationalError("x")
    error.sqlite_errorcode = code
    told = translate(error, "Storing your answer", tmp_path / "history.db")
    assert told.kind == kind
    assert str(told).startswith(f"Storing your answer failed: {tmp_path / 'history.db'}: ")


@pytest.mark.parametrize("text", ["Error creating function", "user-defined function raised exception"])
def test_what_python_says_of_a_function_over_damaged_rows_is_no_text_of_its_own(text: str, tmp_path: Path) -> None:
    told = translate(sqlite3.OperationalError(text), "Reading your cards", tmp_path / "history.db")
    assert (told.kind, told.why) == ("corrupt", "it is damaged")
    assert "history restore" in told.advice


def test_a_day_that_none_is_in_a_card_is_damage_also_where_rows_are_left_unread(path: Path) -> None:
    """Of rows half read SQLite keeps our functions: it is not that which is told."""
    cards = [attempt(number, key=CardKey("core", f"question-{number}", 1)) for number in range(3)]
    with Store.open(path) as store:
        for one in cards:
            store.append(one)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE cards SET due_day = -5 WHERE question = 'question-1'")
        connection.commit()
    asked = ("question-0", "question-1")
    again = dict.fromkeys(asked, 1)
    with Store.open(path, read_only=True) as store, pytest.raises(StoreError) as caught:
        store.stock("core", dict.fromkeys(asked, "t"), cards[0].day, decay=0.5, generations=again)
    assert (caught.value.kind, caught.value.why) == ("corrupt", "a column of it is damaged")


MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
40 22 0:35 / /people rw,relatime shared:20 - nfs4 server:/people rw
41 40 8:2 / /people/me/local\\040disk rw - ext4 /dev/sdb1 rw
garbage
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc/x", "ext4"),
        ("/people/me/history.db", "nfs4"),
        ("/people/me/local disk/history.db", "ext4"),
        ("/homes", "ext4"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(path: str, kind: str) -> None:
    assert file_system(Path(path), MOUNTS) == kind


def test_a_network_file_system_is_refused_with_advice(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quiz.store.connection._on_a_disk", lambda _: False)
    monkeypatch.setattr("quiz.store.connection.file_system", lambda _: "nfs4")
    error = refused(path)
    assert error.kind == "network"
    assert "local disk" in str(error)
    assert not path.exists()


def test_a_lock_held_for_long_is_said_after_the_wait(path: Path) -> None:
    filled(path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with Store.open(path, patience=0.2) as store:
        with pytest.raises(StoreError, match="in use by another program") as locked:
            store.append(attempt(9, now=START + timedelta(days=9)))
        assert locked.value.kind == "locked"
        assert len(list(store.events())) == 3  # reading goes on
        holder.execute("COMMIT")
        holder.close()
        store.append(attempt(9, now=START + timedelta(days=9)))


def test_what_could_not_be_stored_is_called_what_it_is(path: Path) -> None:
    with Store.open(path) as store:
        store.append(series(1)[0])
    with Store.open(path, read_only=True) as store:
        now = series(1)[0].time
        for event, what in (
            (SettingChange(identity(now, 8), now, 0, "fuzz", value=False), "setting"),
            (Mark(identity(now, 9), now, 0, "core", "q", "flag", value=True), "mark"),
            (series(2)[1], "answer"),
        ):
            with pytest.raises(StoreError, match=f"^Storing your {what} failed"):
                store.append(event)
