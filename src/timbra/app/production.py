"""The container of production: the SAT's published lists and services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from timbra.app.container import Container
from timbra.app.parts import cached_property
from timbra.core.clock import Clock, FiscalClock, FiscalReading
from timbra.core.errors import ServiceError
from timbra.lists.published import midnight
from timbra.provider.services import ProviderServices

QUEUE_FULL = "Hay demasiados comprobantes sin entregar al SAT; el timbrado sigue cuando la cola baje."
QUEUE_RETRY_AFTER = 60

if TYPE_CHECKING:
    from timbra.app.provider import ProviderBuilder
    from timbra.delivery.cancellation_submissions import SubmissionQueue
    from timbra.delivery.sat_delivery import DeliveryService
    from timbra.documents.storage import CancellationAcuses
    from timbra.operations.health import HealthCheck, ServerHealth
    from timbra.provider.identity import ProviderSchedule
    from timbra.provider.key_use import KeyUseCounter
    from timbra.reports.catalog import StampingCertificate
    from timbra.rules.engine.ports import ReferenceData
    from timbra.sat.port import Provider, StatusService
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.certificates.trust_store import TrustStore
    from timbra.validation.background_queries import ProviderCertificates
    from timbra.validation.taxpayer_lookup import PresumedList, TaxpayerList


class ProductionContainer(Container):
    """The container of production: evaluates documents by the published lists, and stamps if it has a provider."""

    fault_injection = None
    _is_queue_full = False

    @property
    def provider(self) -> Provider | None:
        """The provider of the settings; None without one.

        Raises:
            ServiceError: "CO1000" when its certificate may not stamp now.
        """
        schedule = self.provider_schedule
        if schedule is None:
            return None
        if self._is_queue_full:
            raise ServiceError("CO1000", QUEUE_FULL, retry_after=QUEUE_RETRY_AFTER)
        return schedule.in_force()

    @property
    def provider_rfc(self) -> str:
        """The RFC of the settings; empty without a provider."""
        return self.settings.provider_rfc

    @cached_property
    def provider_builder(self) -> ProviderBuilder:
        """Builds the identity of the provider."""
        from timbra.app.provider import ProviderBuilder

        return ProviderBuilder(self.settings, self.issuers, self.wall, self.metrics, self.key_uses)

    @cached_property
    def provider_schedule(self) -> ProviderSchedule | None:
        """The certificates of the provider; None without a provider.

        Raises:
            ServiceError: As `ProviderBuilder.schedule`.
        """
        builder = self.provider_builder
        return builder.schedule() if builder.is_configured else None

    @cached_property
    def key_uses(self) -> KeyUseCounter:
        """Counts the uses of the provider's keys by this process."""
        from timbra.provider.key_use import KeyUseCounter

        return KeyUseCounter(self.count_provider_signature, self.metrics)

    @cached_property
    def trust(self) -> TrustStore:
        """The trusted authorities and providers, with the certificates of this provider that may stamp."""
        trust, builder = self.issuers, self.provider_builder
        for certificate in builder.certificates():
            if trust.provider(certificate.number) is None and not builder.rules.problems(certificate):
                trust = trust.with_provider(certificate)
        return trust

    def build_all(self) -> None:
        """See `Container.build_all`; the settings of the provider must be complete.

        Raises:
            ServiceError: As `ProviderBuilder.schedule` and `sat_delivery`. A certificate that may not stamp is no such
                error: it makes the worker not ready.
        """
        self.delivery  # noqa: B018 - built at first use
        super().build_all()

    def listed_provider_certificates(self) -> Sequence[StampingCertificate]:
        from timbra.app.provider import read_provider_certificates
        from timbra.reports.catalog import StampingCertificate

        # Without authorities and keys, which a command that writes a report need not have.
        settings, now = self.settings, self.wall.now()
        has_changed = settings.provider_change_over is not None and now >= settings.provider_change_over
        roles = ("anterior", "en uso") if has_changed else ("en uso", "siguiente")
        since = (None, settings.provider_change_over)
        return [
            StampingCertificate(settings.provider_rfc, found.number, role, begun, found.valid_from, found.valid_to)
            for found, role, begun in zip(read_provider_certificates(settings), roles, since, strict=False)
        ]

    def health_conditions(self) -> Mapping[str, HealthCheck]:
        """Return the check of the provider's certificate and key, if there is a provider."""
        from timbra.app.health_checks import PROVIDER, require_provider

        schedule = self.provider_schedule
        if schedule is None:
            return {}
        return {PROVIDER: lambda: require_provider(schedule, self.provider_builder)}

    def close(self) -> None:
        """See `Container.close`; ends the deliveries first."""
        if self.__dict__.get("delivery") is not None:
            self.__dict__["delivery"].close()
        super().close()

    @cached_property
    def fiscal(self) -> Clock:
        """Fiscal time, which is wall time in production."""
        return FiscalClock(self.wall, FiscalReading)

    @cached_property
    def issuers(self) -> TrustStore:
        """The SAT's authorities and providers, and those of `trust_dir`.

        Raises:
            ServiceError: "trust-refused" for a certificate that the SAT did not issue, or with `rehearsal_authority`.
        """
        from timbra.seals.certificates.trust_store import TrustStore

        if self.settings.rehearsal_authority is not None:
            raise ServiceError("trust-refused", "Producción solo confía en el SAT; quite TIMBRA_REHEARSAL_AUTHORITY.")
        trust = TrustStore.built_in(production=True)
        folder = self.settings.trust_dir
        return trust if folder is None else trust.with_folder(folder, production=True)

    @cached_property
    def cancellations(self) -> SubmissionQueue:
        """The SAT's cancellation services; requests without an answer are sent again."""
        from timbra.app.sat_services import sat_cancellations
        from timbra.delivery.cancellation_submissions import SubmissionQueue

        authority = sat_cancellations(self.settings, self.provider_schedule, self.wall)
        return SubmissionQueue(authority, self.database, self.outbox, self.wall, self.fiscal)

    @cached_property
    def provider_services(self) -> ProviderServices:
        from timbra.app.provider_check import ProviderChecks
        from timbra.events.audit.key_uses import KeyUseStore

        checks = ProviderChecks(self)
        return ProviderServices(
            check=lambda online: checks.run(online=online),
            receptions=self.receptions,
            outbox=self.outbox,
            key_uses=KeyUseStore(self.database),
        )

    @cached_property
    def delivery(self) -> DeliveryService | None:
        """Delivers stamps to the SAT; None without a provider."""
        from timbra.app.sat_services import sat_delivery

        schedule = self.provider_schedule
        if schedule is None:
            return None
        from timbra.delivery.outage_store import OutageRepository
        from timbra.delivery.outages import DeliveryOutages

        outages = DeliveryOutages(OutageRepository(self.database), self.wall)
        return sat_delivery(
            self.settings, schedule, self.outbox, self.stamps, self.receptions, outages, self.wall, self.metrics
        )

    @cached_property
    def status_service(self) -> StatusService | None:
        """The SAT's status service; None when the settings disable it."""
        from timbra.app.sat_services import sat_status

        return None if self.settings.status_service == "none" else sat_status(self.settings, self.wall)

    @property
    def direct_status_service(self) -> StatusService | None:
        """The same without retries."""
        from timbra.app.sat_services import sat_status

        is_disabled = self.settings.status_service == "none"
        return None if is_disabled else sat_status(self.settings, self.wall, is_direct=True)

    @cached_property
    def provider_certificates(self) -> ProviderCertificates | None:
        """The SAT's certificate repository; None without its URL."""
        from timbra.app.sat_services import certificate_repository

        return certificate_repository(self.settings, self.data / "provider-certificates", self.trust)

    known_elsewhere = None

    def acuses(self) -> CancellationAcuses:
        """Return the receipts that the database stores."""
        from timbra.events.cancellation_acuses import StoredAcuses

        return StoredAcuses(self.database)

    def taxpayer_list(self) -> TaxpayerList | None:
        """Return the imported list of taxpayers; None before the first import."""
        return self.lists.current.taxpayers

    def presumed_list(self) -> PresumedList | None:
        """Return the imported list of article 69-B; None before the first import."""
        return self.lists.current.presumptions

    def reference_data(self) -> ReferenceData:
        """Return the reference data with the lists in force now."""
        from timbra.lists.sources.part_names import ListKind

        lists = self.lists.current
        reference_data, related_documents, dated_lists = self.reference_types
        return reference_data(
            now=self.fiscal.now(),
            catalogs=self.catalogs,
            taxpayers=lists.taxpayers,
            obligations=lists.obligations,
            names=lists.names,
            marks=lists.marks,
            coordinated=lists.coordinated,
            exchange_rates=lists.rates,
            permits=lists.permits,
            presumed=lists.presumptions,
            lists_version=lists.version,
            related=related_documents(),
            dated=dated_lists(lists.begun(ListKind.LRFC), lists.begun(ListKind.LCO)),
            cfdi140228_since=self.settings.cfdi140228_since,
        )

    def known_reference_data(self) -> ReferenceData:
        """Return the reference data: the published lists are files."""
        return self.reference_data()

    def health(self) -> ServerHealth:
        age = self.lists.age(self.wall.now())
        return {
            "status": "ok",
            "environment": self.settings.environment,
            "data_version": self.snapshot.version,
            "lists_version": self.lists.lists_version,
            "lists_age_hours": None if age is None else int(age.total_seconds() // 3600),
            "fiscal_time": self.fiscal.now().isoformat(),
            "audit_head": self.audit_log.head_on_disk(),
        }

    def list_ages(self) -> dict[str, timedelta]:
        """Return the age of each imported list by its kind, from the start of its day."""
        now, editions = self.wall.now(), self.lists.current.editions
        return {str(kind): now - midnight(edition.dated) for kind, edition in editions.items()}

    def deliver(self) -> None:
        """Deliver stamps to the SAT."""
        if self.delivery is not None:
            self.delivery.deliver_pending()
            self.measure_queue()

    def resend(self) -> None:
        """Send again the requests of cancellation that the SAT did not answer."""
        self.cancellations.resend_pending()

    def measure_queue(self) -> None:
        """Stop stamping while too many documents wait for their delivery, if the settings limit them."""
        limit = self.settings.delivery_queue_limit
        self._is_queue_full = bool(limit) and self.outbox.backlog().waiting >= limit

    def refresh(self) -> None:
        """Do nothing: the SAT publishes the lists."""

    def on_certificate_stored(self, certificate: Certificate) -> None:
        """Do nothing: the SAT's lists name the certificates that exist."""
