"""Seal certificates of an account with remarks, and the checks of an uploaded certificate and key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from timbra.accounts.store.models import StoredCertificate
from timbra.accounts.vault.csd import read_csd
from timbra.core.errors import ServiceError
from timbra.rules.engine.ports import ReferenceData
from timbra.seals.certificates.certificate import (
    Certificate,
    CertificateKind,
    read_certificate,
    read_certificate_content,
)

if TYPE_CHECKING:
    from timbra.accounts.services import CertificateServices
    from timbra.core.clock import Clock

KINDS = {
    CertificateKind.CSD: "certificado de sello digital (CSD)",
    CertificateKind.EFIRMA: "e.firma",
    CertificateKind.AUTHORITY: "certificado de una autoridad certificadora",
    CertificateKind.PROVIDER: "certificado de un proveedor de certificación",
    CertificateKind.OTHER: "certificado de otro uso",
}


@dataclass(frozen=True, slots=True)
class AccountCertificate:
    """A stored certificate.

    Attributes:
        days_left: Whole days until it expires; negative after.
        remarks: Reasons why it cannot seal, in Spanish.
    """

    stored: StoredCertificate
    days_left: int
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UploadedCertificate:
    """The content of an uploaded certificate, shown when the upload is rejected."""

    certificate: Certificate

    @property
    def kind(self) -> str:
        """The kind of the certificate, in Spanish."""
        return KINDS[self.certificate.kind]


def account_certificates(services: CertificateServices, account_id: int) -> list[AccountCertificate]:
    """Return all certificates of an account, newest first. Reads the database."""
    reference_data = services.reference_data()
    return [
        AccountCertificate(
            stored,
            days_left(stored.valid_to, reference_data.now),
            tuple(_remarks(services, stored, reference_data)),
        )
        for stored in services.vault.list_certificates(account_id)
    ]


def days_left(until: datetime, now: datetime) -> int:
    """Return the whole days until an instant; negative after it."""
    return (until - now).days


def read_uploaded(content: bytes) -> UploadedCertificate | None:
    """Read a file; None when it is not a certificate."""
    try:
        return UploadedCertificate(read_certificate_content(content))
    except ServiceError:
        return None


def check_pair(certificate: bytes, key: bytes, password: str, clock: Clock) -> None:
    """Check that a certificate and a private key can seal now. Takes about 30 ms.

    Args:
        certificate: The .cer file, or another form that `read_csd` reads.
        key: The .key file, or another form that `read_csd` reads.
        password: Of the private key; empty for a key that is not encrypted.
        clock: Fiscal time.

    Raises:
        ServiceError: "TB4005" when a file is missing, "certificate-unreadable" when the files are swapped,
            "certificate-expired" outside of the validity, and the codes of `csd.read_csd`.
    """
    if not certificate or not key:
        raise ServiceError("TB4005", f"Falta el archivo {'.cer' if not certificate else '.key'}.")
    if read_uploaded(certificate) is None and read_uploaded(key) is not None:
        raise ServiceError("certificate-unreadable", "Los archivos están cambiados: el .cer está en el lugar del .key.")
    now = clock.now()
    csd = read_csd(certificate, key, password)
    if now > csd.certificate.valid_to:
        raise ServiceError("certificate-expired", f"Venció el {csd.certificate.valid_to:%Y-%m-%d}.")
    if now < csd.certificate.valid_from:
        raise ServiceError("certificate-expired", f"Vale desde el {csd.certificate.valid_from:%Y-%m-%d}.")


def _remarks(services: CertificateServices, stored: StoredCertificate, reference_data: ReferenceData) -> list[str]:
    obligations = reference_data.obligations
    listed = None if obligations is None else obligations.certificate(stored.rfc, stored.number)
    trusted = services.trust().issuer_of(read_certificate(stored.certificate)) is not None
    remarks = {
        "desactivado": not stored.active,
        "autoridad desconocida: el timbrado responde 308": not trusted,
        "la lista del SAT lo da por no activo: el timbrado responde 304": listed and listed.status != "A",
        "no está en la lista del SAT: el timbrado responde 305": trusted and not listed and obligations is not None,
    }
    return [remark for remark, applies in remarks.items() if applies]
