"""The error matrix of Servicios de plataformas tecnológicas 1.0, a complement of retenciones."""

from __future__ import annotations

from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.cfdi.nodes.retenciones20.plataformas10 import ServiciosPlataformasTecnologicas
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.plataformastecnologicas10.sources import MATRIX_D

RULE_SET = RuleSet(
    "plataformastecnologicas10",
    "D",
    discover_rules(__name__, cites=MATRIX_D),
    standard="Servicios de plataformas tecnológicas 1.0",
    package=__name__,
    complement=ServiciosPlataformasTecnologicas,
    versions=Retenciones.VERSIONS,
    root=Retenciones,
    messages={
        "SPT999": "El complemento Servicios de plataformas tecnológicas no cumple con algo que la matriz no clasifica."
    },
    prefixes=("SPT",),
)
RULE_SETS = (RULE_SET,)
