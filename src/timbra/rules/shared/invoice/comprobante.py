"""Comprobante: totals, currency, Confirmacion, CfdiRelacionados, and the versions of complements.

Source of the versions: the SAT's cadena original of each version of the invoice, which names its complements, and the
dates from which new versions of complements replace the previous ones. Complements for which neither is known are not
in the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from lxml import etree

from timbra.cfdi.nodes import CfdiRelacionados, Comprobante, ImpuestosTotales
from timbra.cfdi.nodes.base import ZERO, number
from timbra.core.money import half_up
from timbra.rules.engine.amount_forms import AtMost, RoundedSum, implied_by
from timbra.rules.engine.bound_rules import Predicate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.shared.amounts import AmountLimits
from timbra.rules.shared.exchange_rates import published_limits
from timbra.rules.shared.predicates import absent

IMPLOCAL = "{http://www.sat.gob.mx/implocal}ImpuestosLocales"
MXN, XXX = "MXN", "XXX"
RATE_PATTERN = re.compile(r"[0-9]{1,18}(\.[0-9]{1,6})?")
"""Form of TipoCambio."""
SAT = "http://www.sat.gob.mx/"
BOTH, ONLY_40, ONLY_33 = ("4.0", "3.3"), ("4.0",), ("3.3",)
_FREIGHT = "Carta Porte 3.1"
_TRADE = "Comercio Exterior 2.0"
_FUEL = "Estado de Cuenta de Combustibles 1.2"


def is_absent_in_type(name: str) -> Predicate:
    """The attribute is absent in a document of this type.

    Args:
        name: name of the attribute.
    """
    read = attrgetter(name)

    def is_absent_in_type(node: Any, ctx: EvaluationContext) -> RuleResult:
        found = read(node)
        if found is None:
            return None
        return absent(found, f"en un comprobante de tipo {ctx.comprobante.TipoDeComprobante}")

    return is_absent_in_type


def impuestos_is_absent_in_type(_impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    """Comprobante/Impuestos is absent in a document of this type."""
    return Violation(found="Impuestos", expected=f"que no exista, por el tipo {ctx.comprobante.TipoDeComprobante}")


@implied_by(RoundedSum("SubTotal", "Conceptos/Concepto/@Importe"))
def subtotal_equals_sum_of_amounts(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """SubTotal is the sum of Importe of all Conceptos, rounded once, after the sum; without tolerance."""
    if ctx.decimals is None:
        return None
    total = sum([concepto.importe for concepto in comprobante.conceptos], ZERO)
    expected = half_up(total, ctx.decimals)
    if comprobante.subtotal == expected:
        return None
    return Violation(found=comprobante.SubTotal, expected=f"{expected:f}, de la suma {total:f} de los importes")


def subtotal_is_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.subtotal == 0:
        return None
    return Violation(found=comprobante.SubTotal, expected=f"0, por el tipo {comprobante.TipoDeComprobante}")


@implied_by(AtMost("Descuento", "SubTotal"))
def discount_is_at_most_subtotal(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """Descuento is not greater than SubTotal."""
    if comprobante.descuento <= comprobante.subtotal:
        return None
    return Violation(found=comprobante.Descuento, expected=f"a lo más {comprobante.SubTotal}, el SubTotal")


@implied_by(RoundedSum("Descuento", "Conceptos/Concepto/@Descuento"))
def discount_equals_sum_of_discounts(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Descuento is the rounded sum of those of the Conceptos in types I, E and N, and absent in every other case."""
    discounted = [concepto.descuento for concepto in comprobante.conceptos if concepto.Descuento is not None]
    found = comprobante.Descuento
    if not discounted or comprobante.TipoDeComprobante not in ("I", "E", "N"):
        why = "sin descuentos en los conceptos" if not discounted else f"tipo {comprobante.TipoDeComprobante}"
        return None if found is None else Violation(found=found, expected=f"que no exista: {why}")
    if ctx.decimals is None:
        return None
    total = sum(discounted, ZERO)
    expected = half_up(total, ctx.decimals)
    if found is not None and comprobante.descuento == expected:
        return None
    return Violation(found=found, expected=f"{expected:f}, de la suma {total:f} de los descuentos")


def computed_total(comprobante: Comprobante) -> Decimal:
    """Return SubTotal - Descuento + traslados - retenciones, with the local taxes of the complement."""
    taxes = comprobante.impuestos
    local = comprobante.complement(IMPLOCAL)
    total = comprobante.subtotal - comprobante.descuento
    if taxes is not None:
        total += taxes.trasladados - taxes.retenidos
    if local is not None:
        total += number(local.get("TotaldeTraslados")) - number(local.get("TotaldeRetenciones"))
    return total


def computed_total_text(comprobante: Comprobante) -> str:
    """Return the Spanish text of the terms of `computed_total`."""
    taxes = comprobante.impuestos
    transferred = taxes.TotalImpuestosTrasladados if taxes is not None else None
    withheld = taxes.TotalImpuestosRetenidos if taxes is not None else None
    parts = f"{comprobante.SubTotal} - {comprobante.Descuento or 0} + {transferred or 0} - {withheld or 0}"
    local = comprobante.complement(IMPLOCAL)
    if local is not None:
        parts += f" + {local.get('TotaldeTraslados', '0')} - {local.get('TotaldeRetenciones', '0')}"
    return f"que resulta de {parts}"


