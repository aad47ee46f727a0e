"""The invoice that has a complement of payments, and its only Concepto."""

from __future__ import annotations

from typing import Final

WHY: Final = "en un comprobante de pago"
"""Spanish end of the sentences about attributes with a fixed value."""
BY_THE_COMPLEMENT: Final = "por el complemento Recepción de Pagos"
"""Spanish reason for TipoDeComprobante P."""
