"""The error matrix of Recepción de Pagos 1.0."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import Pagos
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.pagos10.from_pagos20 import DERIVED
from timbra.rules.rulesets.pagos10.sources import MATRIX_V10

RULE_SET = RuleSet(
    "pagos10",
    "V10",
    discover_rules(__name__, also=DERIVED, cites=MATRIX_V10),
    standard="Recepción de Pagos 1.0",
    package=__name__,
    complement=Pagos,
    versions=("3.3",),
    messages={"CRP999": "El complemento incumple una regla del estándar de pagos 1.0 que no tiene código propio."},
    prefixes=("CRP",),
)
RULE_SETS = (RULE_SET,)
