"""The composition root: it builds the groups of services that the features declare."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from timbra.accounts.services import AccountServices, CertificateServices
from timbra.app.parts import cached_property
from timbra.app.report_jobs import ReportJobs
from timbra.app.request_environment import request_environment, verification_pages
from timbra.archive.services import ArchiveServices
from timbra.audit.services import AuditServices
from timbra.cancellation.services import CancellationServices
from timbra.container import UnavailableServicesError, production_only, sandbox_only
from timbra.core.environments import ENVIRONMENTS
from timbra.core.features import features
from timbra.documents.services import DocumentServices
from timbra.inspector.services import InspectorServices
from timbra.manifests.services import ManifestServices
from timbra.operations.services import OperationsServices, ServerInfo
from timbra.provider.services import ProviderServices
from timbra.reports.services import ReportServices
from timbra.sandbox.services import SandboxServices
from timbra.stamping.services import StampingServices
from timbra.validation.services import ValidationServices

if TYPE_CHECKING:
    from collections.abc import Callable

    from timbra.accounts.administration.branding import BrandingService
    from timbra.cancellation.admission import SignedAdmission
    from timbra.database.transaction import Transaction
    from timbra.documents.mail.notices import NoticeMailer
    from timbra.evaluation.confirmations import ConfirmationRegistry
    from timbra.evaluation.dependencies import IssuerKeys
    from timbra.seals.encryption.envelope import EnvelopeEncryption
    from timbra.stamps.words import StampWords
    from timbra.web.injection import Groups
    from timbra.web.request_environment import RequestEnvironment

T = TypeVar("T")


class Container(ReportJobs):
    """The services of one process. Each group is built at first use and kept until `close`.

    Attributes:
        certificate_hint: see `Dependencies`.
    """

    certificate_hint: str | None = None

    @cached_property
    def issuer_keys(self) -> IssuerKeys:
        """The credentials with which issuing seals."""
        return self.certificate_services.vault

    @property
    def groups(self) -> Groups:
        """Functions that build each group of services, by its class; see `bind_services`."""
        return {
            StampingServices: lambda: self.stamping_services,
            ValidationServices: lambda: self.validation_services,
            CancellationServices: lambda: self.cancellation_services,
            DocumentServices: lambda: self.document_services,
            AccountServices: lambda: self.account_services,
            CertificateServices: lambda: self.certificate_services,
            OperationsServices: lambda: self.operations_services,
            InspectorServices: lambda: self.inspector_services,
            ReportServices: lambda: self.report_services,
            ManifestServices: lambda: self.manifest_services,
            ArchiveServices: lambda: self.archive_services,
            ProviderServices: lambda: self.provider_services,
            AuditServices: lambda: self.audit_services,
            SandboxServices: lambda: self.sandbox_services,
            **{
                group: partial(self.part, build)
                for feature in features()
                for module in feature.services
                for group, build in feature.read(module, "SERVICES").items()
            },
        }

    def group(self, group: type[T]) -> T:
        """Return a group of services by its class; it is built at first use."""
        found: T = self.groups[group]()
        return found

    def part(self, build: Callable[[Any], T]) -> T:
        """Return what a function of a feature builds from this container; it is called at the first use only."""
        return self.get(build)

    def build_all(self) -> None:
        """Build every group that the environment has; a worker does so before it accepts requests."""
        for build in self.groups.values():
            with suppress(UnavailableServicesError):
                build()

    @cached_property
    def request_environment(self) -> RequestEnvironment:
        """Limits, metrics, thread pools and authentication for the HTTP server."""
        return request_environment(
            self, self.account_services.accounts.request_caller, self.inspector_services.recorder
        )

    def build_info(self) -> dict[str, str]:
        """Return the environment and the version of the SAT's data, for the metrics."""
        return {"environment": self.settings.environment, "data_version": self.catalogs.version}

    @cached_property
    def stamping_services(self) -> StampingServices:
        """Stamping and issuing of CFDI."""
        from timbra.accounts.article_69b import Article69bPolicy
        from timbra.accounts.balances import EmptyBalanceCache
        from timbra.app.large_stamping import stamper
        from timbra.app.mail import is_mail_enabled
        from timbra.cfdi.from_json import JsonDocuments
        from timbra.cfdi.nodes.complements import check_kinds
        from timbra.cfdi.nodes.retenciones20.walk import KINDS as RETENCIONES
        from timbra.cfdi.structure import Structure
        from timbra.evaluation.article_69b import Article69bScreening
        from timbra.evaluation.dependencies import Dependencies
        from timbra.evaluation.known_documents import KnownDocuments
        from timbra.rules.engine.profiles import (
            CONFIRMATION_RULES,
            VendorLeniency,
            profiles_of,
        )
        from timbra.rules.registry import ENGINE
        from timbra.rules.rulesets.declarations.evaluation import DeclarationChecks
        from timbra.seals.certificates.certificate import CertificateCache
        from timbra.seals.signature_queue import SignatureQueue
        from timbra.stamping.large_documents import LargeStampingService
        from timbra.stamping.offloading import OffloadingStampingService
        from timbra.stamping.stamping import StampingService
        from timbra.stamps.group_commit import GroupCommit

        processes = self.document_processes

        structure = Structure(self.snapshot)
        check_kinds(((each.namespace, each.element, each.version) for each in structure.supported), RETENCIONES)
        checks = Dependencies(
            parser=self.parser,
            structure=structure,
            declarations=DeclarationChecks(structure, self.cadena),
            engine=ENGINE,
            profiles=profiles_of(
                [VendorLeniency(name) for name in self.settings.vendor_leniencies],
                CONFIRMATION_RULES[self.enforced_confirmations],
            ),
            cadena=self.cadena,
            certificates=CertificateCache(),
            trust=self.trust,
            vault=self.issuer_keys,
            stamps=self.stamps,
            empty=EmptyBalanceCache(self.database),
            related=KnownDocuments(self.stamps, self.known_elsewhere),
            reference_data=self.reference_data,
            known_reference_data=self.known_reference_data,
            metrics=self.metrics,
            signatures=SignatureQueue(self.metrics),
            article_69b=Article69bScreening(
                Article69bPolicy(self.settings.article_69b),
                timedelta(days=self.settings.article_69b_max_age_days),
            ),
            confirmations=self.confirmations,
            certificate_hint=self.certificate_hint,
            require_manifest=self.manifest_services.manifests.require if self.settings.manifests_required else None,
        )
        use_case = StampingService if processes is None else partial(OffloadingStampingService, processes)
        archives = stamper(
            self.archive_processes,
            self.issuer_keys,
            lambda: self.provider,
            self.settings.max_large_bytes,
            processes,
            self.settings.max_body_bytes,
        )
        return StampingServices(
            stamping=use_case(checks, lambda: self.provider, GroupCommit(self.stamps), self.settings.environment),
            processes=processes,
            large=LargeStampingService(archives, self.data / "large", metrics=self.metrics),
            json_documents=JsonDocuments(
                self.snapshot, reject_unknown_keys=self.settings.json_unknown_keys == "reject"
            ),
            qr=self.qr,
            stamps=self.stamps,
            checks=checks,
            confirmations=self.confirmations,
            mail_enabled=is_mail_enabled(self.settings),
        )

    @property
    def enforced_confirmations(self) -> str:
        """The setting `confirmations` of this environment: `off`, `keys` or `limits`."""
        chosen = self.settings.confirmations
        if chosen != "auto":
            return chosen
        return "keys" if ENVIRONMENTS[self.settings.environment].is_sandbox else "off"

    @cached_property
    def confirmations(self) -> ConfirmationRegistry:
        from timbra.evaluation.confirmations import ConfirmationRegistry
        from timbra.stamps.confirmations import ConfirmationRepository

        is_asked = self.enforced_confirmations != "off"
        return ConfirmationRegistry(ConfirmationRepository(self.database), self.wall, is_asked=is_asked)

    @cached_property
    def validation_services(self) -> ValidationServices:
        """Validation of documents, taxpayer look-up and status queries."""
        from timbra.validation.offloading import OffloadingValidationService
        from timbra.validation.taxpayer_lookup import TaxpayerLookup
        from timbra.validation.validation import ValidationService

        processes = self.document_processes
        use_case = ValidationService if processes is None else partial(OffloadingValidationService, processes)
        checks, status, certificates = self.stamping_services.checks, self.status_service, self.provider_certificates
        return ValidationServices(
            validation=use_case(checks, status, certificates, self.settings.sat_timeout_seconds),
            parser=self.parser,
            views=self.view_reader(lambda _: None),
            taxpayer_lookup=TaxpayerLookup(self.taxpayer_list, self.presumed_list),
            status_service=status,
            provider_certificates=certificates,
        )

    @cached_property
    def cancellation_services(self) -> CancellationServices:
        """Cancellation requests, answers of receivers and queries of relations."""
        from timbra.cancellation.acceptance import AcceptanceService
        from timbra.cancellation.cancelling import CancellationService
        from timbra.cancellation.late_requests import LateRequests
        from timbra.cancellation.relations import RelationsService
        from timbra.cancellation.signed_requests import SignedRequests
        from timbra.cfdi.cancelacion.reading import RETENCIONES_NAMESPACES
        from timbra.messages.cancelling import RETENCIONES

        vault, admission = self.certificate_services.vault, self.signed_admission
        signed = SignedRequests(vault, self.trust, self.reference_data, admission=admission)
        retenciones = SignedRequests(
            vault, self.trust, self.reference_data, RETENCIONES, RETENCIONES_NAMESPACES, admission
        )
        authority, provider = self.cancellations, self.provider_rfc
        return CancellationServices(
            cancelling=CancellationService(signed, authority, LateRequests(self.stamps, self.fiscal)),
            cancelling_retenciones=CancellationService(retenciones, authority),
            accepting=AcceptanceService(signed, authority, provider),
            relating=RelationsService(signed, authority, provider),
            signed_requests=signed,
            authority=authority,
        )

    @cached_property
    def signed_admission(self) -> SignedAdmission:
        """The checks of requests that clients signed, besides those of their signatures."""
        from timbra.cancellation.admission import FechaWindow, SignedAdmission

        settings = self.settings
        window = FechaWindow.of(
            settings.signed_request_hours_back,
            settings.signed_request_minutes_ahead,
            is_limited=self.environment.limits_signed_fecha,
        )
        return SignedAdmission(self.database, self.audit, window)

    @cached_property
    def document_services(self) -> DocumentServices:
        """Stored CFDI, printed representations, signed links and e-mail."""
        from timbra.app.mail import mailer, signed_links
        from timbra.cfdi.qr import SAT_PAGES
        from timbra.documents.cancellation_marks import CancellationMarks
        from timbra.documents.listing import DocumentListing
        from timbra.documents.printing import LIMITS, PrintingService
        from timbra.documents.storage import StoredCfdiService
        from timbra.documents.typesetting import Typesetter
        from timbra.events.cancellation_states import cancellation_states
        from timbra.events.event_log import cancellation_events
        from timbra.stamps.search import StampSearch

        settings, repository = self.settings, self.provider_certificates
        # Threads may query the SAT's repository for the certificate of a stamp's provider; the event loop may not.
        views = self.view_reader(repository.provider if repository else lambda _: None)
        typesetter = Typesetter(LIMITS.running, settings.print_memory_bytes, settings.print_timeout_seconds)
        printing = PrintingService(
            self.thread_parser,
            views,
            typesetter,
            settings.max_print_bytes,
            self.metrics,
            verification_pages(settings) or SAT_PAGES,
            self.branding.find,
            CancellationMarks(self.stamps, self.acuses(), self.status_service),
        )
        storage = StoredCfdiService(self.stamps, self.thread_parser, self.account_services.users, self.acuses())
        return DocumentServices(
            storage=storage,
            stamp_search=StampSearch(self.database),
            listing=DocumentListing(
                StampSearch(self.database),
                self.stamps,
                self.thread_parser,
                partial(cancellation_states, self.database),
                self.stamp_words,
            ),
            views=self.view_reader(lambda _: None),
            printing=printing,
            signed_links=signed_links(self.database, self.envelope, self.wall),
            mailer=mailer(settings, self.database, self.wall, storage, printing, self.metrics),
            parser=self.parser,
            cancellation_events=partial(cancellation_events, self.database),
            delivery_state=self.delivery_state,
        )

    @cached_property
    def stamp_words(self) -> StampWords:
        """The words of stamped documents, for their search."""
        from timbra.documents.words import document_words
        from timbra.stamps.words import StampWords

        return StampWords(self.database, partial(document_words, self.thread_parser), self.wall)

    @cached_property
    def branding(self) -> BrandingService:
        """Looks of the printed documents of accounts."""
        from timbra.accounts.administration.branding import BrandingService

        return BrandingService(self.database, self.wall, self.fiscal)

    @cached_property
    def account_services(self) -> AccountServices:
        """Accounts, users and stamp balances."""
        from timbra.accounts.accounts import Accounts
        from timbra.accounts.administration.accounts import AccountAdministration
        from timbra.accounts.balances import Balances
        from timbra.accounts.login.limits import LoginLimits
        from timbra.accounts.sign_in_links import SignInLinks
        from timbra.accounts.users import Users
        from timbra.app.mail import is_mail_enabled

        environment, wall, fiscal = self.settings.environment, self.wall, self.fiscal
        settings = self.settings
        limits = LoginLimits(settings.login_failures, settings.login_address_failures, settings.login_max_delay_seconds)
        accounts = Accounts(
            self.database,
            self.envelope,
            environment,
            wall,
            fiscal,
            self.metrics,
            limits,
            mail_enabled=is_mail_enabled(settings),
            uses=self.use_counter,
        )
        balances = Balances(self.database, wall, fiscal)
        users = Users(self.database, accounts, balances, wall, fiscal)
        links = SignInLinks(self.database, accounts, wall, fiscal)
        return AccountServices(accounts, users, balances, AccountAdministration(users, balances), links, self.branding)

    @cached_property
    def notice_mailer(self) -> NoticeMailer | None:
        """The mailer of notices about the security of accounts; None without a mail server."""
        from timbra.app.mail import notice_mailer

        return notice_mailer(self.settings, self.database, self.wall)

    @cached_property
    def certificate_services(self) -> CertificateServices:
        """The vault of seal certificates (CSD)."""
        from timbra.accounts.administration.certificates import CertificateService
        from timbra.accounts.vault.vault import Rotation, Vault
        from timbra.audit.keys import rotate_audit_keys
        from timbra.sandbox.authority.certificates.authority import rotate_keys
        from timbra.sandbox.store.transactions import SandboxTransaction

        def rotate_sandbox_keys(transaction: Transaction, envelope: EnvelopeEncryption) -> int:
            return rotate_keys(SandboxTransaction(self.database, transaction), envelope)

        stored = self.on_certificate_stored
        of_features = (rotate for feature in features() for rotate in feature.load(feature.rotations, "ROTATIONS"))
        rotations: list[Rotation] = [rotate_sandbox_keys, rotate_audit_keys]
        rotations += [partial(rotate, self.database) for rotate in of_features]
        vault = Vault(self.database, self.envelope, self.wall, self.fiscal, stored, rotations, self.use_counter)
        return CertificateServices(
            CertificateService(vault), vault, lambda: self.trust, self.reference_data, self.fiscal
        )

    @cached_property
    def operations_services(self) -> OperationsServices:
        """Health, metrics, outboxes, rejection log, usage and lists."""
        from timbra.app.health_checks import checks, warnings
        from timbra.lists.fetch.fetch_state import read_fetch_state
        from timbra.operations.health import HealthChecks
        from timbra.rejections.log import RejectionLog
        from timbra.rejections.store import RejectionStore
        from timbra.stamps.usage import UsageCounter

        settings, store = self.settings, RejectionStore(self.database, self.is_event_read)
        keep, days = settings.rejection_documents, settings.rejection_days
        return OperationsServices(
            health_checks=HealthChecks(checks(self), self.backlog, partial(warnings, self)),
            health=self.health,
            list_ages=self.list_ages,
            backlog=self.backlog,
            outbox=self.outbox,
            email_outbox=self.email_outbox,
            rejections=RejectionLog(
                store,
                self.wall,
                self.fiscal,
                keep_documents=keep,
                days=days,
                state_version=lambda: store.state_version,
                known_state_version=lambda: store.known_state_version,
            ),
            rejection_store=store,
            usage=UsageCounter(self.database, self.wall),
            lists=self.lists,
            list_importer=self.list_importer,
            list_refresh=lambda: self.list_refresh,
            list_health=self.list_health,
            fetch_records=partial(read_fetch_state, self.list_folder),
            clock_discipline=self.clock_discipline,
            build_info=self.build_info,
            total_metrics=self.multiprocess_metrics.total,
            rejection_days=days,
            server_info=self.server_info,
            wall=self.wall,
            fiscal=self.fiscal,
        )

    @cached_property
    def inspector_services(self) -> InspectorServices:
        """Recorded calls and live views."""
        from timbra.app.inspector import inspector_services

        return inspector_services(self)

    @cached_property
    def audit_services(self) -> AuditServices:
        return AuditServices(self.audit_log, self.audit, self.database, self.wall)

    def flush_buffers(self) -> None:
        """Write the rejections and calls that this process has buffered. ServiceError when the database fails."""
        self.operations_services.rejections.flush()
        if self.inspector_services.recorder is not None:
            self.inspector_services.recorder.flush()

    def server_info(self) -> ServerInfo:
        """Return snapshot, database and start time of this worker, for the page of the server's state."""
        return ServerInfo(self.snapshot, self.database.dialect, self.opened_at)

    @property
    def provider_services(self) -> ProviderServices:
        """The provider and its deliveries. Raises UnavailableServicesError: The environment is the sandbox."""
        raise production_only()

    @property
    def sandbox_services(self) -> SandboxServices:
        """Services of the simulated authority. Raises UnavailableServicesError: The environment is not the sandbox."""
        raise sandbox_only()

    def dispatch_events(self) -> None:
        """Turn new events into the work of their consumers; for a periodic job."""
        self.event_dispatcher.run()

    def send_mail(self) -> None:
        """Send the e-mails that are due; for a periodic job."""
        self.document_services.mailer.send_pending(self.email_outbox, self.wall)
        if self.notice_mailer is not None:
            self.notice_mailer.send_pending()

    def poll(self) -> None:
        """Detect changes of other processes to cached tables; for a periodic job."""
        self.database.poll()

    def record_settings(self) -> None:
        """Write to the audit log which settings changed since the last start of a server on this machine."""
        import socket

        from timbra.accounts.secrets import shared_secret
        from timbra.audit.settings_record import record_settings

        secret = shared_secret(self.database, self.envelope, "audit settings")
        record_settings(self.database, self.audit, self.settings, socket.gethostname(), secret)

    def _flush_uses(self) -> None:
        """Write the counts of uses since the last run of the job; they are lost when the database is unreachable."""
        import structlog

        from timbra.core.errors import ServiceError

        try:
            self.use_counter.flush()
        except ServiceError as error:
            structlog.get_logger("timbra.audit").warning("uses lost", code=error.code, detail=error.detail)

    def close(self) -> None:
        """Stop the print processes and the threads of accounts, and close the database, if they were opened."""
        opened = self.__dict__
        for name in ("document_processes", "archive_processes"):
            if opened.get(name) is not None:
                opened[name].close()
        if "document_services" in opened:
            self.document_services.printing.close()
        if "account_services" in opened:
            self.account_services.accounts.close()
        self.closing.close()
        if "use_counter" in opened:
            self._flush_uses()
        for part in ("stamps", "cluster_jobs", "database"):
            if part in opened:
                opened[part].close()
