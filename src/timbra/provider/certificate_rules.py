"""The conditions under which a certificate may stamp for a provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from timbra.cfdi.rfc import is_rfc
from timbra.seals.certificates.certificate import SAT_RFC, Certificate, CertificateKind
from timbra.seals.certificates.trust_anchors import TrustAnchor, provider_rfc

_DAY = "%Y-%m-%d"


class Issuers(Protocol):
    """The trusted authorities."""

    def issuer_of(self, certificate: Certificate) -> TrustAnchor | None:
        """Return the trusted authority that issued a certificate."""
        ...


@dataclass(frozen=True, slots=True)
class CertificateRules:
    """The conditions of one server.

    Attributes:
        rfc: The RFC of the provider, from the settings.
        trust: The authorities that the environment trusts.
        held_by_sat: Whether the SAT must be the holder, as in the certificates that it gives to authorised providers.
            The unit of a taxpayer's CSD is the taxpayer's choice and proves nothing.
        reserved: RFCs of authorised providers, which a rehearsal must not use.
    """

    rfc: str
    trust: Issuers
    held_by_sat: bool
    reserved: frozenset[str] = frozenset()

    def problems(self, certificate: Certificate) -> Sequence[str]:
        """Return why a certificate cannot stamp at any time, in Spanish; empty when it can."""
        return [text for applies, text in self._conditions(certificate) if applies]

    def _conditions(self, certificate: Certificate) -> Sequence[tuple[bool, str]]:
        number, owner = certificate.number, provider_rfc(certificate)
        is_provider = certificate.kind is CertificateKind.PROVIDER
        return (
            (not is_rfc(self.rfc), f"El RFC del proveedor {self.rfc[:20]!r} está mal formado."),
            (
                self.rfc in self.reserved,
                f"El RFC {self.rfc} es de un proveedor autorizado: un ensayo usa un RFC propio.",
            ),
            (
                not is_provider or (self.held_by_sat and certificate.rfc not in SAT_RFC),
                f"El certificado {number} no es de un proveedor de certificación.",
            ),
            (
                self.trust.issuer_of(certificate) is None,
                f"El certificado {number} no fue expedido por una autoridad de este ambiente.",
            ),
            (
                is_provider and owner not in (self.rfc, *SAT_RFC),
                f"El certificado {number} es de {owner}, no de {self.rfc}.",
            ),
        )


def validity_problem(certificate: Certificate, at: datetime) -> str:
    """Return why a certificate is not in force at an instant, in Spanish; empty when it is."""
    if at < certificate.valid_from:
        return f"El certificado {certificate.number} está vigente desde {certificate.valid_from.strftime(_DAY)}."
    if at > certificate.valid_to:
        return f"El certificado {certificate.number} venció el {certificate.valid_to.strftime(_DAY)}."
    return ""
