"""Editions of catalogs: stored once, in force on all nodes, for both paths of stamping, and reversible."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.accounts.support import MovableClock, rejected
from tests.support.data_folder import create_data
from tests.support.events import list_audit_events
from tests.support.plain_paths import BothPaths, Issued
from typer.testing import CliRunner, Result

from timbra import examples
from timbra._native import STATE
from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.catalogs import SnapshotCatalogs
from timbra.cli.main import app
from timbra.core.checks import CheckOptions
from timbra.database.database import Database, open_database
from timbra.database.tables.operations import CATALOG_EDITION
from timbra.events.audit.audit import Audit
from timbra.lists.catalog_build import catalog_editions
from timbra.lists.catalog_editions import CatalogEditions
from timbra.operations.doctor import Doctor
from timbra.operations.ports import server_health
from timbra.rules.ports import reference_source
from timbra.settings import Settings
from timbra.snapshot import Snapshot, locate, open_snapshot
from timbra.stamping.build import stamping_services

NOW = datetime(2026, 11, 29, 18, tzinfo=UTC)
TODAY = date(2026, 11, 29)
HEADER = ("c_MetodoPago", "Descripción", "Fecha inicio de vigencia", "Fecha fin de vigencia")
PUE = ("PUE", "Pago en una sola exhibición", "2022-01-01", "")
PPD = ("PPD", "Pago en parcialidades o diferido", "2022-01-01", "")
PEX = ("PEX", "Pago en especie", "", "")


@pytest.fixture(scope="module")
def installed() -> Snapshot:
    return open_snapshot(locate(None))


@pytest.fixture
def nodes(database: Database, installed: Snapshot) -> Iterator[tuple[CatalogEditions, CatalogEditions]]:
    """The editions of two processes of different nodes."""
    clock = MovableClock(NOW)
    other = open_database(database.engine.url.render_as_string(hide_password=False))
    made = [CatalogEditions(each, installed, clock, clock, Audit(clock, clock)) for each in (database, other)]
    yield made[0], made[1]
    other.close()


def table(folder: Path, *rows: Sequence[str], name: str = "c_MetodoPago", header: Sequence[str] = HEADER) -> Path:
    file = folder / f"{name}.csv"
    with file.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text).writerows([header, *rows])
    return file


def methods(editions: CatalogEditions) -> str:
    catalogs = editions.current().catalogs
    return " ".join(key for key in catalogs.keys("c_MetodoPago") if catalogs.contains("c_MetodoPago", key, TODAY))


def test_edition_is_in_force_on_all_nodes_and_reversible(
    nodes: tuple[CatalogEditions, CatalogEditions], database: Database, installed: Snapshot, tmp_path: Path
) -> None:
    here, there = nodes
    assert (methods(here), methods(there), there.current().edition) == ("PUE PPD", "PUE PPD", "")
    file = table(tmp_path, PUE, PEX)
    name = here.install(here.prepare([file]), force=True)
    there._database.poll()
    assert (methods(here), methods(there)) == ("PUE PEX", "PUE PEX")
    assert (there.current().edition, there.current().since) == (name, NOW)
    assert there.current().snapshot.version == here.current().snapshot.version != installed.version

    second = there.install(there.prepare([table(tmp_path, PUE, PPD, PEX)]))
    here._database.poll()
    assert (methods(here), methods(there)) == ("PUE PPD PEX", "PUE PPD PEX")
    there.use(name)
    here._database.poll()
    assert (methods(here), here.current().edition) == ("PUE PEX", name)
    here.use("")
    there._database.poll()
    assert (methods(there), there.current().snapshot.version) == ("PUE PPD", installed.version)
    stored, in_force = here.all()
    assert ([each.name for each in stored], in_force.name) == ([name, second], "")
    assert stored[0].summary == {"cfdi40/c_MetodoPago": {"added": 1, "ended": 1}}
    kinds = [event.kind for event in list_audit_events(database) if event.kind.startswith("catalogs.")]
    assert kinds == ["catalogs.installed", "catalogs.used", "catalogs.installed", *["catalogs.used"] * 3]


def test_edition_is_not_stored_when_it_must_be_forced_or_another_one_came_first(
    nodes: tuple[CatalogEditions, CatalogEditions], tmp_path: Path
) -> None:
    here, there = nodes
    file = table(tmp_path, PUE, PPD, PEX)
    for day, detail in (
        (date(2026, 8, 1), "anterior a la vigente, del 2026-08-06"),
        (date(2026, 12, 1), "La edición es del 2026-12-01, que no ha llegado."),
    ):
        error = rejected(here.install, here.prepare([file], published=day))
        assert error.code == "catalog-refused"
        assert detail in (error.detail or "")
    few = here.prepare([table(tmp_path, PUE)])
    assert rejected(here.install, few).detail == "c_MetodoPago tiene 1 de las 2 claves vigentes. Con --force se acepta."
    late = there.prepare([table(tmp_path, PUE, PPD)])
    here.install(here.prepare([table(tmp_path, PUE, PPD, PEX)]))
    assert "otra edición" in (rejected(there.install, late).detail or "")
    assert len(here.all()[0]) == 1
    assert rejected(here.use, "2026-01-01-absent").code == "catalog-unknown"


def test_edition_that_cannot_be_read_leaves_the_one_before_in_force(
    nodes: tuple[CatalogEditions, CatalogEditions], database: Database, tmp_path: Path
) -> None:
    here, there = nodes
    name = here.install(here.prepare([table(tmp_path, PUE, PPD, PEX)]), use=False)
    assert methods(here) == "PUE PPD"
    here.use(name)
    with database.write() as transaction:
        transaction.execute(update(CATALOG_EDITION).values(content=b"damaged"))
    there._database.poll()
    assert (methods(there), there.current().edition) == ("PUE PPD", "")
    assert there.problem == f"La edición {name} de los catálogos no es legible."
    there.use("")
    assert there.current() is not None
    assert there.problem == ""


@pytest.mark.skipif(not STATE.active, reason="without native code no document is plain")
def test_both_paths_accept_a_new_key_and_reject_an_ended_one(tmp_path: Path) -> None:
    paths = BothPaths(tmp_path / "data")
    container = paths.app.container
    editions = container.get(catalog_editions)
    reference = container.get(stamping_services).checks.reference_data
    before = examples.ingreso().encode()
    after = before.replace(b'ClaveUnidad="E48"', b'ClaveUnidad="Z9Z"')
    units = [*editions.current().catalogs.keys("c_ClaveUnidad")]

    def outcomes() -> list[tuple[str, bool]]:
        paths._reference_data = reference()
        found = [paths.compare(document) for document in (before, after)]
        for ordinary, plain in found:
            assert plain is None or plain == ordinary
        return [("" if isinstance(ordinary, Issued) else ordinary, plain is not None) for ordinary, plain in found]

    released = reference().catalogs.version
    assert outcomes() == [("", True), ("CFDI40165", False)]
    rows = [(key,) for key in (*units, "Z9Z") if key != "E48"]
    name = editions.install(editions.prepare([table(tmp_path, *rows, name="c_ClaveUnidad", header=("c_ClaveUnidad",))]))
    assert outcomes() == [("CFDI40165", False), ("", True)]
    [(issued, _)] = [paths.compare(after)]
    assert isinstance(issued, Issued)
    assert issued.claim.record.data_version == editions.current().snapshot.version != released
    editions.use("")
    assert outcomes() == [("", True), ("CFDI40165", False)]
    editions.use(name)
    assert outcomes() == [("CFDI40165", False), ("", True)]
    paths.close()


def test_rules_get_one_edition_for_a_whole_request(tmp_path: Path) -> None:
    with open_container(Settings(data=create_data(tmp_path / "data"))) as container:
        source, editions = container.get(reference_source), container.get(catalog_editions)
        begun = source.current().catalogs
        assert type(begun) is SnapshotCatalogs
        assert source.known() is not None
        editions.install(editions.prepare([table(tmp_path, PUE, PPD, PEX)]))
        assert not begun.contains("c_MetodoPago", "PEX", editions.prepare([table(tmp_path, PUE, PPD)]).days.on)
        assert source.current().catalogs is not begun


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["catalogs", *arguments, "--data", str(data)])


def test_commands_show_install_and_use_an_edition(tmp_path: Path) -> None:
    data = create_data(tmp_path / "data")
    file = table(tmp_path, PUE, PEX)
    shown = run(data, "diff", str(file), "--published", "2026-11-20")
    assert shown.exit_code == 1
    assert "cfdi40/c_MetodoPago\t\t2\t1\t1\t0" in shown.stdout
    assert "c_MetodoPago\tadded\tPEX\tPago en especie" in shown.stdout
    assert "c_MetodoPago tiene 1 de las 2 claves vigentes." in shown.stderr
    found = json.loads(run(data, "diff", str(file), "--json", "--published", "2026-11-20").stdout)
    assert [each["key"] for each in found["tables"][0]["differences"]] == ["PEX", "PPD"]
    rejection = run(data, "install", str(file), "--published", "2026-11-20")
    assert (rejection.exit_code, "Con --force se acepta." in rejection.output) == (1, True)

    installed = run(data, "install", str(file), "--published", "2026-11-20", "--force")
    name = installed.stdout.splitlines()[-1]
    assert (installed.exit_code, name.startswith("2026-11-20-"), name == found["edition"]) == (0, True, True)
    with open_container(Settings(data=data)) as container:
        health = container.get(server_health)()
        assert (health["catalogs_edition"], health["catalogs_since"] is not None) == (name, True)
        checks = {each.name: each.detail for each in Doctor(container).run(CheckOptions())}
        assert checks["catálogos"].startswith(f"{name}, {health['data_version']}, desde ")
    assert run(data, "use", "release").exit_code == 0
    rows = [line.split("\t") for line in run(data, "list").stdout.splitlines()]
    assert [row[:2] for row in rows] == [["release", "in force"], [name, "stored"]]
    assert run(data, "use", "absent").exit_code == 1


def test_forced_edition_needs_a_second_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = create_data(tmp_path / "data")
    monkeypatch.setenv("TIMBRA_TWO_PERSON_ACTIONS", "lists")
    with open_container(Settings(data=data)) as container:
        accounts = container.get(account_services).accounts
        for user in ("jefa@example.com", "socia@example.com"):
            accounts.create(user, "una contraseña larga", "administrator")
    arguments = ["catalogs", "install", str(table(tmp_path, PUE)), "--force", "--data", str(data)]
    person = "jefa@example.com\nuna contraseña larga\n"
    asked = CliRunner().invoke(app, arguments, input=person)
    assert (asked.exit_code, "La solicitud 1 espera" in asked.output) == (1, True)
    confirm = ["approval", "confirm", "1", "--data", str(data)]
    assert CliRunner().invoke(app, confirm, input="socia@example.com\nuna contraseña larga\n").exit_code == 0
    assert CliRunner().invoke(app, arguments).exit_code == 0
