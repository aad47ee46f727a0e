"""Construction of batches, from the container: their intake and the runner that processes them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from timbra.app.jobs import FeatureJobs, once_in_cluster
from timbra.batches.services import BatchServices

if TYPE_CHECKING:
    from collections.abc import Callable

    from timbra.app.container import Container
    from timbra.batches.archive import BatchLimits
    from timbra.batches.runner import BatchRunner
    from timbra.core.caller import Caller
    from timbra.pools import RunInThread
    from timbra.settings import Settings
    from timbra.stamps.port import StampRecord
    from timbra.web.server.periodic_jobs import PeriodicJob

FOLDER = "batches"


def batch_services(container: Container) -> BatchServices:
    """Build the intake of batches."""
    from timbra.batches.batches import BatchService
    from timbra.batches.store.repository import BatchRepository

    settings = container.settings
    return BatchServices(
        BatchService(
            BatchRepository(container.database, container.wall),
            _limits(settings),
            settings.batch_max_queued,
            container.document_services.signed_links,
            container.data / FOLDER,
            container.wall,
        )
    )


def batch_runner(container: Container) -> BatchRunner:
    """Build the runner of batches."""
    from timbra.accounts.store.account_repository import AccountRepository
    from timbra.batches.runner import BatchRunner
    from timbra.batches.store.repository import BatchRepository
    from timbra.core.errors import ServiceError

    stamping, documents = container.stamping_services, container.document_services
    settings, repository, accounts = container.settings, AccountRepository(), container.account_services.accounts

    def caller(account_id: int) -> Caller:
        with container.database.read() as transaction:
            account = repository.find_by_id(transaction, account_id)
        if account is None:
            raise ServiceError("AU2002")
        return accounts.caller_for(account.user)

    def pdf(record: StampRecord, template: str) -> bytes | None:
        return documents.printing.issuer_and_pdf(record, template)[1]

    return BatchRunner(
        BatchRepository(container.database, container.wall),
        stamping.stamping,
        _limits(settings),
        settings.batch_concurrency,
        caller,
        stamping.stamps.by_uuids,
        pdf,
        documents.signed_links,
        container.operations_services.rejections,
        _threads(container),
        container.data / FOLDER,
        timedelta(hours=settings.batch_result_hours),
        container.wall,
        container.fiscal,
        container.metrics,
    )


def _worker_jobs(container: Container) -> list[PeriodicJob]:
    from timbra.web.server.periodic_jobs import PeriodicJob

    async def run() -> None:
        await container.part(batch_runner).run_due()

    return [PeriodicJob("batches", 1, run, in_thread=False, idle_seconds=4)]


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    def expire() -> None:
        container.group(BatchServices).batches.expire()

    return [once_in_cluster(container, "expire batches", 600, expire)]


def _threads(container: Container) -> Callable[[int], RunInThread]:
    from timbra.pools import AccountPools

    return lambda account_id: AccountPools(container.pools, str(account_id)).run_database


def _limits(settings: Settings) -> BatchLimits:
    from timbra.batches.archive import BatchLimits

    return BatchLimits(
        settings.batch_max_bytes, settings.batch_max_files, settings.batch_max_unpacked_bytes, settings.max_body_bytes
    )


SERVICES = {BatchServices: batch_services}
JOBS = FeatureJobs(worker=_worker_jobs, delivery=_delivery_jobs)
