"""The SOAP services of the bulk download at one register."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4
from xml.sax.saxutils import quoteattr

from lxml import etree

from timbra.core.soap import envelope
from timbra.emulator.bulk.access import DownloadAccess
from timbra.emulator.bulk.codes import ACCEPTED, MALFORMED, MESSAGES, UNCONTROLLED, BulkDownloadError
from timbra.emulator.bulk.contract import (
    DOWNLOAD,
    DOWNLOAD_ACTION,
    NAMESPACE,
    VERIFICATION,
    VERIFICATION_ACTION,
    DocumentRegister,
    RequestOperation,
    tag,
)
from timbra.emulator.bulk.criteria import CriteriaRules, read_criteria
from timbra.emulator.bulk.encoding import PIECE_BYTES, base64_pieces, base64_size
from timbra.emulator.bulk.options import BulkDownloadOptions
from timbra.emulator.bulk.processing import DownloadRequests, RequestState, RequestStatus
from timbra.emulator.faults import PACKAGE_DEFECTS, ScriptedFaults
from timbra.emulator.soap import SoapEndpoint, SoapOperation, SoapRequest, SoapStream

SLOW_PIECES = 10
WITH_IDENTIFIER = frozenset({"404", "5002", "5004"})
"""Codes with which the request service returns an identifier that no verification knows."""
WITH_RFC = frozenset({"5000", "5002", "5004"})


@dataclass(frozen=True, slots=True)
class BulkDownloadEndpoints:
    """The services over the requests.

    Attributes:
        register: The register that they serve.
        access: Token, signature and certificate.
        requests: The requests.
        options: Returns the options in force.
    """

    register: DocumentRegister
    access: DownloadAccess
    requests: DownloadRequests
    options: Callable[[], BulkDownloadOptions]

    def request_service(self) -> SoapEndpoint:
        return SoapEndpoint(
            *(
                SoapOperation(operation.action, tag(operation), self._handler(operation))
                for operation in RequestOperation
            ),
            is_wcf=True,
        )

    def verification_service(self) -> SoapEndpoint:
        return SoapEndpoint(SoapOperation(VERIFICATION_ACTION, tag(VERIFICATION), self._verify), is_wcf=True)

    def download_service(self) -> SoapEndpoint:
        return SoapEndpoint(SoapOperation(DOWNLOAD_ACTION, tag(DOWNLOAD), self._download), is_wcf=True)

    def _handler(self, operation: RequestOperation) -> Callable[[SoapRequest], bytes]:
        def request(message: SoapRequest) -> bytes:
            return self._request(operation, message)

        return request

    def _request(self, operation: RequestOperation, message: SoapRequest) -> bytes:
        code, text, identifier, rfc = ACCEPTED, MESSAGES[ACCEPTED], "", ""
        try:
            rfc = self.access.signer(message, self.register).rfc
            options = self.options()
            rules = CriteriaRules(self.requests.now(), options.years, options.zulu_dates == "converted")
            require_no_code(message)
            criteria = read_criteria(operation, inner(message.body, "solicitud"), rfc, self.register, rules)
            identifier = self.requests.accept(rfc, self.register, criteria, scripted_values(message.faults))
        except BulkDownloadError as error:
            code, text = error.code, error.message
            identifier = str(uuid4()) if code in WITH_IDENTIFIER else ""
        written = {
            "IdSolicitud": identifier,
            "RfcSolicitante": rfc if code in WITH_RFC else "",
            "CodEstatus": code,
            "Mensaje": text,
        }
        return _response(operation, {name: value for name, value in written.items() if value})

    def _verify(self, message: SoapRequest) -> bytes:
        try:
            rfc = self.access.signer(message, self.register).rfc
            solicitud = inner(message.body, "solicitud")
            require_signer(solicitud, rfc)
            require_no_code(message)
            status = self.requests.verify(rfc, self.register, solicitud.get("IdSolicitud", "").strip())
        except BulkDownloadError as error:
            none = RequestStatus(RequestState.NONE, "", 0)
            return _verification(error.code, error.message, none)
        return _verification(ACCEPTED, MESSAGES[ACCEPTED], changed_status(status, message.faults))

    def _download(self, message: SoapRequest) -> bytes | SoapStream:
        try:
            rfc = self.access.signer(message, self.register).rfc
            petition = inner(message.body, "peticionDescarga")
            require_signer(petition, rfc)
            require_no_code(message)
            path = self.requests.download(rfc, self.register, petition.get("IdPaquete", ""))
            size = path.stat().st_size
        except BulkDownloadError as error:
            return b"".join(_package(error.code, error.message))
        except OSError:
            return b"".join(_package(UNCONTROLLED, MESSAGES[UNCONTROLLED]))
        head, tail = _package(ACCEPTED, MESSAGES[ACCEPTED])
        return package_stream(head, path, size, tail, message.faults)


def inner(body: etree._Element, name: str) -> etree._Element:
    """Return the element with the attributes. Raises BulkDownloadError: 301 without it."""
    found = body.findall(tag(name))
    if len(found) != 1:
        raise BulkDownloadError(MALFORMED)
    return found[0]


def require_signer(element: etree._Element, rfc: str) -> None:
    """Require that RfcSolicitante is the signer. Raises BulkDownloadError: 301 without it, 303 for another."""
    written = element.get("RfcSolicitante", "").strip().upper()
    if not written:
        raise BulkDownloadError(MALFORMED)
    if written != rfc:
        raise BulkDownloadError("303")


def require_no_code(message: SoapRequest) -> None:
    """Raise the BulkDownloadError of the fault `code`, if it affects a call."""
    fault = message.faults.get("code")
    if fault is not None:
        raise BulkDownloadError(fault.code, fault.message)


def scripted_values(faults: ScriptedFaults) -> Mapping[str, Any]:
    """Return what the faults of a request change of its course and of its packages."""
    end = faults.get("state")
    values: dict[str, Any] = {} if end is None else {"state": end.state, "code": end.code}
    defects = sorted(PACKAGE_DEFECTS & faults.rules.keys())
    return {**values, "defects": defects} if defects else values


def changed_status(status: RequestStatus, faults: ScriptedFaults) -> RequestStatus:
    """Return what a verification answers under its faults."""
    state, packages = faults.get("state"), status.packages
    if state is not None:
        found = RequestState(state.state or 0)
        is_finished = found is RequestState.FINISHED
        status = RequestStatus(
            found, state.code or ACCEPTED, status.documents if is_finished else 0, packages if is_finished else ()
        )
    if faults.get("no-packages") is not None:
        status = replace(status, packages=())
    if faults.get("no-count") is not None:
        status = replace(status, documents=0)
    if faults.get("reversed-packages") is not None:
        status = replace(status, packages=status.packages[::-1])
    return status


def package_stream(head: bytes, path: Path, size: int, tail: bytes, faults: ScriptedFaults) -> SoapStream:
    """Return the response with a package, which is read while it is sent."""
    if faults.get("empty-package") is not None:
        return SoapStream(lambda: iter((head, tail)), len(head) + len(tail))
    length = size // 2 if faults.get("broken-zip") is not None else size
    encoded = base64_size(length)
    # No multiple of four, so that no decoder takes the half for a whole.
    sent = encoded // 2 | 1 if faults.get("truncated-package") is not None else encoded
    slow = faults.get("slow-body")
    pause = 0.0 if slow is None else (slow.seconds or 0) / SLOW_PIECES

    def pieces() -> Iterator[bytes]:
        yield head
        with path.open("rb") as file:
            left = sent
            for piece in base64_pieces(file, length, -(-length // SLOW_PIECES) if pause else PIECE_BYTES):
                time.sleep(pause)
                yield piece[:left]
                left -= len(piece)
                if left <= 0:
                    break
        yield tail

    return SoapStream(pieces, len(head) + sent + len(tail))


def _response(operation: str, values: Mapping[str, str], content: str = "") -> bytes:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in values.items())
    return envelope(
        f'<{operation}Response xmlns="{NAMESPACE}"><{operation}Result{attributes}>{content}</{operation}Result>'
        f"</{operation}Response>"
    )


def _verification(code: str, text: str, status: RequestStatus) -> bytes:
    values = {
        "CodEstatus": code,
        "EstadoSolicitud": str(int(status.state)),
        "CodigoEstadoSolicitud": status.code,
        "NumeroCFDIs": str(status.documents),
        "Mensaje": text,
    }
    content = "".join(f"<IdsPaquetes>{package}</IdsPaquetes>" for package in status.packages)
    return _response(VERIFICATION, {name: value for name, value in values.items() if value}, content)


def _package(code: str, text: str) -> tuple[bytes, bytes]:
    """Return what precedes and what follows the package in a response."""
    header = f'<h:respuesta CodEstatus={quoteattr(code)} Mensaje={quoteattr(text)} xmlns:h="{NAMESPACE}"/>'
    mark = "|"
    body = (
        f'<RespuestaDescargaMasivaTercerosSalida xmlns="{NAMESPACE}"><Paquete>{mark}</Paquete>'
        "</RespuestaDescargaMasivaTercerosSalida>"
    )
    head, _, tail = envelope(body, header).rpartition(mark.encode())
    return head, tail
