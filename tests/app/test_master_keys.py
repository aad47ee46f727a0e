"""A node of an existing database with a missing or another master key: one sentence, and nothing is written."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.forked_program import run

from timbra.accounts.build import account_services, envelope_encryption
from timbra.app.composition import open_container
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.tables.accounts import SECRET
from timbra.settings import Settings

OTHER_KEY = base64.b64encode(b"another key of thirty-two bytes!").decode()


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Return the settings of a database whose first node has started."""
    if request.param == "sqlite":
        yield started(Settings(data=tmp_path / "data"))
        return
    need_postgresql()
    with postgresql_database() as url:
        yield started(Settings(data=tmp_path / "data", database_url=url))


def started(settings: Settings) -> Settings:
    with open_container(settings) as container:
        _ = container.get(account_services).accounts
    return settings


def secrets(settings: Settings) -> object:
    with open_container(settings) as container, container.get(opened_database).read() as connection:
        return sorted(map(tuple, connection.execute(SECRET.select())))


def reason(settings: Settings) -> str:
    with open_container(settings) as container, pytest.raises(ServiceError, match="master-key-invalid") as found:
        _ = container.get(account_services).accounts
    return found.value.detail or ""


def run_timbra(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {"TIMBRA_DATA": str(settings.data), "TIMBRA_DATABASE_URL": settings.database_url}
    variables |= {"TIMBRA_MASTER_KEY": settings.master_key} if settings.master_key else {}
    return run("timbra.cli", *arguments, environment={**os.environ, **variables})


def test_a_missing_master_key_is_not_replaced_by_a_new_one(settings: Settings) -> None:
    (settings.data / "master.key").unlink()
    before = secrets(settings)
    for _ in range(2):
        assert f"{settings.data / 'master.key'} no existe" in reason(settings)
    assert not (settings.data / "master.key").exists()
    assert secrets(settings) == before


def test_another_master_key_is_rejected_and_nothing_is_written(settings: Settings) -> None:
    before = secrets(settings)
    other = settings.model_copy(update={"master_key": OTHER_KEY})
    assert "otra llave maestra" in reason(other)
    assert secrets(settings) == before


def test_the_previous_master_key_opens_the_database(settings: Settings) -> None:
    previous = (settings.data / "master.key").read_text().strip()
    rotated = settings.model_copy(update={"master_key": OTHER_KEY, "previous_master_keys": previous})
    with open_container(rotated) as container:
        assert container.get(envelope_encryption).has_key_of(secrets(settings)[0][1])  # type: ignore[index]


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("account", "list")], ids=lambda parts: parts[0])
@pytest.mark.parametrize("key", ["", OTHER_KEY], ids=["missing", "other"])
def test_commands_end_with_one_sentence(settings: Settings, command: tuple[str, ...], key: str) -> None:
    (settings.data / "master.key").unlink()
    done = run_timbra(settings.model_copy(update={"master_key": key}), *command)
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert "llave maestra" in line
    assert line.count(". ") == 0
    assert not (settings.data / "master.key").exists()
