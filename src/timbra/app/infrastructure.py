"""Infrastructure of the container: data folder, database and clocks, and the ports that differ by environment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from timbra.app.parts import cached_property, part
from timbra.container import Container
from timbra.container.build import data_folder
from timbra.container.folder_environment import mark_environment
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.delivery.pace import BESIDE_REQUESTS
from timbra.operations.multiprocess_metrics import MultiprocessMetrics
from timbra.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from timbra.catalogs import SnapshotCatalogs
    from timbra.catalogs.labels import CatalogLabels
    from timbra.cfdi.cadena import CadenaOriginal
    from timbra.cfdi.document import DocumentParser
    from timbra.cfdi.qr import QrPainter
    from timbra.cfdi.structure.standards import XmlStandards
    from timbra.database.database import Database
    from timbra.documents.storage import CancellationAcuses
    from timbra.evaluation.known_documents import Documents
    from timbra.operations.health import HealthCheck, ServerHealth
    from timbra.rendering import ViewReader
    from timbra.reports.catalog import StampingCertificate
    from timbra.rules.engine.ports import InMemoryRelatedDocuments, ReferenceData
    from timbra.rules.engine.result import DataRequirement
    from timbra.sat.port import CancellationAuthority, Provider, StatusService
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.certificates.trust_anchors import ProviderCertificate
    from timbra.seals.certificates.trust_store import TrustStore
    from timbra.seals.encryption.envelope import EnvelopeEncryption
    from timbra.seals.encryption.master_key import MasterKey
    from timbra.snapshot import Snapshot
    from timbra.validation.background_queries import ProviderCertificates
    from timbra.validation.taxpayer_lookup import PresumedList, TaxpayerList
    from timbra.web.request_environment import FaultInjection

OTHER_MASTER_KEY = (
    "La base de datos está cifrada con otra llave maestra que la configurada: configure la de los otros nodos, o la "
    "anterior en TIMBRA_PREVIOUS_MASTER_KEYS."
)
NO_MASTER_KEY = (
    "La base de datos ya está cifrada con una llave maestra y {path} no existe: copie la de otro nodo o de un respaldo."
)


class Infrastructure(Container, ABC):
    """Parts on which the services depend; each is built at first use and kept until the container is closed.

    The abstract parts differ between the sandbox and production: fiscal time, trusted certificates, lists, authority.

    Attributes:
        multiprocess_metrics: Metrics of all workers of the server.
        delivery_pace: How `deliver` shares the processor with the requests of this process.
    """

    def __init__(self, settings: Settings, wall: Clock | None = None, metrics_folder: Path | None = None) -> None:
        super().__init__(settings, wall, metrics_folder)
        self.delivery_pace = BESIDE_REQUESTS
        self.multiprocess_metrics = MultiprocessMetrics(self.metrics, metrics_folder)

    data = part(data_folder)

    @cached_property
    def snapshot(self) -> Snapshot:
        """The snapshot of the SAT's data."""
        from timbra.snapshot import locate, open_snapshot

        return open_snapshot(locate(self.settings.snapshot))

    @cached_property
    def catalogs(self) -> SnapshotCatalogs:
        from timbra.catalogs import SnapshotCatalogs

        return SnapshotCatalogs(self.snapshot)

    @cached_property
    def parser(self) -> DocumentParser:
        """The parser of the event loop."""
        return self._parser()

    @cached_property
    def thread_parser(self) -> DocumentParser:
        """A parser for threads, so that the event loop does not wait for documents that they parse."""
        return self._parser()

    def _parser(self) -> DocumentParser:
        from timbra.cfdi.document import DocumentParser, ParserLimits

        settings = self.settings
        return DocumentParser(ParserLimits(settings.max_body_bytes, settings.max_depth, settings.max_attributes))

    @cached_property
    def qr(self) -> QrPainter:
        """Painter of the QR code of a stamp."""
        from timbra.cfdi.qr import QrPainter

        return QrPainter(self.snapshot)

    @cached_property
    def cadena(self) -> CadenaOriginal:
        from timbra.cfdi.cadena import CadenaOriginal

        return CadenaOriginal(self.snapshot)

    @cached_property
    def labels(self) -> CatalogLabels:
        """Texts of catalog keys."""
        from timbra.catalogs.labels import CatalogLabels

        return CatalogLabels(self.snapshot)

    @cached_property
    def standards(self) -> XmlStandards:
        """The schemas of complements."""
        from timbra.cfdi.structure.standards import XmlStandards

        return XmlStandards(self.snapshot)

    def view_reader(self, provider: Callable[[str], ProviderCertificate | None]) -> ViewReader:
        """Build a reader of invoices for display.

        Args:
            provider: Finds the certificate of a provider by its number, if `trust` does not have it.
        """
        from timbra.rendering import ViewReader
        from timbra.rendering.stamp_check import StampVerifier

        verifier = StampVerifier(self.cadena, self.trust, provider)
        return ViewReader(
            self.labels,
            self.standards,
            self.catalogs,
            self.qr,
            verifier,
            fiscal_effect=self.environment.fiscal_effect,
        )

    @cached_property
    def database(self) -> Database:
        """The database of the settings; SQLite in the data folder by default."""
        from timbra.database.database import open_database
        from timbra.database.generation import FILE
        from timbra.database.timeouts import Timeouts

        settings = self.settings
        url = settings.database_url or f"sqlite:///{(self.data / 'timbra.db').resolve()}"
        timeouts = Timeouts(
            settings.database_connect_timeout_seconds,
            settings.database_lock_timeout_seconds,
            settings.database_statement_timeout_seconds,
        )
        database = open_database(url, settings.environment, timeouts, self.data / FILE)
        mark_environment(self.data, settings.environment)
        return database

    @cached_property
    def envelope(self) -> EnvelopeEncryption:
        """Envelope encryption with the master key of the settings; a key file is created for a new database only.

        Raises:
            ServiceError: "master-key-invalid" when the database has secrets and the settings have no key, or another
                one; nothing is written.
        """
        from timbra.accounts.store.secret_repository import SecretRepository
        from timbra.seals.encryption.envelope import EnvelopeEncryption
        from timbra.seals.encryption.master_key import key_from_text

        sealed = SecretRepository(self.database).any()
        previous = filter(None, self.settings.previous_master_keys.split(","))
        envelope = EnvelopeEncryption(
            self._master_key(may_create=sealed is None), [key_from_text(text) for text in previous]
        )
        if sealed is not None and not envelope.has_key_of(sealed):
            raise ServiceError("master-key-invalid", OTHER_MASTER_KEY)
        return envelope

    def _master_key(self, *, may_create: bool) -> MasterKey:
        from timbra.seals.encryption.master_key import key_from_file, key_from_text

        settings = self.settings
        if settings.pkcs11_module is not None:
            from timbra.seals.encryption.pkcs11_master_key import Pkcs11MasterKey
            from timbra.seals.signers.pkcs11_session import Pkcs11Session

            token = Pkcs11Session(settings.pkcs11_module, settings.pkcs11_token, settings.pkcs11_pin)
            return Pkcs11MasterKey(token, settings.pkcs11_master_key)
        if settings.master_key:
            return key_from_text(settings.master_key)
        path = settings.master_key_file or self.data / "master.key"
        if not may_create and not path.exists():
            raise ServiceError("master-key-invalid", NO_MASTER_KEY.format(path=path))
        return key_from_file(path)

    @property
    @abstractmethod
    def fiscal(self) -> Clock:
        """Fiscal time."""

    @property
    @abstractmethod
    def fault_injection(self) -> FaultInjection | None:
        """Faults that the HTTP server injects; None in an environment without them."""

    @property
    @abstractmethod
    def trust(self) -> TrustStore:
        """Trusted certificate authorities and providers."""

    @property
    @abstractmethod
    def provider(self) -> Provider | None:
        """The certification provider (PAC) that stamps now; None without one. ServiceError when it may not stamp."""

    @property
    @abstractmethod
    def provider_rfc(self) -> str:
        """The RFC of the provider; empty without one. It is known even when the provider may not stamp."""

    @property
    @abstractmethod
    def cancellations(self) -> CancellationAuthority:
        """The authority that receives signed cancellation requests."""

    @cached_property
    def reference_types(
        self,
    ) -> tuple[type[ReferenceData], type[InMemoryRelatedDocuments], Callable[..., Mapping[DataRequirement, datetime]]]:
        """What `reference_data` uses of the rules, imported once instead of at each request."""
        from timbra.rules.engine.ports import InMemoryRelatedDocuments, ReferenceData, dated_lists

        return ReferenceData, InMemoryRelatedDocuments, dated_lists

    @abstractmethod
    def reference_data(self) -> ReferenceData:
        """Return the reference data for the evaluation of one request."""

    @abstractmethod
    def known_reference_data(self) -> ReferenceData | None:
        """Return the reference data without reading the database; None when it has to be read."""

    @abstractmethod
    def health(self) -> ServerHealth:
        """Return the data and lists that this worker uses."""

    @abstractmethod
    def list_ages(self) -> dict[str, timedelta]:
        """Return the age of each list by its name; empty without lists."""

    @abstractmethod
    def deliver(self) -> None:
        """Send the deliveries of the outbox that are due."""

    @abstractmethod
    def measure_queue(self) -> None:
        """Find out whether so many documents wait for their delivery that this worker must not stamp."""

    @abstractmethod
    def resend(self) -> None:
        """Send again the requests to the authority that got no answer."""

    @abstractmethod
    def refresh(self) -> None:
        """Do the work that is due after a fiscal midnight."""

    @abstractmethod
    def on_certificate_stored(self, certificate: Certificate) -> None:
        """Handle a CSD that was stored in the vault."""

    def health_conditions(self) -> Mapping[str, HealthCheck]:
        """Return the health checks that only this environment has, by the message of a failure."""
        return {}

    def listed_provider_certificates(self) -> Sequence[StampingCertificate]:
        """Return the provider's certificates of the settings, for a report; none in a sandbox."""
        return ()

    @property
    @abstractmethod
    def status_service(self) -> StatusService | None:
        """Service that gives the status of a CFDI; None when the settings disable it."""

    @property
    @abstractmethod
    def direct_status_service(self) -> StatusService | None:
        """The same service with one attempt for each call, for runs that limit the rate and repeat themselves."""

    @property
    @abstractmethod
    def provider_certificates(self) -> ProviderCertificates | None:
        """Repository of certificates of providers that the trust store does not have; None without one."""

    @property
    @abstractmethod
    def known_elsewhere(self) -> Documents | None:
        """Documents of the authority besides the stamps of this server; None without such a source."""

    @abstractmethod
    def acuses(self) -> CancellationAcuses:
        """Return the repository of cancellation receipts (acuses)."""

    @abstractmethod
    def taxpayer_list(self) -> TaxpayerList | None:
        """Return the current list of taxpayers (l_RFC); None before the first import."""

    @abstractmethod
    def presumed_list(self) -> PresumedList | None:
        """Return the list of article 69-B; None without one."""
