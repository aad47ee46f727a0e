"""The error matrix of Recepción de Pagos 1.0: one function per code, one file per node or attribute family."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import Pagos
from timbra.rules.engine.rule import RuleSet
from timbra.rules.rulesets.pagos10 import comprobante, concepto, cuentas, documento, monto, pago, saldos
from timbra.rules.rulesets.pagos10.matrix import REVISION, SOURCE

MODULES = (comprobante, concepto, pago, monto, cuentas, documento, saldos)

RULE_SET = RuleSet.from_modules("pagos10", REVISION, SOURCE, MODULES, complement=Pagos, versions=("3.3",))
