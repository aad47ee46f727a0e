"""Process, committee and accounting: INE180, INE182, INE183, INE185."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.ine11 import INE
from timbra.examples.codes.example import example
from timbra.examples.codes.ine11 import campaign, local, state, with_process
from timbra.examples.ine11 import ine
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
    fails={"Complemento/INE/@TipoProceso": "Ordinario", "Complemento/INE/@TipoComite": None},
)


INE182 = row(
    "INE182",
    INE,
    at="Complemento/INE/@TipoComite",
    says="Con TipoProceso Precampaña o Campaña, TipoComite no debe existir.",
    check=is_absent_with("TipoComite", "TipoProceso", ELECTORAL),
    inseparable=("INE184",),
    fails=example(ine, with_process("Precampaña", "Ejecutivo Nacional", local()), passes=campaign(local())),
)


INE183 = row(
    "INE183",
    INE,
    at="Complemento/INE/@IdContabilidad",
    says="Con TipoProceso Precampaña o Campaña, IdContabilidad del nodo INE no debe existir.",
    check=is_absent_with("IdContabilidad", "TipoProceso", ELECTORAL),
    fails=example(ine, campaign(local(), IdContabilidad="123"), passes=campaign(local())),
)


INE185 = row(
    "INE185",
    INE,
    at="Complemento/INE/@IdContabilidad",
    says="Con TipoComite Ejecutivo Estatal, IdContabilidad del nodo INE no debe existir.",
    check=is_absent_with("IdContabilidad", "TipoComite", (EXECUTIVE_OF_STATE,)),
    fails=example(
        ine,
        with_process("Ordinario", "Ejecutivo Estatal", state("AGU"), IdContabilidad="123"),
        passes=with_process("Ordinario", "Ejecutivo Estatal", state("AGU")),
    ),
)
