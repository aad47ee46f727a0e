"""The files from npm are those that the project pinned, with their licences."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.browser_assets import ASSETS, CHECKSUMS, FONTS, PORTAL, checksums

FOLDERS = pytest.mark.parametrize("folder", [PORTAL, FONTS], ids=["portal", "fonts"])


def names(folder: Path, licences: bool) -> set[str]:
    return {file.name for file in folder.iterdir() if (file.suffix == ".LICENSE") is licences} - {CHECKSUMS}


@FOLDERS
def test_vendored_files_have_the_pinned_checksums(folder: Path) -> None:
    assert (folder / CHECKSUMS).read_text() == checksums(folder)


@FOLDERS
def test_vendored_files_are_those_of_the_packages(folder: Path) -> None:
    of_packages = {name for asset in ASSETS if asset.folder == folder for name in asset.files.values()}
    sprite = {"icons.svg"} if folder == PORTAL else set()
    assert names(folder, licences=False) == of_packages | sprite


@FOLDERS
def test_every_package_has_its_licence(folder: Path) -> None:
    assert names(folder, licences=True) == {f"{asset.name}.LICENSE" for asset in ASSETS if asset.folder == folder}


def test_checksums_leave_out_licences_and_notice_a_changed_file(tmp_path: Path) -> None:
    (tmp_path / "font.ttf").write_bytes(b"a")
    (tmp_path / "font.LICENSE").write_bytes(b"b")
    before = checksums(tmp_path)
    assert before == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  font.ttf\n"
    (tmp_path / "font.ttf").write_bytes(b"c")
    assert checksums(tmp_path) != before
