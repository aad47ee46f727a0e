"""By rail: CP191, CP192."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.cartaporte31 import Carro
from timbra.money import half_up
from timbra.rules.cartaporte31.envio import envio_of
from timbra.rules.cartaporte31.verdicts import exactly_when, named
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

AT: Final = "Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro"
CATALOG: Final = "cartaporte31:c_TipoDeServicio"
KILOGRAMS: Final = Decimal(1000)
DECIMALS: Final = 3
"""Of a ton, as the schema has room for."""


@rule("CP191", at=f"{AT}/@ToneladasNetasCarro")
def tons_are_those_of_the_containers(carro: Carro, _case: Case) -> Verdict:
    if not carro.contenedores:
        return None
    total = half_up(sum([row.neto for row in carro.contenedores], ZERO) / KILOGRAMS, DECIMALS)
    if carro.toneladas == total:
        return None
    expected = f"{total:f}, la suma de PesoNetoMercancia de los contenedores entre 1000"
    return Breach(found=carro.ToneladasNetasCarro, expected=expected)


@rule("CP192", at=f"{AT}/Contenedor", columns=((CATALOG, "contenedor"),))
def containers_are_those_of_the_service(carro: Carro, case: Case) -> Verdict:
    mercancias = envio_of(carro, case).carta.mercancias
    tren = None if mercancias is None else mercancias.ferroviario
    row = None if tren is None else case.row(CATALOG, tren.TipoDeServicio)
    if tren is None or row is None:
        return None
    found, why = named(carro.contenedores, "Contenedor"), f"TipoDeServicio {tren.TipoDeServicio}"
    return exactly_when(row["contenedor"] == "1", found, f"el nodo, por {why}", f"con {why}")
