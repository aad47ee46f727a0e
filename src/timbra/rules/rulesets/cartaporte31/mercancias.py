"""Mercancias: totals of the goods and means of transport, CP148 to CP154."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.cartaporte31 import Mercancias
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of, is_by_rail, is_by_road, is_by_sea
from timbra.rules.shared.presence import is_absent_unless

TRANSPORTS = "Autotransporte, TransporteMaritimo, TransporteAereo o TransporteFerroviario"


def is_by_road_air_or_rail(mercancias: Mercancias, ctx: EvaluationContext) -> bool:
    envio = envio_of(mercancias, ctx)
    return envio.by_road or envio.by_air or envio.by_rail


def _equals_sum(found: str | None, value: Decimal, total: Decimal, of: str) -> RuleResult:
    """Check that an attribute is present and equals the sum, without tolerance."""
    if found is not None and value == total:
        return None
    return Violation(found=found, expected=f"{total:f}, de la suma de {of}")


@rule(
    "CP148",
    at="Complemento/CartaPorte/Mercancias",
    says="Mercancias debe llevar al menos una Mercancia y al menos un nodo de transporte.",
)
def has_goods_and_transport(mercancias: Mercancias, ctx: EvaluationContext) -> RuleResult:
    if mercancias.filas and envio_of(mercancias, ctx).transportes:
        return None
    return Violation(expected=f"al menos una Mercancia, y un nodo {TRANSPORTS}")


@rule(
    "CP149",
    at="Complemento/CartaPorte/Mercancias/@PesoBrutoTotal",
    says="PesoBrutoTotal debe ser la suma de PesoEnKg de las mercancías.",
    applies=is_by_road_air_or_rail,
)
def gross_weight_equals_sum_of_goods(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    total = sum([row.peso for row in mercancias.filas], ZERO)
    return _equals_sum(mercancias.PesoBrutoTotal, mercancias.bruto, total, "PesoEnKg de las mercancías")


@rule(
    "CP150",
    at="Complemento/CartaPorte/Mercancias/@PesoBrutoTotal",
    says="Con TransporteMaritimo, PesoBrutoTotal debe ser la suma de PesoBruto de DetalleMercancia.",
    applies=is_by_sea,
)
def gross_weight_equals_sum_of_details(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    total = sum([row.detalle.bruto for row in mercancias.filas if row.detalle is not None], ZERO)
    return _equals_sum(mercancias.PesoBrutoTotal, mercancias.bruto, total, "PesoBruto de DetalleMercancia")


@rule(
    "CP151",
    at="Complemento/CartaPorte/Mercancias/@PesoNetoTotal",
    says="Con TransporteMaritimo, PesoNetoTotal debe ser la suma de PesoNeto de DetalleMercancia.",
    applies=is_by_sea,
)
def net_weight_equals_sum_of_details(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    total = sum([row.detalle.neto for row in mercancias.filas if row.detalle is not None], ZERO)
    return _equals_sum(mercancias.PesoNetoTotal, mercancias.neto, total, "PesoNeto de DetalleMercancia")


@rule(
    "CP152",
    at="Complemento/CartaPorte/Mercancias/@PesoNetoTotal",
    says="Con TransporteFerroviario, PesoNetoTotal debe ser la suma de ToneladasNetasCarro.",
    applies=is_by_rail,
)
def net_weight_equals_sum_of_cars(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    tren = mercancias.ferroviario
    total = sum([carro.toneladas for carro in tren.carros], ZERO) if tren is not None else ZERO
    return _equals_sum(mercancias.PesoNetoTotal, mercancias.neto, total, "ToneladasNetasCarro de los carros")


CP153 = row(
    "CP153",
    Mercancias,
    at="Complemento/CartaPorte/Mercancias/@LogisticaInversaRecoleccionDevolucion",
    says="LogisticaInversaRecoleccionDevolucion solo puede existir con Autotransporte.",
    check=is_absent_unless("LogisticaInversaRecoleccionDevolucion", is_by_road, "sin Autotransporte"),
)


@rule(
    "CP154",
    at="Complemento/CartaPorte/Mercancias/@NumTotalMercancias",
    says="NumTotalMercancias debe ser el número de nodos Mercancia.",
)
def number_of_goods_equals_count(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    return _equals_sum(
        mercancias.NumTotalMercancias, mercancias.cuantas, Decimal(len(mercancias.filas)), "las mercancías"
    )
