"""The error matrix of Comercio Exterior 2.0."""

from __future__ import annotations

from dataclasses import replace

from timbra.cfdi.nodes.comercioexterior20 import ComercioExterior, ComercioExteriorDeConcepto
from timbra.rules.engine.rule import NotImplementedRow
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.comercioexterior20.sources import MATRIX_2024_01_18

NOT_IMPLEMENTED = (
    NotImplementedRow(
        "CCE104",
        at="@Exportacion",
        says="Con Exportacion 02 debe existir el complemento Comercio Exterior.",
        cites=MATRIX_2024_01_18,
        reason="lo evalúa CFDI40122, también cuando falta el complemento",
    ),
)
RULES = discover_rules(__name__, cites=MATRIX_2024_01_18)
RULE_SET = RuleSet(
    "comercioexterior20",
    "2024-01-18",
    tuple(each for each in RULES if each.kind is not ComercioExteriorDeConcepto),
    standard="Comercio Exterior 2.0",
    package=__name__,
    not_implemented=NOT_IMPLEMENTED,
    complement=ComercioExterior,
    versions=("4.0",),
    messages={"CCE999": "El complemento Comercio Exterior no cumple con su estándar."},
    prefixes=("CCE",),
)
MISPLACED = replace(
    RULE_SET,
    rules=tuple(each for each in RULES if each.kind is ComercioExteriorDeConcepto),
    not_implemented=(),
    complement=ComercioExteriorDeConcepto,
)
"""Evaluated for documents with the complement inside a Concepto."""
RULE_SETS = (RULE_SET, MISPLACED)
