"""The invoice that carries the complement: NOM132 to NOM134, NOM137, NOM138, NOM149."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales, Receptor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.nomina import keys, partes


@rule("NOM132", at="@Moneda")
def wages_are_in_pesos(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return keys.written(comprobante.Moneda, "MXN")


@rule("NOM133", at="@FormaPago")
def form_of_payment_is_to_be_defined(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return keys.written(comprobante.FormaPago, "99")


@rule("NOM134", at="@TipoDeComprobante")
def complement_is_of_a_payroll(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return keys.written(comprobante.TipoDeComprobante, "N")


@rule("NOM137", at="Receptor/@Rfc")
def worker_is_a_person(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    return partes.worker_is_a_person(receptor)


def has_own_rfc(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return partes.has_own_rfc(receptor)


@rule("NOM138", at="Receptor/@Rfc", applies=has_own_rfc, needs=keys.TAXPAYERS, inseparable=("CFDI33132",))
def worker_is_registered(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return keys.registered(ctx, receptor.Rfc)


@rule("NOM149", at="Impuestos")
def payroll_has_no_taxes(_impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="Impuestos", expected=f"que no exista {keys.WHY}")
