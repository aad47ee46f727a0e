"""Downloads from the emulated SAT: from the login to validated documents, with faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.emulator.bulk_download_support import CFDI, DownloadSandbox
from tests.emulator.bulk_download_support import RETENCIONES as RETENCIONES_PATH
from tests.emulator.emulator_support import running_over
from tests.support.sandbox_app import FECHA, SandboxApp
from tests.support.sat_access import LoginKey
from tests.support.store_records import MovableClock
from tests.support.synchronizing import ANA, SyncTest

from timbra import examples
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.core.clock import WallClock
from timbra.core.retry import Backoff
from timbra.database.database import open_database
from timbra.emulator.options import EmulatorOptions
from timbra.received.synchronization.calls import Pacing
from timbra.sandbox.authority.build import sandbox_cancellations
from timbra.sat.bulk_download_client import BulkAddresses, BulkDownloadClient
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import RequestOrigin
from timbra.sat.transport import Transport
from timbra.seals.signers.memory import MemorySigner
from timbra.validation.build import validation_services

RECEIVER = examples.ROBOTICA.rfc
PATHS = (
    "/Autenticacion/Autenticacion.svc",
    "/SolicitaDescargaService.svc",
    "/VerificaSolicitudDescargaService.svc",
    "/DescargaMasivaService.svc",
)
QUICK = Pacing(Backoff(1, 1, spread=0), Backoff(1, 1, spread=0))


@pytest.fixture(scope="module")
def module_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DownloadSandbox]:
    app = SandboxApp(tmp_path_factory.mktemp("bulk-download") / "data")
    with running_over(app.container) as emulator:
        yield DownloadSandbox(app, emulator)
    app.container.close()


@pytest.fixture
def sandbox(module_sandbox: DownloadSandbox) -> Iterator[DownloadSandbox]:
    yield module_sandbox
    module_sandbox.emulator.emulator.configuration.faults.replace(())
    module_sandbox.emulator.emulator.configuration.change(EmulatorOptions())


@pytest.fixture(scope="module")
def invoices(module_sandbox: DownloadSandbox) -> list[str]:
    """Return the folios of two invoices from KEMPER to ROBOTICA."""
    return [module_sandbox.stamp(), module_sandbox.stamp()]


Sync = Callable[[str], SyncTest]


@pytest.fixture
def sync_of(sandbox: DownloadSandbox, sqlite_address: str, tmp_path: Path) -> Iterator[Sync]:
    """Return a function that builds the synchronization of a taxpayer, three days after the documents."""
    opened, transport = open_database(sqlite_address, "sandbox"), Transport()

    def build(rfc: str) -> SyncTest:
        holder = sandbox.efirma(rfc)
        key = LoginKey(holder.certificate, MemorySigner(holder.key))
        clients: dict[str, BulkDownloadClient] = {}

        def client(_account: int, _rfc: str, kind: str) -> BulkDownloadClient:
            base = CFDI if kind == "cfdi" else RETENCIONES_PATH
            addresses = BulkAddresses(*(sandbox.emulator.url(base + path) for path in PATHS))
            made = BulkDownloadClient(addresses, lambda: key, transport, CircuitBreaker(50), WallClock(), 20)
            return clients.setdefault(kind, made)

        wall = MovableClock()
        wall.advance(days=3)
        validation = sandbox.app.container.get(validation_services).validation
        kinds = ("cfdi", "retenciones")
        return SyncTest(
            opened,
            tmp_path / "packages",
            wall=wall,
            validation=validation,
            rfc=rfc,
            client=client,
            kinds=kinds,
            pacing=QUICK,
        )

    with closing(opened):
        yield build
    transport.close()


def run(syncing: SyncTest) -> None:
    """Run both kinds until nothing is open."""
    for _ in range(200):
        due = syncing.synchronizer.run(ANA, syncing.rfc)
        if all(report.is_complete for report in syncing.service.reports(ANA)):
            return
        assert due is not None
        syncing.wall.instant = max(due, syncing.wall.instant)
    raise AssertionError(syncing.service.reports(ANA))


def test_sync_stores_what_was_stamped(sandbox: DownloadSandbox, invoices: list[str], sync_of: Sync) -> None:
    syncing = sync_of(RECEIVER)
    syncing.start()
    run(syncing)
    found = [syncing.documents.find(ANA, uuid) for uuid in invoices]
    assert [(one.source, one.result, one.status, one.errors) for one in found if one is not None] == [
        ("sat", "valid", "Vigente", 0),
        ("sat", "valid", "Vigente", 0),
    ]
    [first, _] = found
    assert first is not None
    assert (first.receiver_rfc, first.fecha, first.total) == (RECEIVER, FECHA, "232.00")
    assert syncing.service.problems() == []


def test_sync_stores_retenciones(sandbox: DownloadSandbox, sync_of: Sync) -> None:
    uuid = sandbox.stamp(text=examples.retencion(fecha=FECHA))
    syncing = sync_of(examples.KEMPER.rfc)
    syncing.start("2026-11-01", "issued")
    run(syncing)
    found = syncing.documents.find(ANA, uuid)
    assert found is not None
    assert (found.kind, found.has_xml, found.result) == ("retenciones", True, "valid")


def test_sync_finds_a_cancellation(sandbox: DownloadSandbox, sync_of: Sync) -> None:
    uuid = sandbox.stamp()
    syncing = sync_of(RECEIVER)
    syncing.start()
    run(syncing)
    request = Cancelacion(examples.KEMPER.rfc, (Folio(uuid, "02"),))
    sandbox.app.container.get(sandbox_cancellations).cancel(request, b"", RequestOrigin(None, ""))
    syncing.wall.advance(days=8)
    run(syncing)
    found = syncing.documents.find(ANA, uuid)
    assert found is not None
    assert (found.status, found.has_xml) == ("Cancelado", True)
    assert syncing.events() == [("received.cancelled", uuid)]


def test_sync_survives_faults_of_each_service(sandbox: DownloadSandbox, invoices: list[str], sync_of: Sync) -> None:
    for service in ("authentication", "request", "verification", "package"):
        for fault in ("status", "connection-reset", "truncated", "answer-lost", "soap-fault"):
            sandbox.emulator.fault(fault, service=f"download-{service}", times=1)
        if service != "authentication":
            sandbox.emulator.fault("stale-token", service=f"download-{service}", times=1)
    sandbox.options(package_documents=1)
    syncing = sync_of(RECEIVER)
    syncing.start()
    run(syncing)
    assert all(one is not None and one.has_xml for one in (syncing.documents.find(ANA, uuid) for uuid in invoices))
    requests = syncing.repository.newest(ANA, RECEIVER, 50)
    assert len({(one.kind, one.starts, one.ends) for one in requests}) == len(requests)


def test_sync_goes_on_after_a_question_that_is_used_up(
    sandbox: DownloadSandbox, invoices: list[str], sync_of: Sync
) -> None:
    sandbox.options(lifetime_requests=1, lifetime_metadata_requests=1, live_requests="with-packages")
    for _ in range(2):
        syncing = sync_of(RECEIVER)
        syncing.start()
        run(syncing)
    assert all(one is not None and one.has_xml for one in (syncing.documents.find(ANA, uuid) for uuid in invoices))
