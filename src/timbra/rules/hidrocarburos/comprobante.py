"""The invoice around a hydrocarbon contract, and its Conceptos."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Comprobante, Concepto, Emisor
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.finding import Breach, Verdict
from timbra.rules.invoice.fixed import children, written

AT: Final = "Conceptos/Concepto"
WHY: Final = "con un complemento de hidrocarburos"


def is_of_type(comprobante: Comprobante, tipo: str) -> Verdict:
    return written(comprobante.TipoDeComprobante, tipo, WHY)


def is_no_export(comprobante: Comprobante) -> Verdict:
    return written(comprobante.Exportacion, "01", WHY)


def has_no_acquirer(emisor: Emisor) -> Verdict:
    return absent(emisor.FacAtrAdquirente, WHY)


def forbidden(name: str) -> Breach:
    """An element that stands where it must not."""
    return Breach(found=name, expected=f"que no exista {WHY}")


def has_no_customs(concepto: Concepto) -> Verdict:
    return forbidden("InformacionAduanera") if concepto.aduanas else None


def has_no_property(concepto: Concepto, case: Case) -> Verdict:
    return forbidden("CuentaPredial") if "CuentaPredial" in children(concepto, case) else None


def has_no_complement(concepto: Concepto) -> Verdict:
    return forbidden("ComplementoConcepto") if concepto.complementos else None


def has_no_parts(concepto: Concepto) -> Verdict:
    return forbidden("Parte") if concepto.partes else None
