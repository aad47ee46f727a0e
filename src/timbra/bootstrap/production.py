"""The container of production: the SAT's published lists and services."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING

from timbra.authority.lists.published import midnight
from timbra.bootstrap.container import Container
from timbra.bootstrap.parts import cached_property
from timbra.clock import Clock, FiscalClock, FiscalReading
from timbra.service.request_environment import NoFaultInjection

if TYPE_CHECKING:
    from timbra.authority.port import StatusService
    from timbra.rules.engine.ports import ReferenceData
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.certificates.trust_store import TrustStore
    from timbra.service.cancellation.submissions import SubmissionQueue
    from timbra.service.documents.storage import CancellationAcuses
    from timbra.service.operations.health import ServerHealth
    from timbra.service.validation.background_queries import ProviderCertificates
    from timbra.service.validation.taxpayer_lookup import PresumedList, TaxpayerList


class ProductionContainer(Container):
    """The container of production: evaluates documents by the published lists, if imported, and cannot stamp."""

    provider = None
    fault_injection = NoFaultInjection()

    @cached_property
    def fiscal(self) -> Clock:
        """Fiscal time, which is wall time in production."""
        return FiscalClock(self.wall, FiscalReading)

    @cached_property
    def trust(self) -> TrustStore:
        """The SAT's authorities and providers, and those of `trust_dir`."""
        from timbra.seals.certificates.trust_store import TrustStore

        trust = TrustStore.built_in(production=True)
        folder = self.settings.trust_dir
        return trust if folder is None else trust.with_folder(folder, production=True)

    @cached_property
    def cancellations(self) -> SubmissionQueue:
        """The SAT's cancellation services; requests without an answer are sent again."""
        from timbra.bootstrap.sat_services import sat_cancellations
        from timbra.service.cancellation.submissions import SubmissionQueue

        return SubmissionQueue(sat_cancellations(self.settings), self.database, self.outbox, self.wall, self.fiscal)

    @cached_property
    def status_service(self) -> StatusService | None:
        """The SAT's status service; None when the settings disable it."""
        from timbra.bootstrap.sat_services import sat_status

        return None if self.settings.status_service == "none" else sat_status(self.settings, self.wall)

    @cached_property
    def provider_certificates(self) -> ProviderCertificates | None:
        """The SAT's certificate repository; None without its URL."""
        from timbra.bootstrap.sat_services import certificate_repository

        return certificate_repository(self.settings, self.data / "provider-certificates", self.trust)

    known_elsewhere = None

    def acuses(self) -> CancellationAcuses:
        """Return the receipts that the database stores."""
        from timbra.store.events.cancellation_acuses import StoredAcuses

        return StoredAcuses(self.database)

    def taxpayer_list(self) -> TaxpayerList | None:
        """Return the imported list of taxpayers; None before the first import."""
        return self.lists.current.taxpayers

    def presumed_list(self) -> PresumedList | None:
        """Return the imported list of article 69-B; None before the first import."""
        return self.lists.current.presumptions

    def reference_data(self) -> ReferenceData:
        """Return the reference data with the lists in force now."""
        from timbra.authority.lists.sources.part_names import ListKind
        from timbra.rules.engine.ports import InMemoryRelatedDocuments, ReferenceData, dated_lists

        lists = self.lists.current
        return ReferenceData(
            now=self.fiscal.now(),
            catalogs=self.catalogs,
            taxpayers=lists.taxpayers,
            obligations=lists.obligations,
            names=lists.names,
            marks=lists.marks,
            coordinated=lists.coordinated,
            exchange_rates=lists.rates,
            permits=lists.permits,
            lists_version=lists.version,
            related=InMemoryRelatedDocuments(),
            dated=dated_lists(lists.begun(ListKind.LRFC), lists.begun(ListKind.LCO)),
            cfdi140228_since=self.settings.cfdi140228_since,
        )

    def gather(self, rfcs: Iterable[str]) -> None:
        """Do nothing: look-ups in the published lists need no query."""

    def health(self) -> ServerHealth:
        """Return the data of `GET /health`."""
        age = self.lists.age(self.wall.now())
        return {
            "status": "ok",
            "environment": self.settings.environment,
            "data_version": self.snapshot.version,
            "lists_version": self.lists.lists_version,
            "lists_age_hours": None if age is None else int(age.total_seconds() // 3600),
            "fiscal_time": self.fiscal.now().isoformat(),
        }

    def list_ages(self) -> dict[str, timedelta]:
        """Return the age of each imported list by its kind, from the start of its day."""
        now, editions = self.wall.now(), self.lists.current.editions
        return {str(kind): now - midnight(edition.dated) for kind, edition in editions.items()}

    def deliver(self) -> None:
        """Retry cancellation requests that the SAT did not answer; production has no authority that receives stamps."""
        self.cancellations.resend_pending()

    def refresh(self) -> None:
        """Do nothing: the SAT publishes the lists."""

    def on_certificate_stored(self, certificate: Certificate) -> None:
        """Do nothing: the SAT's lists name the certificates that exist."""
