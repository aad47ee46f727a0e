"""Conditions and checks that rules of several nodes share."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Comprobante
from timbra.core.money import written_decimals
from timbra.rules.engine.context import EvaluationContext, Registration
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation

HEAD: Final = (
    "TipoDeComprobante",
    "FormaPago",
    "MetodoPago",
    "Moneda",
    "TipoCambio",
    "Exportacion",
    "LugarExpedicion",
)
"""Keys of Comprobante; few combinations of them are in use, so the results of rules that read them are memoized."""
PUBLIC: Final = "PUBLICO EN GENERAL"
COMERCIO_EXTERIOR: Final = (
    "{http://www.sat.gob.mx/ComercioExterior20}ComercioExterior",
    "{http://www.sat.gob.mx/ComercioExterior11}ComercioExterior",
)


def has_comercio_exterior(comprobante: Comprobante) -> bool:
    """Whether the document has the complement Comercio Exterior 2.0 or 1.1."""
    if not comprobante.complementos:
        return False
    return any(comprobante.complement(name) is not None for name in COMERCIO_EXTERIOR)


def key_of(ctx: EvaluationContext, catalog: str, key: str) -> RuleResult:
    """Check that the key is in force on the document's date."""
    if ctx.catalogs.contains(catalog, key, ctx.on):
        return None
    return Violation(found=key, expected=f"una clave de {catalog.rpartition(':')[2]} vigente el {ctx.on.isoformat()}")


def person_of(rfc: str) -> str:
    """Return the column of a catalog for the kind of person of an RFC: 12 characters are a persona moral."""
    return "aplica_moral" if len(rfc) == 12 else "aplica_fisica"


def regime_for(ctx: EvaluationContext, regime: str, rfc: str) -> RuleResult:
    """Check that the regime is for the kind of person of the RFC; an unknown regime passes."""
    row = ctx.row("c_RegimenFiscal", regime)
    if row is None or row[person_of(rfc)]:
        return None
    person = "una persona moral" if len(rfc) == 12 else "una persona física"
    return Violation(found=regime, expected=f"un régimen de {person}, como el RFC {rfc}")


def name_of_its_rfc(name: str, taxpayer: Registration | None) -> RuleResult:
    """Check that the name is the registered one; an RFC that is not registered passes."""
    if taxpayer is None or taxpayer.has_name(name):
        return None
    expected = taxpayer.disclosed_name or "el nombre inscrito del RFC (l_RFC)"
    return Violation(found=name, expected=expected, hint=taxpayer.name_hint(name))


def with_meaning(value: str, meaning: str) -> str:
    """Return an expected value with its meaning; the meaning alone when the value is empty."""
    return f"{value}, {meaning}" if value else meaning


def decimals_of(ctx: EvaluationContext, text: str, currency: str | None = None) -> RuleResult:
    """Check that an amount has no more decimals than its currency.

    Args:
        text: amount as written.
        currency: key of c_Moneda; None for that of the document.
    """
    allowed = ctx.decimals if currency is None else ctx.decimals_of(currency)
    if allowed is None or written_decimals(text) <= allowed:
        return None
    if currency is None:
        currency = ctx.comprobante.Moneda
    return Violation(found=text, expected=f"a lo más {allowed} decimales, los de la moneda {currency}")


def absent(text: str | None, why: str, rests_on: frozenset[DataRequirement] = frozenset()) -> RuleResult:
    """Check that an attribute is absent.

    Args:
        why: Spanish end of the sentence "que no exista ...".
        rests_on: lists that the violation depends on.
    """
    return None if text is None else Violation(found=text, expected=f"que no exista {why}", rests_on=rests_on)
