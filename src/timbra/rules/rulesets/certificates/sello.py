"""The issuer's seal: CFDI40102 and CFDI33102; validation also reports 302."""

from __future__ import annotations

from itertools import chain

from timbra.cfdi.cadena_variants import text_variants
from timbra.cfdi.nodes import FiscalDocument
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.seal_diagnosis import diagnose
from timbra.rules.rulesets.certificates.sources import ANEXO_20, ANEXO_20_33, PROVIDER_VALIDATIONS


@rule(
    "CFDI40102",
    at="@Sello",
    says="Sello debe verificar la cadena original con la llave pública del certificado.",
    note=(
        "RSA PKCS#1 v1.5 con SHA-256 sobre la cadena original. El detalle muestra la cadena para "
        "compararla con la del emisor."
    ),
    cites=ANEXO_20,
)
def seal_verifies_the_cadena(_document: FiscalDocument, context: SealContext) -> RuleResult:
    return verifies_the_cadena(context)


@rule(
    "CFDI33102",
    at="@Sello",
    says="Sello debe verificar la cadena original con la llave pública del certificado.",
    note="La misma regla en CFDI 3.3, con su propia cadena original.",
    cites=ANEXO_20_33,
)
def seal_of_33_verifies_the_cadena(_document: FiscalDocument, context: SealContext) -> RuleResult:
    return verifies_the_cadena(context)


@rule(
    "302",
    at="@Sello",
    says="El sello del emisor no es válido.",
    inseparable=("CFDI40102",),
    cites=PROVIDER_VALIDATIONS,
)
def seal_verifies(_document: FiscalDocument, context: SealContext) -> RuleResult:
    if context.is_sealed:
        return None
    return Violation(expected="el sello de la cadena original con la llave del certificado", found=_start(context))


def verifies_the_cadena(context: SealContext) -> RuleResult:
    """Verify Sello; the finding has the cadena original and, in a validation, why the seal does not verify."""
    if context.is_sealed:
        return None
    return Violation(detail=f"CadenaOriginal: {context.cadena}", hint=_diagnosis(context))


def _diagnosis(context: SealContext) -> str | None:
    """Return why the seal does not verify, in Spanish; None at stamping, which does not spend the time."""
    certificate = context.certificate
    if context.stamping or certificate is None:
        return None
    variants = chain(text_variants(context.cadena), context.variants())
    return diagnose(certificate.public_key, context.cadena, context.document.Sello, variants, context.document.DIGEST)


def _start(context: SealContext) -> str:
    sello = context.document.Sello
    return sello if len(sello) <= 40 else f"{sello[:40]}..."
