"""The tax authority as the service sees it. Implementations: `authority.sandbox`, `authority.sat`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ParamSpec, Protocol, TypeVar

from timbra.cfdi.cancelacion.answer import AcceptReject
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.signers.port import Signer

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StatusQuery:
    """The query of SAT's ConsultaCFDI: the parts of the printed expression, values as the document writes them.

    Attributes:
        receiver_rfc: The receiver; NumRegIdTribR of the receiver abroad of a retención.
        total: Total, or MontoTotOperacion; empty when the query of a retención has none.
        seal_tail: The last 8 characters of the issuer's seal; empty when the query has none.
        is_retencion: Whether the document is a retención, about which another service answers.
    """

    uuid: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    seal_tail: str
    is_retencion: bool = False


@dataclass(frozen=True, slots=True)
class FiscalStatus:
    """The response of ConsultaCFDI, with the values that the SAT uses.

    Attributes:
        status: Estado: `Vigente`, `Cancelado` or `No Encontrado`.
        code: CodigoEstatus.
        cancelable: EsCancelable; None without it.
        cancellation: EstatusCancelacion; empty without it.
        efos: ValidacionEFOS; empty without it.
    """

    status: str
    code: str
    cancelable: str | None
    cancellation: str
    efos: str = ""


FOUND = "S - Comprobante obtenido satisfactoriamente."
"""CodigoEstatus of a document that the authority has."""
MISSING = FiscalStatus("No Encontrado", "N - 602: Comprobante no encontrado.", None, "")


class StatusService(Protocol):
    """The query of the fiscal status of any CFDI or retención."""

    def status(self, query: StatusQuery) -> FiscalStatus:
        """Return the fiscal status.

        Raises:
            ServiceError: "authority-down" when the authority does not respond.
        """
        ...


class Authority(StatusService, Protocol):
    """The authority, simulated or real: status of CFDI, and delivery of stamps."""

    def deliver_all(self, uuids: Iterable[str]) -> None:
        """Deliver stored stamps; the call is idempotent.

        Args:
            uuids: The folios of the stamps.

        Raises:
            ServiceError: The delivery failed and must be repeated.
        """
        ...


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """The origin of a request, for the event log.

    Attributes:
        account_id: The account of the caller; None when no account made the request.
        request_id: The identifier of the HTTP request; empty without one.
    """

    account_id: int | None
    request_id: str


@dataclass(frozen=True, slots=True)
class CancellationReceipt:
    """The response to a request of cancellation.

    Attributes:
        acuse: The XML that the authority signed.
        codes: EstatusUUID by UUID in lower case.
    """

    acuse: bytes
    codes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CfdiParties:
    """A related CFDI with its parties; the RFCs are empty when the authority does not have the CFDI."""

    uuid: str
    issuer_rfc: str
    receiver_rfc: str


@dataclass(frozen=True, slots=True)
class Relations:
    """The related CFDI of one CFDI.

    Attributes:
        parents: The CFDI that it names.
        children: The CFDI that name it.
    """

    parents: tuple[CfdiParties, ...]
    children: tuple[CfdiParties, ...]


class CancellationAuthority(Protocol):
    """The receiver of signed requests. All requests are idempotent.

    Every method raises ServiceError("authority-down") when the authority does not respond.
    """

    def cancel(self, request: Cancelacion, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        """Request the cancellation of CFDI, or of retenciones.

        Args:
            request: The content of the document.
            document: The signed XML; the caller has verified its signature.
            origin: The origin of the request, for the event log.

        Returns:
            Codes 201 to 212 for each CFDI: 201 for an accepted request, 202 when it was made before. Codes 1201 to
            1205 for each retención, with the same meaning.

        Raises:
            ServiceError: "cancel-xml" when the authority rejects the whole request.
        """
        ...

    def accept_reject(self, request: AcceptReject, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        """Answer requests of cancellation as their receiver.

        Args:
            request: The content of the document.
            document: The signed XML; the caller has verified its signature.
            origin: The origin of the request, for the event log.

        Returns:
            A code for each CFDI: 1000 the answer takes effect, 1001 no request is pending, 1002 it was answered before.
        """
        ...

    def pendings(self, receiver_rfc: str) -> Sequence[str]:
        """Return the folios, in lower case, of the CFDI whose cancellation is pending for that receiver."""
        ...

    def relations(self, request: RelationsRequest, document: bytes) -> Relations | None:
        """Return the related CFDI of a CFDI.

        Args:
            request: The content of the document.
            document: The signed XML; the caller has verified its signature.

        Returns:
            None when the CFDI is unknown, or when the RFC of the request neither issued nor received it.
        """
        ...


class SigningThreads(Protocol):
    """Runs signatures of a device outside the event loop."""

    async def run(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of the work; ServiceError("signer-unavailable") when it takes too long."""
        ...


class Provider(Protocol):
    """The provider (PAC) that stamps: its RFC, its certificate and the signer of its key.

    Signatures that take longer than a moment run in threads: `signing` is None for a key in memory.
    """

    @property
    def rfc(self) -> str: ...
    @property
    def signer(self) -> Signer: ...
    @property
    def certificate(self) -> Certificate: ...
    @property
    def signing(self) -> SigningThreads | None: ...
