"""ObjetoImpDR and the taxes of a paid document: CRP20245 to CRP20248, CRP20278, CRP20279."""

from __future__ import annotations

from datetime import date
from itertools import chain

from timbra.cfdi.nodes.pagos20 import DoctoRelacionado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.pagos.pago import DOCUMENT_AT as AT

WIDER = date(2023, 12, 12)
"""Since then 04 and 05 forbid the tax node too."""
FURTHER = date(2024, 12, 13)
"""Since then there are 06, 07 and 08."""
IVA, IEPS = "002", "003"


@rule("CRP20245", at=f"{AT}/@ObjetoImpDR", reads=("ObjetoImpDR",))
def object_is_a_key(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_ObjetoImp", document.ObjetoImpDR)


@rule("CRP20246", at=f"{AT}/@ObjetoImpDR")
def taxed_object_has_taxes(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if document.ObjetoImpDR != "02" or document.has_impuestos:
        return None
    return Violation(found="02 sin ImpuestosDR", expected="el nodo ImpuestosDR")


@rule("CRP20247", at=f"{AT}/@ObjetoImpDR")
def untaxed_object_has_no_taxes(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    without = ("01", "03", "04", "05") if ctx.on >= WIDER else ("01", "03")
    if not document.has_impuestos or document.ObjetoImpDR not in without:
        return None
    return Violation(found=f"{document.ObjetoImpDR} con ImpuestosDR", expected="que ImpuestosDR no exista")


@rule("CRP20248", at=f"{AT}/ImpuestosDR")
def tax_node_is_not_empty(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if not document.has_impuestos or document.traslados or document.retenciones:
        return None
    return Violation(found="ImpuestosDR vacío", expected="al menos una RetencionDR o un TrasladoDR")


@rule("CRP20278", at=f"{AT}/@ObjetoImpDR", since=FURTHER)
def object_without_iva_and_ieps(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    """06 and 08: neither IVA nor IEPS; ISR may be withheld."""
    if document.ObjetoImpDR not in ("06", "08"):
        return None
    taxes = chain(document.retenciones, document.traslados)
    found = next((tax for tax in taxes if tax.ImpuestoDR in (IVA, IEPS)), None)
    if found is None:
        return None
    expected = f"ningún impuesto 002 ni 003, por ObjetoImpDR {document.ObjetoImpDR}"
    return Violation(found=f"{type(found).__name__} con ImpuestoDR {found.ImpuestoDR}", expected=expected)


@rule("CRP20279", at=f"{AT}/@ObjetoImpDR", since=FURTHER)
def object_with_ieps_without_iva(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    """07: no IVA, IEPS transferred; IEPS and ISR may be withheld."""
    if document.ObjetoImpDR != "07":
        return None
    if any(tax.ImpuestoDR == IVA for tax in chain(document.retenciones, document.traslados)):
        return Violation(found="ImpuestoDR 002", expected="ningún impuesto 002, por ObjetoImpDR 07")
    if any(tax.ImpuestoDR == IEPS for tax in document.traslados):
        return None
    return Violation(found="ningún TrasladoDR con ImpuestoDR 003", expected="al menos uno, por ObjetoImpDR 07")
