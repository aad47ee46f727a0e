"""For every code that a rule refuses with: a document that keeps it and one that breaks it, by one change.

The failing document breaks that code alone, or with those that SAT's own rules make inseparable (`Rule.inseparable`).
"""

from __future__ import annotations

from timbra.examples.codes.cartaporte31 import CARTAPORTE31
from timbra.examples.codes.cfdi33 import CFDI33
from timbra.examples.codes.comercioexterior20 import COMERCIOEXTERIOR20
from timbra.examples.codes.comprobante import COMPROBANTE
from timbra.examples.codes.conceptos import CONCEPTOS
from timbra.examples.codes.ecc12 import ECC12
from timbra.examples.codes.editions import EDITIONS
from timbra.examples.codes.example import Example
from timbra.examples.codes.hidrocarburos10 import GCEH10, IEEH10
from timbra.examples.codes.hidroypetro10 import HIDROYPETRO10, REQUIRED
from timbra.examples.codes.impuestos import IMPUESTOS
from timbra.examples.codes.ine11 import INE11
from timbra.examples.codes.nodos import NODOS, RELATED
from timbra.examples.codes.nomina12 import NOMINA12
from timbra.examples.codes.nomina12b import NOMINA12B
from timbra.examples.codes.pagos10 import PAGOS10
from timbra.examples.codes.pagos20 import PAGOS20
from timbra.examples.codes.receptor import RECEPTOR

EXAMPLES: dict[str, Example] = {
    **COMPROBANTE,
    **NODOS,
    **RECEPTOR,
    **CONCEPTOS,
    **IMPUESTOS,
    **CFDI33,
    **EDITIONS,
    **CARTAPORTE31,
    **COMERCIOEXTERIOR20,
    **NOMINA12,
    **NOMINA12B,
    **PAGOS10,
    **PAGOS20,
    **ECC12,
    **GCEH10,
    **IEEH10,
    **HIDROYPETRO10,
    **REQUIRED,
    **INE11,
}

__all__ = ["EXAMPLES", "RELATED", "Example"]
