"""The error matrix of Recepción de Pagos 2.0: one function per code, one file per node or attribute family."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import Pagos
from timbra.rules.engine.rule import RuleSet
from timbra.rules.rulesets.pagos20 import (
    comprobante,
    concepto,
    cuentas,
    documento,
    monto,
    objeto_imp,
    pago,
    retencion_dr,
    retencion_p,
    totales,
    traslado_dr,
    traslado_p,
)
from timbra.rules.rulesets.pagos20.matrix import REVISION, SOURCE

MODULES = (
    comprobante,
    concepto,
    totales,
    pago,
    monto,
    cuentas,
    documento,
    objeto_imp,
    retencion_dr,
    traslado_dr,
    retencion_p,
    traslado_p,
)

RULE_SET = RuleSet.from_modules("pagos20", REVISION, SOURCE, MODULES, complement=Pagos, versions=("4.0",))
