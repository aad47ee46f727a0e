"""By air: CP188 to CP190."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import TransporteAereo
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.verdicts import TAXPAYERS, exactly_when, foreign_country, registered

AT = "Complemento/CartaPorte/Mercancias/TransporteAereo"


def has_rfc(aereo: TransporteAereo, _ctx: EvaluationContext) -> bool:
    return aereo.RFCEmbarcador is not None


def has_foreign_id(aereo: TransporteAereo, _ctx: EvaluationContext) -> bool:
    return aereo.NumRegIdTribEmbarc is not None


@rule("CP188", at=f"{AT}/@RFCEmbarcador", needs=TAXPAYERS, applies=has_rfc)
def shipper_is_registered(aereo: TransporteAereo, ctx: EvaluationContext) -> RuleResult:
    return registered(ctx, aereo.RFCEmbarcador or "")


@rule("CP189", at=f"{AT}/@NumRegIdTribEmbarc")
def shipper_without_rfc_has_a_foreign_id(aereo: TransporteAereo, _ctx: EvaluationContext) -> RuleResult:
    return exactly_when(
        aereo.RFCEmbarcador is None,
        aereo.NumRegIdTribEmbarc,
        "el registro tributario del embarcador, sin RFCEmbarcador",
        "con RFCEmbarcador",
    )


@rule("CP190", at=f"{AT}/@ResidenciaFiscalEmbarc", applies=has_foreign_id)
def foreign_shipper_has_a_residence(aereo: TransporteAereo, ctx: EvaluationContext) -> RuleResult:
    found = aereo.ResidenciaFiscalEmbarc
    return Violation(expected="el país, por NumRegIdTribEmbarc") if found is None else foreign_country(ctx, found)
