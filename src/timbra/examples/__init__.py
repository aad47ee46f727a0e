"""Minimal valid documents as text, for documentation, tests and the command line.

ingreso()                                             a valid invoice, unsealed
ingreso({"Receptor/@UsoCFDI": "S01"})                 the same with another value of one attribute
ingreso({"Conceptos/Concepto[1]/Impuestos": None})    the same without an element
ingreso(concepts=1000, fecha="2026-11-17T09:30:00")
DOCUMENTS["implocal"].make("3.3")                     the minimal document of any complement, by name
"""

from __future__ import annotations

from timbra.examples.cartaporte31 import carta_porte, flete
from timbra.examples.cfdi33 import exportacion33, ingreso33, traslado33
from timbra.examples.cfdi40 import egreso, global_invoice, ingreso, relation, traslado
from timbra.examples.comercio_exterior20 import envio, exportacion
from timbra.examples.comprobante import (
    CASAS,
    FECHA,
    ILUMINADORA,
    KEMPER,
    ROBOTICA,
    XODAR,
    ExampleParty,
    foreigner_at,
    public_at,
)
from timbra.examples.conceptos import concepto, impuestos, tax
from timbra.examples.documents import DOCUMENTS, ExampleDocument
from timbra.examples.ecc12 import estado_de_cuenta
from timbra.examples.hidrocarburos10 import gastos_hidrocarburos, ingresos_hidrocarburos
from timbra.examples.hidroypetro10 import gasolina
from timbra.examples.ine11 import ine
from timbra.examples.nomina12 import nomina
from timbra.examples.nomina12b import nomina33
from timbra.examples.pagos10 import pago10
from timbra.examples.pagos20 import pago
from timbra.examples.plataformas10 import plataforma
from timbra.examples.retenciones20 import retencion, retencion_rif
from timbra.examples.tree import Change, ExampleNode

__all__ = [
    "CASAS",
    "DOCUMENTS",
    "FECHA",
    "ILUMINADORA",
    "KEMPER",
    "ROBOTICA",
    "XODAR",
    "Change",
    "ExampleDocument",
    "ExampleNode",
    "ExampleParty",
    "carta_porte",
    "concepto",
    "egreso",
    "envio",
    "estado_de_cuenta",
    "exportacion",
    "exportacion33",
    "flete",
    "foreigner_at",
    "gasolina",
    "gastos_hidrocarburos",
    "global_invoice",
    "impuestos",
    "ine",
    "ingreso",
    "ingreso33",
    "ingresos_hidrocarburos",
    "nomina",
    "nomina33",
    "pago",
    "pago10",
    "plataforma",
    "public_at",
    "relation",
    "retencion",
    "retencion_rif",
    "tax",
    "traslado",
    "traslado33",
]
