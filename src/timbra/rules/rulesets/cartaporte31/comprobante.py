"""The invoice that carries the complement: CP101 to CP111, and CP112:Concepto."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Comprobante, Concepto, Receptor
from timbra.cfdi.nodes.cartaporte31 import CartaPorteDeConcepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import Envios
from timbra.rules.rulesets.cartaporte31.predicates import TAXPAYERS
from timbra.rules.rulesets.cartaporte31.sources import matrix_row
from timbra.rules.shared.predicates import equals, is_in_comprobante_complemento, is_registered, key_of

NO_CURRENCY: Final = "XXX"
TRANSPORT_SERVICES: Final = frozenset(
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
"""Keys of c_ClaveProdServ for transport services."""
INTERMODAL: Final = frozenset(f"{key}" for key in range(78101900, 78101905))
"""Keys of c_ClaveProdServ for intermodal transport services."""


CP101 = row(
    "CP101",
    Comprobante,
    at="@Version",
    says="El complemento Carta Porte 3.1 solo va en comprobantes de versión 4.0.",
    check=equals("Version", "4.0", "por el complemento Carta Porte 3.1"),
    inseparable=("SELLO-COMPLEMENTO",),
)


def has_own_rfc(receptor: Receptor, _ctx: EvaluationContext) -> bool:
    return not receptor.is_generic


def is_intermodal(concepto: Concepto, _ctx: EvaluationContext) -> bool:
    return concepto.ClaveProdServ in INTERMODAL


@rule(
    "CP102",
    at="@SubTotal",
    says="En un comprobante de tipo T con Carta Porte, SubTotal debe ser 0.",
    types="T",
    inseparable=("CFDI40109",),
)
def subtotal_is_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return None if comprobante.subtotal == 0 else Violation(found=comprobante.SubTotal, expected="0, por el tipo T")


CP103 = row(
    "CP103",
    Comprobante,
    at="@Moneda",
    says="En un comprobante de tipo T con Carta Porte, Moneda debe ser XXX.",
    check=equals("Moneda", NO_CURRENCY, "por el tipo T"),
    types="T",
)


@rule(
    "CP104",
    at="@Moneda",
    says="En un comprobante de tipo I con Carta Porte, Moneda no debe ser XXX.",
    types="I",
)
def has_currency(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    found = comprobante.Moneda
    return Violation(found=found, expected=f"otra moneda que {NO_CURRENCY}") if found == NO_CURRENCY else None


@rule(
    "CP105",
    at="@Total",
    says="En un comprobante de tipo T con Carta Porte, Total debe ser 0.",
    types="T",
    inseparable=("CFDI40119",),
)
def total_is_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return None if comprobante.total == 0 else Violation(found=comprobante.Total, expected="0, por el tipo T")


@rule(
    "CP106",
    at="Conceptos/Concepto/@ObjetoImp",
    says=("ObjetoImp debe ser una clave vigente de c_ObjetoImp; con 02, el concepto debe llevar Impuestos."),
    inseparable=("CFDI40170",),
)
def has_valid_objeto_imp_with_its_taxes(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    if concepto.ObjetoImp == "02" and not concepto.has_impuestos:
        return Violation(found="02", expected="el nodo Impuestos en el concepto, por ObjetoImp 02")
    return key_of(ctx, "c_ObjetoImp", concepto.ObjetoImp)


@rule(
    "CP107",
    at="Receptor/@Rfc",
    says="En un comprobante de tipo T con Carta Porte, el receptor debe ser el emisor.",
    types="T",
)
def receiver_is_issuer(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    issuer = ctx.comprobante.emisor.Rfc
    return None if receptor.Rfc == issuer else Violation(found=receptor.Rfc, expected=f"{issuer}, el RFC del emisor")


CP108 = row(
    "CP108",
    Receptor,
    at="Receptor/@Rfc",
    says=("En un comprobante de tipo I con Carta Porte, el RFC del receptor debe ser genérico o estar inscrito."),
    check=is_registered("Rfc"),
    types="I",
    applies=has_own_rfc,
    needs=TAXPAYERS,
    inseparable=("CFDI40143",),
)


@rule(
    "CP109",
    at="Conceptos/Concepto/@ClaveProdServ",
    says=("En un comprobante de tipo I con Carta Porte, algún concepto debe ser un servicio de transporte."),
    types="I",
)
def has_concepto_of_transport(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if any(concepto.ClaveProdServ in TRANSPORT_SERVICES for concepto in comprobante.conceptos):
        return None
    found = comprobante.conceptos[0].ClaveProdServ if comprobante.conceptos else None
    return Violation(found=found, expected="en algún concepto la clave de un servicio de transporte, como 78101800")


@rule(
    "CP110",
    at="Conceptos/Concepto/@ClaveProdServ",
    says="Un servicio de transporte intermodal requiere más de un nodo de transporte.",
    types="I",
    applies=is_intermodal,
)
def has_several_transports_when_intermodal(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    if ctx.memoize(Envios).have_several_transports:
        return None
    return Violation(
        found=concepto.ClaveProdServ, expected="más de un nodo de transporte, por ser transporte intermodal"
    )


CP111 = row(
    "CP111",
    Receptor,
    at="Receptor/@UsoCFDI",
    says="En un comprobante de tipo T con Carta Porte, UsoCFDI debe ser S01.",
    check=equals("UsoCFDI", "S01", "por el tipo T"),
    types="T",
)


CP112_Concepto = row(
    "CP112:Concepto",
    CartaPorteDeConcepto,
    at="Conceptos/Concepto/ComplementoConcepto/CartaPorte",
    says="El complemento Carta Porte debe estar en Comprobante/Complemento y no en un concepto.",
    note="Si hay otro complemento en su lugar, también pueden incumplirse reglas sobre el contenido del concepto.",
    check=is_in_comprobante_complemento,
    cites=matrix_row("CP112"),
)
