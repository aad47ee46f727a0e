"""Issuing of test credentials (CSD or e.firma) in the sandbox, with a registration of unknown RFC."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.sandbox.authority.certificates.authority import MintedCredential, SandboxAuthority
from timbra.sandbox.authority.taxpayers.models import TaxpayerChange, checked_rfc
from timbra.sandbox.authority.taxpayers.publication import midnight_before
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.sandbox.faults import Faults
from timbra.sandbox.instants import is_date, parse_instant, shifted
from timbra.seals.certificates.certificate import CertificateKind

FOUR_YEARS = timedelta(days=1461)
# A new credential may seal documents with an earlier Fecha: the 72 hours of the window, and much more.
HEAD_START = timedelta(days=365)
KINDS = {"csd": CertificateKind.CSD, "efirma": CertificateKind.EFIRMA}


@dataclass(frozen=True, slots=True)
class MintRequest:
    """A request for a credential.

    Attributes:
        kind: `csd` or `efirma`.
        valid_from, valid_to: a day or an instant, empty for the default.
        given: name, postal code and regimes to register an unknown RFC with; the certificate contains the name.
        password: password of the key; None to generate one.
        key: the private key; None to generate one.
        account_id: the account that requests it; None for an operator.
    """

    rfc: str
    kind: str = "csd"
    valid_from: str = ""
    valid_to: str = ""
    given: TaxpayerChange = field(default_factory=TaxpayerChange)
    password: str | None = field(default=None, repr=False)
    key: RSAPrivateKey | None = field(default=None, repr=False)
    account_id: int | None = None


def mint(
    request: MintRequest, authority: SandboxAuthority, registry: SandboxRegistry, faults: Faults, clock: Clock
) -> MintedCredential:
    """Issue the credential. An unknown RFC is registered with the values of the request.

    Raises:
        ServiceError: "taxpayer-unknown" with the values that are missing for the registration; "taxpayer-invalid";
            "time-invalid".
    """
    if request.kind not in KINDS:
        raise ServiceError("taxpayer-invalid", f"Los tipos de certificado son: {', '.join(KINDS)}.")
    validity = validity_of(request, clock.now())
    name = _name(request, registry)
    is_listed = faults.take("list-late") is None
    return authority.mint(
        request.rfc,
        KINDS[request.kind],
        name,
        *validity,
        password=request.password,
        listed=is_listed,
        key=request.key,
        account_id=request.account_id,
    )


def validity_of(request: MintRequest, now: datetime) -> tuple[datetime, datetime]:
    """Return start and end of the validity: as requested, else four years from a year ago.

    Raises:
        ServiceError: "time-invalid".
    """
    end = _end(request.valid_to) if request.valid_to else None
    if request.valid_from:
        start = parse_instant(request.valid_from)
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


def _name(request: MintRequest, registry: SandboxRegistry) -> str:
    """Return the name for the certificate; register an unknown holder."""
    rfc, given = checked_rfc(request.rfc), request.given.columns().get("name")
    try:
        entry = registry.entry(rfc)
    except ServiceError as error:
        if error.code != "taxpayer-unknown":
            raise
        if given is None:
            detail = f"El RFC {rfc} no está registrado; para registrarlo faltan --name, --postal-code y --regime."
            raise ServiceError(error.code, detail) from error
        entry = registry.add(rfc, request.given)
    return str(given or entry.taxpayer.name)
