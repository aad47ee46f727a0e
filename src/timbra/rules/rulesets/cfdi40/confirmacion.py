"""Confirmacion: CFDI40127 to CFDI40129, which the SAT published and has not enabled."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.result import DataRequirement, Severity
from timbra.rules.engine.rule import row
from timbra.rules.shared.invoice import confirmation

CFDI40127 = row(
    "CFDI40127",
    Comprobante,
    at="@Confirmacion",
    says="Confirmacion no debe existir cuando TipoCambio y Total están dentro de sus límites.",
    check=confirmation.is_absent_within_limits,
    applies=confirmation.has_confirmation,
    needs=(DataRequirement.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
)


CFDI40128 = row(
    "CFDI40128",
    Comprobante,
    at="@Confirmacion",
    says="Confirmacion debe ser una clave que el proveedor entregó a este emisor.",
    check=confirmation.is_issued_to_issuer,
    applies=confirmation.has_confirmation,
    needs=(DataRequirement.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
)


CFDI40129 = row(
    "CFDI40129",
    Comprobante,
    at="@Confirmacion",
    says="Confirmacion no debe haberse usado en otro comprobante.",
    check=confirmation.is_unused,
    applies=confirmation.has_confirmation,
    needs=(DataRequirement.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
)
