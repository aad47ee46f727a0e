"""Examples of the rules about editions of complements."""

from __future__ import annotations

from timbra.examples.cfdi33 import FECHA_33, ingreso33
from timbra.examples.cfdi40 import ingreso
from timbra.examples.codes.example import Example
from timbra.examples.complements import COMPLEMENTS
from timbra.examples.comprobante import CFDI33, CFDI40, FECHA

BY_NAME = {complement.name: complement for complement in COMPLEMENTS}
CARTA_PORTE = BY_NAME["cartaporte30"]
FUEL, EARLIER_FUEL = BY_NAME["consumodecombustibles11"], BY_NAME["consumodecombustibles10"]

EDITIONS: dict[str, Example] = {
    "CFDI40999:Complemento-Version": Example(FUEL, lambda: ingreso(EARLIER_FUEL.changes(CFDI40, FECHA))),
    "CFDI40999:Complemento-Vigencia": Example(CARTA_PORTE, lambda: CARTA_PORTE(fecha=FECHA)),
    "CFDI33196:Complemento-Version": Example(ingreso33, lambda: ingreso33(CARTA_PORTE.changes(CFDI33, FECHA_33))),
}
