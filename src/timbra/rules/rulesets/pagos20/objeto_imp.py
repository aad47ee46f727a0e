"""ObjetoImpDR and the taxes of a paid document: CRP20245 to CRP20248, CRP20278, CRP20279."""

from __future__ import annotations

from itertools import chain

from timbra.cfdi.nodes.pagos20 import DoctoRelacionado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos20.sources import OBJECTS_06_TO_08, REVISION_B
from timbra.rules.shared.predicates import in_catalog

IVA, IEPS = "002", "003"


CRP20245 = row(
    "CRP20245",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="ObjetoImpDR debe ser una clave vigente de c_ObjetoImp.",
    check=in_catalog("c_ObjetoImp", "ObjetoImpDR"),
)


@rule(
    "CRP20246",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="Con ObjetoImpDR 02 debe existir el nodo ImpuestosDR.",
)
def taxed_object_has_taxes(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if document.ObjetoImpDR != "02" or document.has_impuestos:
        return None
    return Violation(found="02 sin ImpuestosDR", expected="el nodo ImpuestosDR")


@rule(
    "CRP20247",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="Con ObjetoImpDR 01, 03, 04 o 05, no debe existir el nodo ImpuestosDR.",
    note="Desde el 2023-12-12 también con 04 y 05.",
)
def untaxed_object_has_no_taxes(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    objects = ("01", "03", "04", "05") if ctx.on >= REVISION_B else ("01", "03")
    if not document.has_impuestos or document.ObjetoImpDR not in objects:
        return None
    return Violation(found=f"{document.ObjetoImpDR} con ImpuestosDR", expected="que ImpuestosDR no exista")


@rule(
    "CRP20248",
    at="Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR",
    says="El nodo ImpuestosDR debe llevar al menos una retención o un traslado.",
)
def tax_node_has_taxes(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if not document.has_impuestos or document.traslados or document.retenciones:
        return None
    return Violation(found="ImpuestosDR vacío", expected="al menos una RetencionDR o un TrasladoDR")


@rule(
    "CRP20278",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="Con ObjetoImpDR 06 u 08, el documento no debe desglosar IVA ni IEPS.",
    note="06 y 08: ni IVA ni IEPS; se puede retener ISR.",
    since=OBJECTS_06_TO_08,
)
def object_06_or_08_has_neither_iva_nor_ieps(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if document.ObjetoImpDR not in ("06", "08"):
        return None
    taxes = chain(document.retenciones, document.traslados)
    found = next((tax for tax in taxes if tax.ImpuestoDR in (IVA, IEPS)), None)
    if found is None:
        return None
    expected = f"ningún impuesto 002 ni 003, por ObjetoImpDR {document.ObjetoImpDR}"
    return Violation(found=f"{type(found).__name__} con ImpuestoDR {found.ImpuestoDR}", expected=expected)


@rule(
    "CRP20279",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ObjetoImpDR",
    says="Con ObjetoImpDR 07, el documento debe trasladar IEPS y no desglosar IVA.",
    note="07: sin IVA y con IEPS trasladado; se puede retener IEPS e ISR.",
    since=OBJECTS_06_TO_08,
)
def object_07_has_ieps_and_no_iva(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if document.ObjetoImpDR != "07":
        return None
    if any(tax.ImpuestoDR == IVA for tax in chain(document.retenciones, document.traslados)):
        return Violation(found="ImpuestoDR 002", expected="ningún impuesto 002, por ObjetoImpDR 07")
    if any(tax.ImpuestoDR == IEPS for tax in document.traslados):
        return None
    return Violation(found="ningún TrasladoDR con ImpuestoDR 003", expected="al menos uno, por ObjetoImpDR 07")
