"""The complement inside a Concepto: CCE114."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import ComercioExteriorDeConcepto
from timbra.rules.engine.rule import row
from timbra.rules.shared.misplaced_complement import is_in_comprobante_complemento

CCE114 = row(
    "CCE114",
    ComercioExteriorDeConcepto,
    at="Conceptos/Concepto/ComplementoConcepto/ComercioExterior",
    says="ComercioExterior debe estar en el Complemento del comprobante.",
    note="Si hay otro complemento en su lugar, también pueden incumplirse reglas sobre el contenido del concepto.",
    check=is_in_comprobante_complemento,
)
