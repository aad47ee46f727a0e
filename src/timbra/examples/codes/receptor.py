"""Examples of rules about the receiver: CFDI40143 to CFDI40161."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.cfdi40 import global_invoice, ingreso
from timbra.examples.codes.example import Example, differ, invoices
from timbra.examples.comercio_exterior20 import exportacion
from timbra.examples.comprobante import KEMPER, foreigner_at
from timbra.examples.tree import Change


def abroad(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice to somebody who resides in the United States."""
    residence: dict[str, Change] = {"Receptor/@ResidenciaFiscal": "USA", "Receptor/@NumRegIdTrib": "123456789"}
    receiver = foreigner_at(KEMPER.postal_code)
    return ingreso({**residence, **(changes or {})}, receiver=receiver, uso="S01")


RECEPTOR: dict[str, Example] = {
    "CFDI40143": invoices({"Receptor/@Rfc": "ZZZ010101AAA"}),
    "CFDI40144": invoices({"Receptor/@Nombre": "NADIE CON ESTE NOMBRE"}),
    "CFDI40145": invoices({"Receptor/@Nombre": KEMPER.name}),
    "CFDI40146": differ(abroad, {"Receptor/@Nombre": "PUBLICO EN GENERAL"}),
    "CFDI40147": invoices({"Receptor/@DomicilioFiscalReceptor": "00001"}),
    "CFDI40148": invoices({"Receptor/@DomicilioFiscalReceptor": "42501"}),
    "CFDI40149": differ(global_invoice, {"Receptor/@DomicilioFiscalReceptor": "86991"}),
    "CFDI40150": differ(abroad, {"Receptor/@ResidenciaFiscal": "QQQ"}),
    "CFDI40151": invoices({"Receptor/@ResidenciaFiscal": "USA"}),
    "CFDI40152": differ(abroad, {"Receptor/@ResidenciaFiscal": "MEX"}),
    "CFDI40153": differ(abroad, {"Receptor/@ResidenciaFiscal": None}),
    "CFDI40154": invoices({"Receptor/@NumRegIdTrib": "123456789"}),
    "CFDI40155": differ(exportacion, {"Receptor/@NumRegIdTrib": None}),
    "CFDI40156": differ(abroad, {"Receptor/@NumRegIdTrib": "12345"}),
    "CFDI40157": invoices({"Receptor/@RegimenFiscalReceptor": "699"}),
    "CFDI40158": invoices({"Receptor/@RegimenFiscalReceptor": "603"}),
    "CFDI40159": differ(global_invoice, {"Receptor/@RegimenFiscalReceptor": "612"}),
    "CFDI40160": invoices({"Receptor/@UsoCFDI": "X01"}),
    "CFDI40161": invoices({"Receptor/@UsoCFDI": "D01"}),
}
