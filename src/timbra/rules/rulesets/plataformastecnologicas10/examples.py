"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples import CASAS, XODAR
from timbra.examples.codes.example import Example, example
from timbra.examples.plataformas10 import ISR as ISR_WITHHELD
from timbra.examples.plataformas10 import IVA as IVA_WITHHELD
from timbra.examples.plataformas10 import (
    contribucion,
    plataforma,
    plataforma_for_foreigner,
    plataforma_without_rfc,
    servicio,
)
from timbra.examples.retenciones20 import Withheld
from timbra.examples.tree import Change
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables, tables
from timbra.rules.rulesets.plataformastecnologicas10.platform import AT, CATALOG, ISR_ROW, IVA_ROW, SERVICE
from timbra.rules.rulesets.plataformastecnologicas10.servicio import OTHER_INCOME

BASE = plataforma
"""Builder of the document that the changes of `FAILS` concern."""
_LESS: dict[str, Change] = {
    f"{AT}/@MonTotServSIVA": "900.00",
    "Totales/@MontoTotOperacion": "900.00",
    "Totales/@MontoTotGrav": "900.00",
    f"{ISR_ROW}/@BaseRet": "900.00",
}


def _two_services(kind: str) -> str:
    second = servicio(service=kind)
    changes: dict[str, Change] = {
        f"{AT}/Servicios/DetallesDelServicio[2]": second,
        f"{AT}/@NumServ": "2",
        f"{AT}/@MonTotServSIVA": "2000.00",
        f"{AT}/@TotalIVATrasladado": "320.00",
        f"{AT}/@TotalIVARetenido": "160.00",
        f"{AT}/@DifIVAEntregadoPrestServ": "160.00",
        f"{AT}/@MonTotalporUsoPlataforma": "200.00",
        "Totales/@MontoTotOperacion": "2000.00",
        "Totales/@MontoTotGrav": "2000.00",
        "Totales/@MontoTotRet": "181.00",
        f"{ISR_ROW}/@BaseRet": "2000.00",
        f"{IVA_ROW}/@BaseRet": "320.00",
        f"{IVA_ROW}/@MontoRet": "160.00",
    }
    return plataforma(changes)


FOREIGN_ISR = Withheld("001", "1000.00", "21.00", "04")


def foreigner_with_isr(service: str) -> str:
    """Return a retención of ISR to a provider who resides abroad."""
    taxes = (FOREIGN_ISR, Withheld("002", "160.00", "160.00", "01"))
    return plataforma(receiver=None, taxes=taxes, difference="0.00", service=service)


_MORE: dict[str, Change] = {
    "Totales/@MontoTotOperacion": "1001.00",
    "Totales/@MontoTotGrav": "1001.00",
    f"{ISR_ROW}/@BaseRet": "1001.00",
}

_EXEMPT: dict[str, Change] = {"Totales/@MontoTotGrav": "999.00", "Totales/@MontoTotExent": "1.00"}


def _of_iva(base: str, amount: str, difference: str) -> str:
    return plataforma(taxes=(ISR_WITHHELD, Withheld("002", base, amount, "01")), difference=difference)


_LESS_ISR: dict[str, Change] = {
    f"{ISR_ROW}/@MontoRet": "20.00",
    f"{AT}/@TotalISRRetenido": "20.00",
    "Totales/@MontoTotRet": "100.00",
}

