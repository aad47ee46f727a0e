"""The account and the invoice that carries it: ECC121, ECC122, ECC124."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.ecc12 import EstadoDeCuentaCombustible
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule

AT: Final = "Complemento/EstadoDeCuentaCombustible"


@rule("ECC124", at="@TipoDeComprobante")
def account_belongs_to_an_invoice_of_income(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    found = comprobante.TipoDeComprobante
    if found == "I":
        return None
    return Violation(found=found, expected="I, por el complemento Estado de Cuenta de Combustibles")


@rule("ECC121", at=f"{AT}/@SubTotal")
def subtotal_is_the_sum_of_purchases(account: EstadoDeCuentaCombustible, _ctx: EvaluationContext) -> RuleResult:
    total = sum((carga.importe for carga in account.cargas), Decimal(0))
    if account.subtotal == total:
        return None
    return Violation(found=account.SubTotal, expected=f"{total:f}, la suma de los importes de las cargas")


@rule("ECC122", at=f"{AT}/@Total")
def total_adds_the_taxes(account: EstadoDeCuentaCombustible, _ctx: EvaluationContext) -> RuleResult:
    taxes = sum((carga.traslados for carga in account.cargas), Decimal(0))
    total = account.subtotal + taxes
    if account.total == total:
        return None
    return Violation(
        found=account.Total, expected=f"{total:f}, de SubTotal {account.SubTotal} más {taxes:f} de impuestos"
    )
