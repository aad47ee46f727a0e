"""The documents that violate the rules, by code."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples import ROBOTICA
from timbra.examples.codes.example import Example, example
from timbra.examples.codes.nodos import UNLISTED
from timbra.examples.retenciones20 import (
    CURP,
    pagos_a_extranjeros,
    related,
    retencion,
    retencion_rif,
    retencion_to_public,
)
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.rulesets.retenciones20.documento import OTHER

BASE = retencion
"""Builder of the document that the changes of `FAILS` concern."""
LEYENDAS = ExampleNode(
    "leyendasFisc:LeyendasFiscales",
    {"xmlns:leyendasFisc": "http://www.sat.gob.mx/leyendasFiscales", "version": "1.0"},
    [ExampleNode("leyendasFisc:Leyenda", {"textoLeyenda": "Leyenda"})],
)

FAILS: Mapping[str, Fails] = {
    "T301:RET-PEX-si": example(pagos_a_extranjeros, {"Complemento/Pagosaextranjeros/@EsBenefEfectDelCobro": "SI"}),
    "T301:RET-nacionalidad": {"Receptor/@NacionalidadR": "Extranjero", "@CveRetenc": "03"},
    "TB4023:RET-complemento-unico": {"Complemento": ExampleNode("retenciones:Complemento", children=[LEYENDAS])},
    "Reten20103": {"@FechaExp": "2026-11-17 12:00:00"},
    "Reten20104": {"@LugarExpRetenc": "00001"},
    "Reten20105": {"@CveRetenc": "99"},
    "Reten20106": {"@CveRetenc": OTHER},
    "Reten20107": {"@CveRetenc": "16"},
    "Reten20108": example(retencion_rif, {"Totales/@MontoTotOperacion": "10.00", "Totales/@MontoTotGrav": "10.00"}),
    "Reten20109": {"CfdiRetenRelacionados": related("99")},
    "Reten20110": Example(retencion, lambda: retencion(issuer=UNLISTED)),
    "Reten20111": {"Emisor/@RegimenFiscalE": "699"},
    "Reten20112": {"Emisor/@RegimenFiscalE": "612"},
    "Reten20113": {"Receptor/Nacional/@RfcR": "ZZZ010101AAA"},
    "Reten20115": {"Receptor/Nacional/@NomDenRazSocR": "NADIE CON ESTE NOMBRE"},
    "Reten20116": {"Receptor/Nacional/@NomDenRazSocR": "ESCUELA KEMPER URGATE"},
    "Reten20117": Example(
        lambda: retencion(receiver=ROBOTICA),
        lambda: retencion({"Receptor/Nacional/@CurpR": CURP}, receiver=ROBOTICA),
    ),
    "Reten20119": {"Receptor/Nacional/@DomicilioFiscalR": "00001"},
    "Reten20120": example(retencion_to_public, {"Receptor/Nacional/@DomicilioFiscalR": "86991"}),
    "Reten20121": {"Periodo/@MesIni": "1"},
    "Reten20122": {"Periodo/@MesIni": "12"},
    "Reten20123": {"Periodo/@MesFin": "13"},
    "Reten20124": {"Periodo/@MesFin": "10"},
    "Reten20126": {"Periodo/@Ejercicio": "2020"},
    "Reten20127": {"Totales/@MontoTotOperacion": "1000.01"},
    "Reten20128": {"Totales/@MontoTotGrav": "1000.01"},
    "Reten20129": {"Totales/@MontoTotExent": "1000.01"},
    "Reten20130": {"Totales/ImpRetenidos": None},
    "Reten20131": {"Totales/@MontoTotRet": "99.99"},
    "Reten20132": example(retencion_rif, {"Totales/@UtilidadBimestral": "0.00"}),
    "Reten20133": example(retencion_rif, {"Totales/@ISRCorrespondiente": None}),
    "Reten20134": {"Totales/ImpRetenidos/@TipoPagoRet": "09"},
    "Reten20135": {"Totales/ImpRetenidos/@TipoPagoRet": "01"},
    "Reten20136": {"Emisor/@NomDenRazSocE": "ESCUELA KEMPER URGATE SA DE CV"},
}
