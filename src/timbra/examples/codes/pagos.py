"""Values of example documents that both versions of Recepción de Pagos use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from timbra.examples.tree import Change

HUGE: Final = "600000000000000000.00"
"""An amount that exceeds the maximum of a payment when it is in dollars."""
CHAIN_ATTRIBUTES: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "Complemento/Pagos/Pago/@TipoCadPago": "01",
        "Complemento/Pagos/Pago/@CertPago": "AAAA",
        "Complemento/Pagos/Pago/@CadPago": "cadena",
        "Complemento/Pagos/Pago/@SelloPago": "AAAA",
    }
)
"""Changes that add a payment chain."""
