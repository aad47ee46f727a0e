"""The complement inside a Concepto: NOM30."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import NominaDeConcepto
from timbra.rules.engine.rule import row
from timbra.rules.shared.misplaced_complement import is_in_comprobante_complemento

NOM30 = row(
    "NOM30",
    NominaDeConcepto,
    at="Conceptos/Concepto/ComplementoConcepto/Nomina",
    says="El complemento Nómina debe estar en Complemento y no en un concepto.",
    note="Si hay otro complemento en su lugar, también pueden incumplirse reglas sobre el contenido del concepto.",
    check=is_in_comprobante_complemento,
)
