"""By rail: CP191, CP192."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.cartaporte31 import Carro
from timbra.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import exactly_when, named

AT: Final = "Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro"
CATALOG: Final = "cartaporte31:c_TipoDeServicio"
KILOGRAMS: Final = Decimal(1000)
DECIMALS: Final = 3
"""Of a ton, as the schema has room for."""


@rule("CP191", at=f"{AT}/@ToneladasNetasCarro")
def tons_are_those_of_the_containers(carro: Carro, _ctx: EvaluationContext) -> RuleResult:
    if not carro.contenedores:
        return None
    total = half_up(sum([row.neto for row in carro.contenedores], ZERO) / KILOGRAMS, DECIMALS)
    if carro.toneladas == total:
        return None
    expected = f"{total:f}, la suma de PesoNetoMercancia de los contenedores entre 1000"
    return Violation(found=carro.ToneladasNetasCarro, expected=expected)


@rule("CP192", at=f"{AT}/Contenedor", columns=((CATALOG, "contenedor"),))
def containers_are_those_of_the_service(carro: Carro, ctx: EvaluationContext) -> RuleResult:
    mercancias = envio_of(carro, ctx).carta.mercancias
    tren = None if mercancias is None else mercancias.ferroviario
    row = None if tren is None else ctx.row(CATALOG, tren.TipoDeServicio)
    if tren is None or row is None:
        return None
    found, why = named(carro.contenedores, "Contenedor"), f"TipoDeServicio {tren.TipoDeServicio}"
    return exactly_when(row["contenedor"] == "1", found, f"el nodo, por {why}", f"con {why}")
