"""The certificate, the seal and the stamp of a CFDI 3.2, and the certificate of a CFD 2.2, which are only validated.

The codes are those of the provider, and Timbra's of the stamp; no matrix of the SAT for these versions is at hand. The
lists of taxpayers are those of today and are not read: the certificates of these documents have expired.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from timbra.cfdi.nodes.comprobante32 import Comprobante
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.rulesets.certificates import certificate, retenciones10, sello
from timbra.rules.rulesets.certificates.certificate import certificate_is_listed_and_covers_the_date, covers_the_date
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.retenciones10 import adapted

if TYPE_CHECKING:
    from timbra.rules.engine.rule import AnyRule

NAMES: Mapping[str, str] = MappingProxyType(
    {
        "@Certificado": "@certificado",
        "@NoCertificado": "@noCertificado",
        "@Sello": "@sello",
        "Emisor/@Rfc": "Emisor/@rfc",
    }
)
"""Paths of version 3.2 by those of version 4.0, where they differ."""


def certificate_belongs_to_the_issuer(document: Comprobante, context: SealContext) -> RuleResult:
    """Check that the holder of the certificate is the issuer; a Registro Fiscal has the certificate of the SAT."""
    found = context.certificate
    if found is None or found.rfc == document.issuer_rfc:
        return None
    if found.rfc == certificate.SAT_RFC and document.complement(certificate.REGISTRO_FISCAL) is not None:
        return None
    return Violation(found=document.issuer_rfc, expected=f"{found.rfc}, el RFC del certificado {found.number}")


def written_path(path: str, context: SealContext) -> str:
    """Return the path of an attribute as the document writes it."""
    return NAMES.get(path) or retenciones10.written_path(path, context)


CERTIFICATE: tuple[AnyRule, ...] = (
    adapted(certificate.certificate_of_33_is_readable_and_numbered, certificate.readable_and_numbered, "301"),
    certificate.certificate_has_a_known_authority,
    adapted(certificate.certificate_belongs_to_the_issuer, certificate_belongs_to_the_issuer),
    certificate.certificate_is_a_csd,
    adapted(certificate_is_listed_and_covers_the_date, covers_the_date),
)
"""The rules of the issuer's certificate, the only ones of a CFD 2.2."""
ISSUER: tuple[AnyRule, ...] = (*CERTIFICATE, adapted(sello.seal_verifies, retenciones10.seal_verifies))
"""The rules of the issuer's certificate and seal of a CFDI 3.2: SHA-1."""
