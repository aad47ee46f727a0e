"""The only Concepto of a payroll."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.invoice.fixed import children, one_concepto
from timbra.rules.nomina.keys import WHY
from timbra.rules.nomina.whole import Payrolls


def stands_alone(comprobante: Comprobante) -> Verdict:
    """One Concepto."""
    return one_concepto(comprobante, WHY)


def without(concepto: Concepto, case: Case, name: str) -> Verdict:
    """No child of that name."""
    return Breach(found=name, expected=f"que no exista {WHY}") if name in children(concepto, case) else None


def is_paid(text: str, value: Decimal, case: Case) -> Verdict:
    """What all payrolls of the document pay."""
    expected = case.once(Payrolls).paid
    if value == expected:
        return None
    return Breach(found=text, expected=f"{expected:f}, la suma de TotalPercepciones y TotalOtrosPagos")


def discount_is_withheld(concepto: Concepto, case: Case) -> Verdict:
    """TotalDeducciones of all payrolls of the document. A discount or total of 0 counts as an absent one.

    The matrix wants it omitted where nothing is withheld; providers stamp `Descuento="0"`.
    """
    expected, found = case.once(Payrolls).withheld, concepto.Descuento
    if concepto.descuento == expected:
        return None
    return Breach(found=found, expected=f"{expected:f}, la suma de TotalDeducciones")
