"""A house whose rooms remember what they were asked and answer what a test tells them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any, NoReturn

from sqlalchemy import Connection
from tests.api.fake_cancelling import FakeAccepting, FakeCancelling, FakeRelating

from timbra.authority.sandbox.faults import Fault, FaultName, Faults
from timbra.clock import Clock, WallClock
from timbra.errors import ServiceError
from timbra.meters import Meters
from timbra.service.certificates import CertificateItem, CertificateUpload
from timbra.service.condition import Condition
from timbra.service.orders import Caller, CustomIdConflict, Stamped, StampOrder
from timbra.service.refusals import RefusedRequest
from timbra.service.report import Entry, EntryKind, Report, Section
from timbra.service.shared_meters import SharedMeters
from timbra.settings import Settings
from timbra.store.outbox import Backlog
from timbra.store.port import StampPage

TFD = '<?xml version="1.0" encoding="utf-8"?><tfd:TimbreFiscalDigital Version="1.1" UUID="05c519de"/>'
CFDI = '<?xml version="1.0" encoding="utf-8"?><cfdi:Comprobante Nombre="Ñandú &amp; Año"/>'
TOKEN = "aaa.bbb.ccc"
ADMINISTRATOR_TOKEN = "admin.bbb.ccc"

STAMPED = Stamped(
    tfd=TFD,
    cfdi=CFDI,
    uuid="05c519de-0000-4000-8000-000000000001",
    cadena_original_sat="||1.1|05c519de|2026-11-17T12:00:00|TIM260101AAA|sello|00001000000000000001||",
    numero_certificado_sat="00001000000000000001",
    numero_certificado_cfdi="30001000000500003416",
    sello_sat="c2VsbG9TQVQ=",
    sello_cfdi="c2VsbG9DRkRJ",
    fecha_timbrado="2026-11-17T12:00:00",
    verification_url="https://verificacfdi.facturaelectronica.sat.gob.mx/default.aspx?id=1",
)
CONFLICT = CustomIdConflict(
    tfd=TFD,
    uuid=STAMPED.uuid,
    sello_sat=STAMPED.sello_sat,
    fecha_timbrado=STAMPED.fecha_timbrado,
    numero_certificado_sat=STAMPED.numero_certificado_sat,
)
REPORT = Report(
    sections=(
        Section(
            "CFDI40 - Validacion de Estructura",
            (Entry("OK", "Validacion de Estructura Correcta", EntryKind.INFORMATION),),
        ),
        Section(
            "CFDI40 - Validaciones Proveedor Comprobante ( CFDI40 )",
            (Entry("CFDI40119", "detalle", EntryKind.ERROR, code="CFDI40119", path="/cfdi:Comprobante", found="1"),),
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
    refusal: ServiceError | None = None

    async def authenticate(self, user: str, password: str) -> FakeSession:
        self.logins.append((user, password))
        if self.refusal is not None:
            raise self.refusal
        return FakeSession()

    def caller(self, authorization: str | None) -> Caller:
        scheme, _, token = (authorization or "").partition(" ")
        if not scheme:
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
    orders: list[tuple[str, StampOrder]] = field(default_factory=list)
    failure: BaseException | None = None

    async def issue(self, order: StampOrder) -> Stamped:
        return self._take("issue", order)

    async def stamp(self, order: StampOrder) -> Stamped:
        return self._take("stamp", order)

    def _take(self, operation: str, order: StampOrder) -> Stamped:
        self.orders.append((operation, order))
        if self.failure is not None:
            raise self.failure
        return STAMPED


@dataclass
class FakeLarge:
    taken: list[tuple[bytes, str | None]] = field(default_factory=list)

    async def stamp(self, caller: Caller, archive: bytes, request_id: str, custom_id: str | None) -> Stamped:
        self.taken.append((archive, custom_id))
        return STAMPED


@dataclass
class FakeValidation:
    asked: list[tuple[bytes, bool]] = field(default_factory=list)
    failure: Exception | None = None

    async def validate(self, xml: bytes, with_status: bool) -> Report:
        self.asked.append((xml, with_status))
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
    asked: list[tuple[object, ...]] = field(default_factory=list)
    failure: ServiceError | None = None

    def _take(self, *asked: object) -> None:
        self.asked.append(asked)
        if self.failure is not None:
            raise self.failure

    def save(self, caller: Caller, upload: CertificateUpload) -> str:
        self._take("save", caller.account_id, upload)
        return "CSD Guardados Correctamente."

    def listed(self, caller: Caller) -> list[CertificateItem]:
        self._take("listed", caller.account_id)
        return [ITEM]

    def by_type(self, caller: Caller, kind: str) -> list[CertificateItem]:
        self._take("by_type", caller.account_id, kind)
        return [ITEM]

    def by_rfc(self, caller: Caller, rfc: str) -> list[CertificateItem]:
        self._take("by_rfc", caller.account_id, rfc)
        return []

    def one(self, caller: Caller, number: str) -> CertificateItem:
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


class FakeJsonInvoices:
    def to_xml(self, body: bytes) -> bytes:
        return b"<from-json>" + body + b"</from-json>"


@dataclass
class FakeStamps:
    result: StampPage = field(default_factory=lambda: StampPage((), None))
    asked: list[tuple[int | None, str | None, int]] = field(default_factory=list)

    def page(self, account_id: int | None, *, cursor: str | None = None, limit: int = 50) -> StampPage:
        self.asked.append((account_id, cursor, limit))
        return self.result


@dataclass
class FakeRefusals:
    noted: list[RefusedRequest] = field(default_factory=list)

    def note(self, request: RefusedRequest) -> None:
        self.noted.append(request)


@dataclass(frozen=True)
class FakeCatalogs:
    version: str = "2026.11"


class FakeFaults(Faults):
    """Faults that a test switches on, without a database."""

    def __init__(self) -> None:
        self.on: dict[str, Fault] = {}

    def take(self, name: FaultName, connection: Connection | None = None) -> Fault | None:
        return self.on.get(name)


def small_settings(**changes: Any) -> Settings:
    """Settings with bounds small enough for tests."""
    return Settings(**{"max_body_bytes": 200_000, "body_silence_seconds": 0.3, **changes})


@dataclass
class FakeHouse:
    sandbox: bool = True
    settings: Settings = field(default_factory=small_settings)
    accounts: FakeAccounts = field(default_factory=FakeAccounts)
    stamping: FakeStamping = field(default_factory=FakeStamping)
    large: FakeLarge = field(default_factory=FakeLarge)
    validation: FakeValidation = field(default_factory=FakeValidation)
    certificates: FakeCertificates = field(default_factory=FakeCertificates)
    cancelling: FakeCancelling = field(default_factory=FakeCancelling)
    accepting: FakeAccepting = field(default_factory=FakeAccepting)
    relating: FakeRelating = field(default_factory=FakeRelating)
    qr: FakeQr = field(default_factory=FakeQr)
    json_invoices: FakeJsonInvoices = field(default_factory=FakeJsonInvoices)
    stamps: FakeStamps = field(default_factory=FakeStamps)
    refusals: FakeRefusals = field(default_factory=FakeRefusals)
    faults: FakeFaults = field(default_factory=FakeFaults)
    wall: Clock = field(default_factory=WallClock)
    catalogs: FakeCatalogs = field(default_factory=FakeCatalogs)
    meters: Meters = field(default_factory=Meters)
    checks: dict[str, Callable[[], None]] = field(default_factory=dict)
    backlog: Backlog = field(default_factory=lambda: Backlog(0, None, {}))

    @cached_property
    def shared_meters(self) -> SharedMeters:
        return SharedMeters(self.meters)

    @cached_property
    def condition(self) -> Condition:
        return Condition(self.checks, lambda: self.backlog)

    @property
    def registry(self) -> NoReturn:
        raise NotImplementedError

    clock_control = authority_ca = counter = ledger = management = storage = printing = links = mailing = lookups = (
        registry
    )

    def health(self) -> dict[str, object]:
        return {"environment": "sandbox", "data_version": "2026.11"}

    def list_ages(self) -> dict[str, timedelta]:
        return {"LCO": timedelta(hours=30)}
