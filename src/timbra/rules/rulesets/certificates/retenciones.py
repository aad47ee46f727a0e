"""The certificate, the seal and the date of a retención: Reten20101, Reten20102, T302 to T308, T401, T402.

The provider answers the codes of invoices with a T before them.
"""

from __future__ import annotations

from collections.abc import Callable

from timbra.cfdi.nodes import FiscalDocument
from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import AnyRule, row, rule
from timbra.rules.rulesets.certificates import certificate, sello
from timbra.rules.rulesets.certificates.certificate import (
    certificate_is_active,
    certificate_is_listed_and_covers_the_date,
    date_is_inside_the_window,
    has_certificate,
    issuer_has_obligations,
)
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.sources import PROVIDER_RETENCIONES
from timbra.rules.rulesets.retenciones20.sources import MATRIX_2025_04_09

LCO = (DataRequirement.OBLIGATIONS,)


def _predicate(entry: AnyRule) -> Callable[[FiscalDocument, SealContext], RuleResult]:
    """Return the predicate of a rule of invoices, which reads only what all documents have."""
    predicate: Callable[[FiscalDocument, SealContext], RuleResult] = entry.predicate
    return predicate


Reten20101 = row(
    "Reten20101",
    Retenciones,
    at="@Sello",
    says="El resultado de la digestión debe ser igual al resultado de la desencripción del sello.",
    note="RSA PKCS#1 v1.5 con SHA-256 sobre la cadena original de Retenciones 2.0.",
    check=_predicate(sello.seal_verifies_the_cadena),
    cites=MATRIX_2025_04_09,
)
Reten20102 = row(
    "Reten20102",
    Retenciones,
    at="@Certificado",
    says="Certificado debe ser un CSD legible en base64 y NoCertificado su número de serie.",
    note="Quién lo expidió, a quién y por cuánto tiempo son códigos del proveedor (T303 a T308).",
    check=certificate.readable_and_numbered,
    cites=MATRIX_2025_04_09,
)
T302 = row(
    "T302",
    Retenciones,
    at="@Sello",
    says="El sello del emisor no es válido.",
    check=_predicate(sello.seal_verifies),
    inseparable=("Reten20101",),
    cites=PROVIDER_RETENCIONES,
)


@rule(
    "T303",
    at="Emisor/@RfcE",
    says="El RFC del certificado no corresponde al RFC del emisor.",
    applies=has_certificate,
    cites=PROVIDER_RETENCIONES,
)
def certificate_belongs_to_the_issuer(retenciones: Retenciones, context: SealContext) -> RuleResult:
    found = context.certificate
    if found is None or found.rfc == retenciones.emisor.RfcE:
        return None
    expected = f"{found.rfc}, el RFC del certificado {found.number}"
    return Violation(found=retenciones.emisor.RfcE, expected=expected)


T304 = row(
    "T304",
    Retenciones,
    at="@NoCertificado",
    says="El certificado del emisor está revocado o ya no está activo.",
    check=_predicate(certificate_is_active),
    applies=has_certificate,
    needs=LCO,
    cites=PROVIDER_RETENCIONES,
)
T305 = row(
    "T305",
    Retenciones,
    at="@NoCertificado",
    says="El certificado no está en la lista de contribuyentes obligados o la fecha queda fuera de su vigencia.",
    check=_predicate(certificate_is_listed_and_covers_the_date),
    applies=has_certificate,
    needs=LCO,
    cites=PROVIDER_RETENCIONES,
)
T306 = row(
    "T306",
    Retenciones,
    at="@Certificado",
    says="El certificado no es de tipo CSD.",
    check=_predicate(certificate.certificate_is_a_csd),
    applies=has_certificate,
    cites=PROVIDER_RETENCIONES,
)
T308 = row(
    "T308",
    Retenciones,
    at="@Certificado",
    says="El certificado no fue expedido por una autoridad certificadora del SAT.",
    check=_predicate(certificate.certificate_has_a_known_authority),
    applies=has_certificate,
    cites=PROVIDER_RETENCIONES,
)
T401 = row(
    "T401",
    Retenciones,
    at="@FechaExp",
    says="FechaExp debe estar entre 72 horas antes y 5 minutos después del timbrado, en la hora de LugarExpRetenc.",
    note="Si FechaExp no es una fecha, se informa Reten20103.",
    check=_predicate(date_is_inside_the_window),
    cites=PROVIDER_RETENCIONES,
)
T402 = row(
    "T402",
    Retenciones,
    at="Emisor/@RfcE",
    says="El RFC del emisor no está en la lista de contribuyentes obligados o no tiene obligaciones vigentes.",
    check=_predicate(issuer_has_obligations),
    needs=LCO,
    cites=PROVIDER_RETENCIONES,
)
