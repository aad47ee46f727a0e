"""The issuer and its certificate in the list of taxpayers with obligations: 402, 305, 304."""

from __future__ import annotations

from timbra.cfdi.nodes import FiscalDocument
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.certificate import efirma_hint, has_certificate
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.sources import PROVIDER_VALIDATIONS

LCO = (DataRequirement.OBLIGATIONS,)
STATUS = {"A": "A (activo)", "C": "C (caduco)", "R": "R (revocado)"}


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
    first, last = (f"{each:%Y-%m-%dT%H:%M:%SZ}" for each in (certificate.valid_from, certificate.valid_to))
    valid = f"una {document.DATE} entre {first} y {last}"
    reason = f"El certificado {certificate.number} no estaba vigente en esa fecha."
    return Violation(found=document.issued_at, expected=valid, hint=reason, at=f"@{document.DATE}", proven=True)
