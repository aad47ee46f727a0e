"""All goods together, and the ways they are moved: CP148 to CP154."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.cartaporte31 import Mercancias
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.shared.conditions import absent

AT = "Complemento/CartaPorte/Mercancias"
WAYS = "Autotransporte, TransporteMaritimo, TransporteAereo o TransporteFerroviario"


def goes_by_sea(mercancias: Mercancias, ctx: EvaluationContext) -> bool:
    return envio_of(mercancias, ctx).by_sea


def goes_by_rail(mercancias: Mercancias, ctx: EvaluationContext) -> bool:
    return envio_of(mercancias, ctx).by_rail


def goes_otherwise_than_by_sea(mercancias: Mercancias, ctx: EvaluationContext) -> bool:
    envio = envio_of(mercancias, ctx)
    return envio.by_road or envio.by_air or envio.by_rail


def _is_sum(found: str | None, value: Decimal, total: Decimal, of: str) -> RuleResult:
    """No tolerance."""
    if found is not None and value == total:
        return None
    return Violation(found=found, expected=f"{total:f}, de la suma de {of}")


@rule("CP148", at=AT)
def goods_are_moved_somehow(mercancias: Mercancias, ctx: EvaluationContext) -> RuleResult:
    if mercancias.filas and envio_of(mercancias, ctx).transportes:
        return None
    return Violation(expected=f"al menos una Mercancia, y un nodo {WAYS}")


@rule("CP149", at=f"{AT}/@PesoBrutoTotal", applies=goes_otherwise_than_by_sea)
def gross_weight_is_that_of_the_goods(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    total = sum([row.peso for row in mercancias.filas], ZERO)
    return _is_sum(mercancias.PesoBrutoTotal, mercancias.bruto, total, "PesoEnKg de las mercancías")


@rule("CP150", at=f"{AT}/@PesoBrutoTotal", applies=goes_by_sea)
def gross_weight_at_sea_is_that_of_the_details(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    total = sum([row.detalle.bruto for row in mercancias.filas if row.detalle is not None], ZERO)
    return _is_sum(mercancias.PesoBrutoTotal, mercancias.bruto, total, "PesoBruto de DetalleMercancia")


@rule("CP151", at=f"{AT}/@PesoNetoTotal", applies=goes_by_sea)
def net_weight_at_sea_is_that_of_the_details(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    total = sum([row.detalle.neto for row in mercancias.filas if row.detalle is not None], ZERO)
    return _is_sum(mercancias.PesoNetoTotal, mercancias.neto, total, "PesoNeto de DetalleMercancia")


@rule("CP152", at=f"{AT}/@PesoNetoTotal", applies=goes_by_rail)
def net_weight_by_rail_is_that_of_the_cars(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    tren = mercancias.ferroviario
    total = sum([carro.toneladas for carro in tren.carros], ZERO) if tren is not None else ZERO
    return _is_sum(mercancias.PesoNetoTotal, mercancias.neto, total, "ToneladasNetasCarro de los carros")


@rule("CP153", at=f"{AT}/@LogisticaInversaRecoleccionDevolucion")
def returns_go_by_road(mercancias: Mercancias, ctx: EvaluationContext) -> RuleResult:
    if envio_of(mercancias, ctx).by_road:
        return None
    return absent(mercancias.LogisticaInversaRecoleccionDevolucion, "sin Autotransporte")


@rule("CP154", at=f"{AT}/@NumTotalMercancias")
def goods_are_counted(mercancias: Mercancias, _ctx: EvaluationContext) -> RuleResult:
    return _is_sum(mercancias.NumTotalMercancias, mercancias.cuantas, Decimal(len(mercancias.filas)), "las mercancías")
