"""Each purchase: ECC123, keys of TipoCombustible."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.ecc12 import ConceptoEstadoDeCuentaCombustible
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Need, Verdict
from timbra.rules.rule import rule

AT: Final = "Complemento/EstadoDeCuentaCombustible/Conceptos/ConceptoEstadoDeCuentaCombustible"


@rule("ECC123", at=f"{AT}/@Rfc", needs=(Need.OBLIGATIONS,))
def station_has_obligations(carga: ConceptoEstadoDeCuentaCombustible, case: Case) -> Verdict:
    listed = case.world.obligations
    if listed is None or listed.obligations(carga.Rfc) is not None:
        return None
    expected = "un RFC de la lista de contribuyentes obligados (LCO)"
    return Breach(found=carga.Rfc, expected=expected, hint=case.world.registry_hint)


@rule("ECC999:TipoCombustible", at=f"{AT}/@TipoCombustible", reads=("TipoCombustible",))
def fuel_is_a_key(carga: ConceptoEstadoDeCuentaCombustible, case: Case) -> Verdict:
    return key_of(case, "ecc12:c_ClaveTipoCombustible", carga.TipoCombustible)
