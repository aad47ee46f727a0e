"""The attributes of Pago that both versions of Recepción de Pagos have."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import ONE, derived, factor_or_one, number_of

__all__ = ["HEAD", "ONE", "BasePago"]

HEAD = "Complemento/Pagos"


class BasePago(ComplementNode):
    """Date, form, currency and amount of a payment.

    Attributes:
        monto: Monto as a number.
        tipo_cambio: pesos per unit of MonedaP, 1 when TipoCambioP is absent.
    """

    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Pago[{{}}]"

    FechaPago: str
    FormaDePagoP: str
    MonedaP: str
    TipoCambioP: str | None
    Monto: str
    RfcEmisorCtaOrd: str | None
    NomBancoOrdExt: str | None
    CtaOrdenante: str | None
    RfcEmisorCtaBen: str | None
    CtaBeneficiario: str | None
    TipoCadPago: str | None
    CertPago: str | None
    CadPago: str | None
    SelloPago: str | None
    monto: Decimal = number_of("Monto")
    tipo_cambio: Decimal = derived(factor_or_one, "TipoCambioP")