def is_within_maximum(comprobante: Comprobante, ctx: EvaluationContext) -> bool:
    """Whether the total, in pesos, is at most the maximum of its type."""
    row = ctx.row("c_TipoDeComprobante", comprobante.TipoDeComprobante)
    rate = comprobante.tipo_cambio if comprobante.TipoCambio is not None else Decimal(1)
    return row is None or comprobante.total * rate <= Decimal(row["valor_maximo"])


def total_is_within_maximum_or_confirmed(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Total is at most the maximum of c_TipoDeComprobante, or the document has Confirmacion.

    The personal maximum of l_RFC and the two columns of type N are not published.
    """
    if comprobante.Confirmacion is not None or is_within_maximum(comprobante, ctx):
        return None
    return Violation(found=comprobante.Total, expected="a lo más el valor máximo de su tipo, o una Confirmacion")


def has_rate_in_foreign_currency(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """TipoCambio is present with a currency other than MXN and XXX."""
    if comprobante.Moneda in (MXN, XXX) or comprobante.TipoCambio is not None:
        return None
    return Violation(expected=f"el tipo de cambio de {comprobante.Moneda}")


def has_no_rate_without_currency(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """TipoCambio is absent with Moneda XXX."""
    return absent(comprobante.TipoCambio, "por Moneda XXX") if comprobante.Moneda == XXX else None


def rate_limits(comprobante: Comprobante, ctx: EvaluationContext) -> AmountLimits | Indeterminate | None:
    """Return the limits of TipoCambio around the published rate; None when no limit applies."""
    if comprobante.Moneda in (MXN, XXX) or comprobante.TipoCambio is None:
        return None
    return published_limits(ctx, comprobante.Moneda, ctx.issued)


def rate_is_within_limits_or_confirmed(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """TipoCambio is within the limits around the published rate, or the document has Confirmacion."""
    limits = rate_limits(comprobante, ctx)
    if limits is None or isinstance(limits, Indeterminate):
        return limits
    if limits.lower <= comprobante.tipo_cambio <= limits.upper or comprobante.Confirmacion is not None:
        return None
    return Violation(found=comprobante.TipoCambio, expected=f"{limits}, o una Confirmacion")


def has_confirmation(comprobante: Comprobante, _ctx: EvaluationContext) -> bool:
    """Whether the document has Confirmacion."""
    return comprobante.Confirmacion is not None


def is_absent_within_limits(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Confirmacion is absent when TipoCambio and Total are within their limits."""
    limits = rate_limits(comprobante, ctx)
    if isinstance(limits, Indeterminate):
        return limits
    rate_is_within_limits = limits is None or limits.lower <= comprobante.tipo_cambio <= limits.upper
    if not (rate_is_within_limits and is_within_maximum(comprobante, ctx)):
        return None
    return absent(comprobante.Confirmacion, "con TipoCambio y Total dentro de sus límites")


def is_issued_to_issuer(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """The provider issued the key to the issuer of the document."""
    key, registry = comprobante.Confirmacion, ctx.reference_data.confirmations
    if key is None or registry is None or registry.issued_to(comprobante.emisor.Rfc, key):
        return None
    return Violation(found=key, expected=f"una clave entregada a {comprobante.emisor.Rfc}")


def is_unused(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """No other document has used the key."""
    key, registry = comprobante.Confirmacion, ctx.reference_data.confirmations
    if key is None or registry is None or not registry.used(key):
        return None
    return Violation(found=key, expected="una clave que no se haya usado")


def has_relation(*types: str) -> Callable[[CfdiRelacionados, EvaluationContext], bool]:
    """Return the condition that TipoRelacion is one of these keys."""
    return lambda relacionados, _ctx: relacionados.TipoRelacion in types


def related_types_are(allowed: str, own: str = "") -> Predicate:
    """Every related CFDI that is known is of an allowed type; indeterminate when one is not known.

    Args:
        allowed: values of TipoDeComprobante of the related CFDI, each one letter.
        own: values of TipoDeComprobante of the document itself; empty for any.
    """

    def related_types_are(relacionados: CfdiRelacionados, ctx: EvaluationContext) -> RuleResult:
        violation = own_type(relacionados, ctx, own) if own else None
        return violation or related_types(relacionados, ctx, allowed)

    return related_types_are


def own_type(relacionados: CfdiRelacionados, ctx: EvaluationContext, allowed: str) -> Violation | None:
    """Check that the document itself is of an allowed type."""
    tipo = ctx.comprobante.TipoDeComprobante
    if tipo in allowed:
        return None
    expected = f"otra relación: {relacionados.TipoRelacion} es de comprobantes de tipo {' o '.join(allowed)}"
    return Violation(found=f"{relacionados.TipoRelacion} en un comprobante de tipo {tipo}", expected=expected)


def related_types(relacionados: CfdiRelacionados, ctx: EvaluationContext, allowed: str) -> RuleResult:
    """Check that every related CFDI that is known is of an allowed type; indeterminate when one is not known."""
    known = ctx.reference_data.related
    types = {} if known is None else {folio: known.type_of(folio.lower()) for folio in relacionados.folios}
    for place, folio in enumerate(relacionados.folios, 1):
        tipo = types.get(folio)
        if tipo is not None and tipo not in allowed:
            expected = f"comprobantes de tipo {' o '.join(allowed)}, por TipoRelacion {relacionados.TipoRelacion}"
            return Violation(found=f"{folio}, de tipo {tipo}", expected=expected, at=f"CfdiRelacionado[{place}]/@UUID")
    undecided = any(types.get(folio) is None for folio in relacionados.folios)
    return Indeterminate(ctx.reference_data.related_missing) if undecided else None


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
