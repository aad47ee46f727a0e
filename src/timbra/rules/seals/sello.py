"""The issuer's seal: CFDI40102, and 302 as validation also names it."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule
from timbra.rules.seals.certificate import ANEXO_20, ANEXO_20_33, PROVIDERS
from timbra.rules.seals.context import SealContext
from timbra.seals.seal import verify


@rule("CFDI40102", at="@Sello", source=ANEXO_20)
def seal_is_of_this_document(_comprobante: Comprobante, context: SealContext) -> Verdict:
    """RSA PKCS#1 v1.5 with SHA-256 over the cadena original. The detail shows the cadena to compare with one's own."""
    return None if _verifies(context) else Breach(detail=f"CadenaOriginal: {context.cadena}")


@rule("CFDI33102", at="@Sello", source=ANEXO_20_33)
def older_seal_is_of_this_document(comprobante: Comprobante, context: SealContext) -> Verdict:
    """The same in CFDI 3.3, over its own cadena original."""
    return seal_is_of_this_document.judge(comprobante, context)


@rule("302", at="@Sello", source=PROVIDERS, inseparable=("CFDI40102",))
def seal_verifies(_comprobante: Comprobante, context: SealContext) -> Verdict:
    if _verifies(context):
        return None
    return Breach(expected="el sello de la cadena original con la llave del certificado", found=_start(context))


def _verifies(context: SealContext) -> bool:
    certificate = context.certificate
    return certificate is not None and verify(certificate.public_key, context.cadena, context.comprobante.Sello)


def _start(context: SealContext) -> str:
    sello = context.comprobante.Sello
    return sello if len(sello) <= 40 else f"{sello[:40]}..."
