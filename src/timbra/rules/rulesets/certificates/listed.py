"""The issuer and its certificate in the list of taxpayers with obligations: 402, 305, 304."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.certificate import PROVIDERS, efirma, has_certificate
from timbra.rules.rulesets.certificates.context import SealContext

LCO = (DataRequirement.OBLIGATIONS,)
STATUS = {"A": "A (activo)", "C": "C (caduco)", "R": "R (revocado)"}


@rule("402", at="Emisor/@Rfc", source=PROVIDERS, needs=LCO)
def issuer_has_obligations(comprobante: Comprobante, context: SealContext) -> RuleResult:
    """ValidezObligaciones 1 to 4. It says nothing of the RFC's own status nor of certificates."""
    if context.reference_data.obligations is None:
        return Indeterminate(DataRequirement.OBLIGATIONS)
    rfc = comprobante.emisor.Rfc
    found = context.reference_data.obligations.obligations(rfc)
    if found is None:
        return Violation(found=rfc, expected="un RFC de la lista de contribuyentes obligados (LCO)", hint=_how(context))
    if found == 0:
        return Violation(found=f"{rfc}, ValidezObligaciones 0", expected="ValidezObligaciones de 1 a 4")
    return None


@rule("305", at="@NoCertificado", source=PROVIDERS, needs=LCO, applies=has_certificate)
def certificate_is_listed_and_covers_the_date(comprobante: Comprobante, context: SealContext) -> RuleResult:
    certificate = context.certificate
    if certificate is None:
        return None
    if context.issued and not any(certificate.is_valid_at(instant) for instant in context.issued):
        valid = (
            f"una Fecha entre {certificate.valid_from:%Y-%m-%dT%H:%M:%SZ} y {certificate.valid_to:%Y-%m-%dT%H:%M:%SZ}"
        )
        hint = f"El certificado {certificate.number} no estaba vigente en esa fecha."
        return Violation(found=comprobante.Fecha, expected=valid, hint=hint, at="@Fecha", proven=True)
    if context.reference_data.obligations is None:
        return Indeterminate(DataRequirement.OBLIGATIONS)
    if context.reference_data.obligations.certificate(comprobante.emisor.Rfc, certificate.number) is not None:
        return None
    listed = f"un certificado de {comprobante.emisor.Rfc} en la lista de contribuyentes obligados (LCO)"
    return Violation(found=certificate.number, expected=listed, hint=efirma(context) or _how(context))


@rule("304", at="@NoCertificado", source=PROVIDERS, needs=LCO, applies=has_certificate)
def certificate_is_active(comprobante: Comprobante, context: SealContext) -> RuleResult:
    """A document that was stamped while its certificate was in force stays good after the certificate expires."""
    obligations, certificate = context.reference_data.obligations, context.certificate
    if obligations is None or certificate is None:
        return Indeterminate(DataRequirement.OBLIGATIONS)
    listed = obligations.certificate(comprobante.emisor.Rfc, certificate.number)
    if listed is None or listed.status == "A" or (listed.status == "C" and not context.stamping):
        return None
    return Violation(found=f"{certificate.number}, estatus {STATUS[listed.status]}", expected="estatus A (activo)")


def _how(context: SealContext) -> str | None:
    return context.reference_data.registry_hint
