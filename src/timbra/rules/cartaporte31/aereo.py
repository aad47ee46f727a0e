"""By air: CP188 to CP190."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import TransporteAereo
from timbra.rules.cartaporte31.verdicts import TAXPAYERS, exactly_when, foreign_country, registered
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

AT = "Complemento/CartaPorte/Mercancias/TransporteAereo"


def has_rfc(aereo: TransporteAereo, _case: Case) -> bool:
    return aereo.RFCEmbarcador is not None


def has_foreign_id(aereo: TransporteAereo, _case: Case) -> bool:
    return aereo.NumRegIdTribEmbarc is not None


@rule("CP188", at=f"{AT}/@RFCEmbarcador", needs=TAXPAYERS, applies=has_rfc)
def shipper_is_registered(aereo: TransporteAereo, case: Case) -> Verdict:
    return registered(case, aereo.RFCEmbarcador or "")


@rule("CP189", at=f"{AT}/@NumRegIdTribEmbarc")
def shipper_without_rfc_has_a_foreign_id(aereo: TransporteAereo, _case: Case) -> Verdict:
    return exactly_when(
        aereo.RFCEmbarcador is None,
        aereo.NumRegIdTribEmbarc,
        "el registro tributario del embarcador, sin RFCEmbarcador",
        "con RFCEmbarcador",
    )


@rule("CP190", at=f"{AT}/@ResidenciaFiscalEmbarc", applies=has_foreign_id)
def foreign_shipper_has_a_residence(aereo: TransporteAereo, case: Case) -> Verdict:
    found = aereo.ResidenciaFiscalEmbarc
    return Breach(expected="el país, por NumRegIdTribEmbarc") if found is None else foreign_country(case, found)