_RATE = tables({f"{CATALOG}:c_TipoDeServ": {"01": {"tasa_isr": "0.021", "subtipos": "1"}}})
TAX = f"{SERVICE}/ImpuestosTrasladadosdelServicio"
COMMISSION = f"{SERVICE}/ComisionDelServicio"
FAILS: Mapping[str, Fails] = {
    "SPT102": {"@CveRetenc": "03"},
    "SPT103": {"Receptor/Nacional/@RfcR": "ZZZ010101AAA"},
    "SPT104": example(plataforma_for_foreigner, {"Receptor/Extranjero/@NumRegIdTribR": None}),
    "SPT105": {"Periodo/@MesIni": "10"},
    "SPT106": {"Periodo/@Ejercicio": "2027", f"{SERVICE}/@FechaServ": "2027-11-17"},
    "SPT107": _MORE,
    "SPT108": _EXEMPT,
    "SPT109": _EXEMPT,
    "SPT110": {"Totales/@MontoTotRet": "101.01"},
    "SPT111": Example(plataforma, lambda: plataforma(issuer=CASAS, receiver=XODAR)),
    "SPT112": {
        IVA_ROW: None,
        "Totales/@MontoTotRet": "21.00",
        f"{AT}/@TotalIVARetenido": "0.00",
        f"{AT}/@DifIVAEntregadoPrestServ": "160.00",
    },
    "SPT113": Example(
        plataforma,
        lambda: plataforma(taxes=(Withheld("001", "1000.00", "0.00", "04"), ISR_WITHHELD, IVA_WITHHELD)),
    ),
    "SPT114": example(
        plataforma_for_foreigner,
        {
            "Totales/ImpRetenidos": None,
            "Totales/@MontoTotRet": "0.00",
            f"{AT}/@TotalIVATrasladado": "0.00",
            f"{AT}/@TotalIVARetenido": "0.00",
            f"{SERVICE}/ImpuestosTrasladadosdelServicio/@TasaCuota": "0.000000",
            f"{SERVICE}/ImpuestosTrasladadosdelServicio/@Importe": "0.00",
        },
    ),
    "SPT115": {f"{ISR_ROW}/@BaseRet": "900.00"},
    "SPT116": Example(plataforma, lambda: _of_iva("150.00", "75.00", "85.00")),
    "SPT117": Example(plataforma, lambda: _of_iva("160.00", "90.00", "70.00")),
    "SPT118": _LESS_ISR,
    "SPT119": example(
        plataforma_without_rfc,
        {
            "Totales/ImpRetenidos[2]/@MontoRet": "80.00",
            "Totales/@MontoTotRet": "280.00",
            f"{AT}/@TotalIVARetenido": "80.00",
            f"{AT}/@DifIVAEntregadoPrestServ": "80.00",
        },
    ),
    "SPT120": example(
        plataforma_without_rfc,
        {f"{ISR_ROW}/@MontoRet": "21.00", "Totales/@MontoTotRet": "181.00", f"{AT}/@TotalISRRetenido": "21.00"},
    ),
    "SPT121": example(
        plataforma_for_foreigner,
        {
            "Totales/ImpRetenidos/@MontoRet": "80.00",
            "Totales/@MontoTotRet": "80.00",
            f"{AT}/@TotalIVARetenido": "80.00",
            f"{AT}/@DifIVAEntregadoPrestServ": "80.00",
        },
    ),
    "SPT122": Example(plataforma_for_foreigner, lambda: foreigner_with_isr("07")),
    "SPT123": Example(plataforma, lambda: plataforma(service="07")),
    "SPT124": Example(plataforma_for_foreigner, lambda: foreigner_with_isr("01")),
    "SPT125": {f"{AT}/@Periodicidad": "06"},
    "SPT126": {f"{AT}/@NumServ": "2"},
    "SPT127": _LESS,
    "SPT128": {f"{AT}/@TotalIVATrasladado": "150.00", f"{AT}/@DifIVAEntregadoPrestServ": "70.00"},
    "SPT129": {f"{AT}/@TotalIVARetenido": "70.00", f"{AT}/@DifIVAEntregadoPrestServ": "90.00"},
    "SPT130": {f"{AT}/@TotalISRRetenido": "20.00"},
    "SPT131": {f"{AT}/@DifIVAEntregadoPrestServ": "79.00"},
    "SPT132": example(plataforma_for_foreigner, {f"{AT}/@DifIVAEntregadoPrestServ": "1.00"}),
    "SPT133": {f"{AT}/@MonTotalporUsoPlataforma": "99.00"},
    "SPT134": {f"{SERVICE}/ContribucionGubernamental": contribucion()},
    "SPT135": {f"{SERVICE}/@FormaPagoServ": "10"},
    "SPT136": {f"{SERVICE}/@TipoDeServ": "99"},
    "SPT137": Example(lambda: _two_services("01"), lambda: _two_services("02")),
    "SPT138": {f"{SERVICE}/@SubTipServ": "99"},
    "SPT139": {f"{SERVICE}/@RFCTerceroAutorizado": "ZZZZ010101AAA"},
    "SPT140": {f"{SERVICE}/@FechaServ": "2026-10-31"},
    "SPT141": {f"{SERVICE}/@FormaPagoServ": OTHER_INCOME, COMMISSION: None, f"{AT}/@MonTotalporUsoPlataforma": "0.00"},
    "SPT142": {f"{TAX}/@Base": "1000.001"},
    "SPT143": {
        f"{TAX}/@Importe": "150.00",
        f"{AT}/@TotalIVATrasladado": "150.00",
        f"{AT}/@TotalIVARetenido": "75.00",
        f"{AT}/@DifIVAEntregadoPrestServ": "75.00",
        f"{IVA_ROW}/@BaseRet": "150.00",
        f"{IVA_ROW}/@MontoRet": "75.00",
        "Totales/@MontoTotRet": "96.00",
    },
    "SPT144": {
        f"{SERVICE}/ContribucionGubernamental": contribucion(entity="33"),
        f"{AT}/@MonTotalContribucionGubernamental": "15.00",
    },
    "SPT145": {
        f"{SERVICE}/ContribucionGubernamental": contribucion(amount="1.00"),
        f"{AT}/@MonTotalContribucionGubernamental": "1.00",
    },
    "SPT146": {COMMISSION: None, f"{AT}/@MonTotalporUsoPlataforma": "0.00"},
    "SPT147": {f"{COMMISSION}/@Importe": "0.00", f"{AT}/@MonTotalporUsoPlataforma": "0.00"},
}
FAILS_WITH: Mapping[str, Tables] = {
    "SPT118": _RATE,
}
