"""The documents that violate the rules, by code."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.codes.example import example
from timbra.examples.codes.ine11 import campaign, local, state, with_process
from timbra.examples.ine11 import ine
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails

BASE = ine
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "INE180": {"Complemento/INE/@TipoProceso": "Ordinario", "Complemento/INE/@TipoComite": None},
    "INE181": example(ine, campaign(state("AGU")), passes=campaign(local())),
    "INE182": example(ine, with_process("Precampaña", "Ejecutivo Nacional", local()), passes=campaign(local())),
    "INE183": example(ine, campaign(local(), IdContabilidad="123"), passes=campaign(local())),
    "INE184": {
        "Complemento/INE/@TipoProceso": "Ordinario",
        "Complemento/INE/@TipoComite": "Ejecutivo Nacional",
        "Complemento/INE/Entidad[1]": ExampleNode("ine:Entidad", {"ClaveEntidad": "AGU"}),
    },
    "INE185": example(
        ine,
        with_process("Ordinario", "Ejecutivo Estatal", state("AGU"), IdContabilidad="123"),
        passes=with_process("Ordinario", "Ejecutivo Estatal", state("AGU")),
    ),
    "INE186": example(
        ine,
        {"Complemento/INE/@TipoProceso": "Ordinario", "Complemento/INE/@TipoComite": "Directivo Estatal"},
        passes={
            "Complemento/INE/@TipoProceso": "Ordinario",
            "Complemento/INE/@TipoComite": "Directivo Estatal",
            "Complemento/INE/Entidad[1]": ExampleNode("ine:Entidad", {"ClaveEntidad": "AGU"}),
        },
    ),
    "INE187": example(ine, campaign(local(), local()), passes=campaign(local(), state("AGU", "Federal"))),
    "INE188": example(ine, campaign(state("NAC", "Local")), passes=campaign(state("NAC", "Federal"))),
}
