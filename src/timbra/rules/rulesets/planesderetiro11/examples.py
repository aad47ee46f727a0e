"""The documents that violate the rules, by code."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.retenciones20 import planes_de_retiro
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.rulesets.planesderetiro11.planes import FIDUCIARY

BASE = planes_de_retiro
"""Builder of the document that the changes of `FAILS` concern."""
AT = "Complemento/Planesderetiro"
FAILS: Mapping[str, Fails] = {
    "PDR101": {f"{AT}/@MontTotExentRetiradoAnioInmAnt": None, f"{AT}/@MontTotExedenteAnioInmAnt": "100.00"},
    "PDR102": {f"{AT}/@MontTotExedenteAnioInmAnt": None, f"{AT}/@MontTotExentRetiradoAnioInmAnt": "100.00"},
    "PDR103": {f"{AT}/@MontTotRetiradoAnioInmAntPer": "99.00"},
    "PDR104": {
        f"{AT}/AportacionesODepositos[2]": ExampleNode(
            "planesderetiro11:AportacionesODepositos", {"TipoAportacionODeposito": "a", "MontAportODep": "1.00"}
        )
    },
    "PDR999:RET-PDR-258": {f"{AT}/AportacionesODepositos/@TipoAportacionODeposito": FIDUCIARY},
    "PDR999:RET-PDR-flags": {f"{AT}/@HuboRetirosAnioInmAnt": "SI"},
}
