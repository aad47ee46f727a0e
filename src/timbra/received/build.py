"""Construction of the validation and of the store of received CFDI, from the container."""

from __future__ import annotations

from typing import Any

from timbra.accounts.certificates import certificate_services, efirma_vault
from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.database.build import opened_database
from timbra.evaluation.build import document_processes
from timbra.events.build import audit_writer
from timbra.pools.coroutines import run_coroutine
from timbra.received.documents.intake import DocumentIntake
from timbra.received.documents.store import DocumentStore
from timbra.received.examination import (
    MAX_MEMBERS,
    ExaminedEntry,
    Examiner,
    examine_entries,
    read_metadata_lines,
)
from timbra.received.files import Entry, Listing, UploadedFile, list_entries
from timbra.received.store import ReceivedRepository
from timbra.received.uploads import ChildWork, ReceivedValidation, UploadExaminer
from timbra.validation.build import validation_services
from timbra.validation.services import ValidationServices
from timbra.web.injection import Groups
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob


def list_in_child(_groups: Groups, files: tuple[UploadedFile, ...]) -> Listing:
    """List the documents of uploaded files; runs in the child."""
    return list_entries(files, MAX_MEMBERS)


def examine_in_child(groups: Groups, entries: tuple[Entry, ...], *options: Any) -> list[ExaminedEntry]:
    """Examine documents; runs in the child. `options`: as for `examine_entries`."""
    return run_coroutine(examine_entries(_examiner(groups), entries, *options))


def metadata_in_child(groups: Groups, entry: Entry, start: int) -> list[ExaminedEntry] | None:
    """Read lines of a metadata file; runs in the child."""
    return read_metadata_lines(_examiner(groups), entry, start)


def _examiner(groups: Groups) -> Examiner:
    services: ValidationServices = groups[ValidationServices]()
    return Examiner(services.validation, services.taxpayer_lookup)


CHILD_WORK = ChildWork(list_in_child, examine_in_child, metadata_in_child)
"""The functions that `UploadExaminer` runs in child processes."""


def examiner(container: Container) -> Examiner:
    """Build what examines documents in this process."""
    validation = container.get(validation_services)
    return Examiner(validation.validation, validation.taxpayer_lookup)


def upload_examiner(container: Container) -> UploadExaminer:
    """Build what reads and examines uploaded files."""
    get = container.get
    return UploadExaminer(get(examiner), get(document_processes), CHILD_WORK, container.wall, container.metrics)


def received_validation(container: Container) -> ReceivedValidation:
    """Build the validation of uploaded documents that accounts received."""
    get = container.get
    repository = ReceivedRepository(get(opened_database))
    days = container.settings.received_days
    return ReceivedValidation(repository, get(upload_examiner), get(document_intake), container.wall, days)


def document_intake(container: Container) -> DocumentIntake:
    """Build the intake of documents that do not come from the SAT."""
    get = container.get
    certificates, efirmas = get(certificate_services).vault, get(efirma_vault)

    def rfcs(account_id: int) -> frozenset[str]:
        of_seals = (each.rfc for each in certificates.list_certificates(account_id))
        return frozenset((*of_seals, *(each.rfc for each in efirmas.list_for(account_id))))

    return DocumentIntake(get(document_store), get(audit_writer), rfcs)


def document_store(container: Container) -> DocumentStore:
    """Build the store of the documents that accounts received."""
    return DocumentStore(container.get(opened_database), container.wall, container.get(fiscal_clock))


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    return [once_in_cluster(container, "expire received", 3600, container.get(received_validation).expire)]


SERVICES = {
    ReceivedValidation: received_validation,
    DocumentStore: document_store,
    DocumentIntake: document_intake,
    Examiner: examiner,
}
JOBS = FeatureJobs(delivery=_delivery_jobs)
