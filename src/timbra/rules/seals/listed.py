"""The issuer and its certificate in the list of taxpayers with obligations: 402, 305, 304."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.finding import Breach, Need, Unknown, Verdict
from timbra.rules.rule import rule
from timbra.rules.seals.certificate import PROVIDERS, efirma, has_certificate
from timbra.rules.seals.context import SealContext

LCO = (Need.OBLIGATIONS,)
STATUS = {"A": "A (activo)", "C": "C (caduco)", "R": "R (revocado)"}


@rule("402", at="Emisor/@Rfc", source=PROVIDERS, needs=LCO)
def issuer_has_obligations(comprobante: Comprobante, context: SealContext) -> Verdict:
    """ValidezObligaciones 1 to 4. It says nothing of the RFC's own status nor of certificates."""
    if context.world.obligations is None:
        return Unknown(Need.OBLIGATIONS)
    rfc = comprobante.emisor.Rfc
    found = context.world.obligations.obligations(rfc)
    if found is None:
        return Breach(found=rfc, expected="un RFC de la lista de contribuyentes obligados (LCO)", hint=_how(context))
    if found == 0:
        return Breach(found=f"{rfc}, ValidezObligaciones 0", expected="ValidezObligaciones de 1 a 4")
    return None


@rule("305", at="@NoCertificado", source=PROVIDERS, needs=LCO, applies=has_certificate)
def certificate_is_listed_and_covers_the_date(comprobante: Comprobante, context: SealContext) -> Verdict:
    certificate = context.certificate
    if certificate is None:
        return None
    if context.issued and not any(certificate.covers(instant) for instant in context.issued):
        valid = (
            f"una Fecha entre {certificate.valid_from:%Y-%m-%dT%H:%M:%SZ} y {certificate.valid_to:%Y-%m-%dT%H:%M:%SZ}"
        )
        hint = f"El certificado {certificate.number} no estaba vigente en esa fecha."
        return Breach(found=comprobante.Fecha, expected=valid, hint=hint, at="@Fecha", proven=True)
    if context.world.obligations is None:
        return Unknown(Need.OBLIGATIONS)
    if context.world.obligations.certificate(comprobante.emisor.Rfc, certificate.number) is not None:
        return None
    listed = f"un certificado de {comprobante.emisor.Rfc} en la lista de contribuyentes obligados (LCO)"
    return Breach(found=certificate.number, expected=listed, hint=efirma(context) or _how(context))


@rule("304", at="@NoCertificado", source=PROVIDERS, needs=LCO, applies=has_certificate)
def certificate_is_active(comprobante: Comprobante, context: SealContext) -> Verdict:
    """A document that was stamped while its certificate was in force stays good after the certificate expires."""
    obligations, certificate = context.world.obligations, context.certificate
    if obligations is None or certificate is None:
        return Unknown(Need.OBLIGATIONS)
    listed = obligations.certificate(comprobante.emisor.Rfc, certificate.number)
    if listed is None or listed.status == "A" or (listed.status == "C" and not context.stamping):
        return None
    return Breach(found=f"{certificate.number}, estatus {STATUS[listed.status]}", expected="estatus A (activo)")


def _how(context: SealContext) -> str | None:
    return context.world.registry_hint
