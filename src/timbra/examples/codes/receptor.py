"""Examples of rules about the receiver: CFDI40143 to CFDI40161."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.cfdi40 import ingreso
from timbra.examples.comprobante import KEMPER, foreigner_at
from timbra.examples.tree import Change


def invoice_abroad(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice to a receiver who resides in the United States."""
    residence: dict[str, Change] = {"Receptor/@ResidenciaFiscal": "USA", "Receptor/@NumRegIdTrib": "123456789"}
    receiver = foreigner_at(KEMPER.postal_code)
    return ingreso({**residence, **(changes or {})}, receiver=receiver, uso="S01")
