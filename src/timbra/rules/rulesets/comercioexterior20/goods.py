"""Conceptos and Mercancias by NoIdentificacion, and amounts of Conceptos in dollars: the limits of CCE157.

The lower limit is truncated, the upper one is rounded up, both at two decimals. Both exchange rates may differ by half
of the last unit of TipoCambio as written; the rate 1 of the peso has no decimals.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final, NamedTuple

from lxml import etree

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.cfdi.nodes.base import NAMESPACE, ZERO
from timbra.cfdi.nodes.comercioexterior20 import ComercioExterior, Mercancia
from timbra.cfdi.nodes.complement import factor
from timbra.core.money import round_up, truncate, written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.shared.amounts import EPSILON, AmountLimits, Factor

SERVICE: Final = "99"
"""Key of c_UnidadAduana for services."""
SERVICE_UNIT: Final = "E48"
"""Key of c_ClaveUnidad for services."""
DECIMALS: Final = 2
PESO, DOLLAR = "MXN", "USD"
ONE: Final = Factor("1", Decimal(1))


class GoodsLine(NamedTuple):
    """A Concepto with the attributes that its node does not have."""

    concepto: Concepto
    element: etree._Element

    @property
    def number(self) -> str | None:
        """NoIdentificacion."""
        return self.element.get("NoIdentificacion")

    @property
    def unidad(self) -> str | None:
        """Unidad."""
        return self.element.get("Unidad")


class Numbered:
    """The Conceptos and Mercancias of one NoIdentificacion.

    Attributes:
        units: values of Unidad of the Conceptos, each once.
        is_service: whether ClaveUnidad of a Concepto is that of services.
        is_valued_by_concepto: whether a Mercancia has no CantidadAduana.
    """

    def __init__(self) -> None:
        self.conceptos: list[Concepto] = []
        self.mercancias: list[Mercancia] = []
        self.units: dict[str | None, None] = {}
        self.is_service = self.is_valued_by_concepto = False

    @property
    def is_shared(self) -> bool:
        """Whether there are several Conceptos or several Mercancias."""
        return len(self.mercancias) > 1 or len(self.conceptos) > 1

    def add_line(self, line: GoodsLine) -> None:
        """Add a Concepto."""
        self.conceptos.append(line.concepto)
        self.units[line.unidad] = None
        self.is_service = self.is_service or line.concepto.ClaveUnidad == SERVICE_UNIT

    def add_mercancia(self, mercancia: Mercancia) -> None:
        """Add a Mercancia."""
        self.mercancias.append(mercancia)
        self.is_valued_by_concepto = self.is_valued_by_concepto or mercancia.CantidadAduana is None

    def importe(self) -> Factor:
        """Return the sum of Importe of the Conceptos."""
        return _summed((concepto.Importe, concepto.importe) for concepto in self.conceptos)

    def descuento(self) -> Factor:
        """Return the sum of Descuento of the Conceptos."""
        return _summed((concepto.Descuento or "", concepto.descuento) for concepto in self.conceptos)


class Goods:
    """Conceptos and Mercancias by NoIdentificacion, computed once per document.

    Attributes:
        lines: the Conceptos.
        by_fraction: Mercancias by NoIdentificacion and FraccionArancelaria.
        valued: whether a Mercancia has all three customs attributes.
    """

    def __init__(self, comprobante: Comprobante) -> None:
        elements = comprobante.element.iterfind(f"{NAMESPACE}Conceptos/{NAMESPACE}Concepto")
        self.lines = [GoodsLine(*pair) for pair in zip(comprobante.conceptos, elements, strict=True)]
        self._heads = {head.complement: head for head in comprobante.of(ComercioExterior)}
        self._numbered: dict[str | None, Numbered] = {}
        self.by_fraction: dict[tuple[str, str | None], list[Mercancia]] = {}
        self.valued = False
        for line in self.lines:
            if line.number is not None:
                self.numbered(line.number).add_line(line)
        for mercancia in comprobante.of(Mercancia):
            self.numbered(mercancia.NoIdentificacion).add_mercancia(mercancia)
            key = (mercancia.NoIdentificacion, mercancia.FraccionArancelaria)
            self.by_fraction.setdefault(key, []).append(mercancia)
            self.valued = self.valued or not missing(mercancia)

    def head(self, mercancia: Mercancia) -> ComercioExterior:
        """Return the complement of a Mercancia."""
        return self._heads[mercancia.complement]

    def numbered(self, number: str | None) -> Numbered:
        """Return the Conceptos and Mercancias of a NoIdentificacion."""
        return self._numbered.setdefault(number, Numbered())

    def of(self, mercancia: Mercancia) -> Numbered:
        """Return the Conceptos and Mercancias with the NoIdentificacion of a Mercancia."""
        return self._numbered[mercancia.NoIdentificacion]


def missing(mercancia: Mercancia) -> list[str]:
    """Return the names of the customs attributes that a Mercancia does not have."""
    names = ("CantidadAduana", "UnidadAduana", "ValorUnitarioAduana")
    return [name for name in names if getattr(mercancia, name) is None]


def _summed(amounts: Iterable[tuple[str, Decimal]]) -> Factor:
    """Return the sum of amounts, with the largest number of decimals that one of them has."""
    total, most = ZERO, 0
    for text, value in amounts:
        total += value
        most = max(most, written_decimals(text))
    return Factor(f"0.{'0' * most}" if most else "0", total)


def value_limits(ctx: EvaluationContext, mercancia: Mercancia) -> tuple[AmountLimits, ...]:
    """Return the limits of the sum of Importe of the Conceptos of a Mercancia in dollars.

    Returns:
        The accepted limits; empty without a Concepto or without an exchange rate.
    """
    numbered = ctx.memoize(Goods).of(mercancia)
    return _limits(ctx, mercancia, numbered.importe()) if numbered.conceptos else ()


def discount_limits(ctx: EvaluationContext, mercancia: Mercancia) -> tuple[AmountLimits, ...]:
    """As `value_limits`, for the sum of Descuento."""
    numbered = ctx.memoize(Goods).of(mercancia)
    return _limits(ctx, mercancia, numbered.descuento()) if numbered.conceptos else ()


def _limits(ctx: EvaluationContext, mercancia: Mercancia, amount: Factor) -> tuple[AmountLimits, ...]:
    """Return the limits of an amount in dollars; an amount invoiced in dollars may also be used without conversion.

    The document and the complement each state an exchange rate of the dollar; documents whose rates differ are stamped.
    """
    comprobante, text = ctx.comprobante, ctx.memoize(Goods).head(mercancia).TipoCambioUSD
    own = Factor(comprobante.TipoCambio or "", factor(comprobante.TipoCambio))
    if comprobante.Moneda == PESO:
        own = Factor(comprobante.TipoCambio or "1", ONE.value)
    limits = converted(amount, own, factor(text))
    if limits is None:
        return ()
    return (limits, *_unconverted(amount)) if comprobante.Moneda == DOLLAR else (limits,)


def _unconverted(amount: Factor) -> tuple[AmountLimits]:
    return (AmountLimits(truncate(amount.value - amount.half, DECIMALS), round_up(_top(amount), DECIMALS)),)


def converted(amount: Factor, rate: Factor, dollar: Decimal) -> AmountLimits | None:
    """Return the limits of an amount in dollars, None without exchange rates.

    Args:
        amount: amount in its currency.
        rate: pesos per unit of its currency.
        dollar: pesos per dollar.
    """
    lowest, highest = dollar - rate.half, dollar + rate.half - EPSILON
    if lowest <= 0 or rate.value <= rate.half:
        return None
    if not amount.value:
        return AmountLimits(ZERO, ZERO)
    lower = (amount.value - amount.half) * (rate.value - rate.half) / highest
    return AmountLimits(truncate(lower, DECIMALS), round_up(_top(amount) * _top(rate) / lowest, DECIMALS))


def _top(number: Factor) -> Decimal:
    return number.value + number.half - EPSILON
