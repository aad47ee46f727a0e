"""What enters and leaves the stamping use cases."""

from __future__ import annotations

from dataclasses import dataclass

from timbra.accounts.caller import Caller as Caller


@dataclass(frozen=True, slots=True)
class StampOrder:
    """One invoice to be stamped.

    xml: the decoded bytes of the document. custom_id: opaque, at most 300 characters, None when absent or empty.
    mail_to: distinct addresses that get the stamped document by mail.
    """

    caller: Caller
    xml: bytes
    request_id: str
    custom_id: str | None = None
    mail_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stamped:
    """A stored stamp, with everything that the four answer versions show (see wire-level names in `api.wire`).

    tfd, cfdi: XML text with declaration. verification_url: what the QR says; the edge draws it when asked.
    fecha_timbrado: central Mexico, no zone.
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
    """What CFDI3307 may tell of the stamp that holds the customid."""

    tfd: str
    uuid: str
    sello_sat: str
    fecha_timbrado: str
    numero_certificado_sat: str
