"""The invoice that carries the complement: CP102 to CP111."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Comprobante, Concepto, Receptor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import Envios
from timbra.rules.rulesets.cartaporte31.verdicts import TAXPAYERS, registered
from timbra.rules.shared.conditions import HEAD, key_of

NO_CURRENCY: Final = "XXX"
FREIGHT: Final = frozenset(
    {
        *(f"{key}" for key in range(78101500, 78101504)),
        *(f"{key}" for key in range(78101600, 78101605)),
        *(f"{key}" for key in range(78101700, 78101707)),
        *(f"{key}" for key in range(78101800, 78101805)),
        "78101806",
        "78101807",
        *(f"{key}" for key in range(78101900, 78101906)),
        "78102200",
        "78102201",
        *(f"{key}" for key in range(78102203, 78102206)),
        "78121603",
        "78141500",
        "78141501",
        "84121806",
        "92121800",
        "92121801",
        "92121802",
    }
)
"""Products of c_ClaveProdServ that are services of transport."""
INTERMODAL: Final = frozenset(f"{key}" for key in range(78101900, 78101905))
"""Those of transport by more than one way."""


def has_own_rfc(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return not receptor.is_generic


def is_intermodal(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    return concepto.ClaveProdServ in INTERMODAL


@rule("CP102", at="@SubTotal", types="T", inseparable=("CFDI40109",))
def subtotal_is_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return None if comprobante.subtotal == 0 else Violation(found=comprobante.SubTotal, expected="0, por el tipo T")


@rule("CP103", at="@Moneda", types="T", reads=HEAD)
def moved_goods_have_no_currency(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    found = comprobante.Moneda
    return None if found == NO_CURRENCY else Violation(found=found, expected=f"{NO_CURRENCY}, por el tipo T")


@rule("CP104", at="@Moneda", types="I", reads=HEAD)
def charged_freight_has_a_currency(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    found = comprobante.Moneda
    return Violation(found=found, expected=f"otra moneda que {NO_CURRENCY}") if found == NO_CURRENCY else None


@rule("CP105", at="@Total", types="T", inseparable=("CFDI40119",))
def total_is_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return None if comprobante.total == 0 else Violation(found=comprobante.Total, expected="0, por el tipo T")


@rule(
    "CP106",
    at="Conceptos/Concepto/@ObjetoImp",
    reads=("ObjetoImp", "has_impuestos"),
    inseparable=("CFDI40170",),
)
def object_is_a_key_and_has_its_taxes(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    if concepto.ObjetoImp == "02" and not concepto.has_impuestos:
        return Violation(found="02", expected="el nodo Impuestos en el concepto, por ObjetoImp 02")
    return key_of(ctx, "c_ObjetoImp", concepto.ObjetoImp)


@rule("CP107", at="Receptor/@Rfc", types="T")
def mover_moves_its_own_goods(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    issuer = ctx.comprobante.emisor.Rfc
    return None if receptor.Rfc == issuer else Violation(found=receptor.Rfc, expected=f"{issuer}, el RFC del emisor")


@rule("CP108", at="Receptor/@Rfc", types="I", needs=TAXPAYERS, applies=has_own_rfc, inseparable=("CFDI40143",))
def client_is_registered(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return registered(ctx, receptor.Rfc)


@rule("CP109", at="Conceptos/Concepto/@ClaveProdServ", types="I")
def something_charged_is_transport(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if any(concepto.ClaveProdServ in FREIGHT for concepto in comprobante.conceptos):
        return None
    found = comprobante.conceptos[0].ClaveProdServ if comprobante.conceptos else None
    return Violation(found=found, expected="en algún concepto la clave de un servicio de transporte, como 78101800")


@rule(
    "CP110",
    at="Conceptos/Concepto/@ClaveProdServ",
    types="I",
    applies=is_intermodal,
    applies_reads=("ClaveProdServ",),
)
def intermodal_transport_has_several_ways(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    if ctx.memoize(Envios).go_several_ways:
        return None
    return Violation(
        found=concepto.ClaveProdServ, expected="más de un nodo de transporte, por ser transporte intermodal"
    )


@rule("CP111", at="Receptor/@UsoCFDI", types="T")
def use_is_without_tax_effects(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    return None if receptor.UsoCFDI == "S01" else Violation(found=receptor.UsoCFDI, expected="S01, por el tipo T")
