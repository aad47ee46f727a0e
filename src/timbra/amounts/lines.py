"""The amounts of one Concepto, from its quantity, price, discount and taxes.

Amounts are rounded half up. Those of a price that includes taxes are searched: the Base whose rounded taxes add up to
the price, or else a tax that differs by one unit where the SAT's limits allow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from types import MappingProxyType

from timbra.core.money import UNITS, half_up
from timbra.rules.shared.amounts import Factor, tax_holds

MAX_DECIMALS = 6
"""Decimals that the schema allows in the amounts of a Concepto."""
IVA, IEPS = "002", "003"
CUOTA = "Cuota"
ZERO = Decimal(0)
STEPS = (0, 1, -1, 2, -2)
"""Units by which a Base may differ from the one without taxes, in the order of the search."""
MAX_ADJUSTED = 3
"""Taxes of a line whose amounts may differ by one unit."""
_ADJUSTMENTS = tuple(
    sorted(product((0, 1, -1), repeat=count), key=lambda signs: len(signs) - signs.count(0))[1:]
    for count in range(MAX_ADJUSTED + 1)
)
"""Units by which the amounts of taxes differ, by the number of taxes; those of the fewest taxes first."""


@dataclass(frozen=True, slots=True)
class LineTax:
    """A tax of a line, without its amount.

    Attributes:
        rate: TasaOCuota; None for Exento.
        transfer: whether it is a traslado; a retención otherwise.
        base: Base of a quota, in units; None for the quantity, and for a rate, whose Base is computed.
        in_iva_base: whether this IEPS is part of the base of the IVA.
    """

    impuesto: str
    factor: str
    rate: Decimal | None
    transfer: bool
    base: Factor | None = None
    in_iva_base: bool = True

    @property
    def is_ieps(self) -> bool:
        """Whether it is IEPS that is transferred, which may be part of the base of the IVA."""
        return self.transfer and self.impuesto == IEPS

    def units(self, quantity: Factor) -> Factor | None:
        """Return the Base that does not depend on the price, that of a quota; None for a rate."""
        if self.factor != CUOTA:
            return None
        return quantity if self.base is None else self.base


@dataclass(frozen=True, slots=True)
class Line:
    """A Concepto, without its amounts.

    Attributes:
        price: ValorUnitario; with the transferred taxes when the prices include them.
        discount: Descuento of the line, stated as the price is; None without one.
    """

    quantity: Factor
    price: Decimal
    discount: Decimal | None
    taxes: tuple[LineTax, ...]


@dataclass(frozen=True, slots=True)
class TaxAmounts:
    """A tax with its amounts as written."""

    tax: LineTax
    base: str
    importe: str | None

    @property
    def amount(self) -> Decimal:
        """Importe; 0 for Exento."""
        return ZERO if self.importe is None else Decimal(self.importe)


@dataclass(frozen=True, slots=True)
class LineAmounts:
    """The amounts of a Concepto as written.

    Attributes:
        wished: the price of the line with its transferred taxes; None when prices do not include them.
    """

    valor_unitario: str
    importe: str
    descuento: str | None
    taxes: tuple[TaxAmounts, ...]
    wished: Decimal | None = None

    @property
    def total(self) -> Decimal:
        """Importe less Descuento plus transferred taxes."""
        return Decimal(self.importe) - Decimal(self.descuento or 0) + _transferred(self.taxes)

    @property
    def difference(self) -> Decimal:
        """What the price wished for exceeds the total by; 0 when prices do not include taxes."""
        return ZERO if self.wished is None else self.wished - self.total


def amounts_of(line: Line, decimals: int, currency_decimals: int) -> LineAmounts:
    """Compute the amounts of a line whose price does not include taxes.

    Args:
        decimals: decimals of the amounts; a line whose Base would be zero gets more.
        currency_decimals: decimals of the currency.
    """
    price = written(line.price, currency_decimals)
    exact = line.quantity.value * line.price
    for places in range(decimals, MAX_DECIMALS + 1):
        importe = half_up(exact, places)
        discount = None if line.discount is None else half_up(line.discount, places)
        base = importe - (discount or ZERO)
        if base > ZERO or not line.taxes:
            break
    taxes = taxed(line, base, places)
    return LineAmounts(price, f"{importe:f}", None if discount is None else f"{discount:f}", taxes)


def amounts_within(line: Line, decimals: int, currency_decimals: int) -> LineAmounts | None:
    """Compute the amounts of a line whose price includes its transferred taxes.

    Args:
        decimals: decimals of the amounts; more are tried when the line cannot add up to its price with them.
        currency_decimals: decimals of the currency, and of the price of the line.

    Returns:
        The amounts whose total is the price, or the nearest ones; None when quotas exceed the price.
    """
    growth, fixed = _linear(line)
    discount = line.discount or ZERO
    wished = half_up(line.quantity.value * line.price - discount, currency_decimals)
    net = (wished - fixed) / growth
    if net < ZERO or (line.taxes and not net):
        return None
    best: tuple[Decimal, int, Decimal, tuple[TaxAmounts, ...]] | None = None
    for places in range(decimals, MAX_DECIMALS + 1):
        for base, taxes in _candidates(line, wished, net, places):
            missing = abs(wished - base - _transferred(taxes))
            if best is None or missing < best[0]:
                best = missing, places, base, taxes
            if not missing:
                break
        if best is not None and not best[0]:
            break
    if best is None:
        return None
    _, places, base, taxes = best
    net_discount = None if line.discount is None else half_up(discount / growth, places)
    importe = base + (net_discount or ZERO)
    price = _price(line.quantity.value, importe, places, currency_decimals)
    return LineAmounts(price, f"{importe:f}", None if net_discount is None else f"{net_discount:f}", taxes, wished)


def taxed(
    line: Line, base: Decimal, decimals: int, steps: Mapping[int, Decimal] = MappingProxyType({})
) -> tuple[TaxAmounts, ...]:
    """Return the taxes of a line, rounded half up. The base of IVA is that of the line and the IEPS transferred.

    Args:
        base: Importe less Descuento.
        steps: what is added to amounts, by the place of the tax.
    """
    own = _factor(base, decimals)
    found: dict[int, TaxAmounts] = {}
    with_ieps = base
    for place, tax in sorted(enumerate(line.taxes), key=lambda entry: not entry[1].is_ieps):
        default = _factor(with_ieps, decimals) if tax.impuesto == IVA else own
        of_tax = tax.units(line.quantity) or default
        if tax.rate is None:
            found[place] = TaxAmounts(tax, of_tax.text, None)
            continue
        amount = half_up(of_tax.value * tax.rate, decimals) + steps.get(place, ZERO)
        found[place] = TaxAmounts(tax, of_tax.text, f"{amount:f}")
        with_ieps += amount if tax.is_ieps and tax.in_iva_base else ZERO
    return tuple(found[place] for place in range(len(found)))


def written(value: Decimal, least: int) -> str:
    """Return an amount with the fewest decimals that it needs, and no less than `least`."""
    exponent = value.normalize().as_tuple().exponent
    return f"{value:.{max(least, -exponent if isinstance(exponent, int) else 0)}f}"


def _factor(value: Decimal, decimals: int) -> Factor:
    return Factor(f"{value:.{decimals}f}", value)


def _linear(line: Line) -> tuple[Decimal, Decimal]:
    """Return factor and summand of Base, without rounding, whose result is Base plus transferred taxes."""
    growth = in_base = Decimal(1)
    fixed = fixed_in_base = ZERO
    iva = ZERO
    for tax in line.taxes:
        if not tax.transfer or tax.rate is None:
            continue
        stated = tax.units(line.quantity)
        if stated is not None:
            fixed += stated.value * tax.rate
            fixed_in_base += stated.value * tax.rate if tax.is_ieps and tax.in_iva_base else ZERO
        elif tax.impuesto == IVA:
            iva += tax.rate
        else:
            growth += tax.rate
            in_base += tax.rate if tax.is_ieps and tax.in_iva_base else ZERO
    return growth + iva * in_base, fixed + iva * fixed_in_base


def _candidates(
    line: Line, wished: Decimal, net: Decimal, decimals: int
) -> Iterator[tuple[Decimal, tuple[TaxAmounts, ...]]]:
    """Yield bases with their taxes: first those of rounded taxes, then those of taxes that differ by one unit within
    the SAT's limits and add up to the price.
    """
    unit, nearest = UNITS[decimals], half_up(net, decimals)
    bases = [base for base in (nearest + step * unit for step in STEPS) if base > ZERO or not (line.taxes or base)]
    for base in bases:
        yield base, taxed(line, base, decimals)
    places = [place for place, tax in enumerate(line.taxes) if tax.transfer and tax.rate is not None][:MAX_ADJUSTED]
    for base, signs in product(bases, _ADJUSTMENTS[len(places)]):
        steps = {place: sign * unit for place, sign in zip(places, signs, strict=True) if sign}
        taxes = taxed(line, base, decimals, steps)
        if base + _transferred(taxes) == wished and all(_holds(taxes[place]) for place in steps):
            yield base, taxes


def _holds(amounts: TaxAmounts) -> bool:
    """Whether the amount of a tax with a rate is within the SAT's limits."""
    rate, text = amounts.tax.rate, amounts.importe
    if rate is None or text is None or amounts.amount < ZERO:
        return False
    return tax_holds(Factor(amounts.base, Decimal(amounts.base)), rate, Factor(text, amounts.amount))


def _transferred(taxes: Iterable[TaxAmounts]) -> Decimal:
    return sum((each.amount for each in taxes if each.tax.transfer), ZERO)


def _price(quantity: Decimal, importe: Decimal, decimals: int, currency_decimals: int) -> str:
    """Return ValorUnitario with the fewest decimals whose product is Importe, or with six.

    Importe divided by the quantity rounds to every such price, so that Importe is within the limits of the product.
    """
    exact = importe / quantity
    for places in range(currency_decimals, MAX_DECIMALS):
        price = half_up(exact, places)
        if half_up(price * quantity, decimals) == importe:
            return f"{price:f}"
    return f"{half_up(exact, MAX_DECIMALS):f}"
