"""Traslados of a payment: CRP20266 to CRP20274, keys of TipoFactorP."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import TrasladoP
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.pagos20.impuesto_p import compare_sum, has_any_total
from timbra.rules.rulesets.pagos20.sources import SCHEMA
from timbra.rules.rulesets.pagos20.sums import IVA, Payments
from timbra.rules.shared.predicates import has_rate, in_catalog

BASES = tuple(f"TotalTrasladosBaseIVA{rate}" for rate in ("16", "8", "0", "Exento"))
AMOUNTS = tuple(f"TotalTrasladosImpuestoIVA{rate}" for rate in ("16", "8", "0"))


def is_exempt(traslado: TrasladoP, _ctx: EvaluationContext) -> bool:
    """Whether TipoFactorP is Exento."""
    return traslado.TipoFactorP == EXENTO


def is_taxed(traslado: TrasladoP, _ctx: EvaluationContext) -> bool:
    """Whether TipoFactorP is not Exento."""
    return traslado.TipoFactorP != EXENTO


def is_iva(traslado: TrasladoP, _ctx: EvaluationContext) -> bool:
    """Whether the tax is IVA."""
    return traslado.ImpuestoP == IVA


def is_iva_of_taxed_documents(traslado: TrasladoP, ctx: EvaluationContext) -> bool:
    """Whether the tax is IVA and a document of the payment transfers IVA that is not exempt."""
    return traslado.ImpuestoP == IVA and ctx.memoize(Payments).sums(traslado).some_iva


@rule(
    "CRP20266",
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP",
    says="Si todos los traslados de los documentos son Exento, los del pago no deben llevar tasa ni importe.",
    note="El traslado lleva entonces solo BaseP, ImpuestoP y TipoFactorP.",
)
def exempt_transfer_has_neither_rate_nor_amount(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    extra = [name for name in ("TasaOCuotaP", "ImporteP") if getattr(traslado, name) is not None]
    if not extra or not ctx.memoize(Payments).sums(traslado).all_exempt:
        return None
    expected = "solo BaseP, ImpuestoP y TipoFactorP: todos los traslados de los documentos son Exento"
    return Violation(found=", ".join(extra), expected=expected)


CRP20267 = row(
    "CRP20267",
    TrasladoP,
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@BaseP",
    says="Con traslados de IVA en un pago debe existir algún total de bases de IVA.",
    note="También se incumple CRP20204; con una tasa distinta de 16 %, CRP20206, CRP20208 o CRP20210 en su lugar.",
    check=has_any_total(BASES),
    applies=is_iva,
    inseparable=("CRP20204",),
)


@rule(
    "CRP20268",
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@BaseP",
    says="BaseP del traslado debe ser la suma de las bases de los documentos.",
    applies=is_taxed,
)
def base_equals_sum_of_documents(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    return compare_sum(traslado.BaseP, traslado.base, ctx.memoize(Payments).sums(traslado).traslado(traslado.row).base)


@rule(
    "CRP20269",
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@BaseP",
    says="BaseP del traslado Exento debe ser la suma de las bases exentas de los documentos.",
    applies=is_exempt,
)
def exempt_base_equals_sum_of_documents(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    total = ctx.memoize(Payments).sums(traslado).exempt_base(traslado.ImpuestoP)
    return compare_sum(traslado.BaseP, traslado.base, total)


CRP20270 = row(
    "CRP20270",
    TrasladoP,
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@ImpuestoP",
    says="ImpuestoP del traslado debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "ImpuestoP"),
)


@rule(
    "CRP20271",
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@ImpuestoP",
    says="Debe haber un solo traslado por ImpuestoP, TipoFactorP y TasaOCuotaP en el pago.",
)
def transferred_tax_is_unique(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    if ctx.memoize(Payments).sums(traslado).is_first(traslado):
        return None
    found = " ".join(part for part in traslado.row if part is not None)
    return Violation(found=found, expected="un solo TrasladoP por ImpuestoP, TipoFactorP y TasaOCuotaP en el pago")


CRP20999_TipoFactorP = row(
    "CRP20999:TipoFactorP",
    TrasladoP,
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@TipoFactorP",
    says="TipoFactorP del traslado debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactorP"),
    cites=SCHEMA,
)


CRP20272 = row(
    "CRP20272",
    TrasladoP,
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@TasaOCuotaP",
    says="TasaOCuotaP del traslado debe corresponder a c_TasaOCuota.",
    check=has_rate("transfer", every_tax=True),
)


CRP20273 = row(
    "CRP20273",
    TrasladoP,
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@ImporteP",
    says="Con traslados de IVA que no son Exento debe existir algún total de IVA trasladado.",
    note=(
        "Se evalúa si algún documento traslada IVA que no es Exento. También se incumple CRP20205; "
        "con una tasa distinta de 16 %, CRP20207 o CRP20209."
    ),
    check=has_any_total(AMOUNTS),
    applies=is_iva_of_taxed_documents,
    inseparable=("CRP20205",),
)


@rule(
    "CRP20274",
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@ImporteP",
    says="ImporteP del traslado debe ser la suma de los traslados de los documentos.",
)
def amount_equals_sum_of_documents(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    if traslado.ImporteP is None:
        return None
    total = ctx.memoize(Payments).sums(traslado).traslado(traslado.row).importe
    return compare_sum(traslado.ImporteP, traslado.importe, total)
