"""Construction of the reconciliations that accounts order, from the container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.database.build import opened_database
from timbra.received.build import document_store
from timbra.received.reconciliation.run_models import StoredReconciliation
from timbra.received.reconciliation.run_store import RunRepository
from timbra.received.reconciliation.runs import ReconciliationRunner, ReconciliationRuns
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob

if TYPE_CHECKING:
    from timbra.received.reconciliation.engine import Reconciliation


def reconciliation_runs(container: Container) -> ReconciliationRuns:
    """Build the intake of reconciliations."""
    repository = RunRepository(container.get(opened_database), container.wall)
    fiscal, days = container.get(fiscal_clock), container.settings.received_days
    return ReconciliationRuns(repository, container.wall, fiscal, days)


def reconciliation_runner(container: Container) -> ReconciliationRunner:
    """Build what runs reconciliations."""
    database = container.get(opened_database)
    store = container.get(document_store)

    def read_account(run: StoredReconciliation, found: Reconciliation) -> None:
        from timbra.received.reconciliation.ledger import Ledger
        from timbra.received.reconciliation.stored_source import StoredDocuments

        if run.options.with_ledger:
            Ledger(database, run.account_id).read(found.workspace)
        if run.options.with_stored:
            StoredDocuments(store, run.account_id).read(found.workspace)

    return ReconciliationRunner(RunRepository(database, container.wall), read_account, container.metrics)


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    return [
        PeriodicJob("reconciliations", 1, container.get(reconciliation_runner).run_due, idle_seconds=4),
        once_in_cluster(container, "expire reconciliations", 3600, container.get(reconciliation_runs).expire),
    ]


SERVICES = {ReconciliationRuns: reconciliation_runs}
JOBS = FeatureJobs(delivery=_delivery_jobs)
