"""TransporteFerroviario: CP191, CP192."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.cartaporte31 import Carro
from timbra.core.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.shared.presence import element_name, present_exactly_if

CATALOG: Final = "cartaporte31:c_TipoDeServicio"
KILOGRAMS: Final = Decimal(1000)
"""Kilograms of a ton."""
DECIMALS: Final = 3
"""Decimals of ToneladasNetasCarro in the SAT's schema."""


@rule(
    "CP191",
    at="Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/@ToneladasNetasCarro",
    says="ToneladasNetasCarro debe ser la suma de PesoNetoMercancia de sus contenedores, en toneladas.",
)
def net_tons_equal_sum_of_containers(carro: Carro, _ctx: EvaluationContext) -> RuleResult:
    if not carro.contenedores:
        return None
    total = half_up(sum([row.neto for row in carro.contenedores], ZERO) / KILOGRAMS, DECIMALS)
    if carro.toneladas == total:
        return None
    expected = f"{total:f}, la suma de PesoNetoMercancia de los contenedores entre 1000"
    return Violation(found=carro.ToneladasNetasCarro, expected=expected)


@rule(
    "CP192",
    at="Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/Contenedor",
    says="El carro debe llevar Contenedor solo si c_TipoDeServicio lo indica.",
    columns=((CATALOG, "contenedor"),),
)
def has_containers_exactly_as_service_requires(carro: Carro, ctx: EvaluationContext) -> RuleResult:
    mercancias = envio_of(carro, ctx).carta.mercancias
    tren = None if mercancias is None else mercancias.ferroviario
    row = None if tren is None else ctx.row(CATALOG, tren.TipoDeServicio)
    if tren is None or row is None:
        return None
    found, why = element_name(carro.contenedores, "Contenedor"), f"TipoDeServicio {tren.TipoDeServicio}"
    return present_exactly_if(row["contenedor"] == "1", found, f"el nodo, por {why}", f"con {why}")
