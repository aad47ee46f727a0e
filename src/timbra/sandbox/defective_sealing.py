"""Sealing of example documents with one defect of certificate or seal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from timbra.asn1 import x509_writer as x509
from timbra.cfdi.byte_splice import set_root_attributes
from timbra.core.errors import ServiceError
from timbra.examples.codes.seals import UNOBLIGED, SealDefect
from timbra.examples.comprobante import ROBOTICA
from timbra.sandbox.authority.certificates import subject_names
from timbra.sandbox.authority.taxpayers.models import TaxpayerChange
from timbra.sandbox.example_sealing import YEAR, CertificateHolder, holder_of, issue_credential
from timbra.seals.certificates.certificate import CertificateKind, read_certificate
from timbra.seals.signers.memory import MemorySigner
from timbra.stamping.sealing import seal_document

if TYPE_CHECKING:
    from timbra.evaluation.dependencies import Dependencies
    from timbra.sandbox.authority.certificates.authority import SandboxAuthority
    from timbra.sandbox.certificates import CertificateAdministration
    from timbra.sandbox.taxpayers import TaxpayerAdministration
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.signers.port import Signer

    Credential = tuple[Certificate, Signer]

UNKNOWN_AUTHORITY_RFC = "TIM010101CA2"
UNKNOWN_NUMBER = "99990000000000000001"
"""Number of the certificate of the unknown authority; no installation of the sandbox has this series."""


class DefectiveSealer:
    """Seals examples with one defect.

    A revoked certificate takes effect with the publication of all pending changes of the simulated lists, and an issuer
    without obligations is registered.

    Args:
        authority: issues the certificates.
        certificates: revokes certificates.
        registry: registers issuers and publishes the lists.
        tools: parser and stylesheets.
    """

    def __init__(
        self,
        authority: SandboxAuthority,
        certificates: CertificateAdministration,
        registry: TaxpayerAdministration,
        tools: Dependencies,
    ) -> None:
        self._authority = authority
        self._certificates = certificates
        self._registry = registry
        self._tools = tools
        self._credentials: dict[SealDefect, Callable[[CertificateHolder], Credential]] = {
            SealDefect.ALTERED_SEAL: self._csd,
            SealDefect.NUMBER_OF_ANOTHER_CERTIFICATE: self._with_other_number,
            SealDefect.CERTIFICATE_OF_ANOTHER_RFC: self._of_another_rfc,
            SealDefect.EFIRMA: self._efirma,
            SealDefect.UNKNOWN_AUTHORITY: self._of_unknown_authority,
            SealDefect.NOT_IN_FORCE: self._expired,
            SealDefect.REVOKED: self._revoked,
            SealDefect.NO_OBLIGATIONS: self._without_obligations,
        }

    def seal(self, text: str, defect: SealDefect) -> bytes:
        document = self._tools.parser.parse(text.encode())
        certificate, signer = self._credentials[defect](holder_of(document.root))
        sealed = seal_document(document, certificate, signer, self._tools.cadena)
        if defect is SealDefect.ALTERED_SEAL:
            sealed = set_root_attributes(sealed, {"Sello": altered(sealed.root.get("Sello") or "")})
        return sealed.source

    def _csd(self, holder: CertificateHolder) -> Credential:
        return issue_credential(self._authority, holder)

    def _with_other_number(self, holder: CertificateHolder) -> Credential:
        certificate, signer = self._csd(holder)
        return replace(certificate, number=self._authority.certificate.number), signer

    def _of_another_rfc(self, holder: CertificateHolder) -> Credential:
        return self._csd(replace(holder, rfc=ROBOTICA.rfc, name=ROBOTICA.name))

    def _efirma(self, holder: CertificateHolder) -> Credential:
        return issue_credential(self._authority, holder, CertificateKind.EFIRMA)

    def _expired(self, holder: CertificateHolder) -> Credential:
        return self._csd(replace(holder, valid_from=holder.valid_from - 4 * YEAR, valid_to=holder.valid_from))

    def _revoked(self, holder: CertificateHolder) -> Credential:
        certificate, signer = self._csd(holder)
        self._certificates.revoke(certificate.number)
        self._registry.refresh()
        return certificate, signer

    def _without_obligations(self, holder: CertificateHolder) -> Credential:
        values = TaxpayerChange(UNOBLIGED.name, UNOBLIGED.postal_code, (UNOBLIGED.regime,), obligations=0)
        try:
            self._registry.add(UNOBLIGED.rfc, values)
        except ServiceError as error:
            if error.code != "taxpayer-exists":
                raise
        return self._csd(holder)

    def _of_unknown_authority(self, holder: CertificateHolder) -> Credential:
        """Return a CSD that an authority outside of the trust store issued."""
        key = self._authority.holder_key(holder.rfc)
        draft = x509.UnsignedCertificate(
            number=UNKNOWN_NUMBER,
            issuer=subject_names.authority_subject(UNKNOWN_AUTHORITY_RFC),
            subject=subject_names.csd_subject(holder.rfc, holder.name, subject_names.MARK),
            valid_from=holder.valid_from,
            valid_to=holder.valid_to,
            public_key=key.public_key(),
            extensions=x509.SEAL_EXTENSIONS,
        )
        der = x509.sign_certificate(draft, MemorySigner(self._authority.holder_key(UNKNOWN_AUTHORITY_RFC)).sign)
        return read_certificate(der), MemorySigner(key)


def altered(seal: str) -> str:
    """Return the seal with another first character, in base64 too."""
    return ("B" if seal.startswith("A") else "A") + seal[1:]
