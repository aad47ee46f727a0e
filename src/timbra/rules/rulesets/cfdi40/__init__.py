"""The error matrix of CFDI 4.0: one function per code, one file per node or attribute family.

CFDI40102 and CFDI40106 are asked with the provider's own codes, see `timbra.rules.rulesets.certificates`.
"""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.rules.engine.rule import NotImplementedRow, RuleSet
from timbra.rules.rulesets.cfdi40 import (
    a_cuenta_terceros,
    complementos,
    comprobante,
    concepto,
    confirmacion,
    emisor,
    fecha,
    forma_pago,
    frontera,
    hidrocarburos,
    impuestos,
    impuestos_retencion,
    impuestos_traslado,
    informacion_global,
    moneda,
    objeto_imp,
    parte,
    pedimento,
    receptor,
    receptor_extranjero,
    receptor_uso,
    relacionados,
    retencion,
    totales,
    traslado,
)
from timbra.rules.rulesets.cfdi40.matrix import REVISION, SOURCE

MODULES = (
    fecha,
    forma_pago,
    totales,
    moneda,
    comprobante,
    confirmacion,
    informacion_global,
    relacionados,
    emisor,
    receptor,
    receptor_extranjero,
    receptor_uso,
    concepto,
    objeto_imp,
    traslado,
    retencion,
    a_cuenta_terceros,
    pedimento,
    parte,
    impuestos,
    impuestos_retencion,
    impuestos_traslado,
    frontera,
    hidrocarburos,
    complementos,
)

NOT_IMPLEMENTED = (
    NotImplementedRow(
        "CFDI40163",
        at="Conceptos/Concepto/@ClaveProdServ",
        reason="c_ClaveProdServ.complemento, que ninguna fuente trae",
        kind=Concepto,
    ),
)
"""Rows of the matrix that are no rules: no source carries what they need."""

RULE_SET = RuleSet.from_modules("cfdi40", REVISION, SOURCE, MODULES, NOT_IMPLEMENTED, versions=("4.0",))
