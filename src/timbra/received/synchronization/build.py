"""Construction of the download of documents from the SAT, from the container."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from timbra.accounts.certificates import efirma_vault
from timbra.container import Container
from timbra.container.build import data_folder, fiscal_clock
from timbra.core.errors import ServiceError
from timbra.core.retry import Backoff
from timbra.database.build import opened_database
from timbra.database.leases import Leases
from timbra.events.build import audit_writer
from timbra.received.build import document_store, examiner
from timbra.received.documents.watch import ISSUERS_JOB_SECONDS, STATUS_JOB_SECONDS, DocumentWatch
from timbra.received.synchronization.calls import BulkCalls, Pacing
from timbra.received.synchronization.downloads import PackageWork
from timbra.received.synchronization.engine import Synchronizer
from timbra.received.synchronization.packages import PackageStorage
from timbra.received.synchronization.requests import RequestWork
from timbra.received.synchronization.service import SyncRunner, SyncService
from timbra.received.synchronization.store import SyncRepository
from timbra.sat.build import bulk_addresses
from timbra.sat.bulk_download_client import BulkDownloadClient
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.ports import direct_status_service
from timbra.sat.transport import Transport
from timbra.validation.build import validation_services
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob

PACKAGES = "received-packages"
JOB_SECONDS = 15


def sync_repository(container: Container) -> SyncRepository:
    """Build the storage of synchronizations."""
    return SyncRepository(container.get(opened_database))


def bulk_transport(container: Container) -> Transport:
    """Build the connections to the bulk download, with the first call: its library takes long to import."""
    transport = Transport()
    container.closing.callback(transport.close)
    return transport


def bulk_client(container: Container) -> Callable[[int, str, str], BulkDownloadClient]:
    """Return a function that returns the client of an account, an RFC and a kind of document."""
    settings, addresses = container.settings, bulk_addresses(container.settings)
    breakers = {kind: CircuitBreaker() for kind in addresses}

    def client(account_id: int, rfc: str, kind: str) -> BulkDownloadClient:
        if kind not in addresses:
            raise ServiceError("TB4006", "No están configuradas las direcciones de la descarga masiva del SAT.")
        credential = container.get(efirma_vault).credential(account_id, rfc)
        if not credential.certificate.is_valid_at(container.wall.now()):
            raise ServiceError("certificate-expired", "La e.firma no está vigente.")
        seconds = settings.sat_bulk_timeout_seconds
        transport = container.get(bulk_transport)
        return BulkDownloadClient(
            addresses[kind], lambda: credential, transport, breakers[kind], container.wall, seconds
        )

    return client


def request_work(container: Container) -> RequestWork:
    """Build what sends requests."""
    pacing, audit = container.get(sync_pacing), container.get(audit_writer)
    calls = BulkCalls(container.get(bulk_client), audit, container.wall, container.metrics, pacing)
    return RequestWork(container.get(sync_repository), calls)


def sync_pacing(container: Container) -> Pacing:
    """Return the pauses of the calls; an emulator answers a sandbox in seconds."""
    if container.environment.is_sandbox:
        return Pacing(Backoff(1, 5), Backoff(1, 60))
    return Pacing()


def synchronizer(container: Container) -> Synchronizer:
    """Build the download for one taxpayer; its validation needs the rules."""
    get = container.get
    repository, requests = get(sync_repository), get(request_work)
    storage = PackageStorage(get(document_store), get(examiner), container.wall, container.metrics)
    packages = PackageWork(repository, requests.calls, requests, storage, get(data_folder) / PACKAGES)
    return Synchronizer(repository, requests.calls, requests, packages, get(fiscal_clock))


def sync_service(container: Container) -> SyncService:
    """Build what users do with synchronizations."""
    get = container.get
    kinds = tuple(bulk_addresses(container.settings))
    audit, fiscal = get(audit_writer), get(fiscal_clock)
    return SyncService(get(sync_repository), get(request_work), get(efirma_vault), audit, container.wall, fiscal, kinds)


def sync_runner(container: Container) -> SyncRunner:
    """Build the runs of this process."""
    leases = Leases(container.get(opened_database), container.wall)
    return SyncRunner(container.get(sync_repository), lambda: container.get(synchronizer), leases, container.wall)


def document_watch(container: Container) -> DocumentWatch:
    """Build the watch of received documents."""
    get = container.get
    return DocumentWatch(
        get(document_store),
        get(sync_repository).received_by,
        lambda: get(direct_status_service),
        get(validation_services).taxpayer_lookup,
        get(fiscal_clock),
        container.settings.received_status_per_hour,
    )


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    if not bulk_addresses(container.settings):
        return []
    return [
        PeriodicJob("received", JOB_SECONDS, container.get(sync_runner).run_all),
        once_in_cluster(
            container, "received statuses", STATUS_JOB_SECONDS, lambda: container.get(document_watch).query_statuses()
        ),
        once_in_cluster(
            container, "received issuers", ISSUERS_JOB_SECONDS, lambda: container.get(document_watch).check_issuers()
        ),
    ]


def _warnings(container: Container) -> Sequence[str]:
    """Return what an operator must see to about downloads, in Spanish."""
    return container.get(sync_service).problems()


SERVICES = {SyncService: sync_service, SyncRunner: sync_runner, DocumentWatch: document_watch}
JOBS = FeatureJobs(delivery=_delivery_jobs)
WARNINGS = (_warnings,)
