"""The error matrix of Comercio Exterior 2.0."""

from __future__ import annotations

from dataclasses import replace

from timbra.cfdi.nodes.comercioexterior20 import ComercioExterior, ComercioExteriorDeConcepto
from timbra.examples.comercio_exterior20 import exportacion as base_document
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
RULE_SET = RuleSet(
    "comercioexterior20",
    "2024-01-18",
    discover_rules(__name__, without=("misplaced",), cites=MATRIX_2024_01_18),
    standard="Comercio Exterior 2.0",
    package=__name__,
    not_implemented=NOT_IMPLEMENTED,
    complement=ComercioExterior,
    versions=("4.0",),
    messages={"CCE999": "El complemento Comercio Exterior no cumple con su estándar."},
    base=base_document,
    prefixes=("CCE",),
)
MISPLACED = replace(
    RULE_SET,
    rules=discover_rules(__name__, ("misplaced",), cites=MATRIX_2024_01_18),
    not_implemented=(),
    complement=ComercioExteriorDeConcepto,
)
"""Evaluated for documents with the complement inside a Concepto."""
RULE_SETS = (RULE_SET, MISPLACED)
