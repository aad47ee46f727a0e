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
BOTH, ONLY_40, ONLY_33 = ("4.0", "3.3"), ("4.0",), ("3.3",)


@dataclass(frozen=True, slots=True)
class ComplementVersion:
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

COMPLEMENT_VERSIONS: Mapping[tuple[str, str], ComplementVersion] = MappingProxyType(
    {
        (f"{{{SAT}CartaPorte}}CartaPorte", "1.0"): ComplementVersion(ONLY_33, _FREIGHT),
        (f"{{{SAT}CartaPorte20}}CartaPorte", "2.0"): ComplementVersion(BOTH, _FREIGHT, date(2024, 3, 31)),
        (f"{{{SAT}CartaPorte30}}CartaPorte", "3.0"): ComplementVersion(ONLY_40, _FREIGHT, date(2024, 7, 16)),
        (f"{{{SAT}ComercioExterior}}ComercioExterior", "1.0"): ComplementVersion(ONLY_33, _TRADE),
        (f"{{{SAT}ComercioExterior11}}ComercioExterior", "1.1"): ComplementVersion(BOTH, _TRADE, date(2024, 1, 17)),
        (f"{{{SAT}ComercioExterior20}}ComercioExterior", "2.0"): ComplementVersion(ONLY_40),
        (f"{{{SAT}consumodecombustibles}}ConsumoDeCombustibles", "1.0"): ComplementVersion(
            ONLY_33, "Consumo de Combustibles 1.1"
        ),
        (f"{{{SAT}EstadoDeCuentaCombustible}}EstadoDeCuentaCombustible", "1.1"): ComplementVersion(ONLY_33, _FUEL),
        (f"{{{SAT}Pagos}}Pagos", "1.0"): ComplementVersion(ONLY_33, "Recepción de Pagos 2.0"),
        (f"{{{SAT}Pagos20}}Pagos", "2.0"): ComplementVersion(ONLY_40),
        (f"{{{SAT}hidrocarburospetroliferos}}HidroYPetro", "1.0"): ComplementVersion(ONLY_40),
        (f"{{{SAT}ine}}INE", "1.0"): ComplementVersion(ONLY_33, "INE 1.1"),
        (f"{{{SAT}nomina}}Nomina", "1.1"): ComplementVersion(ONLY_33, "Nómina 1.2"),
        (f"{{{SAT}terceros}}PorCuentadeTerceros", "1.1"): ComplementVersion(ONLY_33, "Concepto/ACuentaTerceros"),
    }
)
"""By qualified name and version. Carta Porte 3.1 is absent: rule CP101 restricts the invoices that carry it."""


def complements_match_invoice_version(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """The version of the invoice may carry each complement; reports the first that it may not carry."""
    for at, name, version in ctx.memoize(_carried):
        if comprobante.Version not in version.invoices:
            successor = version.successor if comprobante.Version == "4.0" else ""
            return Violation(found=name, expected=_expected(comprobante.Version, successor), at=at)
    return None


def complements_are_in_force(_comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Fecha is at most the last day of each complement; reports the first that is no longer in force."""
    for at, name, version in ctx.memoize(_carried):
        if ctx.issued > version.until:
            expected = f"{version.successor}: {name} se emitió hasta el {version.until.isoformat()}"
            return Violation(found=name, expected=expected, at=at)
    return None


def _expected(version: str, successor: str) -> str:
    return f"un complemento de CFDI {version}" + (f": {successor}" if successor else "")


def _carried(comprobante: Comprobante) -> list[tuple[str, str, ComplementVersion]]:
    """Return path, name and version of each complement in the table: of the invoice, then of its Conceptos."""
    found: list[tuple[str, str, ComplementVersion]] = []
    for element in comprobante.complementos:
        found += _version_of(element, "Complemento")
    for concepto in [each for each in comprobante.conceptos if each.complementos]:
        for element in concepto.complementos:
            found += _version_of(element, f"{concepto.path}/ComplementoConcepto")
    return found


def _version_of(element: etree._Element, place: str) -> Iterator[tuple[str, str, ComplementVersion]]:
    tag = str(element.tag)
    version = (element.get("Version") or element.get("version") or "").strip()
    found = COMPLEMENT_VERSIONS.get((tag, version))
    if found is not None:
        name = tag.partition("}")[2]
        yield f"{place}/{name}", f"{name} {version}", found
