"""Construction of cancellation."""

from __future__ import annotations

from timbra.accounts.certificates import certificate_services
from timbra.cancellation.acceptance import AcceptanceService
from timbra.cancellation.admission import FechaWindow, SignedAdmission
from timbra.cancellation.cancelling import CancellationService
from timbra.cancellation.late_requests import LateRequests
from timbra.cancellation.outcomes import CancellationOutcomes, QueryLimit, outcome_consumer
from timbra.cancellation.relations import RelationsService
from timbra.cancellation.services import CancellationServices
from timbra.cancellation.signed_requests import SignedRequests
from timbra.cfdi.build import document_parser
from timbra.cfdi.cancelacion.reading import RETENCIONES_NAMESPACES
from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.database.build import cluster_jobs, opened_database
from timbra.events.build import audit_writer
from timbra.events.consumers import Consumer
from timbra.messages.cancelling import RETENCIONES
from timbra.rules.ports import reference_source
from timbra.sat.ports import cancellation_authority, direct_status_service, provider_rfc
from timbra.seals.ports import trust_store
from timbra.stamps.build import database_stamps
from timbra.web.server.feature_jobs import FeatureJobs
from timbra.web.server.periodic_jobs import PeriodicJob

PERIOD_SECONDS = 5
LEASE_SECONDS = 60
"""Half of the term for which one node queries; longer than the queries of one run usually take."""


def cancellation_services(container: Container) -> CancellationServices:
    """Build cancellation requests, answers of receivers and queries of relations."""
    get = container.get
    vault, trust, reference = get(certificate_services).vault, get(trust_store), get(reference_source).current
    admission, authority, provider = get(signed_admission), get(cancellation_authority), get(provider_rfc)
    signed = SignedRequests(vault, trust, reference, admission=admission)
    retenciones = SignedRequests(vault, trust, reference, RETENCIONES, RETENCIONES_NAMESPACES, admission)
    late = LateRequests(get(database_stamps), get(fiscal_clock))
    return CancellationServices(
        cancelling=CancellationService(signed, authority, late),
        cancelling_retenciones=CancellationService(retenciones, authority),
        accepting=AcceptanceService(signed, authority, provider),
        relating=RelationsService(signed, authority, provider),
        signed_requests=signed,
        authority=authority,
    )


def signed_admission(container: Container) -> SignedAdmission:
    """Build the checks of requests that clients signed, besides those of their signatures."""
    settings = container.settings
    window = FechaWindow.of(
        settings.signed_request_hours_back,
        settings.signed_request_minutes_ahead,
        is_limited=container.environment.limits_signed_fecha,
    )
    return SignedAdmission(container.get(opened_database), container.get(audit_writer), window)


def event_consumer(_container: Container) -> Consumer:
    """Return the consumer of the event log that begins to query the outcome of requests."""
    return outcome_consumer()


def cancellation_outcomes(container: Container) -> CancellationOutcomes | None:
    """Build the queries of the outcome of requests; None without a status service or with a limit of 0."""
    get, per_minute = container.get, container.settings.cancellation_queries_per_minute
    status = get(direct_status_service)
    if status is None or not per_minute:
        return None
    return CancellationOutcomes(
        get(opened_database),
        get(database_stamps),
        status,
        get(document_parser),
        container.wall,
        get(fiscal_clock),
        QueryLimit(per_minute, PERIOD_SECONDS),
    )


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    outcomes = None if container.environment.is_sandbox else container.get(cancellation_outcomes)
    if outcomes is None:
        return []
    # A lease of its own: a status service that does not answer must not delay deliveries.
    run = container.get(cluster_jobs).once("cancellation outcomes", LEASE_SECONDS, outcomes.run)
    return [PeriodicJob("cancellation outcomes", PERIOD_SECONDS, run)]


CONSUMERS = (event_consumer,)
JOBS = FeatureJobs(delivery=_delivery_jobs)
SERVICES = {CancellationServices: cancellation_services}
