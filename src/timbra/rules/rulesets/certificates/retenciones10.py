"""The certificate, the seal and the stamp of a Retenciones 1.0, which is validated and never stamped.

The codes are those of the provider for retenciones, and Timbra's of the stamp; SAT's matrix of version 2.0 does not
concern the document. The lists of taxpayers are those of today and are not read: the certificates of these documents
have expired.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from timbra.cfdi.nodes import FiscalDocument
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.rulesets.certificates import certificate, retenciones, sello, timbre
from timbra.rules.rulesets.certificates.certificate import covers_the_date
from timbra.rules.rulesets.certificates.context import SealContext

if TYPE_CHECKING:
    from timbra.rules.engine.rule import AnyRule

Predicate = Callable[[FiscalDocument, SealContext], RuleResult]
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "@Certificado": "@Cert",
        "@NoCertificado": "@NumCert",
        "Emisor/@RfcE": "Emisor/@RFCEmisor",
    }
)
"""Paths of version 1.0 by those of version 2.0, where they differ."""
STAMP_NAMES: Mapping[str, str] = MappingProxyType(
    {
        f"{timbre.AT}/@{name}": f"{timbre.AT}/@{name[0].lower()}{name[1:]}"
        for name in ("Version", "SelloCFD", "NoCertificadoSAT", "SelloSAT")
    }
)
"""Paths of a stamp of version 1.0 by those of version 1.1."""
STAMP_VERSIONS = ("1.0", "1.1")
"""Versions of the stamp that documents of version 1.0 have."""


def certificate_is_readable_and_numbered(document: FiscalDocument, context: SealContext) -> RuleResult:
    """Check that Cert is base64 of a DER certificate and NumCert is its serial number."""
    result = certificate.readable_and_numbered(document, context)
    if not isinstance(result, Violation):
        return result
    return replace(result, detail=_renamed(result.detail), hint=_renamed(result.hint))


def certificate_covers_the_date(document: FiscalDocument, context: SealContext) -> RuleResult:
    """Check that the certificate was in force on FechaExp."""
    return covers_the_date(document, context)


def seal_verifies(_document: FiscalDocument, context: SealContext) -> RuleResult:
    """Check Sello: RSA PKCS#1 v1.5 with SHA-1 over the cadena original of version 1.0."""
    return sello.verifies_the_cadena(context)


def stamp_has_a_version_of_its_time(_document: FiscalDocument, context: SealContext) -> RuleResult:
    """Check that the stamp is of version 1.0 or 1.1."""
    found = context.stamps[0].version
    return None if found in STAMP_VERSIONS else Violation(found=found, expected=" o ".join(STAMP_VERSIONS))


def seal_of_the_stamp_verifies(_document: FiscalDocument, context: SealContext) -> RuleResult:
    """Check SelloSAT: with SHA-1 in a stamp of version 1.0, with SHA-256 in one of version 1.1."""
    return timbre.verify_stamp(context, "sha1" if context.stamps[0].version == "1.0" else "sha256")


def written_path(path: str, context: SealContext) -> str:
    """Return the path of an attribute as the document writes it."""
    names = STAMP_NAMES if context.stamps and context.stamps[0].version == "1.0" else {}
    return NAMES.get(path) or names.get(path) or path


def _renamed(text: str | None) -> str | None:
    return None if text is None else text.replace("NoCertificado", "NumCert").replace("Certificado", "Cert")


def adapted(rule: AnyRule, predicate: Callable[..., RuleResult], code: str = "") -> AnyRule:
    """Return a rule with another predicate, without lists and, if given, with another code."""
    return replace(rule, predicate=predicate, needs=frozenset(), code=code or rule.code)


ISSUER: tuple[AnyRule, ...] = (
    adapted(retenciones.Reten20102, certificate_is_readable_and_numbered, "T301"),
    retenciones.T308,
    retenciones.certificate_belongs_to_the_issuer,
    retenciones.T306,
    adapted(retenciones.T305, certificate_covers_the_date),
    adapted(retenciones.T302, seal_verifies),
)
"""The rules of the issuer's certificate and seal."""
TIMBRE: tuple[AnyRule, ...] = (
    timbre.stamp_is_the_only_one,
    adapted(timbre.stamp_has_version_11, stamp_has_a_version_of_its_time),
    timbre.stamp_has_the_seal_of_the_document,
    timbre.stamp_has_a_known_provider,
    adapted(timbre.seal_of_the_stamp_verifies, seal_of_the_stamp_verifies),
)
"""The rules of the stamp. No source states the hours in which a document of version 1.0 had to be stamped."""
