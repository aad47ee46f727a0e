"""TransporteAereo: CP188 to CP190."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import TransporteAereo
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cartaporte31.predicates import TAXPAYERS, is_foreign_country_exactly_with
from timbra.rules.shared.predicates import is_registered
from timbra.rules.shared.presence import is_present_exactly_if


def has_rfc(aereo: TransporteAereo, _ctx: EvaluationContext) -> bool:
    return aereo.RFCEmbarcador is not None


def has_no_rfc(aereo: TransporteAereo, _ctx: EvaluationContext) -> bool:
    return aereo.RFCEmbarcador is None


def has_foreign_id(aereo: TransporteAereo, _ctx: EvaluationContext) -> bool:
    return aereo.NumRegIdTribEmbarc is not None


CP188 = row(
    "CP188",
    TransporteAereo,
    at="Complemento/CartaPorte/Mercancias/TransporteAereo/@RFCEmbarcador",
    says="RFCEmbarcador debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("RFCEmbarcador"),
    applies=has_rfc,
    needs=TAXPAYERS,
)


CP189 = row(
    "CP189",
    TransporteAereo,
    at="Complemento/CartaPorte/Mercancias/TransporteAereo/@NumRegIdTribEmbarc",
    says="NumRegIdTribEmbarc debe existir solo sin RFCEmbarcador.",
    check=is_present_exactly_if(
        "NumRegIdTribEmbarc",
        has_no_rfc,
        expected="el registro tributario del embarcador, sin RFCEmbarcador",
        otherwise="con RFCEmbarcador",
    ),
)


CP190 = row(
    "CP190",
    TransporteAereo,
    at="Complemento/CartaPorte/Mercancias/TransporteAereo/@ResidenciaFiscalEmbarc",
    says="Con NumRegIdTribEmbarc, ResidenciaFiscalEmbarc debe ser un país distinto de MEX.",
    check=is_foreign_country_exactly_with("ResidenciaFiscalEmbarc", "NumRegIdTribEmbarc"),
    applies=has_foreign_id,
)
