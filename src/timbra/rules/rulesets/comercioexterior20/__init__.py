"""The error matrix of Comercio Exterior 2.0: one function per code, one file per node or attribute family."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import ComercioExterior, ComercioExteriorDeConcepto
from timbra.rules.engine.rule import NotImplementedRow, RuleSet
from timbra.rules.rulesets.comercioexterior20 import (
    complemento,
    comprobante,
    concepto,
    domicilio_destinatario,
    domicilio_emisor,
    domicilio_receptor,
    fraccion,
    mercancia,
    partes,
    valor,
)
from timbra.rules.rulesets.comercioexterior20.matrix import REVISION, SOURCE
from timbra.rules.shared.misplaced_complement import misplaced

MODULES = (
    comprobante,
    concepto,
    complemento,
    partes,
    domicilio_emisor,
    domicilio_receptor,
    domicilio_destinatario,
    mercancia,
    fraccion,
    valor,
)

NOT_IMPLEMENTED = (
    NotImplementedRow("CCE104", "@Exportacion", "lo juzga CFDI40122 también cuando falta el complemento"),
)
"""Rows of the matrix that are no rules: a book is asked only where its complement is."""

RULE_SET = RuleSet.from_modules(
    "comercioexterior20", REVISION, SOURCE, MODULES, NOT_IMPLEMENTED, complement=ComercioExterior, versions=("4.0",)
)
ELSEWHERE = misplaced("CCE114", ComercioExteriorDeConcepto, RULE_SET)
"""Asked where the complement stands in a Concepto."""
RULE_SETS = (RULE_SET, ELSEWHERE)
