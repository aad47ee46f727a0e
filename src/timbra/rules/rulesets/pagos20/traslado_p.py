"""Traslados of a payment: CRP20266 to CRP20274, keys of TipoFactorP."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import TrasladoP
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.pagos20.impuesto_p import any_total, is_sum
from timbra.rules.rulesets.pagos20.sums import IVA, Payments
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.rates import rate_of

AT = TrasladoP.PATH
BASES = tuple(f"TotalTrasladosBaseIVA{rate}" for rate in ("16", "8", "0", "Exento"))
AMOUNTS = tuple(f"TotalTrasladosImpuestoIVA{rate}" for rate in ("16", "8", "0"))


def is_exempt(traslado: TrasladoP, _ctx: EvaluationContext) -> bool:
    return traslado.TipoFactorP == EXENTO


def is_taxed(traslado: TrasladoP, _ctx: EvaluationContext) -> bool:
    return traslado.TipoFactorP != EXENTO


@rule("CRP20266", at=AT)
def exempt_payments_sum_only_bases(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    """When all traslados of the documents are exempt: BaseP, ImpuestoP and TipoFactorP."""
    extra = [name for name in ("TasaOCuotaP", "ImporteP") if getattr(traslado, name) is not None]
    if not extra or not ctx.memoize(Payments).sums(traslado).all_exempt:
        return None
    expected = "solo BaseP, ImpuestoP y TipoFactorP: todos los traslados de los documentos son Exento"
    return Violation(found=", ".join(extra), expected=expected)


@rule("CRP20267", at=f"{AT}/@BaseP", inseparable=("CRP20204",))
def base_of_iva_has_a_total(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    """At another rate than 16 %, CRP20206, CRP20208 or CRP20210 breaks in place of CRP20204."""
    return any_total(traslado, ctx, BASES) if traslado.ImpuestoP == IVA else None


@rule("CRP20268", at=f"{AT}/@BaseP", applies=is_taxed)
def base_is_the_sum_of_documents(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    return is_sum(traslado.BaseP, traslado.base, ctx.memoize(Payments).sums(traslado).traslado(traslado.row).base)


@rule("CRP20269", at=f"{AT}/@BaseP", applies=is_exempt)
def exempt_base_is_the_sum_of_documents(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    total = ctx.memoize(Payments).sums(traslado).exempt_base(traslado.ImpuestoP)
    return is_sum(traslado.BaseP, traslado.base, total)


@rule("CRP20270", at=f"{AT}/@ImpuestoP")
def transferred_tax_is_a_key(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Impuesto", traslado.ImpuestoP)


@rule("CRP20271", at=f"{AT}/@ImpuestoP")
def transferred_tax_appears_once(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    if ctx.memoize(Payments).sums(traslado).is_first(traslado):
        return None
    found = " ".join(part for part in traslado.row if part is not None)
    return Violation(found=found, expected="un solo TrasladoP por ImpuestoP, TipoFactorP y TasaOCuotaP en el pago")


@rule("CRP20999:TipoFactorP", at=f"{AT}/@TipoFactorP")
def transferred_factor_is_a_key(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoFactor", traslado.TipoFactorP)


@rule("CRP20272", at=f"{AT}/@TasaOCuotaP")
def transferred_rate_is_in_its_catalog(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    return rate_of(ctx, traslado.row, "transfer", every_tax=True)


@rule("CRP20273", at=f"{AT}/@ImporteP", inseparable=("CRP20205",))
def amount_of_iva_has_a_total(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    """Where a document transfers IVA that is not exempt. At another rate than 16 %, CRP20207 or CRP20209 breaks too."""
    if traslado.ImpuestoP != IVA or not ctx.memoize(Payments).sums(traslado).some_iva:
        return None
    return any_total(traslado, ctx, AMOUNTS)


@rule("CRP20274", at=f"{AT}/@ImporteP")
def amount_is_the_sum_of_documents(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    if traslado.ImporteP is None:
        return None
    total = ctx.memoize(Payments).sums(traslado).traslado(traslado.row).importe
    return is_sum(traslado.ImporteP, traslado.importe, total)
