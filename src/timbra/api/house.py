"""What the edge needs of the house; `timbra.wiring` opens the real one, tests bring their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import timedelta

    from timbra.authority.sandbox.ca import SandboxAuthority
    from timbra.authority.sandbox.clock import ClockControl
    from timbra.authority.sandbox.faults import Faults
    from timbra.authority.sandbox.ledger import SandboxLedger
    from timbra.authority.sandbox.registry import SandboxRegistry
    from timbra.clock import Clock
    from timbra.meters import Meters
    from timbra.service.certificates import CertificateItem, CertificateUpload
    from timbra.service.condition import Condition
    from timbra.service.links import Links
    from timbra.service.lookups import Lookups
    from timbra.service.mail.mailing import Mailing
    from timbra.service.management import Management
    from timbra.service.orders import Caller, Stamped, StampOrder
    from timbra.service.printing import Printing
    from timbra.service.refusals import RefusedRequest
    from timbra.service.report import Report
    from timbra.service.shared_meters import SharedMeters
    from timbra.service.storage import Storage
    from timbra.settings import Settings
    from timbra.store.port import StampPage


class SessionToken(Protocol):
    """A token and when it ends. expires_at: Unix seconds."""

    @property
    def token(self) -> str: ...
    @property
    def expires_at(self) -> int: ...


class Accounts(Protocol):
    async def authenticate(self, user: str, password: str) -> SessionToken: ...

    def caller(self, authorization: str | None) -> Caller: ...


class Stamping(Protocol):
    """Raises ServiceError("307", data=Stamped | None) and ServiceError("CFDI3307", data=CustomIdConflict)."""

    async def issue(self, order: StampOrder) -> Stamped: ...

    async def stamp(self, order: StampOrder) -> Stamped: ...


class LargeStamping(Protocol):
    async def stamp(self, caller: Caller, archive: bytes, request_id: str, custom_id: str | None) -> Stamped: ...


class Validation(Protocol):
    async def validate(self, xml: bytes, with_status: bool) -> Report: ...


class Certificates(Protocol):
    """May block for some milliseconds: called off the event loop. Refusals: ServiceError("certificates")."""

    def save(self, caller: Caller, upload: CertificateUpload) -> str: ...

    def listed(self, caller: Caller) -> Sequence[CertificateItem]: ...

    def by_type(self, caller: Caller, kind: str) -> Sequence[CertificateItem]: ...

    def by_rfc(self, caller: Caller, rfc: str) -> Sequence[CertificateItem]: ...

    def one(self, caller: Caller, number: str) -> CertificateItem: ...

    def active(self, caller: Caller, rfc: str, kind: str) -> CertificateItem: ...

    def disable(self, caller: Caller, number: str) -> str: ...


class Qr(Protocol):
    def png(self, url: str) -> bytes: ...


class JsonInvoices(Protocol):
    def to_xml(self, body: bytes) -> bytes: ...


class StampPages(Protocol):
    def page(self, account_id: int | None, *, cursor: str | None = None, limit: int = 50) -> StampPage: ...


class Refusals(Protocol):
    def note(self, request: RefusedRequest) -> None: ...


class House(Protocol):
    """Everything behind the edge, open and ready. From `faults` on, only in the sandbox."""

    @property
    def settings(self) -> Settings: ...
    @property
    def sandbox(self) -> bool: ...
    @property
    def wall(self) -> Clock: ...
    @property
    def meters(self) -> Meters: ...
    @property
    def shared_meters(self) -> SharedMeters: ...
    @property
    def condition(self) -> Condition: ...
    @property
    def accounts(self) -> Accounts: ...
    @property
    def stamping(self) -> Stamping: ...
    @property
    def large(self) -> LargeStamping: ...
    @property
    def validation(self) -> Validation: ...
    @property
    def certificates(self) -> Certificates: ...
    @property
    def management(self) -> Management: ...
    @property
    def qr(self) -> Qr: ...
    @property
    def json_invoices(self) -> JsonInvoices: ...
    @property
    def stamps(self) -> StampPages: ...
    @property
    def storage(self) -> Storage: ...
    @property
    def printing(self) -> Printing: ...
    @property
    def links(self) -> Links: ...
    @property
    def mailing(self) -> Mailing: ...
    @property
    def lookups(self) -> Lookups: ...
    @property
    def refusals(self) -> Refusals: ...
    @property
    def faults(self) -> Faults: ...
    @property
    def registry(self) -> SandboxRegistry: ...
    @property
    def clock_control(self) -> ClockControl: ...
    @property
    def authority_ca(self) -> SandboxAuthority: ...
    @property
    def ledger(self) -> SandboxLedger: ...

    def health(self) -> Mapping[str, object]: ...

    def list_ages(self) -> Mapping[str, timedelta]: ...
