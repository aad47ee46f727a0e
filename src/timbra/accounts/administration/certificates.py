"""Certificates of the caller's account: upload, list, disable. Clients compare the response texts literally."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from timbra.accounts.approvals import Approvals
from timbra.accounts.store.models import StoredCertificate
from timbra.accounts.vault.csd import STAMP, is_number
from timbra.accounts.vault.vault import Vault
from timbra.cfdi.rfc import is_rfc
from timbra.core.approvals import ProtectedAction
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.rules.reference.messages import sentence
from timbra.seals.file_forms import decode_file

SAVED = "CSD Guardados Correctamente."
DISABLED = "CSD Eliminado Correctamente."
WRONG_PASSWORD = "No se pudo cargar la llave privada, asegúrese de que la contraseña sea válida."  # noqa: S105
WRONG_RFC = "El Rfc proporcionado es invalido. Favor de verificar."
WRONG_NUMBER = "Numero certificado invalido."
UNKNOWN_NUMBER = "One or more errors occurred."


@dataclass(frozen=True, slots=True)
class CertificateUpload:
    """An upload.

    Attributes:
        kind: `type` of the request.
        certificate, key: base64 of the .cer and .key files of the SAT, or another form that `decode_file` reads.
        password: password of the key; empty for a key that is not encrypted.
        active: whether the certificate may seal.
    """

    kind: str
    certificate: str = field(repr=False)
    key: str = field(repr=False)
    password: str = field(repr=False)
    active: bool = True


@dataclass(frozen=True, slots=True)
class CertificateItem:
    """A certificate as responses represent it.

    Attributes:
        csd_certificate: base64 of the DER certificate.
        valid_from, valid_to: UTC, `YYYY-MM-DDThh:mm:ssZ`.
    """

    issuer_rfc: str
    certificate_number: str
    csd_certificate: str
    is_active: bool
    issuer_business_name: str
    valid_from: str
    valid_to: str
    certificate_type: str


class CertificateService:
    """Stores and reads certificates.

    Every rejection is ServiceError("certificates") with the cause as its detail, except "CO1000".
    """

    def __init__(self, vault: Vault, approvals: Approvals | None = None) -> None:
        """Use a vault; `approvals` says whether a second person confirms the end of a certificate."""
        self._vault = vault
        self._approvals = approvals

    def save(self, caller: Caller, upload: CertificateUpload) -> str:
        """Store a certificate and its key, and return the text of the response.

        The call takes about 30 ms; do not make it on the event loop.
        """
        with _translated_errors():
            certificate = _decode(upload.certificate, "certificado (b64Cer)")
            key = _decode(upload.key, "archivo de la llave privada (b64Key)")
            self._vault.save(caller.account_id, certificate, key, upload.password, upload.kind or STAMP, upload.active)
        return SAVED

    def list_all(self, caller: Caller) -> list[CertificateItem]:
        """List the certificates of the account, newest first."""
        return _items(self._vault.list_certificates(caller.account_id))

    def by_type(self, caller: Caller, kind: str) -> list[CertificateItem]:
        """List the certificates of one type; an unknown type has none."""
        return _items(self._vault.list_certificates(caller.account_id, kind=kind))

    def by_rfc(self, caller: Caller, rfc: str) -> list[CertificateItem]:
        """List the certificates of one RFC."""
        return _items(self._vault.list_certificates(caller.account_id, rfc=_checked_rfc(rfc)))

    def get(self, caller: Caller, number: str) -> CertificateItem:
        with _translated_errors():
            return _item(self._vault.get(caller.account_id, _checked_number(number)))

    def active(self, caller: Caller, rfc: str, kind: str) -> CertificateItem:
        """Return the newest active certificate of an RFC and type."""
        with _translated_errors():
            return _item(self._vault.get_active(caller.account_id, _checked_rfc(rfc), kind))

    def disable(self, caller: Caller, number: str) -> str:
        """Disable a certificate, so that it no longer seals, and return the text of the response."""
        with _translated_errors():
            checked = _checked_number(number)
            if self._approvals is not None:
                action = ProtectedAction.DISABLE_CERTIFICATE
                self._approvals.use_or_request(caller, action, checked, caller.account_id)
            self._vault.disable(caller.account_id, checked)
        return DISABLED


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except ServiceError as error:
        if error.code in {"certificates", "CO1000"}:
            raise
        raise ServiceError("certificates", _detail(error)) from error


def _detail(error: ServiceError) -> str:
    if error.code == "key-password":
        return WRONG_PASSWORD
    if error.code == "certificate-unknown":
        return f"{UNKNOWN_NUMBER} ({error.detail})"
    return error.detail or sentence(error.code)


def _decode(text: str, name: str) -> bytes:
    try:
        decoded = decode_file(text)
    except ValueError as error:
        raise ServiceError("certificates", f"El {name} no es base64 válido.") from error
    if not decoded:
        raise ServiceError("certificates", f"Falta el {name}.")
    return decoded


def _checked_rfc(rfc: str) -> str:
    if not is_rfc(rfc.upper()):
        raise ServiceError("certificates", WRONG_RFC)
    return rfc.upper()


def _checked_number(number: str) -> str:
    if not is_number(number):
        raise ServiceError("certificates", WRONG_NUMBER)
    return number


def _items(stored: Sequence[StoredCertificate]) -> list[CertificateItem]:
    return [_item(certificate) for certificate in stored]


def _item(stored: StoredCertificate) -> CertificateItem:
    return CertificateItem(
        issuer_rfc=stored.rfc,
        certificate_number=stored.number,
        csd_certificate=b64encode(stored.certificate).decode(),
        is_active=stored.active,
        issuer_business_name=stored.name,
        valid_from=_instant(stored.valid_from),
        valid_to=_instant(stored.valid_to),
        certificate_type=stored.kind,
    )


def _instant(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
