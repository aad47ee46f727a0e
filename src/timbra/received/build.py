"""Construction of the validation of received CFDI, from the container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.app.jobs import FeatureJobs, once_in_cluster
from timbra.received.services import ReceivedServices

if TYPE_CHECKING:
    from timbra.app.container import Container
    from timbra.web.server.periodic_jobs import PeriodicJob


def received_services(container: Container) -> ReceivedServices:
    """Build the validation of uploaded documents that accounts received."""
    from timbra.received.child_work import CHILD_WORK
    from timbra.received.examination import Examiner
    from timbra.received.store import ReceivedRepository
    from timbra.received.uploads import ReceivedValidation

    validation = container.validation_services
    return ReceivedServices(
        ReceivedValidation(
            ReceivedRepository(container.database),
            Examiner(validation.validation, validation.taxpayer_lookup),
            container.document_processes,
            CHILD_WORK,
            container.wall,
            container.settings.received_days,
            container.metrics,
        )
    )


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    documents = container.group(ReceivedServices).documents
    return [once_in_cluster(container, "expire received", 3600, documents.expire)]


SERVICES = {ReceivedServices: received_services}
JOBS = FeatureJobs(delivery=_delivery_jobs)
