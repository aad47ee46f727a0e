"""`timbra manifest` on a data folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.data_folder import DataShell


@pytest.fixture
def shell(tmp_path: Path) -> DataShell:
    return DataShell(tmp_path)


def test_manifest_is_stored_listed_and_removed(shell: DataShell) -> None:
    signed = shell.folder / "manifiesto.pdf"
    signed.write_bytes(b"%PDF-1.7")
    digest = shell.run("manifest", "add", "eku9003173c9", signed, "--signed", "2026-11-20").stdout.strip()
    [line] = shell.run("manifest", "list").stdout.splitlines()
    assert line.split("\t")[::4] == ["EKU9003173C9", digest]
    assert [shell.run("manifest", "remove", "EKU9003173C9").exit_code for _ in range(2)] == [0, 1]
