"""The default data folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from timbra.core.data_folder import FORMER_DEFAULT, application_data_folder, default_data_folder

HOME = Path("/home/ana")


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "/home/ana/.local/share/timbra"),
        ("linux", {"XDG_DATA_HOME": "/srv/data"}, "/srv/data/timbra"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "/home/ana/.local/share/timbra"),
        ("linux", {"XDG_DATA_HOME": ""}, "/home/ana/.local/share/timbra"),
        ("darwin", {"XDG_DATA_HOME": "/srv/data"}, "/home/ana/Library/Application Support/timbra"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/timbra"),
        ("win32", {}, "/home/ana/AppData/Local/timbra"),
    ],
)
def test_application_data_folder_follows_the_operating_system(
    platform: str, environment: dict[str, str], expected: str
) -> None:
    assert application_data_folder(environment, platform, HOME) == Path(expected)


@pytest.fixture
def new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default folder, which does not exist; the working directory is empty."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "timbra"


def test_default_data_folder_is_the_former_one_while_only_that_exists(new_folder: Path) -> None:
    assert default_data_folder() == new_folder
    FORMER_DEFAULT.mkdir()
    assert default_data_folder() == FORMER_DEFAULT
    new_folder.mkdir(parents=True)
    assert default_data_folder() == new_folder


def test_default_data_folder_is_relative_without_a_home_folder(
    new_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert default_data_folder() == FORMER_DEFAULT
    assert not new_folder.exists()
