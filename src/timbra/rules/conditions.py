"""Conditions and verdicts that rules of several nodes share."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Comprobante
from timbra.money import written_decimals
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Need, Verdict

HEAD: Final = (
    "TipoDeComprobante",
    "FormaPago",
    "MetodoPago",
    "Moneda",
    "TipoCambio",
    "Exportacion",
    "LugarExpedicion",
)
"""The keys of Comprobante: so few combinations of them are in use that rules about them share what they read."""
PUBLIC: Final = "PUBLICO EN GENERAL"
COMERCIO_EXTERIOR: Final = (
    "{http://www.sat.gob.mx/ComercioExterior20}ComercioExterior",
    "{http://www.sat.gob.mx/ComercioExterior11}ComercioExterior",
)


def has_comercio_exterior(comprobante: Comprobante) -> bool:
    if not comprobante.complementos:
        return False
    return any(comprobante.complement(name) is not None for name in COMERCIO_EXTERIOR)


def key_of(case: Case, catalog: str, key: str) -> Verdict:
    """Holds when the key is in force on the document's date."""
    if case.catalogs.contains(catalog, key, case.on):
        return None
    return Breach(found=key, expected=f"una clave de {catalog} vigente el {case.on.isoformat()}")


def person_of(rfc: str) -> str:
    """The column of a catalog for the kind of person that an RFC belongs to: 12 characters are a persona moral."""
    return "aplica_moral" if len(rfc) == 12 else "aplica_fisica"


def regime_for(case: Case, regime: str, rfc: str) -> Verdict:
    """Holds when the regime is for that kind of person; nothing to say about an unknown regime."""
    row = case.row("c_RegimenFiscal", regime)
    if row is None or row[person_of(rfc)]:
        return None
    person = "una persona moral" if len(rfc) == 12 else "una persona física"
    return Breach(found=regime, expected=f"un régimen de {person}, como el RFC {rfc}")


def decimals_of(case: Case, text: str, currency: str | None = None) -> Verdict:
    """Holds when the amount writes no more decimals than its currency has, the document's own unless it is told."""
    allowed = case.decimals if currency is None else case.decimals_of(currency)
    if allowed is None or written_decimals(text) <= allowed:
        return None
    if currency is None:
        currency = case.comprobante.Moneda
    return Breach(found=text, expected=f"a lo más {allowed} decimales, los de la moneda {currency}")


def absent(text: str | None, why: str, rests_on: frozenset[Need] = frozenset()) -> Verdict:
    """Holds when the attribute is not there."""
    return None if text is None else Breach(found=text, expected=f"que no exista {why}", rests_on=rests_on)
