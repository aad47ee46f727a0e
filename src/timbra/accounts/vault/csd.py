"""Validation of the files of the vault: a seal certificate (CSD) in the SAT's form and its private key."""

from __future__ import annotations

from dataclasses import dataclass, field

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from timbra.cfdi.rfc import is_rfc
from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, CertificateKind, read_certificate_content
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.seals.signers.port import Signer

STAMP = "stamp"
NUMBER_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Csd:
    """A seal certificate and its key, verified to belong together.

    Attributes:
        certificate: The certificate.
        key: PKCS#8 in DER without password.
        signer: The signer of the key.
    """

    certificate: Certificate
    key: bytes = field(repr=False)
    signer: Signer = field(repr=False)


def is_number(text: str) -> bool:
    """Whether the text is a certificate number in the SAT's form: 20 digits."""
    return len(text) == NUMBER_DIGITS and text.isascii() and text.isdigit()


def read_csd(certificate: bytes, key: bytes, password: str) -> Csd:
    """Read a CSD from the two files that the SAT issues.

    Args:
        certificate: The `.cer` file, or another form that `read_certificate_content` reads.
        key: The `.key` file, or another form that `load_private_key` reads.
        password: The password of the key; it is ignored for a key that is not encrypted.

    Raises:
        ServiceError: "certificate-unreadable"; "certificate-not-csd" for an e.firma, the certificate of an authority,
            or one without RFC or number in the SAT's form; "key-password", "key-cipher", "key-unreadable",
            "key-mismatch".
    """
    read = read_certificate_content(certificate)
    _require_csd(read)
    private = load_private_key(key, password)
    signer = pair_key(read, private)
    return Csd(read, private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()), signer)


def _require_csd(certificate: Certificate) -> None:
    if certificate.kind is CertificateKind.EFIRMA:
        raise _no_csd("El certificado es una e.firma; se necesita el certificado de sello digital (CSD).")
    if certificate.kind is not CertificateKind.CSD:
        raise _no_csd("El certificado no es un certificado de sello digital (CSD) de un contribuyente.")
    if not is_rfc(certificate.rfc):
        raise _no_csd("El RFC del certificado no tiene la forma de un RFC.")
    if not is_number(certificate.number):
        raise _no_csd("El número de serie del certificado no tiene los 20 dígitos del SAT.")


def _no_csd(detail: str) -> ServiceError:
    return ServiceError("certificate-not-csd", detail)
