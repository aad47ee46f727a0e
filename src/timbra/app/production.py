"""The bindings of production and of a rehearsal: the SAT's published lists and services, and the provider."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from timbra.audit.build import audit_log
from timbra.catalogs.build import catalog_source
from timbra.catalogs.current import CatalogsInForce
from timbra.container import Bindings, Container
from timbra.container.build import data_folder, fiscal_clock
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock, FiscalClock, FiscalReading
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.delivery.build import authority_outbox
from timbra.delivery.ports import AuthorityWork, authority_work
from timbra.documents.ports import CancellationAcuses, cancellation_acuses
from timbra.events.cancellation_acuses import StoredAcuses
from timbra.lists.build import published_lists
from timbra.lists.published import midnight
from timbra.lists.reference import published_reference_data
from timbra.operations.health import ServerHealth, catalog_health
from timbra.operations.ports import health_conditions, list_ages, server_health
from timbra.provider.build import certificates_of_settings, provider_conditions
from timbra.provider.parts import (
    provider_schedule,
    sat_delivery,
    submission_queue,
    trust_with_provider,
    trusted_issuers,
)
from timbra.provider.ports import listed_provider_certificates
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.ports import ReferenceSource, reference_source
from timbra.sat.build import certificate_repository, sat_status
from timbra.sat.port import Provider, StatusService
from timbra.sat.ports import (
    cancellation_authority,
    direct_status_service,
    provider_rfc,
    stamping_provider,
    status_service,
)
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.certificates.trust_anchors import encode_public_key
from timbra.seals.certificates.trust_store import TrustStore, read_certificate_file
from timbra.seals.certificates.trust_table import load_trust_table
from timbra.seals.ports import trust_store
from timbra.validation.background_queries import ProviderCertificates
from timbra.validation.ports import current_presumptions, current_taxpayers, provider_certificates

QUEUE_FULL = "Hay demasiados comprobantes sin entregar al SAT; el timbrado sigue cuando la cola baje."
QUEUE_RETRY_AFTER = 60


class DeliveryQueue:
    """The documents that wait for their delivery to the SAT.

    Attributes:
        is_full: Whether so many wait that this worker must not stamp.
    """

    def __init__(self, container: Container) -> None:
        self.is_full = False
        self._limit = container.settings.delivery_queue_limit
        self._outbox = container.get(authority_outbox)

    def measure(self) -> None:
        """Stop stamping while too many documents wait for their delivery, if the settings limit them."""
        self.is_full = bool(self._limit) and self._outbox.backlog().waiting >= self._limit


def _stamping_provider(container: Container) -> Callable[[], Provider | None]:
    """Return a function that returns the provider of the settings.

    It raises ServiceError: "CO1000" when its certificate may not stamp now, and while the queue is full.
    """
    schedule, queue = container.get(provider_schedule), container.get(DeliveryQueue)

    def current() -> Provider | None:
        if schedule is None:
            return None
        if queue.is_full:
            raise ServiceError("CO1000", QUEUE_FULL, retry_after=QUEUE_RETRY_AFTER)
        return schedule.in_force()

    return current


def _authority_work(container: Container) -> AuthorityWork:
    """Return the delivery to the SAT, and the requests of cancellation that the SAT did not answer."""
    delivery, queue = container.get(sat_delivery), container.get(DeliveryQueue)
    submissions = container.get(submission_queue)

    def deliver() -> None:
        if delivery is not None:
            delivery.deliver_pending()
            queue.measure()

    def resend() -> None:
        submissions.resend_pending()

    return AuthorityWork(deliver, queue.measure, resend)


def _fiscal_clock(container: Container) -> Clock:
    """Return fiscal time, which is wall time in production."""
    return FiscalClock(container.wall, FiscalReading)


def _status_service(container: Container) -> StatusService | None:
    """Return the SAT's status service; None when the settings disable it."""
    return None if container.settings.status_service == "none" else sat_status(container.settings, container.wall)


def _direct_status_service(container: Container) -> StatusService | None:
    is_disabled = container.settings.status_service == "none"
    return None if is_disabled else sat_status(container.settings, container.wall, is_direct=True)


def _provider_certificates(container: Container) -> ProviderCertificates | None:
    """Return the SAT's certificate repository; None without its URL."""
    folder = container.get(data_folder) / "provider-certificates"
    return certificate_repository(container.settings, folder, container.get(trust_store))


