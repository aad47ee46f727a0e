"""The issuer's certificate: CFDI40106, 308, 303, 306."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.seals.certificates.certificate import CertificateKind

ANEXO_20 = "Anexo 20 (CFDI 4.0) y matriz de errores del SAT"
ANEXO_20_33 = "Anexo 20 (CFDI 3.3) y matriz de errores del SAT"
PROVIDERS = "SAT, validaciones de los proveedores (Anexo 20, rubro III)"
SAT_RFC = "SAT970701NN3"
REGISTRO_FISCAL = "{http://www.sat.gob.mx/registrofiscal}CFDIRegistroFiscal"


def has_certificate(_comprobante: Comprobante, context: SealContext) -> bool:
    return context.certificate is not None


@rule("CFDI40106", at="@Certificado", source=ANEXO_20)
def certificate_is_readable_and_numbered(comprobante: Comprobante, context: SealContext) -> RuleResult:
    """Certificado is base64 of a DER certificate and NoCertificado is its serial."""
    return _readable_and_numbered(comprobante, context)


@rule("CFDI33105", at="@Certificado", source=ANEXO_20_33)
def older_certificate_is_readable_and_numbered(comprobante: Comprobante, context: SealContext) -> RuleResult:
    """The same in CFDI 3.3; who issued it, to whom and for how long are codes of the provider."""
    return _readable_and_numbered(comprobante, context)


@rule("308", at="@Certificado", source=PROVIDERS, applies=has_certificate)
def certificate_is_of_a_known_authority(_comprobante: Comprobante, context: SealContext) -> RuleResult:
    """Judged at the date of the certificate's issue: authorities expire while documents stay."""
    certificate = context.certificate
    if certificate is None or context.trust.issuer_of(certificate) is not None:
        return None
    return Violation(found=certificate.issuer_name, expected="una autoridad certificadora del SAT")


@rule("303", at="Emisor/@Rfc", source=PROVIDERS, applies=has_certificate)
def certificate_belongs_to_the_issuer(comprobante: Comprobante, context: SealContext) -> RuleResult:
    """SAT itself certifies with the complement Registro Fiscal; a provider's CSD with FacAtrAdquirente."""
    certificate, emisor = context.certificate, comprobante.emisor
    if certificate is None or certificate.rfc == emisor.Rfc:
        return None
    if certificate.rfc == SAT_RFC and comprobante.complement(REGISTRO_FISCAL) is not None:
        return None
    if certificate.kind is CertificateKind.PROVIDER and emisor.FacAtrAdquirente is not None:
        return None
    return Violation(found=emisor.Rfc, expected=f"{certificate.rfc}, el RFC del certificado {certificate.number}")


@rule("306", at="@Certificado", source=PROVIDERS, applies=has_certificate)
def certificate_is_a_csd(_comprobante: Comprobante, context: SealContext) -> RuleResult:
    certificate = context.certificate
    if certificate is None or certificate.can_seal:
        return None
    return Violation(
        found=certificate.kind.value, expected="un certificado de sello digital (CSD)", hint=efirma(context)
    )


def _readable_and_numbered(comprobante: Comprobante, context: SealContext) -> RuleResult:
    if not context.base64:
        return Violation(detail="Comprobante.Certificado: No es un valor base64 valido.")
    if context.certificate is None:
        return Violation(detail="Comprobante.Certificado: No es un certificado X.509 en DER con llave RSA.")
    number = context.certificate.number
    if comprobante.NoCertificado == number:
        return None
    hint = "NoCertificado debe ser el número de serie del certificado incluido en Certificado."
    return Violation(found=comprobante.NoCertificado, expected=number, hint=hint, at="@NoCertificado")


def efirma(context: SealContext) -> str | None:
    """A sentence for those who sealed with their e.firma."""
    if context.certificate is None or context.certificate.kind is not CertificateKind.EFIRMA:
        return None
    return "El certificado es una e.firma; los comprobantes se sellan con un CSD."
