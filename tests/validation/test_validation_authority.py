"""Validation with the services of the SAT: their responses, and the report when they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute
from tests.support.sat_services import WRONG, SatServices, sat_services

from timbra.core.retry import RetryPolicy
from timbra.examples import ingreso
from timbra.rules.engine.ports import ReferenceData
from timbra.sandbox.build import sandbox_services
from timbra.sat.certificate_repository import SatCertificateRepository, place
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.sat.status import SatStatus
from timbra.sat.transport import Transport
from timbra.seals.certificates.trust_store import TrustStore
from timbra.stamping.build import stamping_services
from timbra.validation.models import ReportEntry, ReportEntryKind, ValidationReport
from timbra.validation.validation import ValidationService

GOOD = "S - Comprobante obtenido satisfactoriamente"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SatServices]:
    with sat_services(tmp_path_factory.mktemp("files")) as running:
        yield running


@pytest.fixture(scope="module")
def stamped_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("sandbox") / "data")
    sandbox_app.store(sandbox_app.mint())
    yield sandbox_app
    sandbox_app.container.close()


@pytest.fixture(scope="module")
def stamped(stamped_app: SandboxApp) -> bytes:
    return stamped_app.issue(ingreso(fecha=FECHA).encode()).cfdi.encode()


def report(sandbox_app: SandboxApp, xml: bytes, url: str = "", **settings: Any) -> ValidationReport:
    """Validate in a sandbox with the status service at the address, or with its ledger without one."""
    from timbra.sat.build import sat_status

    changes = {"sat_status_url": url, "sat_attempts": 1, "sat_timeout_seconds": 60.0, **settings}
    chosen = sandbox_app.container.settings.model_copy(update=changes)
    authority = (
        sat_status(chosen, sandbox_app.container.wall) if url else sandbox_app.container.get(sandbox_services).ledger
    )
    validation = ValidationService(
        sandbox_app.container.get(stamping_services).checks, authority, None, chosen.sat_timeout_seconds
    )
    return asyncio.run(validation.validate(xml, with_status=True))


def warnings(report: ValidationReport) -> list[ReportEntry]:
    return [entry for entry in report.entries if entry.kind is ReportEntryKind.WARNING]


def test_validate_returns_texts_of_status_service(
    stamped_app: SandboxApp, stamped: bytes, services: SatServices
) -> None:
    found = report(stamped_app, stamped, f"{services.address}/answer/well")
    assert (found.status_sat, found.status_code_sat) == ("Vigente", GOOD)
    assert (found.is_cancelable, found.status_cancelation) == ("Cancelable con aceptación", "En proceso")
    assert (found.efos, found.wrong, warnings(found)) == ("200", False, [])


def test_validate_queries_status_of_this_document(
    stamped_app: SandboxApp, stamped: bytes, services: SatServices
) -> None:
    found = report(stamped_app, stamped, f"{services.address}/answer/well")
    body = services.seen()["body"]
    assert f"&amp;id={found.uuid}&amp;fe=" in body
    assert "?re=EKU9003173C9&amp;rr=URE180429TM6&amp;tt=" in body


def test_validate_warns_of_issuer_in_efos_list(stamped_app: SandboxApp, stamped: bytes, services: SatServices) -> None:
    found = report(stamped_app, stamped, f"{services.address}/answer/listed")
    (entry,) = warnings(found)
    assert (found.efos, entry.code, entry.found) == ("100", "EFOS", "100")
    assert "69-B" in (entry.detail or "")
    assert not found.wrong


@pytest.mark.parametrize("kind", [*WRONG, "gzip", "hangup"])
def test_validate_leaves_status_empty_when_authority_fails(
    stamped_app: SandboxApp, stamped: bytes, services: SatServices, kind: str
) -> None:
    wrong = with_attribute(stamped, "UsoCFDI", "NO")
    found = report(stamped_app, wrong, f"{services.address}/answer/{kind}")
    silent = (found.status_sat, found.status_code_sat, found.is_cancelable, found.status_cancelation, found.efos)
    assert silent == (None,) * 5
    (entry,) = warnings(found)
    assert "La autoridad no respondió" in (entry.detail or "")
    assert "No hay una respuesta anterior." in (entry.detail or "")
    offline = report(stamped_app, wrong)
    assert [entry for entry in found.entries if entry.code] == [entry for entry in offline.entries if entry.code]
    assert found.wrong


@pytest.mark.parametrize("kind", ["silent", "drip"])
def test_validate_times_out_on_slow_authority(
    stamped_app: SandboxApp, stamped: bytes, services: SatServices, kind: str
) -> None:
    found = report(stamped_app, stamped, f"{services.address}/answer/{kind}", sat_timeout_seconds=0.2)
    assert (found.status_sat, found.wrong) == (None, False)
    assert "a tiempo" in (warnings(found)[0].detail or "")


class Meeting:
    """An authority and reference data that wait for each other; they continue only when they run concurrently."""

    def __init__(self, reference_data: ReferenceData) -> None:
        self._reference_data = reference_data
        self.queried, self.evaluated = Event(), Event()

    def status(self, query: StatusQuery) -> FiscalStatus:
        self.queried.set()
        assert self.evaluated.wait(20), "the document is evaluated meanwhile"
        return FiscalStatus("Vigente", GOOD, None, "")

    def reference_data(self) -> ReferenceData:
        assert self.queried.wait(20), "the authority is queried before the document is evaluated"
        self.evaluated.set()
        return self._reference_data


def test_validate_queries_authority_concurrently(stamped_app: SandboxApp, stamped: bytes) -> None:
    tools = stamped_app.container.get(stamping_services).checks
    meeting = Meeting(tools.reference_data())
    tools = replace(tools, reference_data=meeting.reference_data, known_reference_data=lambda: None)
    validation = ValidationService(tools, meeting)
    assert asyncio.run(validation.validate(stamped, with_status=True)).status_sat == "Vigente"


def test_validate_reports_cached_status_with_its_age(
    stamped_app: SandboxApp, stamped: bytes, services: SatServices
) -> None:
    from timbra.sat.build import sat_status

    changes = {"sat_status_url": f"{services.address}/answer/well", "sat_attempts": 1}
    authority = sat_status(stamped_app.container.settings.model_copy(update=changes), stamped_app.container.wall)
    validation = ValidationService(stamped_app.container.get(stamping_services).checks, authority)
    assert asyncio.run(validation.validate(stamped, with_status=True)).status_sat == "Vigente"
    assert isinstance(authority.cfdi, SatStatus)
    authority.cfdi._service._url = f"{services.address}/answer/500"
    found = asyncio.run(validation.validate(stamped, with_status=True))
    assert found.status_sat is None
    assert "La última respuesta, de hace" in (warnings(found)[0].detail or "")
    assert "fue Vigente." in (warnings(found)[0].detail or "")


def test_validate_warns_without_status_service(stamped_app: SandboxApp, stamped: bytes) -> None:
    validation = ValidationService(stamped_app.container.get(stamping_services).checks, None)
    found = asyncio.run(validation.validate(stamped, with_status=True))
    assert (found.status_sat, found.status_code_sat) == (None, None)
    assert "no hay un servicio" in (warnings(found)[0].detail or "")


def test_validate_sends_no_query_for_incomplete_document(stamped_app: SandboxApp, services: SatServices) -> None:
    path = "/answer/1-unstamped"
    found = report(stamped_app, ingreso(fecha=FECHA).encode(), f"{services.address}{path}")
    assert (found.status_sat, services.request_count(path)) == ("No Encontrado", 0)


class Repository:
    """Validation in a container that trusts the sandbox's authority and finds its provider in a repository only."""

    def __init__(self, sandbox_app: SandboxApp, url: str, folder: Path) -> None:
        trust = TrustStore((), ()).with_authority(sandbox_app.container.get(sandbox_services).authority_ca.certificate)
        retry = RetryPolicy(seconds=5, attempts=1)
        repository = SatCertificateRepository(f"{url}/rccf", folder, trust, Transport(), CircuitBreaker(), retry)
        self.validation = ValidationService(
            replace(sandbox_app.container.get(stamping_services).checks, trust=trust), None, repository
        )

    def stamp_codes(self, xml: bytes) -> tuple[set[str | None], set[str | None]]:
        """Return the codes of errors and of checks that were not evaluated in the section of the stamp."""
        found = asyncio.run(self.validation.validate(xml, with_status=False))
        section = next(section for section in found.sections if section.title == "Timbre fiscal digital")
        errors: set[str | None] = {entry.code for entry in section.entries if entry.kind is ReportEntryKind.ERROR}
        return errors, {rule.code for rule in section.not_evaluated}


