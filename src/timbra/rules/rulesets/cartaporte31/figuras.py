"""Figures of the transport: CP193 to CP199."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CartaPorte, TiposFigura
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import is_by_road
from timbra.rules.rulesets.cartaporte31.predicates import TAXPAYERS, is_foreign_country_exactly_with
from timbra.rules.shared.predicates import is_registered
from timbra.rules.shared.presence import is_present, is_present_exactly_if

OPERATOR, OWNER, LESSOR = "01", "02", "03"


def has_rfc(figura: TiposFigura, _ctx: EvaluationContext) -> bool:
    return figura.RFCFigura is not None


def has_no_rfc(figura: TiposFigura, _ctx: EvaluationContext) -> bool:
    return figura.RFCFigura is None


def is_operator(figura: TiposFigura, _ctx: EvaluationContext) -> bool:
    return figura.TipoFigura == OPERATOR


def is_owner_or_lessor(figura: TiposFigura, _ctx: EvaluationContext) -> bool:
    return figura.TipoFigura in (OWNER, LESSOR)


CP193 = row(
    "CP193",
    CartaPorte,
    at="Complemento/CartaPorte/FiguraTransporte",
    says="Con Autotransporte debe existir FiguraTransporte.",
    check=is_present("has_figuras", "el nodo, por Autotransporte", element="FiguraTransporte"),
    applies=is_by_road,
)


@rule(
    "CP194",
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@TipoFigura",
    says="Con Autotransporte debe haber al menos una figura de TipoFigura 01.",
    note="Que exista alguna figura se revisa en CP193.",
    applies=is_by_road,
)
def has_operator(carta: CartaPorte, _ctx: EvaluationContext) -> RuleResult:
    if not carta.figuras or any(figura.TipoFigura == OPERATOR for figura in carta.figuras):
        return None
    return Violation(
        found=carta.figuras[0].TipoFigura, expected="al menos una figura 01 (operador), por Autotransporte"
    )


CP195 = row(
    "CP195",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@RFCFigura",
    says="RFCFigura debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("RFCFigura"),
    applies=has_rfc,
    needs=TAXPAYERS,
)


CP196 = row(
    "CP196",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@NumLicencia",
    says="NumLicencia debe existir solo con TipoFigura 01.",
    check=is_present_exactly_if(
        "NumLicencia", is_operator, expected="la licencia, por TipoFigura 01", otherwise="sin TipoFigura 01"
    ),
)


CP197 = row(
    "CP197",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@NumRegIdTribFigura",
    says="NumRegIdTribFigura debe existir solo sin RFCFigura.",
    check=is_present_exactly_if(
        "NumRegIdTribFigura",
        has_no_rfc,
        expected="el registro tributario de la figura, sin RFCFigura",
        otherwise="con RFCFigura",
    ),
)


CP198 = row(
    "CP198",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/@ResidenciaFiscalFigura",
    says=("ResidenciaFiscalFigura debe existir solo con NumRegIdTribFigura y ser un país distinto de MEX."),
    check=is_foreign_country_exactly_with("ResidenciaFiscalFigura", "NumRegIdTribFigura"),
)


CP199 = row(
    "CP199",
    TiposFigura,
    at="Complemento/CartaPorte/FiguraTransporte/TiposFigura/PartesTransporte",
    says="PartesTransporte debe existir solo con TipoFigura 02 o 03.",
    check=is_present_exactly_if(
        "partes",
        is_owner_or_lessor,
        expected="el nodo, por TipoFigura {node.TipoFigura}",
        otherwise="sin TipoFigura 02 o 03",
        element="PartesTransporte",
    ),
)
