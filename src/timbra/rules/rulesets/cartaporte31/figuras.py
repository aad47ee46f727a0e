"""Who takes part: CP193 to CP199."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import CartaPorte, TiposFigura
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import (
    TAXPAYERS,
    exactly_when,
    foreign_country,
    named,
    needed,
    registered,
)
from timbra.rules.shared.conditions import absent

HEAD: Final = "Complemento/CartaPorte/FiguraTransporte"
AT: Final = f"{HEAD}/TiposFigura"
OPERATOR, OWNER, LESSOR = "01", "02", "03"


def goes_by_road(carta: CartaPorte, ctx: EvaluationContext) -> bool:
    return envio_of(carta, ctx).by_road


def has_rfc(figura: TiposFigura, _ctx: EvaluationContext) -> bool:
    return figura.RFCFigura is not None


@rule("CP193", at=HEAD, applies=goes_by_road)
def somebody_takes_part(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    return needed(named(carta.has_figuras, "FiguraTransporte"), "el nodo, por Autotransporte")


@rule("CP194", at=f"{AT}/@TipoFigura", applies=goes_by_road)
def somebody_drives(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    """That anybody takes part is CP193."""
    if not carta.figuras or any(figura.TipoFigura == OPERATOR for figura in carta.figuras):
        return None
    return Violation(
        found=carta.figuras[0].TipoFigura, expected="al menos una figura 01 (operador), por Autotransporte"
    )


@rule("CP195", at=f"{AT}/@RFCFigura", needs=TAXPAYERS, applies=has_rfc)
def figure_is_registered(figura: TiposFigura, ctx: EvaluationContext) -> RuleResult:
    return registered(ctx, figura.RFCFigura or "")


@rule("CP196", at=f"{AT}/@NumLicencia")
def operator_has_a_licence(figura: TiposFigura, _ctx: EvaluationContext) -> RuleResult:
    drives = figura.TipoFigura == OPERATOR
    return exactly_when(drives, figura.NumLicencia, "la licencia, por TipoFigura 01", "sin TipoFigura 01")


@rule("CP197", at=f"{AT}/@NumRegIdTribFigura")
def figure_without_rfc_has_a_foreign_id(figura: TiposFigura, _ctx: EvaluationContext) -> RuleResult:
    return exactly_when(
        figura.RFCFigura is None,
        figura.NumRegIdTribFigura,
        "el registro tributario de la figura, sin RFCFigura",
        "con RFCFigura",
    )


@rule("CP198", at=f"{AT}/@ResidenciaFiscalFigura")
def foreign_figure_has_a_residence(figura: TiposFigura, ctx: EvaluationContext) -> RuleResult:
    found = figura.ResidenciaFiscalFigura
    if figura.NumRegIdTribFigura is None:
        return absent(found, "sin NumRegIdTribFigura")
    return Violation(expected="el país, por NumRegIdTribFigura") if found is None else foreign_country(ctx, found)


@rule("CP199", at=f"{AT}/PartesTransporte")
def owner_or_lessor_names_the_parts(figura: TiposFigura, _ctx: EvaluationContext) -> RuleResult:
    lends, found = figura.TipoFigura in (OWNER, LESSOR), named(figura.partes, "PartesTransporte")
    return exactly_when(lends, found, f"el nodo, por TipoFigura {figura.TipoFigura}", "sin TipoFigura 02 o 03")