def test_validate_gets_certificate_of_new_provider(stamped_app: SandboxApp, stamped: bytes, tmp_path: Path) -> None:
    provider = stamped_app.container.get(sandbox_services).authority_ca.provider.certificate
    (tmp_path / f"{provider.number}.cer").write_bytes(provider.der)
    with sat_services(tmp_path) as running:
        container = Repository(stamped_app, running.address, tmp_path / "kept")
        assert container.stamp_codes(stamped) == (set(), set())
        assert container.stamp_codes(with_attribute(stamped, "RfcProvCertif", "AAA010101AAA")) == ({"TFD11303"}, set())
        assert running.request_count(f"/rccf/{place(provider.number)}") == 1


def test_validate_reports_unknown_provider(
    stamped_app: SandboxApp, stamped: bytes, tmp_path: Path, services: SatServices
) -> None:
    container = Repository(stamped_app, services.address, tmp_path / "kept")
    assert container.stamp_codes(stamped) == ({"TFD-PROVEEDOR"}, {"TFD11303"})


def test_validate_does_not_evaluate_stamp_when_repository_fails(
    stamped_app: SandboxApp, stamped: bytes, tmp_path: Path
) -> None:
    container = Repository(stamped_app, "http://127.0.0.1:9", tmp_path / "kept")
    assert container.stamp_codes(stamped) == (set(), {"TFD-PROVEEDOR", "TFD11303"})
