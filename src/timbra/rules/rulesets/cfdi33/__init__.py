"""The error matrix of CFDI 3.3: one function per code, one file per node or attribute family.

CFDI33102 and CFDI33105 are evaluated with the provider's own codes, see `rulesets.certificates`. Documents
of 3.3 are old: they are checked against the catalogs of their date. Products and postal codes are checked against the
catalogs of CFDI 4.0 when there are no others; such a violation is a warning.
"""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.rules.engine.rule import NotImplementedRow, RuleSet
from timbra.rules.rulesets.cfdi33 import (
    complementos,
    comprobante,
    concepto,
    confirmacion,
    emisor,
    forma_pago,
    frontera,
    impuestos,
    impuestos_retencion,
    impuestos_traslado,
    moneda,
    parte,
    pedimento,
    receptor,
    receptor_extranjero,
    retencion,
    totales,
    traslado,
)
from timbra.rules.rulesets.cfdi33.matrix import NOT_APPLIED, REVISION, SOURCE

MODULES = (
    comprobante,
    forma_pago,
    totales,
    moneda,
    confirmacion,
    emisor,
    receptor,
    receptor_extranjero,
    concepto,
    traslado,
    retencion,
    pedimento,
    parte,
    impuestos,
    impuestos_retencion,
    impuestos_traslado,
    frontera,
    complementos,
)

NOT_IMPLEMENTED = (
    NotImplementedRow(
        "CFDI33143",
        at="Conceptos/Concepto/@ClaveProdServ",
        reason="c_ClaveProdServ.complemento, que ninguna fuente trae",
        kind=Concepto,
    ),
    *(NotImplementedRow(code, at, reason="el SAT indica no aplicarla") for code, at in NOT_APPLIED.items()),
)
"""Rows of the matrix that are no rules."""

RULE_SET = RuleSet.from_modules("cfdi33", REVISION, SOURCE, MODULES, NOT_IMPLEMENTED, versions=("3.3",))
