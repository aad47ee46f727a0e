"""Fake services that record their calls and return what a test sets, and the application over them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NoReturn

from starlette.types import ASGIApp
from tests.support.fake_cancelling import FakeAccepting, FakeCancelling, FakeRelating
from tests.support.reference_data import reference_data

from timbra.accounts.administration.certificates import CertificateItem, CertificateUpload
from timbra.accounts.login.password_policy import PasswordPolicy
from timbra.accounts.services import AccountServices, CertificateServices
from timbra.amounts.services import AmountsServices
from timbra.app.api_factory import build
from timbra.app.operation_table import OPERATIONS
from timbra.cancellation.services import CancellationServices
from timbra.cfdi.from_json import JsonConversion
from timbra.cfdi.qr import VerificationPages, VerificationQuery
from timbra.container import UnavailableServicesError
from timbra.core.caller import Caller
from timbra.core.clock import Clock, WallClock
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.delivery.deliveries import Backlog
from timbra.documents.build import DocumentServices
from timbra.lists.fetch.fetch_state import FetchRecord
from timbra.lists.sources.part_names import ListKind
from timbra.operations.clock_discipline import ClockDiscipline, ClockReading
from timbra.operations.health import HealthChecks, ServerHealth
from timbra.operations.multiprocess_metrics import MultiprocessMetrics
from timbra.operations.services import OperationsServices
from timbra.pools import Pools, RunInThread
from timbra.rejections.log import RejectedRequest
from timbra.sandbox.fault_injection import SandboxFaultInjection
from timbra.sandbox.fault_selection import FaultDecisions
from timbra.sandbox.faults import Fault, FaultName, Faults
from timbra.sandbox.services import SandboxServices
from timbra.settings import Settings
from timbra.stamping.models import (
    CustomIdConflict,
    DocumentKind,
    StampingOperation,
    StampRequest,
    StampResult,
)
from timbra.stamping.services import StampingServices
from timbra.stamps.port import StampPage
from timbra.validation.models import (
    ReportEntry,
    ReportEntryKind,
    ReportSection,
    SectionKind,
    ValidationReport,
)
from timbra.validation.services import ValidationServices
from timbra.web.build import request_limits
from timbra.web.framework.operation import Operation
from timbra.web.injection import Groups
from timbra.web.request_environment import FaultInjection, RequestEnvironment

TFD = '<?xml version="1.0" encoding="utf-8"?><tfd:TimbreFiscalDigital Version="1.1" UUID="05c519de"/>'
CFDI = '<?xml version="1.0" encoding="utf-8"?><cfdi:Comprobante Nombre="Ñandú &amp; Año"/>'
NO_BACKLOG = Backlog(0, None, {})
TOKEN = "aaa.bbb.ccc"
ADMINISTRATOR_TOKEN = "admin.bbb.ccc"

STAMPED = StampResult(
    tfd=TFD,
    cfdi=CFDI,
    uuid="05c519de-0000-4000-8000-000000000001",
    cadena_original_sat="||1.1|05c519de|2026-11-17T12:00:00|TIM260101AAA|sello|00001000000000000001||",
    numero_certificado_sat="00001000000000000001",
    numero_certificado_cfdi="30001000000500003416",
    sello_sat="c2VsbG9TQVQ=",
    sello_cfdi="c2VsbG9DRkRJ",
    fecha_timbrado="2026-11-17T12:00:00",
    build_query=lambda: VerificationQuery("?id=1", is_retencion=False),
)
CONFLICT = CustomIdConflict(
    tfd=TFD,
    uuid=STAMPED.uuid,
    sello_sat=STAMPED.sello_sat,
    fecha_timbrado=STAMPED.fecha_timbrado,
    numero_certificado_sat=STAMPED.numero_certificado_sat,
)
REPORT = ValidationReport(
    sections=(
        ReportSection(SectionKind.STRUCTURE),
        ReportSection(
            SectionKind.INVOICE,
            (
                ReportEntry(
                    "CFDI40119", "detalle", ReportEntryKind.ERROR, code="CFDI40119", path="/cfdi:Comprobante", found="1"
                ),
            ),
        ),
    ),
    uuid=STAMPED.uuid,
    status_sat="Vigente",
    status_code_sat="S - Comprobante obtenido satisfactoriamente",
    status_cancelation="",
    data_version="2026.11",
)


@dataclass(frozen=True)
class FakeSession:
    token: str = TOKEN
    expires_at: int = 1_795_000_000


@dataclass
class FakeAccounts:
    logins: list[tuple[str, str]] = field(default_factory=list)
    rejection: ServiceError | None = None
    policy: PasswordPolicy = field(default_factory=lambda: PasswordPolicy(enforced=False))

    async def authenticate(self, user: str, password: str, origin: str) -> FakeSession:
        self.logins.append((user, password))
        if self.rejection is not None:
            raise self.rejection
        return FakeSession()

    async def request_caller(self, authorization: str | None, _run_in_thread: RunInThread) -> Caller:
        scheme, _, token = (authorization or "").partition(" ")
        if not scheme or (scheme.lower() == "bearer" and not token.strip()):
            raise ServiceError("AU4101")
        if scheme.lower() != "bearer" or token.count(".") != 2:
            raise ServiceError("token-parts")
        if token == ADMINISTRATOR_TOKEN:
            return Caller(1, "admin", "administrator")
        if token != TOKEN:
            raise ServiceError("token-signature")
        return Caller(7, "user@example.mx", "account")


@dataclass
class FakeStamping:
    orders: list[tuple[str, StampRequest]] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)
    failure: BaseException | None = None
    stamped: StampResult = STAMPED

    async def issue(self, order: StampRequest, run_in_thread: RunInThread) -> StampResult:
        return await self._take("issue", order, run_in_thread)

    async def stamp(self, order: StampRequest, run_in_thread: RunInThread) -> StampResult:
        return await self._take("stamp", order, run_in_thread)

    async def _take(self, operation: str, order: StampRequest, run_in_thread: RunInThread) -> StampResult:
        self.threads.append(await run_in_thread(lambda: threading.current_thread().name))
        self.orders.append((operation, order))
        if self.failure is not None:
            raise self.failure
        return self.stamped


@dataclass
class FakeLarge:
    taken: list[tuple[bytes, str | None, str]] = field(default_factory=list)
    dry_runs: list[bool] = field(default_factory=list)
    failure: Exception | None = None

    async def stamp(
        self,
        caller: Caller,
        archive: bytes,
        request_id: str,
        custom_id: str | None,
        *,
        operation: StampingOperation,
        dry_run: bool = False,
    ) -> StampResult:
        self.taken.append((archive, custom_id, operation.value))
        self.dry_runs.append(dry_run)
        if self.failure is not None:
            raise self.failure
        return STAMPED


@dataclass
class FakeValidation:
    calls: list[tuple[bytes, bool]] = field(default_factory=list)
    accounts: list[str] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)
    require_stamp: list[bool] = field(default_factory=list)
    failure: Exception | None = None

    async def validate(
        self,
        xml: bytes,
        with_status: bool,
        account: str,
        run_in_thread: RunInThread,
        *,
        require_stamp: bool,
        kind: DocumentKind,
        leniency: str | None,
    ) -> ValidationReport:
        assert kind is DocumentKind.CFDI
        assert leniency is None
        self.require_stamp.append(require_stamp)
        self.threads.append(await run_in_thread(lambda: threading.current_thread().name))
        self.calls.append((xml, with_status))
        self.accounts.append(account)
        if self.failure is not None:
            raise self.failure
        return REPORT


ITEM = CertificateItem(
    issuer_rfc="EKU9003173C9",
    certificate_number="30001000000500003416",
    csd_certificate="MII=",
    is_active=True,
    issuer_business_name="ESCUELA KEMPER URGATE",
    valid_from="2026-01-01T00:00:00Z",
    valid_to="2030-01-01T00:00:00Z",
    certificate_type="stamp",
)


@dataclass
class FakeCertificates:
    calls: list[tuple[object, ...]] = field(default_factory=list)
    failure: ServiceError | None = None

    def _take(self, *arguments: object) -> None:
        self.calls.append(arguments)
        if self.failure is not None:
            raise self.failure

    def save(self, caller: Caller, upload: CertificateUpload) -> str:
        self._take("save", caller.account_id, upload)
        return "CSD Guardados Correctamente."

    def list_all(self, caller: Caller) -> list[CertificateItem]:
        self._take("listed", caller.account_id)
        return [ITEM]

    def by_type(self, caller: Caller, kind: str) -> list[CertificateItem]:
        self._take("by_type", caller.account_id, kind)
        return [ITEM]

    def by_rfc(self, caller: Caller, rfc: str) -> list[CertificateItem]:
        self._take("by_rfc", caller.account_id, rfc)
        return []

    def get(self, caller: Caller, number: str) -> CertificateItem:
        self._take("one", caller.account_id, number)
        return ITEM

    def active(self, caller: Caller, rfc: str, kind: str) -> CertificateItem:
        self._take("active", caller.account_id, rfc, kind)
        return ITEM

    def disable(self, caller: Caller, number: str) -> str:
        self._take("disable", caller.account_id, number)
        return "CSD Eliminado Correctamente."


class FakeQr:
    def png(self, url: str) -> bytes:
        return b"\x89PNG\r\n\x1a\n" + url.encode("ascii")


@dataclass
class FakeJsonDocuments:
    ignored_keys: tuple[str, ...] = ()

    def invoice(self, body: bytes) -> JsonConversion:
        return JsonConversion(b"<from-json>" + body + b"</from-json>", self.ignored_keys)

    def retencion(self, body: bytes) -> JsonConversion:
        return JsonConversion(b"<retencion>" + body + b"</retencion>", self.ignored_keys)


@dataclass
class FakeStamps:
    result: StampPage = field(default_factory=lambda: StampPage((), None))
    calls: list[tuple[int | None, str | None, int]] = field(default_factory=list)

    def page(self, account_id: int | None, *, cursor: str | None = None, limit: int = 50) -> StampPage:
        self.calls.append((account_id, cursor, limit))
        return self.result


@dataclass
class FakeRejectionLog:
    requests: list[RejectedRequest] = field(default_factory=list)

    async def record(self, request: RejectedRequest) -> None:
        self.requests.append(request)


class FakeFaults(Faults):
    """Faults that a test activates, without a database."""

    def __init__(self) -> None:
        self.on: dict[FaultName, Fault] = {}
        self._decisions = FaultDecisions()

    @property
    def known(self) -> dict[FaultName, Fault]:
        return self.on

    def current(self) -> dict[FaultName, Fault]:
        return self.on


def small_settings(**changes: Any) -> Settings:
    """Return settings with small limits."""
    return Settings(**{"max_body_bytes": 200_000, "body_idle_timeout_seconds": 20, **changes})


@dataclass
class FakeStampingServices:
    stamping: FakeStamping = field(default_factory=FakeStamping)
    large: FakeLarge = field(default_factory=FakeLarge)
    json_documents: FakeJsonDocuments = field(default_factory=FakeJsonDocuments)
    qr: FakeQr = field(default_factory=FakeQr)
    stamps: FakeStamps = field(default_factory=FakeStamps)
    mail_enabled: bool = False
    processes: None = None


@dataclass
class FakeValidationServices:
    validation: FakeValidation = field(default_factory=FakeValidation)


@dataclass
class FakeCancellationServices:
    cancelling: FakeCancelling = field(default_factory=FakeCancelling)
    cancelling_retenciones: FakeCancelling = field(default_factory=lambda: FakeCancelling(code="1201"))
    accepting: FakeAccepting = field(default_factory=FakeAccepting)
    relating: FakeRelating = field(default_factory=FakeRelating)


@dataclass
class FakeAccountServices:
    accounts: FakeAccounts = field(default_factory=FakeAccounts)


@dataclass
class FakeCertificateServices:
    certificates: FakeCertificates = field(default_factory=FakeCertificates)


@dataclass
class FakeSandboxServices:
    faults: FakeFaults = field(default_factory=FakeFaults)


class FakeOperationsServices:
    """Operations with the health checks and the backlog of a test."""

    def __init__(self, checks: dict[str, Callable[[], None]], backlog: Backlog, metrics: MetricsRegistry) -> None:
        self.backlog = backlog
        self.health_checks = HealthChecks(checks, lambda: self.backlog)
        self.clock_discipline = ClockDiscipline(lambda: ClockReading(True, 0.001, 0.25), 5)
        self.database_clock: Callable[[], timedelta | None] = lambda: timedelta(seconds=-2)
        self.rejections = FakeRejectionLog()
        self.wall: Clock = WallClock()
        self.total_metrics = MultiprocessMetrics(metrics).total

    def health(self) -> ServerHealth:
        return {
            "status": "ok",
            "environment": "sandbox",
            "data_version": "2026.11",
            "catalogs_edition": "",
            "catalogs_since": None,
            "lists_version": "",
            "lists_age_hours": None,
            "fiscal_time": "2026-11-22T10:00:00+00:00",
            "audit_head": "",
        }

    def list_ages(self) -> dict[str, timedelta]:
        return {"LCO": timedelta(hours=30)}

    def fetch_records(self) -> dict[ListKind, FetchRecord]:
        return {ListKind.LCO: FetchRecord(self.wall.now(), code="list-signature")}

    def build_info(self) -> dict[str, str]:
        return {"environment": "sandbox", "data_version": "2026.11"}


def _unavailable() -> NoReturn:
    raise UnavailableServicesError("CO1000")


class FakeServices:
    """One group of fakes for each group of services, and the application over them."""

    def __init__(
        self,
        *,
        sandbox: bool = True,
        settings: Settings | None = None,
        checks: dict[str, Callable[[], None]] | None = None,
        backlog: Backlog = NO_BACKLOG,
    ) -> None:
        self.settings = settings or small_settings()
        self.metrics = MetricsRegistry()
        self.stamping_services = FakeStampingServices()
        self.validation_services = FakeValidationServices()
        self.amounts_services = AmountsServices(reference_data, None)
        self.cancellation_services = FakeCancellationServices()
        self.account_services = FakeAccountServices()
        self.certificate_services = FakeCertificateServices()
        self.sandbox_services = FakeSandboxServices()
        self.operations_services = FakeOperationsServices(checks or {}, backlog, self.metrics)
        self._sandbox = sandbox
        self.ended: list[str] = []

    def app(self, operations: Iterable[Operation] = OPERATIONS) -> ASGIApp:
        """The application over these fakes."""
        faults = SandboxFaultInjection(self.sandbox_services.faults, self._end_session) if self._sandbox else None
        return build(self.environment(faults), self._groups(), operations)

    def _end_session(self, token: str) -> bool:
        self.ended.append(token)
        return True

    def environment(self, faults: FaultInjection | None) -> RequestEnvironment:
        """The environment of requests."""
        settings = self.settings
        return RequestEnvironment(
            limits=request_limits(settings),
            public_url=settings.public_url,
            verification_pages=VerificationPages(
                "https://verificacfdi.example/default.aspx", "https://retenciones.example/"
            ),
            metrics_token=settings.metrics_token,
            metrics=self.metrics,
            pools=Pools(self.metrics),
            authenticate=self.account_services.accounts.request_caller,
            faults=faults,
            is_production=settings.environment == "production",
        )

    def _groups(self) -> Groups:
        return {
            StampingServices: lambda: self.stamping_services,
            ValidationServices: lambda: self.validation_services,
            AmountsServices: lambda: self.amounts_services,
            CancellationServices: lambda: self.cancellation_services,
            AccountServices: lambda: self.account_services,
            CertificateServices: lambda: self.certificate_services,
            OperationsServices: lambda: self.operations_services,
            SandboxServices: (lambda: self.sandbox_services) if self._sandbox else _unavailable,
            DocumentServices: _unavailable,
        }
