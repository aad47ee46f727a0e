"""The rules of Pago that repeat those of Recepción de Pagos 2.0: accounts, banks and the chain of payment."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.pagos10 import Pago
from timbra.rules.engine.rule_set import derived
from timbra.rules.rulesets import pagos20
from timbra.rules.rulesets.pagos10.sources import MATRIX_V10

CODES: Final = {
    "CRP205": "CRP20216",
    "CRP212": "CRP20224",
    "CRP213": "CRP20225",
    "CRP214": "CRP20227",
    "CRP215": "CRP20228",
    "CRP216": "CRP20229",
    "CRP227": "CRP20230",
    "CRP228": "CRP20231",
    "CRP229": "CRP20232",
    "CRP230": "CRP20233",
    "CRP231": "CRP20234",
    "CRP232": "CRP20235",
    "CRP238": "CRP20221",
    "CRP239": "CRP20226",
}
"""By code: the code in the other rule set."""
NOTES: Final = {
    "CRP212": "La matriz indica 02 a 06, 28 y 29: las formas de pago que la columna marca.",
    "CRP214": "La matriz indica 02 a 05, 28 y 29: las formas de pago que la columna marca.",
    "CRP215": "Las mismas formas de pago que en CRP214.",
    "CRP216": "La matriz indica 03: la forma de pago que la columna marca.",
    "CRP238": "Las mismas formas de pago que en CRP212.",
}
DERIVED = derived(
    pagos20.RULE_SET.rules,
    CODES,
    cites=MATRIX_V10,
    changed={code: {"kind": Pago, "note": NOTES.get(code, "")} for code in CODES},
)
