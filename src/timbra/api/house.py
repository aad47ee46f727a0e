"""What the edge needs of the house; `timbra.wiring` opens the real one, tests bring their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

from timbra.service.orders import Caller, Stamped, StampOrder
from timbra.service.report import Report
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


class Validation(Protocol):
    async def validate(self, xml: bytes, with_status: bool) -> Report: ...


class Qr(Protocol):
    def png(self, url: str) -> bytes: ...


class JsonInvoices(Protocol):
    def to_xml(self, body: bytes) -> bytes: ...


class StampPages(Protocol):
    def page(self, account_id: int | None, *, cursor: str | None = None, limit: int = 50) -> StampPage: ...


class Fault(Protocol):
    @property
    def seconds(self) -> float: ...


class Faults(Protocol):
    """Faults that an administrator ordered. take: the fault if it is on, using up one of its times."""

    def take(self, name: Literal["latency", "answer-lost"]) -> Fault | None: ...


class House(Protocol):
    """Everything behind the edge, open and ready."""

    @property
    def settings(self) -> Settings: ...
    @property
    def sandbox(self) -> bool: ...
    @property
    def accounts(self) -> Accounts: ...
    @property
    def stamping(self) -> Stamping: ...
    @property
    def validation(self) -> Validation: ...
    @property
    def qr(self) -> Qr: ...
    @property
    def json_invoices(self) -> JsonInvoices: ...
    @property
    def stamps(self) -> StampPages: ...
    @property
    def faults(self) -> Faults: ...

    def health(self) -> Mapping[str, object]: ...
