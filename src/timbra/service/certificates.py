"""Seal certificates of the caller's account: upload, lists, disable; in the words and shapes that clients know."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from timbra.accounts.caller import Caller
from timbra.accounts.csd import STAMP, is_number
from timbra.accounts.vault import StoredCertificate, Vault
from timbra.cfdi.rfc import is_rfc
from timbra.errors import ServiceError
from timbra.messages import sentence
from timbra.seals.encoding import strict_base64

SAVED = "CSD Guardados Correctamente."
DISABLED = "CSD Eliminado Correctamente."
WRONG_PASSWORD = "No se pudo cargar la llave privada, asegúrese de que la contraseña sea válida."  # noqa: S105
WRONG_RFC = "El Rfc proporcionado es invalido. Favor de verificar."
WRONG_NUMBER = "Numero certificado invalido."
UNKNOWN_NUMBER = "One or more errors occurred."


@dataclass(frozen=True, slots=True)
class CertificateUpload:
    """What a client sends. kind: its `type`. certificate, key: base64 of the files as the SAT hands them out."""

    kind: str
    certificate: str = field(repr=False)
    key: str = field(repr=False)
    password: str = field(repr=False)
    active: bool = True


@dataclass(frozen=True, slots=True)
class CertificateItem:
    """One certificate, field by field as clients read it. valid_from, valid_to: `YYYY-MM-DDThh:mm:ssZ`."""

    issuer_rfc: str
    certificate_number: str
    csd_certificate: str
    is_active: bool
    issuer_business_name: str
    valid_from: str
    valid_to: str
    certificate_type: str


class Certificates:
    """The operations on certificates. Every refusal is ServiceError("certificates") with the cause as its detail."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def save(self, caller: Caller, upload: CertificateUpload) -> str:
        """Keeps a certificate and its key; takes about 30 ms, so not on the event loop."""
        with _told_as_certificates():
            certificate = _decoded(upload.certificate, "certificado (b64Cer)")
            key = _decoded(upload.key, "archivo de la llave privada (b64Key)")
            self._vault.save(caller.account_id, certificate, key, upload.password, upload.kind or STAMP, upload.active)
        return SAVED

    def listed(self, caller: Caller) -> list[CertificateItem]:
        """All of the account, newest first."""
        return _items(self._vault.listed(caller.account_id))

    def by_type(self, caller: Caller, kind: str) -> list[CertificateItem]:
        """Those of one type; empty for a type that nobody has."""
        return _items(self._vault.listed(caller.account_id, kind=kind))

    def by_rfc(self, caller: Caller, rfc: str) -> list[CertificateItem]:
        """Those of one RFC."""
        return _items(self._vault.listed(caller.account_id, rfc=_checked_rfc(rfc)))

    def one(self, caller: Caller, number: str) -> CertificateItem:
        """By number."""
        with _told_as_certificates():
            return _item(self._vault.one(caller.account_id, _checked_number(number)))

    def active(self, caller: Caller, rfc: str, kind: str) -> CertificateItem:
        """The newest active one of an RFC and type."""
        with _told_as_certificates():
            return _item(self._vault.active(caller.account_id, _checked_rfc(rfc), kind))

    def disable(self, caller: Caller, number: str) -> str:
        """The certificate seals no more."""
        with _told_as_certificates():
            self._vault.disable(caller.account_id, _checked_number(number))
        return DISABLED


@contextmanager
def _told_as_certificates() -> Iterator[None]:
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


def _decoded(text: str, what: str) -> bytes:
    try:
        decoded = strict_base64("".join(text.split()))
    except ValueError as error:
        raise ServiceError("certificates", f"El {what} no es base64 válido.") from error
    if not decoded:
        raise ServiceError("certificates", f"Falta el {what}.")
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
    return [_item(one) for one in stored]


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