def _cancellation_acuses(container: Container) -> CancellationAcuses:
    return StoredAcuses(container.get(opened_database))


def _reference_source(container: Container) -> ReferenceSource:
    """Return the reference data with the lists in force; they are files, so that no database is read for them."""
    published, source = container.get(published_lists), container.get(catalog_source)
    fiscal, since = container.get(fiscal_clock), container.settings.cfdi140228_since

    def read(found: CatalogsInForce) -> ReferenceData:
        return published_reference_data(published.current, found.catalogs, fiscal.now(), since)

    def known() -> ReferenceData | None:
        found = source.known()
        return None if found is None else read(found)

    return ReferenceSource(lambda: read(source.current()), known)


def _server_health(container: Container) -> Callable[[], ServerHealth]:
    get = container.get

    def read() -> ServerHealth:
        lists = get(published_lists)
        age = lists.age(container.wall.now())
        return {
            "status": "ok",
            "environment": container.settings.environment,
            **catalog_health(get(catalog_source).latest()),
            "lists_version": lists.lists_version,
            "lists_age_hours": None if age is None else int(age.total_seconds() // 3600),
            "fiscal_time": get(fiscal_clock).now().isoformat(),
            "audit_head": get(audit_log).head_on_disk(),
        }

    return read


def _list_ages(container: Container) -> Callable[[], dict[str, timedelta]]:
    """Return a function that returns the age of each imported list by its kind, from the start of its day."""
    lists = container.get(published_lists)

    def read() -> dict[str, timedelta]:
        now, editions = container.wall.now(), lists.current.editions
        return {str(kind): now - midnight(edition.dated) for kind, edition in editions.items()}

    return read


def _rehearsal_issuers(container: Container) -> TrustStore:
    """Return the authority of the emulator, and nothing else.

    Raises:
        ServiceError: "trust-refused" without the setting, for another certificate than an authority's, for an
            authority of the SAT, and with `trust_dir`.
    """
    path, folder = container.settings.rehearsal_authority, container.settings.trust_dir
    if path is None:
        raise ServiceError("trust-refused", "Un ensayo necesita TIMBRA_REHEARSAL_AUTHORITY.")
    if folder is not None:
        raise ServiceError("trust-refused", "Un ensayo confía solo en la autoridad de su emulador: quite trust_dir")
    return rehearsal_trust(path)


def rehearsal_trust(path: Path) -> TrustStore:
    """Return a store that trusts the one authority whose certificate is in a file.

    Raises:
        ServiceError: "trust-refused" when the file has no certificate of an authority, or one of the SAT;
            "certificate-unreadable" when it is no certificate.
    """
    certificate = read_certificate_file(path)
    if certificate.kind is not CertificateKind.AUTHORITY:
        raise ServiceError("trust-refused", f"{path.name} no es el certificado de una autoridad.")
    anchors, _ = load_trust_table()
    if encode_public_key(certificate) in {anchor.spki for anchor in anchors}:
        raise ServiceError("trust-refused", f"{path.name} es una autoridad del SAT; un ensayo usa la de su emulador.")
    return TrustStore((), ()).with_authority(certificate)


BINDINGS: Bindings = {
    authority_work: _authority_work,
    cancellation_acuses: _cancellation_acuses,
    cancellation_authority: submission_queue,
    current_presumptions: lambda container: lambda: container.get(published_lists).current.presumptions,
    current_taxpayers: lambda container: lambda: container.get(published_lists).current.taxpayers,
    direct_status_service: _direct_status_service,
    fiscal_clock: _fiscal_clock,
    health_conditions: provider_conditions,
    list_ages: _list_ages,
    listed_provider_certificates: certificates_of_settings,
    provider_certificates: _provider_certificates,
    provider_rfc: lambda container: container.settings.provider_rfc,
    reference_source: _reference_source,
    server_health: _server_health,
    stamping_provider: _stamping_provider,
    status_service: _status_service,
    trust_store: trust_with_provider,
}
REHEARSAL_BINDINGS: Bindings = {**BINDINGS, trusted_issuers: _rehearsal_issuers}


BOUNDS = (
    Bound(
        "DeliveryQueue",
        BoundKind.QUEUE,
        "TIMBRA_DELIVERY_QUEUE_LIMIT documents that wait for their delivery, where it is set",
        "The worker does not stamp until fewer wait.",
    ),
)
