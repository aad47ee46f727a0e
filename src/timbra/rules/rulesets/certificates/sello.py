"""The issuer's seal: CFDI40102, and 302 as validation also names it."""

from __future__ import annotations

from itertools import chain

from timbra.cfdi.cadena_variants import text_variants
from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.certificate import ANEXO_20, ANEXO_20_33, PROVIDERS
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.explaining import explained


@rule("CFDI40102", at="@Sello", source=ANEXO_20)
def seal_is_of_this_document(_comprobante: Comprobante, context: SealContext) -> RuleResult:
    """RSA PKCS#1 v1.5 with SHA-256 over the cadena original. The detail shows the cadena to compare with one's own."""
    return _of_this_document(context)


@rule("CFDI33102", at="@Sello", source=ANEXO_20_33)
def older_seal_is_of_this_document(_comprobante: Comprobante, context: SealContext) -> RuleResult:
    """The same in CFDI 3.3, over its own cadena original."""
    return _of_this_document(context)


@rule("302", at="@Sello", source=PROVIDERS, inseparable=("CFDI40102",))
def seal_verifies(_comprobante: Comprobante, context: SealContext) -> RuleResult:
    if context.is_sealed:
        return None
    return Violation(expected="el sello de la cadena original con la llave del certificado", found=_start(context))


def _of_this_document(context: SealContext) -> RuleResult:
    if context.is_sealed:
        return None
    return Violation(detail=f"CadenaOriginal: {context.cadena}", hint=_why(context))


def _why(context: SealContext) -> str | None:
    """Only a validation has the time to find out."""
    certificate = context.certificate
    if context.stamping or certificate is None:
        return None
    variants = chain(text_variants(context.cadena), context.variants())
    return explained(certificate.public_key, context.cadena, context.comprobante.Sello, variants)


def _start(context: SealContext) -> str:
    sello = context.comprobante.Sello
    return sello if len(sello) <= 40 else f"{sello[:40]}..."
