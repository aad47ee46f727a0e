"""Predicates of rules that are rows of a table: each function returns a predicate for the argument `check` of `row`.

Attributes are named as the SAT writes them. An attribute that is absent satisfies every predicate but `equals`; that
it must be present is a rule of its own, or the schema's.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from timbra.core.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.shortcuts import determined_by
from timbra.rules.shared.conditions import absent, decimals_of, key_of
from timbra.rules.shared.invoice.fixed import attribute, written
from timbra.rules.shared.rates import Use, rate_of

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
