"""Predicates of rules that are rows of a table: each function returns a predicate for the argument `check` of `row`.

Attributes are named as the SAT writes them. An attribute that is absent satisfies every predicate but `equals`; that
it must be present is a rule of its own, or the schema's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Literal

from lxml import etree

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.cfdi.nodes.base import elements
from timbra.cfdi.nodes.complement import MisplacedComplement
from timbra.core.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.ports import RatePort
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.engine.shortcuts import determined_by
from timbra.rules.shared.conditions import absent, decimals_of, key_of

_USES = {"transfer": "trasladar", "withholding": "retener"}
_COLUMNS = {"transfer": "traslado", "withholding": "retencion"}


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

    return check


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
