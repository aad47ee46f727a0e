"""Minting a credential in the sandbox: certificate authority, registry and fiscal time together."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from timbra.authority.sandbox.ca import MintedCredential, SandboxAuthority
from timbra.authority.sandbox.faults import Faults
from timbra.authority.sandbox.instants import is_date, parse_instant, shifted
from timbra.authority.sandbox.listing import Change, checked_rfc
from timbra.authority.sandbox.publication import midnight_before
from timbra.authority.sandbox.registry import SandboxRegistry
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.seals.certificate import Kind

FOUR_YEARS = timedelta(days=1461)
# A new credential may seal documents that were dated before it was ordered: their 72 hours, and much more.
HEAD_START = timedelta(days=365)
KINDS = {"csd": Kind.CSD, "efirma": Kind.EFIRMA}


@dataclass(frozen=True, slots=True)
class MintOrder:
    """What is asked for. kind: `csd` or `efirma`. valid_from, valid_to: a day or an instant, empty for the default.

    given: name, postal code and regimes, to register an unknown RFC with; the name goes into the certificate.
    """

    rfc: str
    kind: str = "csd"
    valid_from: str = ""
    valid_to: str = ""
    given: Change = field(default_factory=Change)
    password: str | None = field(default=None, repr=False)


def mint(
    order: MintOrder, authority: SandboxAuthority, registry: SandboxRegistry, faults: Faults, clock: Clock
) -> MintedCredential:
    """The credential; an unknown RFC is registered with what is given.

    ServiceError("taxpayer-unknown") says what is missing for that; "taxpayer-invalid", "time-invalid".
    """
    if order.kind not in KINDS:
        raise ServiceError("taxpayer-invalid", f"Los tipos de certificado son: {', '.join(KINDS)}.")
    validity = validity_of(order, clock.now())
    name = _name(order, registry)
    listed = faults.take("list-late") is None
    return authority.mint(order.rfc, KINDS[order.kind], name, *validity, password=order.password, listed=listed)


def validity_of(order: MintOrder, now: datetime) -> tuple[datetime, datetime]:
    """Four years from a year ago on, or as given; a day without a time is whole. ServiceError("time-invalid")."""
    end = _end(order.valid_to) if order.valid_to else None
    if order.valid_from:
        start = parse_instant(order.valid_from)
    else:
        start = midnight_before(now - HEAD_START)
        if end is not None and end <= start:
            start = shifted(end, -FOUR_YEARS)
    end = end or shifted(start, FOUR_YEARS)
    if start >= end:
        raise ServiceError("time-invalid", "La vigencia termina antes de empezar.")
    return start, end


def _end(text: str) -> datetime:
    return shifted(parse_instant(text), timedelta(days=1, seconds=-1) if is_date(text) else timedelta())


def _name(order: MintOrder, registry: SandboxRegistry) -> str:
    """The name to certify; registers the holder if unknown."""
    rfc, given = checked_rfc(order.rfc), order.given.columns().get("name")
    try:
        known = registry.entry(rfc)
    except ServiceError as error:
        if error.code != "taxpayer-unknown":
            raise
        if given is None:
            detail = f"El RFC {rfc} no está registrado; para registrarlo faltan --name, --postal-code y --regime."
            raise ServiceError(error.code, detail) from error
        known = registry.add(rfc, order.given)
    return str(given or known.taxpayer.name)
