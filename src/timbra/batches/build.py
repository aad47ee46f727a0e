"""Construction of batches, from the container: their intake and the runner that processes them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from timbra.accounts.build import account_services
from timbra.accounts.store.account_repository import AccountRepository
from timbra.batches.archive import BatchLimits
from timbra.batches.batches import BatchService
from timbra.batches.runner import BatchRunner
from timbra.batches.store.repository import BatchRepository
from timbra.container import Container
from timbra.container.build import data_folder, fiscal_clock
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.documents.build import document_services
from timbra.operations.build import operations_services
from timbra.pools import AccountPools, RunInThread
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamps.port import StampRecord
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob

FOLDER = "batches"


def batch_service(container: Container) -> BatchService:
    """Build the intake of batches."""
    settings = container.settings
    return BatchService(
        BatchRepository(container.get(opened_database), container.wall),
        _limits(settings),
        settings.batch_max_queued,
        container.get(document_services).signed_links,
        container.get(data_folder) / FOLDER,
        container.wall,
    )


def batch_runner(container: Container) -> BatchRunner:
    """Build the runner of batches."""
    stamping, documents = container.get(stamping_services), container.get(document_services)
    settings, repository, accounts = container.settings, AccountRepository(), container.get(account_services).accounts

    def caller(account_id: int) -> Caller:
        with container.get(opened_database).read() as transaction:
            account = repository.find_by_id(transaction, account_id)
        if account is None:
            raise ServiceError("AU2002")
        return accounts.caller_for(account.user)

    def pdf(record: StampRecord, template: str) -> bytes | None:
        return documents.printing.issuer_and_pdf(record, template)[1]

    return BatchRunner(
        BatchRepository(container.get(opened_database), container.wall),
        stamping.stamping,
        _limits(settings),
        settings.batch_concurrency,
        caller,
        stamping.stamps.by_uuids,
        pdf,
        documents.signed_links,
        container.get(operations_services).rejections,
        _threads(container),
        container.get(data_folder) / FOLDER,
        timedelta(hours=settings.batch_result_hours),
        container.wall,
        container.get(fiscal_clock),
        container.metrics,
    )


def _worker_jobs(container: Container) -> list[PeriodicJob]:
    async def run() -> None:
        await container.get(batch_runner).run_due()

    return [PeriodicJob("batches", 1, run, in_thread=False, idle_seconds=4)]


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    def expire() -> None:
        container.get(batch_service).expire()

    return [once_in_cluster(container, "expire batches", 600, expire)]


def _threads(container: Container) -> Callable[[int], RunInThread]:
    return lambda account_id: AccountPools(container.pools, str(account_id)).run_database


def _limits(settings: Settings) -> BatchLimits:
    return BatchLimits(
        settings.batch_max_bytes, settings.batch_max_files, settings.batch_max_unpacked_bytes, settings.max_body_bytes
    )


SERVICES = {BatchService: batch_service}
JOBS = FeatureJobs(worker=_worker_jobs, delivery=_delivery_jobs)
