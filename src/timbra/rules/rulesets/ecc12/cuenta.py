"""The fuel account and its purchases: ECC121 to ECC124, and the keys of TipoCombustible."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.ecc12 import ConceptoEstadoDeCuentaCombustible, EstadoDeCuentaCombustible
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.ecc12.sources import SCHEMA
from timbra.rules.shared.predicates import equals, in_catalog

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


@rule(
    "ECC123",
    at="Complemento/EstadoDeCuentaCombustible/Conceptos/ConceptoEstadoDeCuentaCombustible/@Rfc",
    says=("El RFC de quien vendió el combustible debe estar en la lista de contribuyentes obligados (LCO)."),
    needs=(DataRequirement.OBLIGATIONS,),
)
def supplier_has_obligations(carga: ConceptoEstadoDeCuentaCombustible, ctx: EvaluationContext) -> RuleResult:
    listed = ctx.reference_data.obligations
    if listed is None or listed.obligations(carga.Rfc) is not None:
        return None
    expected = "un RFC de la lista de contribuyentes obligados (LCO)"
    return Violation(found=carga.Rfc, expected=expected, hint=ctx.reference_data.registry_hint)


ECC999_TipoCombustible = row(
    "ECC999:TipoCombustible",
    ConceptoEstadoDeCuentaCombustible,
    at="Complemento/EstadoDeCuentaCombustible/Conceptos/ConceptoEstadoDeCuentaCombustible/@TipoCombustible",
    says="TipoCombustible debe ser una clave vigente de c_ClaveTipoCombustible.",
    check=in_catalog("ecc12:c_ClaveTipoCombustible", "TipoCombustible"),
    cites=SCHEMA,
)
