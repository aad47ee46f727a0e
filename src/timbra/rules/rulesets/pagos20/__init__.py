"""The error matrix of Recepción de Pagos 2.0."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import Pagos
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.pagos20.sources import MATRIX_B_2024_12_13

RULE_SET = RuleSet(
    "pagos20",
    "B-2024-12-13",
    discover_rules(__name__, cites=MATRIX_B_2024_12_13),
    standard="Recepción de Pagos 2.0",
    package=__name__,
    complement=Pagos,
    versions=("4.0",),
    messages={"CRP20999": "El complemento incumple una regla del estándar de pagos que no tiene código propio."},
    prefixes=("CRP",),
)
RULE_SETS = (RULE_SET,)
