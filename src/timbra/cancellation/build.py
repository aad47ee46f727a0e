"""Construction of cancellation."""

from __future__ import annotations

from timbra.accounts.certificates import certificate_services
from timbra.cancellation.acceptance import AcceptanceService
from timbra.cancellation.admission import FechaWindow, SignedAdmission
from timbra.cancellation.cancelling import CancellationService
from timbra.cancellation.late_requests import LateRequests
from timbra.cancellation.relations import RelationsService
from timbra.cancellation.services import CancellationServices
from timbra.cancellation.signed_requests import SignedRequests
from timbra.cfdi.cancelacion.reading import RETENCIONES_NAMESPACES
from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.database.build import opened_database
from timbra.events.build import audit_writer
from timbra.messages.cancelling import RETENCIONES
from timbra.rules.ports import reference_source
from timbra.sat.ports import cancellation_authority, provider_rfc
from timbra.seals.ports import trust_store
from timbra.stamps.build import database_stamps


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


SERVICES = {CancellationServices: cancellation_services}
