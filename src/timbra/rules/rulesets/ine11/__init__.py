"""The error matrix of INE 1.1, for invoices of both versions."""

from __future__ import annotations

from timbra.cfdi.nodes.ine11 import INE
from timbra.rules.engine.rule import NotImplementedRow
from timbra.rules.engine.rule_set import VERSIONS, RuleSet, discover_rules
from timbra.rules.rulesets.ine11.sources import MATRIX_1_1

NOT_IMPLEMENTED = (
    NotImplementedRow(
        "INE999",
        at="Complemento/INE",
        says="El complemento INE no cumple con algo que la matriz no clasifica.",
        cites=MATRIX_1_1,
        reason="errores sin código propio: no se conoce ninguno",
    ),
)
RULE_SET = RuleSet(
    "ine11",
    "1.1",
    discover_rules(__name__, cites=MATRIX_1_1),
    standard="INE 1.1",
    package=__name__,
    not_implemented=NOT_IMPLEMENTED,
    complement=INE,
    versions=VERSIONS,
    messages={},
    prefixes=("INE",),
)
RULE_SETS = (RULE_SET,)
