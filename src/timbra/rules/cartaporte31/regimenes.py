"""Customs regimes: CP117, CP118, CP169."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import RegimenAduaneroCCP
from timbra.rules.cartaporte31.envio import EXPORT, IMPORT, envio_of
from timbra.rules.cartaporte31.verdicts import listed_in
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

AT = "Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero"
CATALOG = "cartaporte31:c_RegimenAduanero"
COLUMNS = ((CATALOG, "impoexpo"),)


def enters(regimen: RegimenAduaneroCCP, case: Case) -> bool:
    return envio_of(regimen, case).carta.EntradaSalidaMerc == IMPORT


def leaves(regimen: RegimenAduaneroCCP, case: Case) -> bool:
    return envio_of(regimen, case).carta.EntradaSalidaMerc == EXPORT


def has_direction(regimen: RegimenAduaneroCCP, case: Case) -> bool:
    return envio_of(regimen, case).carta.EntradaSalidaMerc is not None


@rule("CP117", at=AT, applies=has_direction)
def regime_is_a_key(regimen: RegimenAduaneroCCP, case: Case) -> Verdict:
    """That there is one where goods cross the border is CP116."""
    return listed_in(case, "c_RegimenAduanero", regimen.RegimenAduanero)


@rule("CP118", at=AT, applies=enters, columns=COLUMNS)
def regime_is_of_imports(regimen: RegimenAduaneroCCP, case: Case) -> Verdict:
    return _serves(regimen, case, IMPORT)


@rule("CP169", at=AT, applies=leaves, columns=COLUMNS)
def regime_is_of_exports(regimen: RegimenAduaneroCCP, case: Case) -> Verdict:
    return _serves(regimen, case, EXPORT)


def _serves(regimen: RegimenAduaneroCCP, case: Case, direction: str) -> Verdict:
    row = case.row(CATALOG, regimen.RegimenAduanero)
    if row is None or direction in row["impoexpo"].split(","):
        return None
    return Breach(found=regimen.RegimenAduanero, expected=f"un régimen de {direction}, como EntradaSalidaMerc")
