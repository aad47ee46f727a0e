"""Construction of the validation of received CFDI, from the container."""

from __future__ import annotations

from timbra.container import Container
from timbra.database.build import opened_database
from timbra.evaluation.build import document_processes
from timbra.pools.coroutines import run_coroutine
from timbra.received.examination import (
    MAX_MEMBERS,
    ExaminedEntry,
    Examiner,
    examine_entries,
    read_metadata_lines,
)
from timbra.received.files import Entry, Listing, UploadedFile, list_entries
from timbra.received.store import ReceivedRepository
from timbra.received.uploads import ChildWork, ReceivedValidation
from timbra.validation.build import validation_services
from timbra.validation.services import ValidationServices
from timbra.web.injection import Groups
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob


def list_in_child(_groups: Groups, files: tuple[UploadedFile, ...]) -> Listing:
    """List the documents of uploaded files; runs in the child."""
    return list_entries(files, MAX_MEMBERS)


def examine_in_child(
    groups: Groups, entries: tuple[Entry, ...], account: str, require_stamp: bool, leniency: str | None = None
) -> list[ExaminedEntry]:
    """Examine documents; runs in the child."""
    return run_coroutine(examine_entries(_examiner(groups), entries, account, require_stamp, leniency))


def metadata_in_child(groups: Groups, entry: Entry, start: int) -> list[ExaminedEntry] | None:
    """Read lines of a metadata file; runs in the child."""
    return read_metadata_lines(_examiner(groups), entry, start)


def _examiner(groups: Groups) -> Examiner:
    services: ValidationServices = groups[ValidationServices]()
    return Examiner(services.validation, services.taxpayer_lookup)


CHILD_WORK = ChildWork(list_in_child, examine_in_child, metadata_in_child)
"""The functions that `ReceivedValidation` runs in child processes."""


def received_validation(container: Container) -> ReceivedValidation:
    """Build the validation of uploaded documents that accounts received."""
    validation = container.get(validation_services)
    return ReceivedValidation(
        ReceivedRepository(container.get(opened_database)),
        Examiner(validation.validation, validation.taxpayer_lookup),
        container.get(document_processes),
        CHILD_WORK,
        container.wall,
        container.settings.received_days,
        container.metrics,
    )


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    return [once_in_cluster(container, "expire received", 3600, container.get(received_validation).expire)]


SERVICES = {ReceivedValidation: received_validation}
JOBS = FeatureJobs(delivery=_delivery_jobs)
