"""The error matrix of CFDI 4.0. CFDI40102 and CFDI40106 are rules of `rulesets.certificates`."""

from __future__ import annotations

from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.cfdi40.sources import MATRIX_2026_03_25

RULE_SET = RuleSet(
    "cfdi40",
    MATRIX_2026_03_25.revision,
    discover_rules(__name__, cites=MATRIX_2026_03_25),
    standard="CFDI 4.0",
    package=__name__,
    versions=("4.0",),
    messages={
        "CFDI40999": "El comprobante incumple una regla del Anexo 20 o de la guía de llenado "
        "que no tiene código propio."
    },
    prefixes=("CFDI40", "CFDI140"),
)
RULE_SETS = (RULE_SET,)
