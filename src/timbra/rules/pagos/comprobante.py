"""The invoice around a payment and its only Concepto."""

from __future__ import annotations

from typing import Final

from lxml import etree

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict

WHY: Final = "en un comprobante de pago"
AT: Final = "Conceptos/Concepto"


def written(text: str | None, expected: str) -> Verdict:
    """Holds when the attribute is written exactly so."""
    return None if text == expected else Breach(found=text, expected=f"{expected}, {WHY}")


def is_of_a_payment(comprobante: Comprobante) -> Verdict:
    found = comprobante.TipoDeComprobante
    return None if found == "P" else Breach(found=found, expected="P, por el complemento Recepción de Pagos")


def has_one_concepto(comprobante: Comprobante) -> Verdict:
    count = len(comprobante.conceptos)
    return None if count == 1 else Breach(found=f"{count} conceptos", expected=f"uno solo {WHY}")


def no_taxes() -> Verdict:
    """Of an invoice that has Impuestos."""
    return Breach(found="Impuestos", expected=f"que no exista {WHY}")


def _elements(comprobante: Comprobante) -> list[etree._Element]:
    """The elements of all Conceptos: payments write next to nothing there, so the nodes do not keep it."""
    root = comprobante.element
    namespace = etree.QName(root).namespace
    return list(root.iterfind(f"{{{namespace}}}Conceptos/{{{namespace}}}Concepto"))


def element_of(concepto: Concepto, case: Case) -> etree._Element:
    """The element of a Concepto."""
    return case.once(_elements)[concepto.index - 1]
