"""What a real house says is missing, one thing at a time."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from timbra.settings import Settings
from timbra.snapshot import locate
from timbra.store.tables.accounts import SECRET
from timbra.wiring import House, open_house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Over a snapshot of its own."""
    shutil.copytree(locate(None), tmp_path / "snapshot")
    with open_house(Settings(data=tmp_path / "data", snapshot=tmp_path / "snapshot")) as opened:
        _ = opened.accounts, opened.registry
        yield opened


def missing(house: House) -> list[str]:
    return list(asyncio.run(house.condition.missing()))


def test_nothing_is_missing(house: House) -> None:
    assert missing(house) == []


def test_a_cut_file_of_the_snapshot(house: House) -> None:
    name = next(iter(house.snapshot.manifest.files))
    house.snapshot.path(name).write_bytes(b"")
    assert missing(house) == ["los datos del SAT no se pueden leer"]


def test_a_snapshot_that_is_gone(house: House) -> None:
    shutil.rmtree(house.snapshot.root)
    assert missing(house) == ["los datos del SAT no se pueden leer"]


def test_a_secret_that_the_master_key_does_not_open(house: House) -> None:
    with house.database.write() as connection:
        connection.execute(update(SECRET).values(sealed=b"of another key"))
    assert missing(house) == ["la llave maestra no abre lo guardado"]


def test_a_database_that_is_gone(house: House, tmp_path: Path) -> None:
    house.database.close()
    for file in (tmp_path / "data").glob("timbra.db*"):
        file.unlink()
    (tmp_path / "data" / "timbra.db").mkdir()
    assert missing(house)[0] == "la base de datos no responde"
