"""The version of the invoice: CP101. Of an earlier one nothing else is asked."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule


@rule("CP101", at="@Version", inseparable=("SELLO-COMPLEMENTO",))
def invoice_is_of_version_4(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    found = comprobante.Version
    return None if found == "4.0" else Violation(found=found, expected="4.0, por el complemento Carta Porte 3.1")
