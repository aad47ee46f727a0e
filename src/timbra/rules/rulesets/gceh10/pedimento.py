"""Import declarations behind an expense: GCEH108 to GCEH114, GCEH133."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.gceh10 import DocumentoRelacionado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.gceh10.documento import AT
from timbra.rules.rulesets.gceh10.vinculo import only_with, required_by
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.invoice.customs import possible

NUMBER: Final = "NumeroPedimentoVinculado"
NATIONAL: Final = "Nacional"


@rule("GCEH108", at=f"{AT}/@NumeroPedimentoVinculado")
def national_expense_was_not_imported(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if document.OrigenErogacion != NATIONAL:
        return None
    return absent(document.NumeroPedimentoVinculado, f"con OrigenErogacion {NATIONAL}")


@rule("GCEH109", at=f"{AT}/@ClavePedimentoVinculado")
def kind_belongs_to_a_declaration(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return only_with(document.ClavePedimentoVinculado, document.NumeroPedimentoVinculado, NUMBER)


@rule("GCEH110", at=f"{AT}/@ClavePedimentoVinculado")
def declaration_has_its_kind(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return required_by(document.ClavePedimentoVinculado, document.NumeroPedimentoVinculado, NUMBER)


@rule("GCEH111", at=f"{AT}/@ClavePagoPedimentoVinculado")
def payment_belongs_to_a_declaration(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return only_with(document.ClavePagoPedimentoVinculado, document.NumeroPedimentoVinculado, NUMBER)


@rule("GCEH112", at=f"{AT}/@ClavePagoPedimentoVinculado")
def declaration_has_its_payment(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return required_by(document.ClavePagoPedimentoVinculado, document.NumeroPedimentoVinculado, NUMBER)


@rule("GCEH113", at=f"{AT}/@MontoIVAPedimento")
def iva_belongs_to_a_declaration(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return only_with(document.MontoIVAPedimento, document.NumeroPedimentoVinculado, NUMBER)


@rule("GCEH114", at=f"{AT}/@MontoIVAPedimento")
def declaration_has_its_iva(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return required_by(document.MontoIVAPedimento, document.NumeroPedimentoVinculado, NUMBER)


@rule("GCEH133", at=f"{AT}/@NumeroPedimentoVinculado")
def declaration_number_is_possible(document: DocumentoRelacionado, ctx: EvaluationContext) -> RuleResult:
    number = document.NumeroPedimentoVinculado
    return None if number is None else possible(number, ctx)
