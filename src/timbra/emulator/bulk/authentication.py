"""Autentica of the bulk download: WS-Security with an e.firma, whose certificate only the later calls check."""

from __future__ import annotations

from xml.sax.saxutils import escape

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.soap import envelope
from timbra.emulator.bulk.access import INSECURE
from timbra.emulator.bulk.contract import AUTHENTICATION_ACTION, AUTHENTICATION_NAMESPACE, DocumentRegister
from timbra.emulator.bulk.tokens import BulkDownloadTokens
from timbra.emulator.security_headers import SECURITY_TAG, timestamp_header
from timbra.emulator.soap import SoapEndpoint, SoapFault, SoapOperation, SoapRequest
from timbra.seals.xml_signatures.ws_security import BULK_DOWNLOAD, SECURITY, verify_security


class BulkDownloadAuthentication:
    """Gives tokens for one register to callers that have the key of a certificate."""

    def __init__(self, tokens: BulkDownloadTokens, wall: Clock, register: DocumentRegister) -> None:
        self._tokens = tokens
        self._wall = wall
        self._register = register

    def endpoint(self) -> SoapEndpoint:
        element = f"{{{AUTHENTICATION_NAMESPACE}}}Autentica"
        return SoapEndpoint(
            SoapOperation(AUTHENTICATION_ACTION, element, self._authenticate, (SECURITY_TAG,)), is_wcf=True
        )

    def _authenticate(self, request: SoapRequest) -> bytes:
        headers, now = request.headers(SECURITY_TAG), self._wall.now()
        if len(headers) != 1:
            raise _insecure()
        try:
            login = verify_security(headers[0], now, BULK_DOWNLOAD)
        except ServiceError as error:
            raise _insecure() from error
        token = self._tokens.issue(login.certificate.number, self._register, now)
        return envelope(
            f'<AutenticaResponse xmlns="{AUTHENTICATION_NAMESPACE}"><AutenticaResult>{escape(token)}</AutenticaResult>'
            "</AutenticaResponse>",
            timestamp_header(now),
        )


def _insecure() -> SoapFault:
    return SoapFault("InvalidSecurity", INSECURE, SECURITY, language="en-US")
