"""Construction of batches: their intake and the runner that processes them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from timbra.accounts.store.account_repository import AccountRepository
from timbra.batches.archive import BatchLimits
from timbra.batches.batches import BatchService
from timbra.batches.runner import BatchRunner
from timbra.batches.store.repository import BatchRepository
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.pools import AccountPools, RunInThread

if TYPE_CHECKING:
    from collections.abc import Callable

    from timbra.accounts.services import AccountServices
    from timbra.app.stores import Stores
    from timbra.documents.services import DocumentServices
    from timbra.operations.services import OperationsServices
    from timbra.settings import Settings
    from timbra.stamping.services import StampingServices
    from timbra.stamps.port import StampRecord

FOLDER = "batches"


def batch_service(container: Stores, documents: DocumentServices) -> BatchService:
    """Build the intake of batches."""
    settings = container.settings
    repository = BatchRepository(container.database, container.wall)
    return BatchService(
        repository,
        _limits(settings),
        settings.batch_max_queued,
        documents.signed_links,
        container.data / FOLDER,
        container.wall,
    )


def batch_runner(
    container: Stores,
    stamping: StampingServices,
    documents: DocumentServices,
    accounts: AccountServices,
    operations: OperationsServices,
) -> BatchRunner:
    settings, repository = container.settings, AccountRepository()

    def caller(account_id: int) -> Caller:
        with container.database.read() as transaction:
            account = repository.find_by_id(transaction, account_id)
        if account is None:
            raise ServiceError("AU2002")
        return accounts.accounts.caller_for(account.user)

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
        operations.rejections,
        _threads(container),
        container.data / FOLDER,
        timedelta(hours=settings.batch_result_hours),
        container.wall,
        container.metrics,
    )


def _threads(container: Stores) -> Callable[[int], RunInThread]:
    return lambda account_id: AccountPools(container.pools, str(account_id)).run_database


def _limits(settings: Settings) -> BatchLimits:
    return BatchLimits(
        settings.batch_max_bytes, settings.batch_max_files, settings.batch_max_unpacked_bytes, settings.max_body_bytes
    )
