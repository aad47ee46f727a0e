"""Seal certificates as their account sees them, and what is wrong with a pair that it uploads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from timbra.accounts.csd import read_csd
from timbra.accounts.vault import StoredCertificate
from timbra.errors import ServiceError
from timbra.rules.world import World
from timbra.seals.certificate import Certificate, Kind, read_certificate

if TYPE_CHECKING:
    from timbra.wiring import House

KINDS = {
    Kind.CSD: "certificado de sello digital (CSD)",
    Kind.EFIRMA: "e.firma",
    Kind.AUTHORITY: "certificado de una autoridad certificadora",
    Kind.PROVIDER: "certificado de un proveedor de certificación",
    Kind.OTHER: "certificado de otro uso",
}


@dataclass(frozen=True, slots=True)
class ShownCertificate:
    """days: that are left, negative when it has expired. remarks: what keeps it from sealing, in Spanish."""

    stored: StoredCertificate
    days: int
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadCertificate:
    """What was read of a certificate, right or wrong, for whoever has to find out which file it is."""

    certificate: Certificate

    @property
    def kind(self) -> str:
        return KINDS[self.certificate.kind]


def shown(house: House, account_id: int) -> list[ShownCertificate]:
    """All of the account, newest first. Reads the database."""
    world = house.world()
    return [_shown(house, stored, world) for stored in house.vault.listed(account_id)]


def days_left(until: datetime, now: datetime) -> int:
    """Whole days until an instant; negative after it."""
    return (until - now).days


def read(content: bytes) -> ReadCertificate | None:
    """What a file is, if it is a certificate."""
    try:
        return ReadCertificate(read_certificate(content))
    except ServiceError:
        return None


def check(house: House, certificate: bytes, key: bytes, password: str) -> None:
    """ServiceError with what keeps the pair from sealing: see `csd.read_csd`, and "certificate-expired".

    Takes about 30 ms.
    """
    if not certificate or not key:
        raise ServiceError("TB4005", f"Falta el archivo {'.cer' if not certificate else '.key'}.")
    if read(certificate) is None and read(key) is not None:
        raise ServiceError("certificate-unreadable", "Los archivos están cambiados: el .cer está en el lugar del .key.")
    now = house.fiscal.now()
    csd = read_csd(certificate, key, password)
    if now > csd.certificate.valid_to:
        raise ServiceError("certificate-expired", f"Venció el {csd.certificate.valid_to:%Y-%m-%d}.")
    if now < csd.certificate.valid_from:
        raise ServiceError("certificate-expired", f"Vale desde el {csd.certificate.valid_from:%Y-%m-%d}.")


def _shown(house: House, stored: StoredCertificate, world: World) -> ShownCertificate:
    return ShownCertificate(stored, days_left(stored.valid_to, world.now), tuple(_remarks(house, stored, world)))


def _remarks(house: House, stored: StoredCertificate, world: World) -> list[str]:
    has_list = world.obligations is not None
    listed = world.obligations.certificate(stored.rfc, stored.number) if world.obligations is not None else None
    known = house.trust.issuer_of(read_certificate(stored.certificate)) is not None
    return [
        remark
        for remark, holds in (
            ("desactivado", not stored.active),
            ("autoridad desconocida: el timbrado responde 308", not known),
            ("la lista del SAT lo da por no activo: el timbrado responde 304", listed and listed.status != "A"),
            ("no está en la lista del SAT: el timbrado responde 305", known and not listed and has_list),
        )
        if holds
    ]
