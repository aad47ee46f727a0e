"""Other payments, the subsidy of employment, balances in favour: NOM217 to NOM223, NOM226 to NOM229."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.nomina12 import CompensacionSaldosAFavor, Nomina, OtroPago, SubsidioAlEmpleo
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12b.matrix import REVISION_B
from timbra.rules.shared.nomina import fechas, otros_pagos
from timbra.rules.shared.nomina.keys import key
from timbra.rules.shared.nomina.whole import whole

AT = OtroPago.PATH
SUBSIDY_AT = SubsidioAlEmpleo.PATH
BALANCE_AT = CompensacionSaldosAFavor.PATH
LIMITS: Final = otros_pagos.SUBSIDIES[0]
"""Of revision B; the later ones came with CFDI 4.0 alone."""


@rule("NOM217", at=f"{AT}/@TipoOtroPago", reads=("TipoOtroPago",))
def kind_is_a_key(row: OtroPago, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoOtroPago", row.TipoOtroPago)


@rule("NOM218", at=BALANCE_AT)
def balance_is_told(row: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    return otros_pagos.has_its_balance(row)


@rule("NOM219", at=SUBSIDY_AT)
def subsidy_is_told(row: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    return otros_pagos.has_its_subsidy(row)


@rule("NOM220", at=f"{AT}/@Importe")
def something_is_paid(row: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    return otros_pagos.is_positive(row)


@rule("NOM221", at=f"{SUBSIDY_AT}/@SubsidioCausado")
def monthly_subsidy_is_limited(node: SubsidioAlEmpleo, ctx: EvaluationContext) -> RuleResult:
    return otros_pagos.monthly_subsidy_is_limited(node, whole(node, ctx), LIMITS.monthly)


@rule("NOM222", at=f"{BALANCE_AT}/@SaldoAFavor")
def balance_covers_what_remains(node: CompensacionSaldosAFavor, _ctx: EvaluationContext) -> RuleResult:
    return otros_pagos.balance_covers_what_remains(node)


@rule("NOM223", at=f"{BALANCE_AT}/@Año")
def balance_is_of_its_year(node: CompensacionSaldosAFavor, ctx: EvaluationContext) -> RuleResult:
    return fechas.year_of_balance(node, whole(node, ctx))


@rule("NOM226", at=f"{AT}/@TipoOtroPago", since=REVISION_B)
def workers_get_a_subsidy(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return otros_pagos.workers_get_a_subsidy(nomina)


@rule("NOM227", at=f"{AT}/@TipoOtroPago", since=REVISION_B)
def others_get_none(row: OtroPago, ctx: EvaluationContext) -> RuleResult:
    return otros_pagos.others_get_none(row, whole(row, ctx))


@rule("NOM228", at=f"{AT}/@Importe", since=REVISION_B)
def paid_subsidy_was_due(row: OtroPago, _ctx: EvaluationContext) -> RuleResult:
    return otros_pagos.paid_subsidy_was_due(row)


@rule("NOM229", at=f"{SUBSIDY_AT}/@SubsidioCausado", since=REVISION_B)
def daily_subsidy_is_limited(node: SubsidioAlEmpleo, ctx: EvaluationContext) -> RuleResult:
    return otros_pagos.daily_subsidy_is_limited(node, whole(node, ctx), LIMITS.daily)
