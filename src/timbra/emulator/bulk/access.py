"""Who may call: the token of the header, the signature of the request, and the certificate of the signer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from timbra.emulator.bulk.codes import (
    CERTIFICATE_EXPIRED,
    WRONG_CERTIFICATE,
    WRONG_USER,
    BulkDownloadError,
)
from timbra.emulator.bulk.contract import DocumentRegister
from timbra.emulator.bulk.options import BulkDownloadOptions
from timbra.emulator.bulk.signatures import verify_request
from timbra.emulator.bulk.tokens import BulkDownloadTokens
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.emulator.soap import SoapFault, SoapRequest
from timbra.emulator.tokens import AccessTokenError
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.certificates.trust_store import LOCAL
from timbra.seals.xml_signatures.ws_security import SECURITY

INSECURE = "An error occurred when verifying security for the message."


@dataclass(frozen=True, slots=True)
class DownloadAccess:
    """The checks that precede every request, verification and download.

    Attributes:
        options: Returns the options in force.
    """

    sat: SimulatedSat
    tokens: BulkDownloadTokens
    options: Callable[[], BulkDownloadOptions]

    def signer(self, request: SoapRequest, register: DocumentRegister) -> Certificate:
        """Return the certificate of the taxpayer who signed a request.

        Raises:
            BulkDownloadError: 300, 302, 304 or 305.
            SoapFault: The token is not accepted, and the options choose a fault.
        """
        self._require_token(request, register)
        certificate = verify_request(request.body, request.message, self.options().signatures)
        self._require_efirma(certificate)
        return certificate

    def _require_token(self, request: SoapRequest, register: DocumentRegister) -> None:
        if request.faults.get("stale-token") is not None:
            raise self._rejected_token()
        try:
            self.tokens.verify(request.authorization, register)
        except AccessTokenError as error:
            raise self._rejected_token() from error

    def _rejected_token(self) -> BulkDownloadError | SoapFault:
        if self.options().unauthenticated == "fault":
            return SoapFault("InvalidSecurity", INSECURE, SECURITY, language="en-US")
        return BulkDownloadError(WRONG_USER)

    def _require_efirma(self, certificate: Certificate) -> None:
        anchor = self.sat.trust.issuer_of(certificate)
        is_trusted = anchor is not None and (anchor.environment == LOCAL or self.options().test_efirmas == "accept")
        if certificate.kind is not CertificateKind.EFIRMA or not is_trusted:
            raise BulkDownloadError(WRONG_CERTIFICATE)
        if not certificate.is_valid_at(self.sat.ledger.clock.now()) or self.sat.is_revoked(certificate):
            raise BulkDownloadError(CERTIFICATE_EXPIRED)
