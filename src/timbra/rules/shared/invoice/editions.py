"""The versions of the invoice that may carry each version of a complement, and the last day of its validity.

Source: the SAT's cadena original of each version of the invoice, which names its complements, and the dates from which
new versions of complements replace the previous ones. Complements for which neither is known are not in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from lxml import etree

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation

SAT = "http://www.sat.gob.mx/"
BOTH, NEW, OLD = ("4.0", "3.3"), ("4.0",), ("3.3",)


@dataclass(frozen=True, slots=True)
class Edition:
    """A version of a complement.

    Attributes:
        invoices: versions of the Comprobante that may carry it.
        successor: the version that replaced it.
        until: its last day.
    """

    invoices: tuple[str, ...]
    successor: str = ""
    until: date = date.max


_FREIGHT = "Carta Porte 3.1"
_TRADE = "Comercio Exterior 2.0"
_FUEL = "Estado de Cuenta de Combustibles 1.2"

EDITIONS: Mapping[tuple[str, str], Edition] = MappingProxyType(
    {
        (f"{{{SAT}CartaPorte}}CartaPorte", "1.0"): Edition(OLD, _FREIGHT),
        (f"{{{SAT}CartaPorte20}}CartaPorte", "2.0"): Edition(BOTH, _FREIGHT, date(2024, 3, 31)),
        (f"{{{SAT}CartaPorte30}}CartaPorte", "3.0"): Edition(NEW, _FREIGHT, date(2024, 7, 16)),
        (f"{{{SAT}ComercioExterior}}ComercioExterior", "1.0"): Edition(OLD, _TRADE),
        (f"{{{SAT}ComercioExterior11}}ComercioExterior", "1.1"): Edition(BOTH, _TRADE, date(2024, 1, 17)),
        (f"{{{SAT}ComercioExterior20}}ComercioExterior", "2.0"): Edition(NEW),
        (f"{{{SAT}consumodecombustibles}}ConsumoDeCombustibles", "1.0"): Edition(OLD, "Consumo de Combustibles 1.1"),
        (f"{{{SAT}EstadoDeCuentaCombustible}}EstadoDeCuentaCombustible", "1.1"): Edition(OLD, _FUEL),
        (f"{{{SAT}Pagos}}Pagos", "1.0"): Edition(OLD, "Recepción de Pagos 2.0"),
        (f"{{{SAT}Pagos20}}Pagos", "2.0"): Edition(NEW),
        (f"{{{SAT}hidrocarburospetroliferos}}HidroYPetro", "1.0"): Edition(NEW),
        (f"{{{SAT}ine}}INE", "1.0"): Edition(OLD, "INE 1.1"),
        (f"{{{SAT}nomina}}Nomina", "1.1"): Edition(OLD, "Nómina 1.2"),
        (f"{{{SAT}terceros}}PorCuentadeTerceros", "1.1"): Edition(OLD, "Concepto/ACuentaTerceros"),
    }
)
"""By qualified name and version. Carta Porte 3.1 is absent: rule CP101 restricts its invoices."""


def belongs_to_the_invoice(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """Check that the invoice may carry its complements; reports the first that it may not."""
    for at, name, edition in _carried(comprobante):
        if comprobante.Version not in edition.invoices:
            instead = edition.successor if comprobante.Version == "4.0" else ""
            return Violation(found=name, expected=_expected(comprobante.Version, instead), at=at)
    return None


def is_still_issued(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Check that the complements are in force; reports the first that is not."""
    for at, name, edition in _carried(comprobante):
        if ctx.on > edition.until:
            expected = f"{edition.successor}: {name} se emitió hasta el {edition.until.isoformat()}"
            return Violation(found=name, expected=expected, at=at)
    return None


def _expected(version: str, instead: str) -> str:
    return f"un complemento de CFDI {version}" + (f": {instead}" if instead else "")


def _carried(comprobante: Comprobante) -> Iterator[tuple[str, str, Edition]]:
    """Yield path, name and edition of each complement in the table: first the invoice's, then its Conceptos'."""
    for element in comprobante.complementos:
        yield from _edition_of(element, "Complemento")
    for concepto in [each for each in comprobante.conceptos if each.complementos]:
        for element in concepto.complementos:
            yield from _edition_of(element, f"{concepto.path}/ComplementoConcepto")


def _edition_of(element: etree._Element, place: str) -> Iterator[tuple[str, str, Edition]]:
    tag = str(element.tag)
    version = (element.get("Version") or element.get("version") or "").strip()
    edition = EDITIONS.get((tag, version))
    if edition is not None:
        name = tag.partition("}")[2]
        yield f"{place}/{name}", f"{name} {version}", edition
