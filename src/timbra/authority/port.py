"""The tax authority as the service sees it. Implementations: `authority.sandbox`, `authority.sat`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from timbra.cfdi.cancelacion.answer import AcceptReject
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.signers.port import Signer


@dataclass(frozen=True, slots=True)
class StatusQuery:
    """What SAT's ConsultaCFDI is asked with: the printed expression's parts, values as the document writes them."""

    uuid: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    seal_tail: str


@dataclass(frozen=True, slots=True)
class FiscalStatus:
    """SAT's own words. status: `Vigente`, `Cancelado`, `No Encontrado`. efos: ValidacionEFOS, empty when not told."""

    status: str
    code: str
    cancelable: str | None
    cancellation: str
    efos: str = ""


class StatusService(Protocol):
    """Who knows the status of any CFDI."""

    def status(self, query: StatusQuery) -> FiscalStatus:
        """The fiscal status. ServiceError("authority-down") when the authority does not answer."""
        ...


class Authority(StatusService, Protocol):
    """What any authority, simulated or real, can do."""

    def deliver_all(self, uuids: Iterable[str]) -> None:
        """Report stored stamps; repeating is harmless. ServiceError when they must be tried again."""
        ...


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """Who is behind a request, for the history; account_id None for what no account did."""

    account_id: int | None
    request_id: str


@dataclass(frozen=True, slots=True)
class CancellationReceipt:
    """acuse: the authority's signed XML. codes: EstatusUUID by UUID in lower case."""

    acuse: bytes
    codes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CfdiParties:
    """A related CFDI; RFCs empty where the authority has it not on file."""

    uuid: str
    issuer_rfc: str
    receiver_rfc: str


@dataclass(frozen=True, slots=True)
class Relations:
    """parents: the CFDI that one names. children: those that name it."""

    parents: tuple[CfdiParties, ...]
    children: tuple[CfdiParties, ...]


class CancellationAuthority(Protocol):
    """Where signed requests go. document: the signed XML, verified before. Repeating a request is harmless.

    Every method raises ServiceError("authority-down") when the authority does not answer.
    """

    def cancel(self, request: Cancelacion, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        """Codes 201 to 212 for each CFDI; 202 for what was cancelled, or is asked for, already."""
        ...

    def accept_reject(self, request: AcceptReject, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        """1000 the answer counts, 1001 nothing waits for it, 1002 it was answered before."""
        ...

    def pendings(self, receiver_rfc: str) -> Sequence[str]:
        """Folios, in lower case, whose cancellation waits for that receiver."""
        ...

    def relations(self, request: RelationsRequest, document: bytes) -> Relations | None:
        """None when the CFDI is unknown, or is not one that the asking RFC issued or received."""
        ...


class Provider(Protocol):
    """Who stamps: the provider's signer (certificate and key) and RFC."""

    @property
    def rfc(self) -> str: ...
    @property
    def signer(self) -> Signer: ...
    @property
    def certificate(self) -> Certificate: ...
