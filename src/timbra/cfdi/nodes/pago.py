"""The attributes of Pago that both versions of Recepción de Pagos have."""

from __future__ import annotations

from decimal import Decimal

from lxml import etree

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.complement import ComplementNode, factor

HEAD = "Complemento/Pagos"
ONE = Decimal(1)


class BasePago(ComplementNode):
    """Date, form, currency and amount of a payment.

    Attributes:
        monto: Monto as a number.
        tipo_cambio: pesos per unit of MonedaP, 1 when TipoCambioP is absent.
    """

    __slots__ = (
        "CadPago",
        "CertPago",
        "CtaBeneficiario",
        "CtaOrdenante",
        "FechaPago",
        "FormaDePagoP",
        "MonedaP",
        "Monto",
        "NomBancoOrdExt",
        "RfcEmisorCtaBen",
        "RfcEmisorCtaOrd",
        "SelloPago",
        "TipoCadPago",
        "TipoCambioP",
        "monto",
        "tipo_cambio",
    )
    HEAD = HEAD
    TEMPLATE = f"{HEAD}/Pago[{{}}]"

    def __init__(self, element: etree._Element, places: tuple[int, ...]) -> None:
        self.places = places
        get = element.get
        self.FechaPago = get("FechaPago", "")
        self.FormaDePagoP = get("FormaDePagoP", "")
        self.MonedaP = get("MonedaP", "")
        self.TipoCambioP = get("TipoCambioP")
        self.Monto = get("Monto", "")
        self.RfcEmisorCtaOrd = get("RfcEmisorCtaOrd")
        self.NomBancoOrdExt = get("NomBancoOrdExt")
        self.CtaOrdenante = get("CtaOrdenante")
        self.RfcEmisorCtaBen = get("RfcEmisorCtaBen")
        self.CtaBeneficiario = get("CtaBeneficiario")
        self.TipoCadPago = get("TipoCadPago")
        self.CertPago = get("CertPago")
        self.CadPago = get("CadPago")
        self.SelloPago = get("SelloPago")
        self.monto = number(self.Monto)
        self.tipo_cambio = factor(self.TipoCambioP) or ONE
