"""Health checks of a container, one failure at a time."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import update

from timbra.accounts.build import account_services
from timbra.app.composition import Container, build_container, open_container
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.tables.accounts import SECRET
from timbra.delivery.build import delivery_backlog
from timbra.operations.build import operations_services
from timbra.operations.clock_discipline import ClockReading
from timbra.operations.health import HealthChecks
from timbra.operations.health_checks import checks
from timbra.operations.watches import clock_discipline
from timbra.sandbox.build import sandbox_services
from timbra.settings import Settings
from timbra.snapshot import locate
from timbra.snapshot.opening import opened_snapshot


@pytest.fixture
def container(tmp_path: Path) -> Iterator[Container]:
    """Return a container with its own copy of the snapshot."""
    shutil.copytree(locate(None), tmp_path / "snapshot")
    with open_container(Settings(data=tmp_path / "data", snapshot=tmp_path / "snapshot")) as opened:
        _ = opened.get(account_services).accounts, opened.get(sandbox_services).registry
        yield opened


def missing(container: Container) -> list[str]:
    return list(asyncio.run(container.get(operations_services).health_checks.failing()))


def test_readiness_passes_when_everything_is_available(container: Container) -> None:
    assert missing(container) == []


def test_readiness_fails_when_a_snapshot_file_is_truncated(container: Container) -> None:
    name = next(iter(container.get(opened_snapshot).manifest.files))
    container.get(opened_snapshot).path(name).write_bytes(b"")
    assert missing(container) == ["los datos del SAT no se pueden leer"]


def test_readiness_fails_when_the_snapshot_is_missing(container: Container) -> None:
    shutil.rmtree(container.get(opened_snapshot).root)
    assert missing(container) == ["los datos del SAT no se pueden leer"]


def test_readiness_fails_when_the_master_key_does_not_decrypt(container: Container) -> None:
    with container.get(opened_database).write() as connection:
        connection.execute(update(SECRET).values(sealed=b"of another key"))
    assert missing(container) == ["la llave maestra no abre lo guardado"]


def test_readiness_fails_when_the_database_is_missing(container: Container, tmp_path: Path) -> None:
    container.get(opened_database).close()
    for file in (tmp_path / "data").glob("timbra.db*"):
        file.unlink()
    (tmp_path / "data" / "timbra.db").mkdir()
    assert missing(container) == ["la base de datos no responde"]


def test_readiness_fails_when_the_disk_is_full(container: Container, monkeypatch: pytest.MonkeyPatch) -> None:
    required = container.settings.min_free_disk_bytes
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=required - 1))
    assert missing(container) == ["el disco de los datos está lleno"]


def test_readiness_passes_with_the_required_free_space(container: Container, monkeypatch: pytest.MonkeyPatch) -> None:
    required = container.settings.min_free_disk_bytes
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=required))
    assert missing(container) == []


def production(folder: Path, **settings: Any) -> Container:
    return build_container(Settings(data=folder, environment="production", **settings))


def test_readiness_fails_while_the_database_is_full(tmp_path: Path) -> None:
    container = production(tmp_path, list_max_age_hours="")
    assert missing(container) == []
    full = ServiceError("CO1000", "La base de datos no tiene espacio.")
    with pytest.raises(ServiceError), container.get(opened_database).writes.noted():
        raise full
    assert list(HealthChecks(checks(container), container.get(delivery_backlog)).run_checks()) == [
        "la base de datos no admite escrituras"
    ]
    container.close()


def test_readiness_fails_in_production_without_lists(tmp_path: Path) -> None:
    container = production(tmp_path)
    assert missing(container) == ["las listas del SAT no son vigentes"]
    container.close()


def test_readiness_is_degraded_without_lists_by_a_setting(tmp_path: Path) -> None:
    container = production(tmp_path, stale_lists="degraded", clock_check="off")
    assert missing(container) == []
    assert asyncio.run(container.get(operations_services).health_checks.warnings()) == [
        "No se ha importado la lista LCO.",
        "No se ha importado la lista l_RFC.",
    ]
    container.close()


def test_readiness_fails_in_production_with_an_unsynchronized_clock(tmp_path: Path) -> None:
    container = production(tmp_path, list_max_age_hours="", clock_check="unready")
    container.get(clock_discipline).read = lambda: ClockReading(False, 0.0, 16.0)
    assert missing(container) == ["el reloj no está sincronizado"]
    container.get(clock_discipline).read = lambda: ClockReading(True, 0.0, 0.2)
    assert list(HealthChecks(checks(container), container.get(delivery_backlog)).run_checks()) == []
    container.close()
