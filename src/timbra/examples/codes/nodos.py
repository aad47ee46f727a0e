"""Examples of rules about the global invoice, relations and the issuer: CFDI40130 to CFDI40142."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.cfdi40 import EARLIER, egreso, global_invoice, ingreso, relation, traslado
from timbra.examples.codes.example import Example, differ, invoices
from timbra.examples.comprobante import CASAS, ExampleParty
from timbra.examples.pagos20 import pago
from timbra.examples.tree import Change

PAYMENT = "0d9d9e3c-51a2-4f0d-9f43-2a2a3f3f8b10"
"""Folio of a CFDI of type P, where a world knows related documents."""
MOVED = "6f0c1b2a-7a1c-4c4f-8a53-0c5f6a7b8c9d"
"""Folio of a CFDI of type T."""
INCORPORATED = ExampleParty(CASAS.rfc, CASAS.name, CASAS.postal_code, "621")
STRANGER = ExampleParty("ZZZ010101AAA", "NADIE", "42501", "601")


def two_months(changes: Mapping[str, Change] | None = None) -> str:
    """The sales of two months by a taxpayer of the regime that may sum them so."""
    period: dict[str, Change] = {"InformacionGlobal/@Periodicidad": "05", "InformacionGlobal/@Meses": "18"}
    return global_invoice({**period, **(changes or {})}, issuer=INCORPORATED)


def related(tipo: str, folio: str) -> dict[str, Change]:
    return {"CfdiRelacionados": relation(tipo, folio)}


RELATED: dict[str, Callable[[], str]] = {EARLIER: ingreso, PAYMENT: pago, MOVED: traslado}
"""The documents that the examples relate to, by folio."""

NODOS: dict[str, Example] = {
    "CFDI40130": differ(global_invoice, {"InformacionGlobal": None}),
    "CFDI40131": differ(global_invoice, {"InformacionGlobal/@Periodicidad": "06"}),
    "CFDI40132": Example(two_months, lambda: two_months({"Emisor/@RegimenFiscal": "612"})),
    "CFDI40133": differ(global_invoice, {"InformacionGlobal/@Meses": "19"}),
    "CFDI40134": differ(global_invoice, {"InformacionGlobal/@Meses": "18"}),
    "CFDI40135": Example(two_months, lambda: two_months({"InformacionGlobal/@Meses": "11"})),
    "CFDI40136": differ(global_invoice, {"InformacionGlobal/@Año": "2020"}),
    "CFDI40137": differ(egreso, {"CfdiRelacionados/@TipoRelacion": "09"}),
    "CFDI40138": Example(ingreso, lambda: ingreso(issuer=STRANGER)),
    "CFDI40139": invoices({"Emisor/@Nombre": "ESCUELA KEMPER URGATE SA DE CV"}),
    "CFDI40140": invoices({"Emisor/@RegimenFiscal": "699"}),
    "CFDI40141": invoices({"Emisor/@RegimenFiscal": "612"}),
    "CFDI40142": invoices({"Emisor/@FacAtrAdquirente": "0000000002"}, {"Emisor/@FacAtrAdquirente": "0000000001"}),
    "CFDI40999:TipoRelacion-01-02": Example(egreso, lambda: egreso(related=PAYMENT)),
    "CFDI40999:TipoRelacion-03": Example(lambda: egreso(related("03", MOVED)), lambda: egreso(related("03", PAYMENT))),
    "CFDI40999:TipoRelacion-04": invoices(related("04", PAYMENT), related("04", EARLIER)),
    "CFDI40999:TipoRelacion-05": differ(traslado, related("05", PAYMENT), related("05", EARLIER)),
    "CFDI40999:TipoRelacion-06": invoices(related("06", EARLIER), related("06", MOVED)),
    "CFDI40999:TipoRelacion-07": invoices(related("07", MOVED), related("07", EARLIER)),
}
