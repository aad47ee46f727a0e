"""Predicates of rules that are rows of a table: each function returns a predicate for the argument `check` of `row`.

Attributes are named as the SAT writes them. An attribute that is absent satisfies every predicate but `equals`; that
it must be present is a rule of its own, or the schema's. Conditions (`applies`) and texts of findings precede them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final, Literal

from lxml import etree

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.cfdi.nodes.base import elements
from timbra.cfdi.nodes.complement import MisplacedComplement
from timbra.core.money import written_decimals
from timbra.rules.engine.amount_forms import DecimalsOfCurrency, implied_by
from timbra.rules.engine.context import EvaluationContext, Registration
from timbra.rules.engine.ports import RatePort
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.shortcuts import determined_by

PUBLIC: Final = "PUBLICO EN GENERAL"
COMERCIO_EXTERIOR: Final = (
    "{http://www.sat.gob.mx/ComercioExterior20}ComercioExterior",
    "{http://www.sat.gob.mx/ComercioExterior11}ComercioExterior",
)
_USES = {"transfer": "trasladar", "withholding": "retener"}
_COLUMNS = {"transfer": "traslado", "withholding": "retencion"}


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


def written(text: str | None, expected: str, why: str) -> RuleResult:
    """Check that the attribute has exactly this text."""
    return None if text == expected else Violation(found=text, expected=f"{expected}, {why}")


def one_concepto(comprobante: Comprobante, why: str) -> RuleResult:
    """Check that there is exactly one Concepto."""
    count = len(comprobante.conceptos)
    return None if count == 1 else Violation(found=f"{count} conceptos", expected=f"uno solo {why}")


def _elements(comprobante: Comprobante) -> list[etree._Element]:
    """Return the elements of all Conceptos, because the nodes lack attributes that are rare in such invoices."""
    root = comprobante.element
    namespace = etree.QName(root).namespace
    return list(root.iterfind(f"{{{namespace}}}Conceptos/{{{namespace}}}Concepto"))


def attribute(concepto: Concepto, ctx: EvaluationContext, name: str) -> str | None:
    """Return an attribute of the Concepto that the nodes do not have."""
    return ctx.memoize(_elements)[concepto.index - 1].get(name)


def children(concepto: Concepto, ctx: EvaluationContext) -> list[str]:
    """Return the local names of the child elements of the Concepto."""
    return [etree.QName(child).localname for child in elements(ctx.memoize(_elements)[concepto.index - 1])]


Predicate = Callable[[Any, EvaluationContext], RuleResult]


def in_catalog(catalog: str, name: str) -> Predicate:
    """The attribute, when present, is a key of the catalog in force on the document's date.

    Args:
        catalog: name of the catalog, with the standard as prefix when it is not one of the invoice: `nomina12:c_Banco`.
        name: name of the attribute.
    """
    read = attrgetter(name)

    @determined_by(name)
    def check(node: Any, ctx: EvaluationContext) -> RuleResult:
        key = read(node)
        return None if key is None else key_of(ctx, catalog, key)

    return check


def is_absent(name: str, why: str) -> Predicate:
    """The attribute is absent.

    Args:
        name: name of the attribute.
        why: Spanish end of the sentence "que no exista ...".
    """
    read = attrgetter(name)
    return lambda node, _ctx: absent(read(node), why)


def equals(name: str, expected: str, why: str) -> Predicate:
    """The attribute has exactly this text.

    Args:
        name: name of the attribute.
        expected: the text.
        why: Spanish reason that follows the expected value.
    """
    read = attrgetter(name)
    return lambda node, _ctx: written(read(node), expected, why)


def raw_is_absent(name: str, why: str) -> Predicate:
    """As `is_absent`, for an attribute of Concepto that its node does not have."""
    return lambda concepto, ctx: absent(attribute(concepto, ctx, name), why)


def raw_equals(name: str, expected: str, why: str) -> Predicate:
    """As `equals`, for an attribute of Concepto that its node does not have."""
    return lambda concepto, ctx: written(attribute(concepto, ctx, name), expected, why)


def is_registered(name: str) -> Predicate:
    """The RFC, when present, is in l_RFC and not cancelled. The rule needs the list of taxpayers."""
    read = attrgetter(name)

    def check(node: Any, ctx: EvaluationContext) -> RuleResult:
        rfc = read(node)
        if rfc is None or ctx.taxpayer(rfc) is not None:
            return None
        expected = "un RFC inscrito y no cancelado (l_RFC)"
        return Violation(found=rfc, expected=expected, hint=ctx.reference_data.registry_hint)

    return check


def has_decimals_of_currency(name: str, currency: str | None = None) -> Predicate:
    """The amount, when present, has no more decimals than its currency.

    Args:
        name: name of the attribute with the amount.
        currency: name of the attribute with the key of c_Moneda; None for Moneda of the document.
    """
    read, read_currency = attrgetter(name), None if currency is None else attrgetter(currency)

    def check(node: Any, ctx: EvaluationContext) -> RuleResult:
        text = read(node)
        if text is None or (read_currency is None and written_decimals(text) <= (ctx.decimals or 0)):
            return None
        return decimals_of(ctx, text, None if read_currency is None else read_currency(node))

    return implied_by(DecimalsOfCurrency(name))(check)


def has_rate(use: Use, *, every_tax: bool = False) -> Predicate:
    """The rate or quota of a tax row is in c_TasaOCuota.

    Args:
        use: transfer or withholding.
        every_tax: as `timbra.rules.shared.rates.rate_of`.
    """

    @determined_by("row")
    def check(node: Any, ctx: EvaluationContext) -> RuleResult:
        return rate_of(ctx, node.row, use, every_tax=every_tax)

    return check


Use = Literal["transfer", "withholding"]


def rate_of(
    ctx: EvaluationContext, row: tuple[str, str, str | None], use: Use, *, every_tax: bool = False
) -> RuleResult:
    """Check that a rate may be used; passes without a rate and for a factor that has none.

    A tax whose rows all begin later than the document (the IEPS quota changes every January) is indeterminate.

    Args:
        row: Impuesto, TipoFactor and TasaOCuota.
        use: transfer or withholding.
        every_tax: False skips a tax that c_Impuesto does not allow for this use, because another code reports it; True
            checks it too.
    """
    tax, factor, text = row
    if text is None or factor not in ("Tasa", "Cuota") or not _is_checked(ctx, tax, use, every_tax):
        return None
    rows = _for(ctx.rates(tax, factor), use)
    value = ctx.rate(text)
    if any(each.allows(value) for each in rows):
        return None
    if not rows and _for(ctx.rates(tax, factor, ever=True), use):
        return Indeterminate(f"c_TasaOCuota de {tax} {factor} en {ctx.on}")
    allowed = ", ".join(_interval(each) for each in rows) or "ninguna"
    return Violation(found=f"{tax} {factor} {text}", expected=f"una tasa o cuota que se pueda {_USES[use]}: {allowed}")


def _is_checked(ctx: EvaluationContext, tax: str, use: Use, every_tax: bool) -> bool:
    row = ctx.row("c_Impuesto", tax)
    return row is not None and (every_tax or bool(row[_COLUMNS[use]]))


def _for(rates: Sequence[RatePort], use: Use) -> list[RatePort]:
    return [rate for rate in rates if (rate.transfer if use == "transfer" else rate.withholding)]


def _interval(rate: RatePort) -> str:
    return f"{rate.minimum:f}" if rate.minimum == rate.maximum else f"de {rate.minimum:f} a {rate.maximum:f}"


def is_in_comprobante_complemento(complement: MisplacedComplement, _ctx: EvaluationContext) -> RuleResult:
    """Report the complement; rules on the content of its Conceptos may be violated too."""
    return Violation(found=complement.TAG.partition("}")[2], expected="el complemento en Comprobante/Complemento")
