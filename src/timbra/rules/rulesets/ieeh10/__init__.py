"""The error matrix of Ingresos de Hidrocarburos 1.0 for CFDI 4.0."""

from __future__ import annotations

from timbra.cfdi.nodes.ieeh10 import IngresosHidrocarburos
from timbra.rules.engine.rule import NotImplementedRow
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.ieeh10.sources import MATRIX_A

NOT_IMPLEMENTED = (
    NotImplementedRow(
        "IEEH999",
        at="Complemento/IngresosHidrocarburos",
        says="El complemento Ingresos de Hidrocarburos no cumple con algo que la matriz no clasifica.",
        cites=MATRIX_A,
        reason="errores sin código propio: no se conoce ninguno",
    ),
)
RULE_SET = RuleSet(
    "ieeh10",
    "A",
    discover_rules(__name__, cites=MATRIX_A),
    standard="Ingresos de Hidrocarburos 1.0",
    package=__name__,
    not_implemented=NOT_IMPLEMENTED,
    complement=IngresosHidrocarburos,
    versions=("4.0",),
    messages={},
    prefixes=("IEEH",),
)
RULE_SETS = (RULE_SET,)
