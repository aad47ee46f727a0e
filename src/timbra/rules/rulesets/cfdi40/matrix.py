"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "2024-12-13"
SOURCE = f"SAT, matriz de errores de CFDI 4.0 del {REVISION}"

CODED = (
    *(f"CFDI{number}" for number in range(40101, 40223)),
    *(f"CFDI{number}" for number in range(140223, 140228)),
)
"""Codes as SAT prints them, the last five with seven digits."""

UNCODED = (
    "CondicionesDePago",
    "Concepto-Descuento",
    "Impuestos-N",
    "Moneda-N",
    "TipoRelacion-01-02",
    "TipoRelacion-03",
    "TipoRelacion-04",
    "TipoRelacion-05",
    "TipoRelacion-06",
    "TipoRelacion-07",
    "Nomina-required",
    "Pagos-required",
    "IVA8-RFC",
    "IVA8-ClaveProdServ",
    "IVA8-LugarExpedicion",
)
"""What Anexo 20 and the guides demand without a code; findings show CFDI40999, SAT's code for such errors."""

FOLDED = {"NoCertificado": "CFDI40106", "Total-decimals": "CFDI40119", "UsoCFDI-XEXX": "CFDI40161"}
"""Demands without a code that a coded rule makes too."""

OF_COMPLEMENTS = ("HYP-required", "Complemento-Version", "Complemento-Vigencia")
"""What is demanded of invoices that lack a complement, or carry an edition of one that is not for them."""

ROWS = (*CODED, *(f"CFDI40999:{name}" for name in (*UNCODED, *OF_COMPLEMENTS)))
