"""The error matrix of Planes de retiro 1.1, a complement of retenciones."""

from __future__ import annotations

from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.cfdi.nodes.retenciones20.planesderetiro11 import Planesderetiro
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.planesderetiro11.sources import MATRIX_B

RULE_SET = RuleSet(
    "planesderetiro11",
    "B",
    discover_rules(__name__, cites=MATRIX_B),
    standard="Planes de retiro 1.1",
    package=__name__,
    complement=Planesderetiro,
    versions=Retenciones.VERSIONS,
    root=Retenciones,
    messages={"PDR999": "El complemento Planes de retiro no cumple con algo que la matriz no clasifica."},
    prefixes=("PDR",),
)
RULE_SETS = (RULE_SET,)
