"""Transferred and withheld taxes of Conceptos."""

from __future__ import annotations

from collections.abc import Sequence

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.impuestos import Impuesto, Retencion, Traslado
from timbra.rules.engine.bound_rules import Predicate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.shortcuts import determined_by, selects
from timbra.rules.shared.amounts import Factor, is_below_unit, is_near, tax_holds, tax_limits
from timbra.rules.shared.conditions import key_of

EXENTO = "Exento"
TAXED = ("Tasa", "Cuota")


def _exempt(traslados: Sequence[Traslado], _ctx: EvaluationContext) -> Sequence[Traslado]:
    return [traslado for traslado in traslados if traslado.TipoFactor == EXENTO]


@selects(_exempt)
def is_exempt(traslado: Traslado, _ctx: EvaluationContext) -> bool:
    return traslado.TipoFactor == EXENTO


def _taxed(traslados: Sequence[Traslado], _ctx: EvaluationContext) -> Sequence[Traslado]:
    return [traslado for traslado in traslados if traslado.TipoFactor in TAXED]


@selects(_taxed)
def is_taxed(traslado: Traslado, _ctx: EvaluationContext) -> bool:
    """Whether TipoFactor is Tasa or Cuota."""
    return traslado.TipoFactor in TAXED


def _with_rate(traslados: Sequence[Traslado], _ctx: EvaluationContext) -> Sequence[Traslado]:
    return [traslado for traslado in traslados if traslado.TasaOCuota is not None]


@selects(_with_rate)
def has_rate(traslado: Traslado, _ctx: EvaluationContext) -> bool:
    """Whether the traslado has TasaOCuota."""
    return traslado.TasaOCuota is not None


def _without_base(taxes: Sequence[Impuesto], _ctx: EvaluationContext) -> Sequence[Impuesto]:
    return [tax for tax in taxes if tax.base <= ZERO]


@selects(_without_base)
def base_is_positive(tax: Impuesto, _ctx: EvaluationContext) -> RuleResult:
    """Base is greater than zero."""
    return None if tax.base > ZERO else Violation(found=tax.Base, expected="una base mayor que cero")


def is_tax_for_use(column: str, verb: str) -> Predicate:
    """Impuesto is a key of c_Impuesto that has this use.

    Args:
        column: column of c_Impuesto for the use: `traslado` or `retencion`.
        verb: Spanish verb for the use.
    """

    @determined_by("Impuesto")
    def is_tax_for_use(tax: Impuesto, ctx: EvaluationContext) -> RuleResult:
        row = ctx.row("c_Impuesto", tax.Impuesto)
        if row is None:
            return key_of(ctx, "c_Impuesto", tax.Impuesto)
        return None if row[column] else Violation(found=tax.Impuesto, expected=f"un impuesto que se pueda {verb}")

    return is_tax_for_use


def _with_other_amount(taxes: Sequence[Impuesto], ctx: EvaluationContext) -> Sequence[Impuesto]:
    found = []
    for tax in taxes:
        amount, rate = tax.Importe, tax.TasaOCuota
        if amount is not None and rate is not None:
            difference = tax.base * ctx.rate(rate) - tax.importe
            if difference and not is_below_unit(difference, amount):
                found.append(tax)
    return [tax for tax in found if amount_equals_base_times_rate(tax, ctx) is not None]


@selects(_with_other_amount)
def amount_equals_base_times_rate(tax: Impuesto, ctx: EvaluationContext) -> RuleResult:
    """Importe is within the limits of Base times TasaOCuota; passes when TasaOCuota or Importe are absent."""
    if tax.Importe is None or tax.TasaOCuota is None:
        return None
    rate = ctx.rate(tax.TasaOCuota)
    if is_near(tax.base * rate, tax.importe, tax.Importe):
        return None
    base, amount = Factor(tax.Base, tax.base), Factor(tax.Importe, tax.importe)
    if tax_holds(base, rate, amount):
        return None
    limits = tax_limits(base, rate, amount.decimals)
    return Violation(found=tax.Importe, expected=f"{limits}, de {tax.Base} por {tax.TasaOCuota}")


def _with_rate_or_amount(traslados: Sequence[Traslado], _ctx: EvaluationContext) -> Sequence[Traslado]:
    return [tax for tax in traslados if tax.TasaOCuota is not None or tax.Importe is not None]


@selects(_with_rate_or_amount)
def has_no_rate_nor_amount(traslado: Traslado, _ctx: EvaluationContext) -> RuleResult:
    """TasaOCuota and Importe are absent."""
    if traslado.TasaOCuota is None and traslado.Importe is None:
        return None
    found = ", ".join(name for name in ("TasaOCuota", "Importe") if getattr(traslado, name) is not None)
    return Violation(found=f"Exento con {found}", expected="que TasaOCuota e Importe no existan")


def _without_rate_or_amount(traslados: Sequence[Traslado], _ctx: EvaluationContext) -> Sequence[Traslado]:
    return [tax for tax in traslados if tax.TasaOCuota is None or tax.Importe is None]


@selects(_without_rate_or_amount)
def has_rate_and_amount(traslado: Traslado, _ctx: EvaluationContext) -> RuleResult:
    """TasaOCuota and Importe are present."""
    if traslado.TasaOCuota is not None and traslado.Importe is not None:
        return None
    missing = " e ".join(name for name in ("TasaOCuota", "Importe") if getattr(traslado, name) is None)
    return Violation(found=f"{traslado.TipoFactor} sin {missing}", expected="TasaOCuota e Importe")


def is_not_exempt(retencion: Retencion, _ctx: EvaluationContext) -> RuleResult:
    """TipoFactor of a retención is not Exento."""
    return Violation(found=EXENTO, expected="Tasa o Cuota") if retencion.TipoFactor == EXENTO else None
