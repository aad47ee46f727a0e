"""Sentences of rules in the project's own words: one per code, one module per rule set."""

from __future__ import annotations

from timbra.messages.rules.cartaporte31 import CARTAPORTE31
from timbra.messages.rules.cfdi33 import CFDI33
from timbra.messages.rules.cfdi40 import CFDI40
from timbra.messages.rules.comercioexterior20 import COMERCIOEXTERIOR20
from timbra.messages.rules.ecc12 import ECC12
from timbra.messages.rules.gceh10 import GCEH10
from timbra.messages.rules.hidroypetro10 import HIDROYPETRO10
from timbra.messages.rules.ieeh10 import IEEH10
from timbra.messages.rules.ine11 import INE11
from timbra.messages.rules.nomina12 import NOMINA12
from timbra.messages.rules.nomina12b import NOMINA12B
from timbra.messages.rules.pagos10 import PAGOS10
from timbra.messages.rules.pagos20 import PAGOS20
from timbra.messages.rules.seals import SEALS
from timbra.messages.rules.shape import SHAPE

RULES: dict[str, str] = {
    **SEALS,
    **SHAPE,
    **CARTAPORTE31,
    **CFDI40,
    **CFDI33,
    **COMERCIOEXTERIOR20,
    **NOMINA12,
    **NOMINA12B,
    **PAGOS10,
    **PAGOS20,
    **ECC12,
    **GCEH10,
    **HIDROYPETRO10,
    **IEEH10,
    **INE11,
}
