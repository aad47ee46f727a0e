"""The complement inside a Concepto: CP112:Concepto."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CartaPorteDeConcepto
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cartaporte31.sources import matrix_row
from timbra.rules.shared.misplaced_complement import is_in_comprobante_complemento

CP112_Concepto = row(
    "CP112:Concepto",
    CartaPorteDeConcepto,
    at="Conceptos/Concepto/ComplementoConcepto/CartaPorte",
    says="El complemento Carta Porte debe estar en Comprobante/Complemento y no en un concepto.",
    note="Si hay otro complemento en su lugar, también pueden incumplirse reglas sobre el contenido del concepto.",
    check=is_in_comprobante_complemento,
    cites=matrix_row("CP112"),
)
