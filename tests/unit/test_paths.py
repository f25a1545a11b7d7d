"""Where things lie: the person's choice first, then the platform's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from quiz import paths

FOLDERS = [("SHARDWISE_DATA", paths.data_folder), ("SHARDWISE_CACHE", paths.cache_folder)]


@pytest.mark.parametrize(("variable", "folder"), FOLDERS)
def test_the_environment_chooses_first(
    variable: str, folder: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert callable(folder)
    monkeypatch.setenv(variable, str(tmp_path / "here"))
    assert folder() == tmp_path / "here"


def test_a_relative_choice_counts_from_the_current_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHARDWISE_DATA", "mine")
    assert paths.data_folder() == tmp_path / "mine"


def test_a_tilde_is_the_persons_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHARDWISE_DATA", "~/mine")
    assert paths.data_folder() == tmp_path / "mine"


def test_an_empty_choice_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARDWISE_DATA", "")
    assert paths.data_folder().name == "shardwise"
    assert paths.data_folder().is_absolute()


def test_data_and_cache_are_two_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache is deleted without a thought; a history must never lie in it."""
    monkeypatch.delenv("SHARDWISE_DATA")
    monkeypatch.delenv("SHARDWISE_CACHE")
    data, cache = paths.data_folder(), paths.cache_folder()
    assert not data.is_relative_to(cache)
    assert not cache.is_relative_to(data)


def test_naming_a_folder_does_not_make_it(tmp_path: Path) -> None:
    assert not paths.data_folder().exists()
    assert not paths.cache_folder().exists()
    assert tmp_path.exists()


def test_a_checkout_has_its_questions_beside_the_program() -> None:
    assert paths.bundled_bank() == Path(paths.__file__).resolve().parent.parent / "questions"


def test_an_installed_bank_goes_before_what_lies_beside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "quiz" / "_bank").mkdir(parents=True)
    (tmp_path / "questions").mkdir()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "quiz")
    assert paths.bundled_bank() == tmp_path / "quiz" / "_bank"


def test_a_folder_of_somebody_else_is_not_taken_for_the_bank(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In site-packages a folder named `questions` belongs to another distribution."""
    (tmp_path / "questions").mkdir()
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "quiz")
    with pytest.raises(paths.BankMissingError, match="Install Shardwise again") as caught:
        paths.bundled_bank()
    assert str(tmp_path / "quiz" / "_bank") in str(caught.value)
