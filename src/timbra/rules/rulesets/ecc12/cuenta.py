"""The fuel account and its document: ECC121, ECC122, ECC124."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.ecc12 import EstadoDeCuentaCombustible
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.predicates import equals

ECC124 = row(
    "ECC124",
    Comprobante,
    at="@TipoDeComprobante",
    says="Con el complemento Estado de Cuenta de Combustibles, TipoDeComprobante debe ser I.",
    check=equals("TipoDeComprobante", "I", "por el complemento Estado de Cuenta de Combustibles"),
)


@rule(
    "ECC121",
    at="Complemento/EstadoDeCuentaCombustible/@SubTotal",
    says="SubTotal del estado de cuenta debe ser la suma de los importes de sus cargas.",
)
def subtotal_equals_sum_of_purchases(account: EstadoDeCuentaCombustible, _ctx: EvaluationContext) -> RuleResult:
    total = sum((carga.importe for carga in account.cargas), Decimal(0))
    if account.subtotal == total:
        return None
    return Violation(found=account.SubTotal, expected=f"{total:f}, la suma de los importes de las cargas")


@rule(
    "ECC122",
    at="Complemento/EstadoDeCuentaCombustible/@Total",
    says="Total del estado de cuenta debe ser su SubTotal más los impuestos trasladados de sus cargas.",
)
def total_equals_subtotal_and_taxes(account: EstadoDeCuentaCombustible, _ctx: EvaluationContext) -> RuleResult:
    taxes = sum((carga.traslados for carga in account.cargas), Decimal(0))
    total = account.subtotal + taxes
    if account.total == total:
        return None
    return Violation(
        found=account.Total, expected=f"{total:f}, de SubTotal {account.SubTotal} más {taxes:f} de impuestos"
    )
