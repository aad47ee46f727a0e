"""`timbra doctor`: every condition is reported, whatever fails, and the exit code is for scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url
from tests.support.data_folder import create_data
from tests.support.pgbouncer import need_pgbouncer, pgbouncer
from tests.support.postgresql_cluster import cluster, need_cluster
from tests.support.smtp import mail_server
from typer.testing import CliRunner, Result

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.container import Container
from timbra.core.checks import CheckOptions, CheckResult, CheckState
from timbra.core.errors import ServiceError
from timbra.operations.clock_discipline import ClockReading
from timbra.operations.doctor import Doctor
from timbra.operations.watches import clock_discipline
from timbra.settings import Settings
from timbra.stamps.build import stamp_months


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return create_data(tmp_path / "data")


def run(data: Path, *options: str, **environment: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *options, "--data", str(data)], env=environment)


def results(data: Path, *, online: bool = False, **settings: object) -> dict[str, CheckResult]:
    with open_container(Settings.model_validate({"data": data, **settings})) as container:
        container.get(clock_discipline).read = lambda: ClockReading(True, 0.0, 0.01)
        return {found.name: found for found in Doctor(container).run(CheckOptions(online=online))}


def test_doctor_reports_a_sandbox(data: Path) -> None:
    found = results(data)
    assert {result.state for result in found.values()} == {CheckState.OK}, found
    expected = (
        "ambiente, ajustes, datos del SAT, carpeta de datos, base de datos, llave maestra, reloj, nodos, catálogos"
    )
    assert ", ".join(found) == expected
    assert found["base de datos"].detail == "SQLite, ambiente sandbox"


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 3)])
def test_doctor_exits_with_3_for_warnings_when_it_is_strict(data: Path, options: tuple[str, ...], code: int) -> None:
    result = run(data, "--offline", *options, TIMBRA_LOG_LEVLE="debug")
    assert "ajustes\twarning\tTIMBRA_LOG_LEVLE no es un ajuste. ¿Es TIMBRA_LOG_LEVEL?" in result.stdout
    assert result.exit_code == code


def test_doctor_names_settings_of_an_earlier_release(data: Path) -> None:
    result = run(data, "--offline", TIMBRA_SAT_SECONDS="10")
    assert "TIMBRA_SAT_SECONDS es un nombre anterior de TIMBRA_SAT_TIMEOUT_SECONDS." in result.stdout


def test_doctor_prints_json_and_exits_with_1_for_errors(data: Path) -> None:
    result = run(data, "--offline", "--json", TIMBRA_MIN_FREE_DISK_BYTES=str(2**60))
    found = {each["name"]: each for each in json.loads(result.stdout)}
    assert (found["carpeta de datos"]["state"], result.exit_code) == ("error", 1)
    assert found["llave maestra"] == {"name": "llave maestra", "state": "ok", "detail": "abre lo guardado"}


def test_doctor_goes_on_without_the_database(data: Path) -> None:
    result = run(data, "--offline", TIMBRA_DATABASE_URL="postgresql+psycopg://timbra@127.0.0.1:9/absent")
    rows = {row[0]: row[1] for line in result.stdout.splitlines() if (row := line.split("\t"))}
    assert (rows["base de datos"], rows["carpeta de datos"], result.exit_code) == ("error", "ok", 1)
    assert "llave maestra" not in rows
    assert "reloj" in rows


def test_doctor_rejects_a_master_key_of_another_database(data: Path) -> None:
    assert results(data)["llave maestra"].state is CheckState.OK
    found = results(data, master_key="bm90IHRoZSBrZXkgb2YgdGhpcyBkYXRhYmFzZSEhISE=")
    assert found["llave maestra"].state is CheckState.ERROR


def test_doctor_reports_a_defect_as_an_error(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Iterator[CheckResult]:
        raise ZeroDivisionError

    monkeypatch.setattr("timbra.operations.server_checks.DIAGNOSTICS", {"servidor": fail})
    assert results(data)["servidor"] == CheckResult(
        "servidor", CheckState.ERROR, "Falla del programa: ZeroDivisionError()."
    )


def test_doctor_reports_once_what_ends_several_checks_but_not_what_an_ok_one_says(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_container: Container, _options: CheckOptions) -> Iterator[CheckResult]:
        raise ServiceError("CO1000", "igual")

    def says(_container: Container, _options: CheckOptions) -> Iterator[CheckResult]:
        yield CheckResult("primera", CheckState.OK, "igual")

    checks = {"primera": says, "segunda": fails, "tercera": fails}
    monkeypatch.setattr("timbra.operations.server_checks.DIAGNOSTICS", checks)
    found = results(data)
    assert (found["primera"].state, found["segunda"].state) == (CheckState.OK, CheckState.ERROR)
    assert "tercera" not in found


def test_doctor_tries_the_login_of_the_mail_server(data: Path) -> None:
    with mail_server() as server:
        settings = {"smtp_host": "127.0.0.1", "smtp_port": server.port, "smtp_security": "none"}
        assert results(data, online=True, **settings)["correo"].state is CheckState.OK
        assert not server.received
    assert results(data, online=True, **settings)["correo"].state is CheckState.ERROR


def test_doctor_says_how_an_archive_place_fails(data: Path, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("no folder")
    assert results(data, archive_place=str(place))["lugar de los archivos"].state is CheckState.ERROR
    assert results(data, archive_place=str(tmp_path / "archives"))["lugar de los archivos"].state is CheckState.OK


def test_doctor_says_how_a_destination_of_audit_heads_fails(data: Path, tmp_path: Path) -> None:
    absent, present = f"file:{tmp_path}/absent/heads", f"file:{tmp_path}/heads"
    assert results(data, audit_heads=absent)[f"destino de auditoría {absent}"].state is CheckState.ERROR
    assert results(data, audit_heads=present)[f"destino de auditoría {present}"].state is CheckState.OK


def test_doctor_compares_the_clock_of_the_database(data: Path, postgresql_address: str) -> None:
    found = results(data, database_url=postgresql_address)
    assert found["base de datos"].detail.startswith("PostgreSQL ")
    assert "conexión directa" in found["base de datos"].detail
    assert found["reloj de la base de datos"].state is CheckState.OK


def test_doctor_says_that_the_clock_of_the_database_differs(
    data: Path, postgresql_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_container(Settings.model_validate({"data": data, "database_url": postgresql_address})) as container:
        now = container.wall.now
        monkeypatch.setattr(container.wall, "now", lambda: now() + timedelta(seconds=60))
        found = {one.name: one for one in Doctor(container).run(CheckOptions())}["reloj de la base de datos"]
    assert found.state is CheckState.ERROR
    assert "difiere 60.0 s" in found.detail


def test_doctor_tells_settings_of_postgresql_that_can_lose_stamps(data: Path) -> None:
    need_cluster()
    settings = {
        "fsync": "off",
        "full_page_writes": "off",
        "synchronous_commit": "local",
        "synchronous_standby_names": "standby",
        "max_locks_per_transaction": "64",
    }
    with cluster(settings=settings) as server:
        opened = Settings.model_validate({"data": data, "database_url": server.url()})
        with open_container(opened) as container:
            days = (date(2027 + number // 12, number % 12 + 1, 1) for number in range(48))
            container.get(stamp_months).create(days)
            found = [one for one in Doctor(container).run(CheckOptions()) if one.name == "ajustes de PostgreSQL"]
    assert [(one.state.value, one.detail.split(":")[0]) for one in found] == [
        ("error", "fsync = off"),
        ("warning", "full_page_writes = off"),
        ("warning", "synchronous_commit = local"),
        ("warning", "max_locks_per_transaction"),
    ]


@pytest.mark.parametrize(
    ("mode", "state"), [("transaction", CheckState.ERROR), ("statement", CheckState.ERROR), ("session", CheckState.OK)]
)
def test_doctor_tells_the_mode_of_a_pooler(data: Path, postgresql_address: str, mode: str, state: CheckState) -> None:
    need_pgbouncer()
    url = make_url(postgresql_address)
    with pgbouncer(url.port or 5432, mode) as pooler:
        through = url.set(port=pooler.port, host="127.0.0.1").render_as_string(hide_password=False)
        found = results(data, database_url=through)["base de datos"]
    assert found.state is state
    assert f"modo {mode}" in found.detail


def test_doctor_reports_a_pooler_in_transaction_mode(
    data: Path, postgresql_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reject(_: object) -> None:
        raise ServiceError("CO1000", "PgBouncer en modo transaction.")

    monkeypatch.setattr("timbra.database.database.require_session_connections", reject)
    found = results(data, database_url=postgresql_address)
    assert found["base de datos"] == CheckResult("base de datos", CheckState.ERROR, "PgBouncer en modo transaction.")


@pytest.mark.parametrize("url", ["sqlite", "postgresql"])
def test_doctor_warns_of_the_two_person_rule_with_fewer_than_two_administrators(
    data: Path, url: str, request: pytest.FixtureRequest
) -> None:
    settings: dict[str, object] = {"data": data, "two_person_actions": "keys"}
    if url == "postgresql":
        settings["database_url"] = request.getfixturevalue("postgresql_address")
    name = "regla de dos personas"

    with open_container(Settings.model_validate(settings)) as container:
        accounts = container.get(account_services).accounts

        def state() -> str:
            results = {one.name: one for one in Doctor(container).run(CheckOptions())}
            return results[name].state.value

        first = accounts.create("jefa@example.com", "una contraseña larga", "administrator").account_id
        accounts.create("ana@example.com", "una contraseña larga")
        accounts.users.create(first, "leo@example.com", "una contraseña larga", "operator")
        assert state() == "warning"
        accounts.users.create(first, "bea@example.com", "una contraseña larga", "owner")
        assert state() == "ok"
        [leo, bea] = accounts.users.list_users(first)
        accounts.users.remove(first, bea.guid)
        assert (leo.user, state()) == ("leo@example.com", "warning")
        accounts.create("socia@example.com", "una contraseña larga", "administrator")
        assert state() == "ok"
    assert name not in results(data)
