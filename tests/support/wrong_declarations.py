"""Receipts of payments with one wrong declaration each: namespaces, schemaLocation, places of complement and stamp."""

from __future__ import annotations

import re

from timbra.examples import pago
from timbra.examples.codes.declarations import early_exportacion

GOOD = pago()
PAGOS = "http://www.sat.gob.mx/Pagos20"
XSD = "http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos20.xsd"
CFD = "http://www.sat.gob.mx/cfd/4"
DECLARED = f' xmlns:pago20="{PAGOS}"'
LOCATED = f" {PAGOS} {XSD}"
TFD = '<tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1"/>'


def changed(pattern: str, replacement: str, text: str = GOOD) -> str:
    result, count = re.subn(re.escape(pattern), replacement, text, count=1)
    assert count, f"nothing like {pattern}"
    return result


WRONG = {
    "no schemaLocation": (re.sub(r' xsi:schemaLocation="[^"]*"', "", GOOD), {"CC3001", "CO1003"}),
    "an odd word": (changed(LOCATED, f" {PAGOS}"), {"CC3001", "CO1003"}),
    "the schema of 3.3": (changed("cfd/4/cfdv40.xsd", "cfd/3/cfdv33.xsd"), {"CC3001"}),
    "only the complement's schema": (re.sub(r'schemaLocation="\S+ \S+ ', 'schemaLocation="', GOOD), {"CC3001"}),
    "another prefix": (changed(DECLARED, f' xmlns:pagos="{PAGOS}"', GOOD).replace("pago20:", "pagos:"), {"CO1001"}),
    "another element": (GOOD.replace("pago20:Pagos", "pago20:pagos"), {"CO1001"}),
    "another case of the namespace": (GOOD.replace(PAGOS, PAGOS.lower()), {"CO1001", "SELLO-COMPLEMENTO"}),
    "declared at the complement": (
        changed("<pago20:Pagos ", f"<pago20:Pagos{DECLARED} ", changed(DECLARED, "")),
        {"CO1002"},
    ),
    "declared at Complemento": (
        changed("<cfdi:Complemento>", f"<cfdi:Complemento{DECLARED}>", changed(DECLARED, "")),
        {"CO1004"},
    ),
    "the complement's schema missing": (changed(LOCATED, ""), {"CO1003"}),
    "another schema for the complement": (changed("Pagos20.xsd", "Pagos10.xsd"), {"CO1003"}),
    "the schema declared at the complement": (
        changed("<pago20:Pagos ", f'<pago20:Pagos xsi:schemaLocation="{LOCATED}" ', changed(LOCATED, "")),
        {"CO1005"},
    ),
    "the schema declared twice": (
        changed("<pago20:Pagos ", f'<pago20:Pagos xsi:schemaLocation="{LOCATED}" '),
        {"CO1005"},
    ),
    "without a prefix": (
        GOOD.replace("cfdi:", "").replace("xmlns:cfdi", "xmlns"),
        {"NS-PREFIJO"},
    ),
    "declared and not used": (changed(DECLARED, f'{DECLARED} xmlns:x="urn:x"'), {"NS-SIN-USO"}),
    "two prefixes": (changed(DECLARED, f'{DECLARED} xmlns:otro="{PAGOS}"'), {"NS-REPETIDO"}),
    "two addresses": (changed(LOCATED, LOCATED + LOCATED), {"NS-REPETIDO"}),
    "not in the stylesheet": (GOOD.replace(PAGOS, "urn:otros"), {"SELLO-COMPLEMENTO"}),
    "a day before the version": (
        re.sub(r'Fecha="[^"]*"', 'Fecha="2021-12-31T10:00:00"', GOOD, count=1),
        {"VERSION-FECHA"},
    ),
    "a day before the version of the complement": (early_exportacion(), {"COMPLEMENTO-FECHA"}),
    "a stamp in Comprobante": (changed("</cfdi:Comprobante>", f"{TFD}</cfdi:Comprobante>"), {"TFD-LUGAR"}),
    "a stamp in a complement": (changed("<pago20:Totales", f"{TFD}<pago20:Totales"), {"TFD-LUGAR"}),
}
"""By the mistake: the document, and the codes of the findings while it has no stamp."""
