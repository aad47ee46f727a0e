"""Invoices at the limit of arithmetic rules, and invoices one unit of the last decimal beyond it, as strategies.

The limits are computed here from the SAT's formulas, without the code that the rules use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal, localcontext

from hypothesis import strategies as st
from lxml import etree
from tests.support.profiles import evaluating
from tests.support.reference_data import reference_data
from tests.support.rules import nodes

from timbra.examples.conceptos import concepto, tax
from timbra.examples.lists import PublishedRates
from timbra.examples.tree import ExampleNode
from timbra.rules.registry import RULE_SETS, check

RULES = {rule.code: rule for rule_set in RULE_SETS for rule in rule_set.rules}
EPSILON = Decimal("1E-12")
EXACT = Context(prec=60)


@dataclass(frozen=True)
class Boundary:
    """Documents that satisfy a rule at its limit, and documents that violate it by one unit.

    Attributes:
        accepted: documents without findings.
        violating: documents with the findings of the rule and of its inseparable rules only.
        lists: fields of `ReferenceData` that replace those of the rule.
    """

    accepted: tuple[str, ...]
    violating: tuple[str, ...]
    lists: Mapping[str, object] | None = None

    def check(self, code: str) -> None:
        """Assert the findings of all documents.

        Args:
            code: the code of the rule.
        """
        expected = {each.partition(":")[0] for each in (code, *RULES[code].inseparable)}
        assert [self._found(code, text) for text in self.accepted] == [set()] * len(self.accepted)
        assert [self._found(code, text) for text in self.violating] == [expected] * len(self.violating)

    def _found(self, code: str, text: str) -> set[str]:
        rule = RULES[code]
        known = rule.fails_with.apply(reference_data())
        if self.lists is not None:
            known = reference_data(**self.lists)
        return {finding.code for finding in check(nodes(text), known, evaluating(rule)).findings}


Boundaries = st.SearchStrategy[Boundary]


@dataclass(frozen=True)
class Version:
    """Builders of one version of the invoice.

    Attributes:
        build: builder of an invoice; takes changes, `concepts` and `decimals`.
        transfer: builder of a document of type T; takes changes.
        has_bases: whether the rows of Comprobante/Impuestos have Base.
        issued: the years of Fecha for which the in-memory catalogs have keys, with the day of the examples.
    """

    build: Callable[..., str]
    transfer: Callable[..., str]
    has_bases: bool
    issued: Mapping[int, str]


def unit(decimals: int) -> Decimal:
    """Return 10^-decimals."""
    return Decimal(1).scaleb(-decimals)


def decimals_in(text: str) -> int:
    """Count the decimals of a number as written."""
    return len(text.partition(".")[2])


def value_at(text: str, path: str) -> str:
    """Return an attribute of a document; the path has no prefixes."""
    return str(_element(etree.fromstring(text.encode()), path).get(path.rpartition("@")[2]))


def with_values(text: str, values: Mapping[str, str]) -> str:
    """Return the document with attributes replaced, by path."""
    root = etree.fromstring(text.encode())
    for path, value in values.items():
        _element(root, path).set(path.rpartition("@")[2], value)
    return etree.tostring(root, encoding="unicode")


def _element(root: etree._Element, path: str) -> etree._Element:
    steps = path.split("/")[:-1]
    element = root.find("/".join(f"{{*}}{step}" for step in steps)) if steps else root
    assert element is not None, path
    return element


def one_more_decimal(text: str, path: str) -> str:
    """Return the document with a trailing zero appended to an amount."""
    value = value_at(text, path)
    return with_values(text, {path: f"{value}0" if "." in value else f"{value}.0"})


def shifted(text: str, path: str, signs: Mapping[str, int], units: int = 1) -> str:
    """Return the document with amounts shifted by units of the last decimal of the amount at a path.

    Args:
        text: the document.
        path: path of the amount whose last decimal is the unit.
        signs: by path, whether the amount is increased (1) or decreased (-1).
        units: number of units.
    """
    step = unit(decimals_in(value_at(text, path))) * units
    return with_values(text, {each: f"{Decimal(value_at(text, each)) + sign * step:f}" for each, sign in signs.items()})


def numbers(most: int = 10_000, decimals: tuple[int, int] = (0, 6)) -> st.SearchStrategy[str]:
    """Return positive numbers as written, with a number of decimals in the range."""
    return st.integers(*decimals).flatmap(
        lambda places: st.integers(1, most * 10**places).map(lambda units: f"{Decimal(units).scaleb(-places):f}")
    )


CENTS = st.integers(1000, 10**8).map(lambda units: f"{Decimal(units).scaleb(-2):f}")
"""Prices of at least 10.00, so that no sum rounds to 0 in a currency without decimals."""
CURRENCIES = st.sampled_from([({}, 2), ({"@Moneda": "JPY", "@TipoCambio": "0.12"}, 0)])
"""Changes of the document, and the decimals of the currency."""
SMALLEST = st.integers(0, 6).map(lambda places: f"{unit(places):f}")
"""The smallest positive number of each number of decimals."""


def sales(version: Version) -> st.SearchStrategy[str]:
    """Return invoices of one to three Conceptos with IVA at 16 % and ISR withheld at 10 %, in pesos or yen."""

    def build(prices: list[str], currency: tuple[dict[str, str], int]) -> str:
        changes, decimals = currency
        lines = [
            concepto(
                {"@Descuento": "0.01"},
                price=price,
                traslados=[tax(price, "002", "0.160000")],
                retenciones=[tax(price, "001", "0.100000")],
            )
            for price in prices
        ]
        return version.build(changes, concepts=lines, decimals=decimals)

    return st.builds(build, st.lists(CENTS, min_size=1, max_size=3), CURRENCIES)


def has_decimals(version: Version, path: str) -> Boundaries:
    """The amount has the decimals of the currency; one more violates the rule."""
    return sales(version).map(lambda text: Boundary((text,), (one_more_decimal(text, path),)))


def equals_sum(version: Version, path: str, **dependent: int) -> Boundaries:
    """The amount is a sum; one unit more or less violates the rule.

    Args:
        version: the version of the invoice.
        path: path of the amount.
        dependent: totals that depend on the amount, each with 1 or -1: `Total`, `TotalImpuestosRetenidos`,
            `TotalImpuestosTrasladados`.
    """
    places = {"Total": "@Total"}
    signs = {path: 1, **{places.get(name, f"Impuestos/@{name}"): sign for name, sign in dependent.items()}}
    return sales(version).map(
        lambda text: Boundary((text,), tuple(shifted(text, path, signs, units) for units in (1, -1)))
    )


def rounds_to_sum(version: Version, path: str, **dependent: int) -> Boundaries:
    """The amount rounds to a sum: from half a unit below it to less than half a unit above it.

    Args:
        version: the version of the invoice.
        path: path of the amount.
        dependent: as in `equals_sum`; a violating amount, with one more decimal, shifts them by one unit.
    """
    signs = {("@Total" if name == "Total" else f"Impuestos/@{name}"): sign for name, sign in dependent.items()}

    def boundary(text: str) -> Boundary:
        value = Decimal(value_at(text, path))
        tenth = unit(decimals_in(value_at(text, path)) + 1)
        accepted = [with_values(text, {path: f"{value + tenths * tenth:f}"}) for tenths in (4, -5)]
        violating = [
            with_values(shifted(text, path, signs, units), {path: f"{value + tenths * tenth:f}"})
            for units, tenths in ((1, 5), (-1, -6))
        ]
        return Boundary(tuple(accepted), tuple(violating))

    return sales(version).map(boundary)


def exempt_base(version: Version) -> Boundaries:
    """Base of the exempt row is the sum of the bases."""

    def boundary(price: str) -> Boundary:
        text = version.build(concepts=[concepto(price=price, traslados=[tax(price, "002", None)])])
        path = "Impuestos/Traslados/Traslado/@Base"
        return Boundary((text,), tuple(shifted(text, path, {path: 1}, units) for units in (1, -1)))

    return CENTS.map(boundary)


def subtotal_is_zero(version: Version) -> Boundaries:
    """SubTotal of type T is 0 in a currency without decimals."""
    return st.just(Boundary((version.transfer(),), (version.transfer({"@SubTotal": "1"}),)))


def discount_of_document(version: Version) -> Boundaries:
    """Descuento equals SubTotal, or exceeds it by one unit."""

    def sale(price: str, discount: Decimal) -> str:
        line = concepto({"@Descuento": f"{discount:f}"}, price=price, traslados=[tax(price, "002", "0.160000")])
        return version.build(concepts=[line])

    def boundary(price: str) -> Boundary:
        return Boundary((sale(price, Decimal(price)),), (sale(price, Decimal(price) + unit(2)),))

    return CENTS.map(boundary)


def discount_of_concepto(version: Version) -> Boundaries:
    """Descuento equals Importe of its Concepto, or exceeds it by one unit; another Concepto has no discount."""

    def sale(price: str, discount: Decimal) -> str:
        return version.build(concepts=[concepto({"@Descuento": f"{discount:f}"}, price=price), concepto()])

    def boundary(price: str) -> Boundary:
        return Boundary((sale(price, Decimal(price)),), (sale(price, Decimal(price) + unit(decimals_in(price))),))

    return numbers(10**6).filter(lambda price: Decimal(price) >= Decimal("0.01")).map(boundary)


def discount_decimals(version: Version) -> Boundaries:
    """Descuento has the decimals of Importe, or one more."""

    def boundary(price: str) -> Boundary:
        text = version.build(concepts=[concepto({"@Descuento": price}, price=price), concepto()])
        return Boundary((text,), (one_more_decimal(text, "Conceptos/Concepto/@Descuento"),))

    return numbers(10**6).filter(lambda price: Decimal(price) >= Decimal("0.01")).map(boundary)


def price_is_positive(version: Version) -> Boundaries:
    """ValorUnitario is the smallest positive number, or 0."""

    def sale(price: Decimal) -> str:
        return version.build(concepts=[concepto(price=f"{price:f}", traslados=[])])

    return SMALLEST.map(lambda price: Boundary((sale(Decimal(price)),), (sale(Decimal(price) * 0),)))


def part_price_is_positive(version: Version) -> Boundaries:
    """ValorUnitario of a Parte is the smallest positive number, or 0."""

    def sale(price: Decimal) -> str:
        part = {"ClaveProdServ": "84111506", "Cantidad": "1", "Descripcion": "Pieza", "ValorUnitario": f"{price:f}"}
        return version.build({"Conceptos/Concepto/Parte": ExampleNode("cfdi:Parte", part)})

    return SMALLEST.map(lambda price: Boundary((sale(Decimal(price)),), (sale(Decimal(price) * 0),)))


def product(version: Version, *, part: bool) -> Boundaries:
    """Importe is at the limits of Cantidad by ValorUnitario, or one unit outside.

    Args:
        version: the version of the invoice.
        part: whether the amounts are those of a Parte.
    """

    def sale(quantity: str, price: str, amount: Decimal) -> str:
        amounts = {"Cantidad": quantity, "ValorUnitario": price, "Importe": f"{amount:f}"}
        if part:
            node = ExampleNode("cfdi:Parte", {"ClaveProdServ": "84111506", "Descripcion": "Pieza", **amounts})
            return version.build({"Conceptos/Concepto/Parte": node})
        changes = {f"@{name}": value for name, value in amounts.items()}
        return version.build(concepts=[concepto(changes, traslados=[])])

    def boundary(quantity: str, price: str, decimals: int) -> Boundary:
        halves = unit(decimals_in(quantity)) / 2, unit(decimals_in(price)) / 2
        with localcontext(EXACT):
            low = (Decimal(quantity) - halves[0]) * (Decimal(price) - halves[1])
            high = (Decimal(quantity) + halves[0] - EPSILON) * (Decimal(price) + halves[1] - EPSILON)
        return _within(low, high, decimals, lambda amount: sale(quantity, price, amount))

    return st.builds(boundary, numbers(), numbers(), st.integers(0, 6))


def _within(low: Decimal, high: Decimal, decimals: int, sale: Callable[[Decimal], str]) -> Boundary:
    """Return the boundary of an amount between a truncated lower limit and an upper limit rounded up."""
    step = unit(decimals)
    lower, upper = low.quantize(step, ROUND_DOWN, EXACT), high.quantize(step, ROUND_UP, EXACT)
    below = (sale(lower - step),) if lower >= step else ()
    return Boundary((sale(lower), sale(upper)), (*below, sale(upper + step)))


TRANSFERRED = st.sampled_from([("002", "0.160000"), ("002", "0.000000"), ("003", "0.080000")])
WITHHELD = st.sampled_from([("001", "0.100000"), ("001", "0.350000"), ("002", "0.106667"), ("003", "0.080000")])


def _taxed(version: Version, row: Mapping[str, str], *, withheld: bool) -> str:
    iva = tax("200.00", "002", "0.160000")
    traslados, retenciones = ([iva], [dict(row)]) if withheld else ([dict(row)], [])
    return version.build(concepts=[concepto(traslados=traslados, retenciones=retenciones)])


def tax_amount(version: Version, *, withheld: bool) -> Boundaries:
    """Importe of a tax is at the limits of Base by TasaOCuota, or one unit outside.

    Args:
        version: the version of the invoice.
        withheld: whether the tax is a retención.
    """

    def boundary(base: str, kind: tuple[str, str], decimals: int) -> Boundary:
        impuesto, rate = kind
        half = unit(decimals_in(base)) / 2
        with localcontext(EXACT):
            low, high = (Decimal(base) - half) * Decimal(rate), (Decimal(base) + half - EPSILON) * Decimal(rate)

        def sale(amount: Decimal) -> str:
            row = {"Base": base, "Impuesto": impuesto, "TipoFactor": "Tasa", "TasaOCuota": rate}
            return _taxed(version, {**row, "Importe": f"{amount:f}"}, withheld=withheld)

        return _within(low, high, decimals, sale)

    return st.builds(boundary, numbers(), WITHHELD if withheld else TRANSFERRED, st.integers(0, 6))


def tax_base(version: Version, *, withheld: bool) -> Boundaries:
    """Base of a tax is the smallest positive number, or 0."""

    def sale(base: Decimal) -> str:
        row = tax("1.00", "001" if withheld else "002", "0.100000" if withheld else "0.160000")
        return _taxed(version, {**row, "Base": f"{base:f}", "Importe": f"{base * 0:f}"}, withheld=withheld)

    return SMALLEST.map(lambda base: Boundary((sale(Decimal(base)),), (sale(Decimal(base) * 0),)))


def withheld_rate(version: Version) -> Boundaries:
    """TasaOCuota of a retención is at the ends of its range, or one unit above."""

    def sale(impuesto: str, rate: Decimal) -> str:
        return _taxed(version, tax("200.00", impuesto, f"{rate:f}"), withheld=True)

    def boundary(kind: tuple[str, str]) -> Boundary:
        impuesto, most = kind[0], Decimal(kind[1])
        return Boundary((sale(impuesto, most), sale(impuesto, most * 0)), (sale(impuesto, most + unit(6)),))

    return st.sampled_from([("001", "0.350000"), ("002", "0.160000")]).map(boundary)


def transferred_rate(version: Version) -> Boundaries:
    """TasaOCuota of a traslado is a fixed rate, or one unit more or less."""

    def sale(impuesto: str, rate: Decimal) -> str:
        return _taxed(version, tax("200.00", impuesto, f"{rate:f}"), withheld=False)

    def boundary(kind: tuple[str, str]) -> Boundary:
        impuesto, rate = kind[0], Decimal(kind[1])
        beyond = [rate + unit(6), rate - unit(6)] if rate else [unit(6)]
        return Boundary((sale(impuesto, rate),), tuple(sale(impuesto, each) for each in beyond))

    return TRANSFERRED.map(boundary)


def transferred_rate_of_total(version: Version) -> Boundaries:
    """TasaOCuota of a row of Comprobante/Impuestos without Conceptos is a fixed rate, or one unit more or less."""

    def sale(impuesto: str, rate: Decimal) -> str:
        row = {"Impuesto": impuesto, "TipoFactor": "Tasa", "TasaOCuota": f"{rate:f}", "Importe": "0.00"}
        bases = {"Base": "0.00"} if version.has_bases else {}
        return version.build({"Impuestos/Traslados/Traslado[2]": ExampleNode("cfdi:Traslado", {**bases, **row})})

    def boundary(kind: tuple[str, str]) -> Boundary:
        impuesto, rate = kind[0], Decimal(kind[1])
        beyond = [rate + unit(6), rate - unit(6)] if rate else [unit(6)]
        return Boundary((sale(impuesto, rate),), tuple(sale(impuesto, each) for each in beyond))

    return st.sampled_from([("002", "0.000000"), ("003", "0.080000")]).map(boundary)


def year_of_pedimento(version: Version, *, part: bool) -> Boundaries:
    """The year of NumeroPedimento is that of the document or ten years before it, or one year outside."""
    holder = "Conceptos/Concepto/Parte" if part else "Conceptos/Concepto"

    def boundary(year: int) -> Boundary:
        def sale(of: int) -> str:
            node = ExampleNode("cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza"})
            changes = {"Conceptos/Concepto/Parte": node} if part else {}
            number = {f"{holder}/InformacionAduanera/@NumeroPedimento": f"{of % 100:02}  48  3009  0001234"}
            return version.build({**changes, **number}, fecha=version.issued[year])

        return Boundary((sale(year), sale(year - 10)), (sale(year + 1), sale(year - 11)))

    return st.sampled_from(sorted(version.issued)).map(boundary)


def _dollars(version: Version, rate: Decimal | str, **attributes: str) -> str:
    text = rate if isinstance(rate, str) else f"{rate:f}"
    more = {f"@{name}": value for name, value in attributes.items()}
    return version.build({"@Moneda": "USD", "@TipoCambio": text, **more})


def _published() -> st.SearchStrategy[Decimal]:
    return st.integers(10**4, 10**6).map(lambda units: Decimal(units).scaleb(-4))


def rate_limits(version: Version) -> Boundaries:
    """TipoCambio is 5 % below or above the published rate, or one unit outside."""

    def boundary(published: Decimal) -> Boundary:
        low, high = published * Decimal("0.95"), published * Decimal("1.05")
        accepted = _dollars(version, low), _dollars(version, high)
        violating = _dollars(version, low - unit(6)), _dollars(version, high + unit(6))
        return Boundary(accepted, violating, {"exchange_rates": PublishedRates({"USD": published})})

    return _published().map(boundary)


def confirmation_limits(version: Version) -> Boundaries:
    """Confirmacion is for a TipoCambio one unit outside the limits, and not for one at the limits."""

    def boundary(published: Decimal) -> Boundary:
        low, high = published * Decimal("0.95"), published * Decimal("1.05")
        outside = [_dollars(version, rate, Confirmacion="ABCDE") for rate in (low - unit(6), high + unit(6))]
        inside = [_dollars(version, rate, Confirmacion="ABCDE") for rate in (low, high)]
        return Boundary(tuple(outside), tuple(inside), {"exchange_rates": PublishedRates({"USD": published})})

    return _published().map(boundary)


def maximum(version: Version) -> Boundaries:
    """Total is the last amount below the maximum of c_TipoDeComprobante, or one unit more."""

    def sale(price: str) -> str:
        return version.build(concepts=[concepto(price=price, traslados=[])])

    return st.just(Boundary((sale("999999999999999999.99"),), (sale("1000000000000000000.00"),)))


def form_of_rate(version: Version, *, positive: bool) -> Boundaries:
    """TipoCambio has 18 digits and 6 decimals, or one more of either.

    Args:
        version: the version of the invoice.
        positive: whether 0 violates the rule too.
    """

    def boundary(digits: str, decimals: str) -> Boundary:
        accepted = _dollars(version, f"{digits}.{decimals}")
        violating = [f"{digits}0.{decimals}", f"{digits}.{decimals}0", *(["0.000000"] if positive else [])]
        smallest = _dollars(version, "0.000001")
        return Boundary((accepted, smallest), tuple(_dollars(version, rate) for rate in violating))

    return st.builds(
        boundary, st.from_regex(r"[1-9][0-9]{17}", fullmatch=True), st.from_regex("[0-9]{6}", fullmatch=True)
    )


def rate_of_pesos(version: Version) -> Boundaries:
    """TipoCambio of MXN is 1, or one unit more or less."""
    documents = [version.build({"@TipoCambio": rate}) for rate in ("1", "1.000001", "0.999999")]
    return st.just(Boundary(tuple(documents[:1]), tuple(documents[1:])))
