"""The issuer's certificate, its row in the LCO and the date: CFDI40106, CFDI33105, 303 to 306, 308, 401, 402."""

from __future__ import annotations

from typing import Any

from timbra.cfdi.nodes import Comprobante, FiscalDocument
from timbra.core.clock import LOCAL_FORMAT
from timbra.rules.engine.instants import CLOCK_TOLERANCE, STAMPING_WINDOW
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.sources import ANEXO_20, ANEXO_20_33, PROVIDER_VALIDATIONS
from timbra.seals.certificates.certificate import CertificateKind

SAT_RFC = "SAT970701NN3"
REGISTRO_FISCAL = "{http://www.sat.gob.mx/registrofiscal}CFDIRegistroFiscal"
LCO = (DataRequirement.OBLIGATIONS,)
STATUS = {"A": "A (activo)", "C": "C (caduco)", "R": "R (revocado)"}


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
        return Violation(found="", expected="el certificado en base64")
    if not context.base64:
        return Violation(detail=f"{document.NAME}.Certificado: No es un valor base64 valido.")
    if context.certificate is None:
        return Violation(
            found=f"{document.Certificado[:40]}...", expected="un certificado X.509 en DER con llave RSA, en base64"
        )
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


@rule(
    "402",
    at="Emisor/@Rfc",
    says=("El RFC del emisor no está en la lista de contribuyentes obligados o no tiene obligaciones vigentes."),
    note="ValidezObligaciones de 1 a 4. No indica nada del estado del RFC ni de los certificados.",
    needs=LCO,
    cites=PROVIDER_VALIDATIONS,
)
def issuer_has_obligations(document: FiscalDocument, context: SealContext) -> RuleResult:
    if context.reference_data.obligations is None:
        return Indeterminate(DataRequirement.OBLIGATIONS)
    rfc = document.issuer_rfc
    found = context.reference_data.obligations.obligations(rfc)
    if found is None:
        expected = "un RFC de la lista de contribuyentes obligados (LCO)"
        return Violation(found=rfc, expected=expected, hint=context.reference_data.registry_hint)
    if found == 0:
        return Violation(found=f"{rfc}, ValidezObligaciones 0", expected="ValidezObligaciones de 1 a 4")
    return None


@rule(
    "305",
    at="@NoCertificado",
    says=("El certificado no está en la lista de contribuyentes obligados o la fecha queda fuera de su vigencia."),
    applies=has_certificate,
    needs=LCO,
    cites=PROVIDER_VALIDATIONS,
)
def certificate_is_listed_and_covers_the_date(document: FiscalDocument, context: SealContext) -> RuleResult:
    certificate = context.certificate
    if certificate is None:
        return None
    expired = covers_the_date(document, context)
    if expired is not None:
        return expired
    if context.reference_data.obligations is None:
        return Indeterminate(DataRequirement.OBLIGATIONS)
    if context.reference_data.obligations.certificate(document.issuer_rfc, certificate.number) is not None:
        return None
    listed = f"un certificado de {document.issuer_rfc} en la lista de contribuyentes obligados (LCO)"
    hint = efirma_hint(context) or context.reference_data.registry_hint
    return Violation(found=certificate.number, expected=listed, hint=hint)


@rule(
    "304",
    at="@NoCertificado",
    says="El certificado del emisor está revocado o ya no está activo.",
    note=("En la validación, un comprobante timbrado con el certificado vigente sigue siendo válido al vencer este."),
    applies=has_certificate,
    needs=LCO,
    cites=PROVIDER_VALIDATIONS,
)
def certificate_is_active(document: FiscalDocument, context: SealContext) -> RuleResult:
    """Validation accepts an expired certificate, because the document may have been stamped before the expiry."""
    obligations, certificate = context.reference_data.obligations, context.certificate
    if obligations is None or certificate is None:
        return Indeterminate(DataRequirement.OBLIGATIONS)
    listed = obligations.certificate(document.issuer_rfc, certificate.number)
    if listed is None or listed.status == "A" or (listed.status == "C" and not context.stamping):
        return None
    return Violation(found=f"{certificate.number}, estatus {STATUS[listed.status]}", expected="estatus A (activo)")


def covers_the_date(document: FiscalDocument, context: SealContext) -> Violation | None:
    """Check that the certificate, if it can be read, was in force on the date of the document."""
    certificate = context.certificate
    if certificate is None or not context.issued:
        return None
    if any(certificate.is_valid_at(instant) for instant in context.issued):
        return None
    limits = (certificate.valid_from.astimezone(context.zone), certificate.valid_to.astimezone(context.zone))
    if document.DATE_HAS_OFFSET:
        valid = f"una {document.DATE} entre {limits[0].isoformat()} y {limits[1].isoformat()}"
    else:
        first, last = (each.strftime(LOCAL_FORMAT) for each in limits)
        place = f"de {document.PLACE} {document.postal_code}" if document.PLACE else "del centro de México"
        valid = f"una {document.DATE} entre {first} y {last}, hora {place}"
    reason = f"El certificado {certificate.number} no estaba vigente en esa fecha."
    return Violation(found=document.issued_at, expected=valid, hint=reason, at=f"@{document.DATE}", proven=True)


@rule(
    "401",
    at="@Fecha",
    says="Fecha debe estar entre 72 horas antes y 5 minutos después del timbrado, en la hora de LugarExpedicion.",
    note=(
        "72 horas hacia atrás y 5 minutos hacia adelante, como instantes: Fecha es la hora local de "
        "LugarExpedicion. Si no es una fecha, se informa CFDI40101."
    ),
    cites=PROVIDER_VALIDATIONS,
)
def date_is_inside_the_window(document: FiscalDocument, context: SealContext) -> RuleResult:
    now = context.reference_data.now
    first, last = now - STAMPING_WINDOW, now + CLOCK_TOLERANCE
    if not context.issued or any(first <= instant <= last for instant in context.issued):
        return None
    zone = context.zone
    expected = (
        f"entre {first.astimezone(zone).strftime(LOCAL_FORMAT)} y {last.astimezone(zone).strftime(LOCAL_FORMAT)}"
        f", hora de {document.PLACE} {document.postal_code}"
    )
    return Violation(found=document.issued_at, expected=expected)
