"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "2022-01"
SOURCE = "SAT, matriz de errores de CFDI 3.3; Anexo 20 del 2017-07-28"

CODED = tuple(f"CFDI{number}" for number in range(33101, 33196))

UNCODED = ("IVA8-RFC", "IVA8-ClaveProdServ", "IVA8-LugarExpedicion")
"""Border checks that providers answer with CFDI33196, SAT's code for errors without one of their own."""

NOT_APPLIED = {
    "CFDI33146": "Conceptos/Concepto/@ValorUnitario",
    "CFDI33148": "Conceptos/Concepto/@Importe",
    "CFDI33153": "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Base",
    "CFDI33160": "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe",
    "CFDI33162": "Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Base",
    "CFDI33168": "Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Importe",
    "CFDI33173": "Conceptos/Concepto/Parte/@ValorUnitario",
    "CFDI33175": "Conceptos/Concepto/Parte/@Importe",
    "CFDI33188": "Impuestos/Retenciones/Retencion/@Importe",
    "CFDI33194": "Impuestos/Traslados/Traslado/@Importe",
}
"""Rows that SAT says not to apply, each about the decimals of an amount, and their places."""

OF_COMPLEMENTS = ("Complemento-Version",)
"""What is demanded of invoices that carry an edition of a complement that is not for them."""

ROWS = (*CODED, *(f"CFDI33196:{name}" for name in (*UNCODED, *OF_COMPLEMENTS)))
