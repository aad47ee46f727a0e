"""Groups of services. An endpoint, a page or a command declares the group that it uses and receives it by type.

`timbra.bootstrap` builds the groups once for each process. A group contains related use cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from timbra.accounts.accounts import Accounts
    from timbra.accounts.balances import Balances
    from timbra.accounts.sign_in_links import SignInLinks
    from timbra.accounts.users import Users
    from timbra.accounts.vault.vault import Vault
    from timbra.authority.lists.fetch.fetch_state import FetchRecord
    from timbra.authority.lists.importer import ListImporter
    from timbra.authority.lists.published import PublishedLists
    from timbra.authority.lists.sources.part_names import ListKind
    from timbra.authority.port import CancellationAuthority, StatusService
    from timbra.authority.sandbox.certificates.authority import SandboxAuthority
    from timbra.cfdi.document import DocumentParser
    from timbra.cfdi.from_json import JsonDocuments
    from timbra.cfdi.qr import QrPainter
    from timbra.clock import Clock
    from timbra.metrics import MetricsRegistry
    from timbra.rendering import ViewReader
    from timbra.rules.engine.ports import ReferenceData
    from timbra.seals.certificates.trust_store import TrustStore
    from timbra.service.administration.accounts import AccountAdministration
    from timbra.service.administration.branding import BrandingService
    from timbra.service.administration.certificates import CertificateService
    from timbra.service.batches.batches import BatchService
    from timbra.service.cancellation.acceptance import AcceptanceService
    from timbra.service.cancellation.relations import RelationsService
    from timbra.service.cancellation.signed_requests import SignedRequests
    from timbra.service.cancellation.use_case import CancellationService
    from timbra.service.document_processes import DocumentProcesses
    from timbra.service.documents.listing import DocumentListing
    from timbra.service.documents.mail.mailer import Mailer
    from timbra.service.documents.printing import PrintingService
    from timbra.service.documents.signed_links import SignedLinks
    from timbra.service.documents.storage import StoredCfdiService
    from timbra.service.evaluation.confirmations import ConfirmationRegistry
    from timbra.service.evaluation.dependencies import Dependencies
    from timbra.service.operations.archive import ArchiveExport
    from timbra.service.operations.audit.audit_log import AuditLog
    from timbra.service.operations.clock_discipline import ClockDiscipline
    from timbra.service.operations.health import HealthChecks, ServerHealth
    from timbra.service.operations.inspector.client_behavior import ClientFinding
    from timbra.service.operations.inspector.live_feed import LiveFeed
    from timbra.service.operations.inspector.recorder import CallRecorder
    from timbra.service.operations.list_health import ListHealth
    from timbra.service.operations.list_refresh import ListRefresh
    from timbra.service.operations.manifests import Manifests
    from timbra.service.operations.monthly_archives import MonthlyArchives
    from timbra.service.operations.provider_check import CheckResult
    from timbra.service.operations.rejection_log import RejectionLog
    from timbra.service.operations.reports.catalog import Reports
    from timbra.service.operations.retention import Retention
    from timbra.service.received.use_case import ReceivedValidation
    from timbra.service.sandbox.account_reset import AccountReset
    from timbra.service.sandbox.cancellation_replies import CancellationReplies
    from timbra.service.sandbox.caught_mails import CaughtMails
    from timbra.service.sandbox.certificates import CertificateAdministration
    from timbra.service.sandbox.clock import ClockControl
    from timbra.service.sandbox.faults import Faults
    from timbra.service.sandbox.ledger import LedgerService
    from timbra.service.sandbox.state import SandboxState
    from timbra.service.sandbox.taxpayers import TaxpayerAdministration
    from timbra.service.stamping.large_documents import LargeStampingService
    from timbra.service.stamping.use_case import StampingService
    from timbra.service.validation.background_queries import ProviderCertificates
    from timbra.service.validation.taxpayer_lookup import TaxpayerLookup
    from timbra.service.validation.use_case import ValidationService
    from timbra.service.webhooks.endpoints import WebhookService
    from timbra.snapshot import Snapshot
    from timbra.store.activity.api_calls import ApiCallStore
    from timbra.store.activity.rejections import RejectionStore
    from timbra.store.activity.usage import UsageCounter
    from timbra.store.audit.audit import Audit
    from timbra.store.audit.key_uses import KeyUseStore
    from timbra.store.database.database import Database
    from timbra.store.events.event_log import Event
    from timbra.store.events.recorder import EventRecorder
    from timbra.store.outbox.deliveries import AuthorityOutbox, Backlog
    from timbra.store.outbox.email import EmailOutbox
    from timbra.store.outbox.receptions import DeliveryState, ReceptionRepository
    from timbra.store.stamps.repository import DatabaseStamps
    from timbra.store.stamps.search import StampSearch


@dataclass(frozen=True, slots=True)
class StampingServices:
    """Issuing and stamping.

    Attributes:
        checks: dependencies of the checks of both.
        confirmations: issues keys of confirmation.
        processes: child processes for large documents; None in a process that serves no other requests meanwhile.
        mail_enabled: whether a mail server is configured for stamped documents.
    """

    stamping: StampingService
    large: LargeStampingService
    json_documents: JsonDocuments
    qr: QrPainter
    stamps: DatabaseStamps
    checks: Dependencies
    confirmations: ConfirmationRegistry
    mail_enabled: bool
    processes: DocumentProcesses | None = None


@dataclass(frozen=True, slots=True)
class ValidationServices:
    """Validation of documents, and look-ups in the published lists.

    Attributes:
        parser, views: read and display a validated document; they need no keys, so that child processes have them.
        status_service, provider_certificates: None where the settings configure none.
    """

    validation: ValidationService
    parser: DocumentParser
    views: ViewReader
    taxpayer_lookup: TaxpayerLookup
    status_service: StatusService | None
    provider_certificates: ProviderCertificates | None


@dataclass(frozen=True, slots=True)
class ReceivedServices:
    """Validation of documents that accounts received, with results that are kept."""

    documents: ReceivedValidation


@dataclass(frozen=True, slots=True)
class CancellationServices:
    """Cancellation, the receiver's answers, and relations.

    Attributes:
        cancelling: of CFDI.
        authority: receives the signed requests.
    """

    cancelling: CancellationService
    cancelling_retenciones: CancellationService
    accepting: AcceptanceService
    relating: RelationsService
    signed_requests: SignedRequests
    authority: CancellationAuthority

    def cancelling_of(self, *, is_retencion: bool) -> CancellationService:
        """Return the service that cancels documents of a kind."""
        return self.cancelling_retenciones if is_retencion else self.cancelling


@dataclass(frozen=True, slots=True)
class DocumentServices:
    """Stored CFDI: search, files, printed representation, links and e-mail.

    Attributes:
        parser: for documents that are parsed on the event loop.
        cancellation_events: returns the audit log entries of a folio in lower case.
        delivery_state: returns the state of the delivery of a folio to the authority.
    """

    storage: StoredCfdiService
    stamp_search: StampSearch
    listing: DocumentListing
    views: ViewReader
    printing: PrintingService
    signed_links: SignedLinks
    mailer: Mailer
    parser: DocumentParser
    cancellation_events: Callable[[str], Sequence[Event]]
    delivery_state: Callable[[str], DeliveryState]


@dataclass(frozen=True, slots=True)
class AccountServices:
    """Users, passwords, tokens, sign-in links, balances, and the branding of printed documents."""

    accounts: Accounts
    users: Users
    balances: Balances
    administration: AccountAdministration
    sign_in_links: SignInLinks
    branding: BrandingService


@dataclass(frozen=True, slots=True)
class CertificateServices:
    """Seal certificates (CSD) of the accounts, and the data that decide whether stamping accepts one.

    Attributes:
        trust: returns the trust store.
        reference_data: returns the lists in force at the moment of the call.
        fiscal: fiscal time.
    """

    certificates: CertificateService
    vault: Vault
    trust: Callable[[], TrustStore]
    reference_data: Callable[[], ReferenceData]
    fiscal: Clock


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """Facts about one process.

    Attributes:
        dialect: dialect of the database, as SQLAlchemy names it.
        started_at: wall time.
    """

    snapshot: Snapshot
    dialect: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class OperationsServices:
    """Operation of the server: health, outboxes, rejection log, usage and the SAT's lists.

    Attributes:
        health: returns the body of `GET /health`.
        list_ages: returns the age of each list, by its name.
        backlog: returns the pending deliveries of both outboxes.
        list_refresh: returns the refresh of the lists from their sources.
        fetch_records: returns what the last query of each source found.
        build_info: returns environment and version of the SAT's data.
        total_metrics: returns the sum over all workers.
        rejection_days: retention of the rejection log.
        wall, fiscal: wall time and fiscal time.
    """

    health_checks: HealthChecks
    health: Callable[[], ServerHealth]
    list_ages: Callable[[], Mapping[str, timedelta]]
    backlog: Callable[[], Backlog]
    outbox: AuthorityOutbox
    email_outbox: EmailOutbox
    rejections: RejectionLog
    rejection_store: RejectionStore
    usage: UsageCounter
    lists: PublishedLists
    list_importer: Callable[[Sequence[str]], ListImporter]
    list_refresh: Callable[[], ListRefresh]
    list_health: ListHealth
    fetch_records: Callable[[], Mapping[ListKind, FetchRecord]]
    clock_discipline: ClockDiscipline
    build_info: Callable[[], Mapping[str, str]]
    total_metrics: Callable[[], MetricsRegistry]
    rejection_days: int
    server_info: Callable[[], ServerInfo]
    wall: Clock
    fiscal: Clock


@dataclass(frozen=True, slots=True)
class InspectorServices:
    """The request inspector: recorded calls of each account.

    Attributes:
        recorder: records the calls of this worker; None while the inspector is switched off.
        feed: live views of this worker.
        days: retention of recorded calls.
        rows: newest calls of each account that are kept.
        expire: deletes calls beyond the retention, also those of a time when the inspector was on.
        client_findings: returns what the client of an account did wrong in its newest calls.
    """

    calls: ApiCallStore
    recorder: CallRecorder | None
    feed: LiveFeed
    days: int
    rows: int
    expire: Callable[[], None]
    client_findings: Callable[[int], Sequence[ClientFinding]]


@dataclass(frozen=True, slots=True)
class ReportServices:
    """What a provider hands over: reports, archives and manifests.

    Attributes:
        archive: writes the archive of any period.
        archives: writes and records the archives of months.
        retention: deletes what is older than the term and archived.
        events: the event log.
        wall: wall time.
    """

    reports: Reports
    archive: ArchiveExport
    archives: MonthlyArchives
    retention: Retention
    manifests: Manifests
    events: EventRecorder
    wall: Clock


@dataclass(frozen=True, slots=True)
class ProviderServices:
    """The provider that stamps, and its deliveries to the SAT; a sandbox has none.

    Attributes:
        check: checks everything that the provider needs; logs in at the SAT's services too when its argument is true.
        receptions: the SAT's answers.
        outbox: deliveries without an answer.
        key_uses: signatures with the provider's keys.
    """

    check: Callable[[bool], Sequence[CheckResult]]
    receptions: ReceptionRepository
    outbox: AuthorityOutbox
    key_uses: KeyUseStore


@dataclass(frozen=True, slots=True)
class WebhookServices:
    """Webhooks of accounts.

    Attributes:
        accounts: finds accounts by their user name.
    """

    webhooks: WebhookService
    accounts: Accounts


@dataclass(frozen=True, slots=True)
class BatchServices:
    """Batches of documents to stamp."""

    batches: BatchService


@dataclass(frozen=True, slots=True)
class AuditServices:
    """The audit log.

    Attributes:
        log: lists, verifies and exports it.
        audit: writes events.
        database: of the events.
    """

    log: AuditLog
    audit: Audit
    database: Database
    wall: Clock

    def record(self, kind: str, account_id: int | None, subject: str, body: Mapping[str, object] | None = None) -> None:
        """Write an event without a change, such as `document.read`, in a transaction of its own."""
        with self.database.write() as transaction:
            self.audit.record(transaction, kind, account_id, subject, body)


@dataclass(frozen=True, slots=True)
class SandboxServices:
    """The simulated authority and its controls; a production environment has none of them.

    Attributes:
        authority_ca: issues certificates for example documents.
        state: resets, saves and restores everything.
        account_reset: resets one account.
        mails: the e-mails that the sandbox kept instead of sending them.
        confirmations: issues keys of confirmation.
        poll: detects cached tables that other processes changed.
        refresh: publishes due lists and ends due requests.
    """

    registry: TaxpayerAdministration
    certificates: CertificateAdministration
    clock_control: ClockControl
    faults: Faults
    ledger: LedgerService
    authority_ca: SandboxAuthority
    cancellation_service: CancellationReplies
    state: SandboxState
    account_reset: AccountReset
    mails: CaughtMails
    confirmations: ConfirmationRegistry
    poll: Callable[[], None]
    refresh: Callable[[], None]
    wall: Clock
    fiscal: Clock
