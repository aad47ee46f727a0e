"""The issuer's certificate: CFDI40106, 308, 303, 306."""

from __future__ import annotations

from typing import Any

from timbra.cfdi.nodes import Comprobante, FiscalDocument
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.sources import ANEXO_20, ANEXO_20_33, PROVIDER_VALIDATIONS
from timbra.seals.certificates.certificate import CertificateKind

SAT_RFC = "SAT970701NN3"
REGISTRO_FISCAL = "{http://www.sat.gob.mx/registrofiscal}CFDIRegistroFiscal"


def has_certificate(_document: Any, context: SealContext) -> bool:
    return context.certificate is not None


@rule(
    "CFDI40106",
    at="@Certificado",
    says="Certificado debe ser un CSD legible en base64 y NoCertificado su número de serie.",
    note=("Certificado es base64 de un certificado en formato DER y NoCertificado es su número de serie."),
    cites=ANEXO_20,
)
def certificate_is_readable_and_numbered(comprobante: Comprobante, context: SealContext) -> RuleResult:
    return readable_and_numbered(comprobante, context)


@rule(
    "CFDI33105",
    at="@Certificado",
    says="Certificado debe ser un CSD legible en base64 y NoCertificado su número de serie.",
    note=("La misma regla en CFDI 3.3. La autoridad, el titular y la vigencia tienen códigos del proveedor."),
    cites=ANEXO_20_33,
)
def certificate_of_33_is_readable_and_numbered(comprobante: Comprobante, context: SealContext) -> RuleResult:
    return readable_and_numbered(comprobante, context)


@rule(
    "308",
    at="@Certificado",
    says="El certificado no fue expedido por una autoridad certificadora del SAT.",
    note=("La autoridad debe haber estado vigente en la fecha de expedición del certificado."),
    applies=has_certificate,
    cites=PROVIDER_VALIDATIONS,
)
def certificate_has_a_known_authority(_document: FiscalDocument, context: SealContext) -> RuleResult:
    """The authority must have been in force when it issued the certificate, not when the document is validated."""
    certificate = context.certificate
    if certificate is None or context.trust.issuer_of(certificate) is not None:
        return None
    return Violation(found=certificate.issuer_name, expected="una autoridad certificadora del SAT")


@rule(
    "303",
    at="Emisor/@Rfc",
    says="El RFC del certificado no corresponde al RFC del emisor.",
    note=(
        "Se admite el certificado del SAT con el complemento Registro Fiscal, y el de un proveedor "
        "con FacAtrAdquirente."
    ),
    applies=has_certificate,
    cites=PROVIDER_VALIDATIONS,
)
def certificate_belongs_to_the_issuer(comprobante: Comprobante, context: SealContext) -> RuleResult:
    """Accept SAT's certificate with the complement Registro Fiscal, and a provider's CSD with FacAtrAdquirente."""
    certificate, emisor = context.certificate, comprobante.emisor
    if certificate is None or certificate.rfc == emisor.Rfc:
        return None
    if certificate.rfc == SAT_RFC and comprobante.complement(REGISTRO_FISCAL) is not None:
        return None
    if certificate.kind is CertificateKind.PROVIDER and emisor.FacAtrAdquirente is not None:
        return None
    return Violation(found=emisor.Rfc, expected=f"{certificate.rfc}, el RFC del certificado {certificate.number}")


@rule(
    "306",
    at="@Certificado",
    says="El certificado no es de tipo CSD.",
    applies=has_certificate,
    cites=PROVIDER_VALIDATIONS,
)
def certificate_is_a_csd(_document: FiscalDocument, context: SealContext) -> RuleResult:
    certificate = context.certificate
    if certificate is None or certificate.can_seal:
        return None
    return Violation(
        found=certificate.kind.value, expected="un certificado de sello digital (CSD)", hint=efirma_hint(context)
    )


def readable_and_numbered(document: FiscalDocument, context: SealContext) -> RuleResult:
    """Check that Certificado is base64 of a DER certificate and NoCertificado is its serial number."""
    if not document.Certificado:
        return Violation(detail=f"{document.NAME}.Certificado: Está vacío; debe contener el certificado en base64.")
    if not context.base64:
        return Violation(detail=f"{document.NAME}.Certificado: No es un valor base64 valido.")
    if context.certificate is None:
        return Violation(detail=f"{document.NAME}.Certificado: No es un certificado X.509 en DER con llave RSA.")
    number = context.certificate.number
    if document.NoCertificado == number:
        return None
    hint = "NoCertificado debe ser el número de serie del certificado incluido en Certificado."
    return Violation(found=document.NoCertificado, expected=number, hint=hint, at="@NoCertificado")


def efirma_hint(context: SealContext) -> str | None:
    """Return a Spanish hint when the certificate is an e.firma, else None."""
    if context.certificate is None or context.certificate.kind is not CertificateKind.EFIRMA:
        return None
    return "El certificado es una e.firma; los comprobantes se sellan con un CSD."
