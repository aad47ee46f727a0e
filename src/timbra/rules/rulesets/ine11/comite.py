"""Process, committee and accounting: INE180, INE182, INE183, INE185."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.ine11 import INE
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.rule import row
from timbra.rules.shared.presence import is_absent_with, is_present_with

ORDINARY: Final = "Ordinario"
ELECTORAL: Final = ("Precampaña", "Campaña")
NATIONAL: Final = "Ejecutivo Nacional"
EXECUTIVE_OF_STATE: Final = "Ejecutivo Estatal"
OF_STATE: Final = (EXECUTIVE_OF_STATE, "Directivo Estatal")


def is_electoral(ine: INE, _ctx: EvaluationContext) -> bool:
    return ine.TipoProceso in ELECTORAL


INE180 = row(
    "INE180",
    INE,
    at="Complemento/INE/@TipoComite",
    says="Con TipoProceso Ordinario, TipoComite debe existir.",
    check=is_present_with("TipoComite", "TipoProceso", (ORDINARY,)),
)


INE182 = row(
    "INE182",
    INE,
    at="Complemento/INE/@TipoComite",
    says="Con TipoProceso Precampaña o Campaña, TipoComite no debe existir.",
    check=is_absent_with("TipoComite", "TipoProceso", ELECTORAL),
    inseparable=("INE184",),
)


INE183 = row(
    "INE183",
    INE,
    at="Complemento/INE/@IdContabilidad",
    says="Con TipoProceso Precampaña o Campaña, IdContabilidad del nodo INE no debe existir.",
    check=is_absent_with("IdContabilidad", "TipoProceso", ELECTORAL),
)


INE185 = row(
    "INE185",
    INE,
    at="Complemento/INE/@IdContabilidad",
    says="Con TipoComite Ejecutivo Estatal, IdContabilidad del nodo INE no debe existir.",
    check=is_absent_with("IdContabilidad", "TipoComite", (EXECUTIVE_OF_STATE,)),
)
