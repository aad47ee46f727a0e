"""The error matrix of Gastos de Hidrocarburos 1.0 for CFDI 4.0."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import GastosHidrocarburos
from timbra.rules.engine.rule import NotImplementedRow
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.gceh10.sources import MATRIX_A

NOT_IMPLEMENTED = (
    NotImplementedRow(
        "GCEH999",
        at="Complemento/GastosHidrocarburos",
        says="El complemento Gastos de Hidrocarburos no cumple con algo que la matriz no clasifica.",
        cites=MATRIX_A,
        reason="errores sin código propio: no se conoce ninguno",
    ),
)
RULE_SET = RuleSet(
    "gceh10",
    "A",
    discover_rules(__name__, cites=MATRIX_A),
    standard="Gastos de Hidrocarburos 1.0",
    package=__name__,
    not_implemented=NOT_IMPLEMENTED,
    complement=GastosHidrocarburos,
    versions=("4.0",),
    messages={},
    prefixes=("GCEH",),
)
RULE_SETS = (RULE_SET,)
