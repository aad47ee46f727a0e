"""Construction of the validation of received CFDI, from the container."""

from __future__ import annotations

from timbra.container import Container
from timbra.database.build import opened_database
from timbra.evaluation.build import document_processes
from timbra.received.child_work import CHILD_WORK
from timbra.received.examination import Examiner
from timbra.received.store import ReceivedRepository
from timbra.received.uploads import ReceivedValidation
from timbra.validation.build import validation_services
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob


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
