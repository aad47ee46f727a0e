"""Requests and results of the stamping use cases."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from timbra.accounts.caller import Caller as Caller


class StampingOperation(StrEnum):
    """The two ways to obtain a stamp.

    `issue`: the server seals with the account's CSD. `stamp`: the client has sealed.
    """

    ISSUE = "issue"
    STAMP = "stamp"


@dataclass(frozen=True, slots=True)
class StampRequest:
    """One invoice to stamp.

    Attributes:
        xml: decoded bytes of the document.
        custom_id: idempotency key of the client (`customid`): at most 300 characters, None when absent or empty.
        mail_to: distinct addresses to which the stamped document is mailed.
    """

    caller: Caller
    xml: bytes
    request_id: str
    custom_id: str | None = None
    mail_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StampResult:
    """A stored stamp, with all values of the four response versions (wire names: `api.serializers.stamps`).

    Attributes:
        tfd: XML text of the TimbreFiscalDigital, with declaration.
        cfdi: XML text of the whole document, with declaration.
        fecha_timbrado: Local time of central Mexico, without zone.
        verification_url: The content of the QR code.
    """

    tfd: str
    cfdi: str
    uuid: str
    cadena_original_sat: str
    numero_certificado_sat: str
    numero_certificado_cfdi: str
    sello_sat: str
    sello_cfdi: str
    fecha_timbrado: str
    verification_url: str


@dataclass(frozen=True, slots=True)
class CustomIdConflict:
    """The stamp that already has the customid, as in the response CFDI3307."""

    tfd: str
    uuid: str
    sello_sat: str
    fecha_timbrado: str
    numero_certificado_sat: str
