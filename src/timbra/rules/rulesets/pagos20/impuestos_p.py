"""Taxes of a payment, which are sums of the taxes of its documents: CRP20262 to CRP20274, keys of TipoFactorP."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from timbra.cfdi.nodes import ComplementNode
from timbra.cfdi.nodes.pagos20 import RetencionP, TrasladoP
from timbra.core.money import written_decimals
from timbra.rules.engine.amount_forms import NearGroupSum, implied_by
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.rulesets.pagos20.sources import SCHEMA
from timbra.rules.rulesets.pagos20.sums import IVA, WITHHELD, Payments
from timbra.rules.shared.predicates import Predicate, has_rate, in_catalog

MOST_DECIMALS = 63
OF_DOCUMENTS = "Complemento/Pagos/Pago/DoctoRelacionado/ImpuestosDR"
TRANSFERS_OF_DOCUMENTS = f"{OF_DOCUMENTS}/TrasladosDR/TrasladoDR"
WITHHELD_ROW = (("ImpuestoP", "ImpuestoDR"),)
TRANSFERRED_ROW = (*WITHHELD_ROW, ("TipoFactorP", "TipoFactorDR"), ("TasaOCuotaP", "TasaOCuotaDR"))
BASES = tuple(f"TotalTrasladosBaseIVA{rate}" for rate in ("16", "8", "0", "Exento"))
AMOUNTS = tuple(f"TotalTrasladosImpuestoIVA{rate}" for rate in ("16", "8", "0"))


def compare_sum(text: str, value: Decimal, total: Decimal) -> RuleResult:
    """Compare an amount of a payment with the sum of its documents.

    SAT fixes no rounding, so the amount may be truncated or rounded: it differs from the sum by less than one unit of
    its last decimal.

    Args:
        text: the amount as written.
        value: the amount as a number.
        total: the sum, in the currency of the payment and not rounded.
    """
    unit = Decimal(1).scaleb(-min(written_decimals(text), MOST_DECIMALS))
    if abs(total - value) < unit:
        return None
    shown = total.quantize(Decimal("0.0000001")).normalize()
    return Violation(found=text, expected=f"{shown:f}, la suma de los documentos entre su EquivalenciaDR")


def has_any_total(names: Iterable[str]) -> Predicate:
    """Totales of the complement has at least one of the attributes.

    Args:
        names: names of the attributes of Totales.
    """
    attributes = tuple(names)
    violation = Violation(found="ningún total en Totales", expected=f"al menos uno: {', '.join(attributes)}")

    def check(node: ComplementNode, ctx: EvaluationContext) -> RuleResult:
        texts = ctx.memoize(Payments).texts(node)
        return None if any(name in texts for name in attributes) else violation

    return check


CRP20262 = row(
    "CRP20262",
    RetencionP,
    at="Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP/@ImpuestoP",
    says="ImpuestoP de la retención debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "ImpuestoP"),
)


@rule(
    "CRP20263",
    at="Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP/@ImpuestoP",
    says="Debe haber una sola retención por impuesto en el pago.",
)
def withheld_tax_is_unique(retencion: RetencionP, ctx: EvaluationContext) -> RuleResult:
    if ctx.memoize(Payments).sums(retencion).is_first(retencion):
        return None
    return Violation(found=retencion.ImpuestoP, expected="una sola RetencionP por ImpuestoP en el pago")


CRP20264 = row(
    "CRP20264",
    RetencionP,
    at="Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP/@ImporteP",
    says="Con retenciones en un pago debe existir algún total de retenciones.",
    note="También se incumple CRP20201; con ISR o IEPS, CRP20202 o CRP20203 en su lugar.",
    check=has_any_total(WITHHELD.values()),
    inseparable=("CRP20201",),
)


@rule(
    "CRP20265",
    at="Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP/@ImporteP",
    says="ImporteP de la retención debe ser la suma de las retenciones de los documentos.",
)
@implied_by(NearGroupSum("ImporteP", f"{OF_DOCUMENTS}/RetencionesDR/RetencionDR/@ImporteDR", WITHHELD_ROW))
def withheld_amount_equals_sum_of_documents(retencion: RetencionP, ctx: EvaluationContext) -> RuleResult:
    total = ctx.memoize(Payments).sums(retencion).retencion(retencion.ImpuestoP)
    return compare_sum(retencion.ImporteP, retencion.importe, total)


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
@implied_by(NearGroupSum("BaseP", f"{TRANSFERS_OF_DOCUMENTS}/@BaseDR", TRANSFERRED_ROW))
def base_equals_sum_of_documents(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    return compare_sum(traslado.BaseP, traslado.base, ctx.memoize(Payments).sums(traslado).traslado(traslado.row).base)


@rule(
    "CRP20269",
    at="Complemento/Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP/@BaseP",
    says="BaseP del traslado Exento debe ser la suma de las bases exentas de los documentos.",
    applies=is_exempt,
)
@implied_by(NearGroupSum("BaseP", f"{TRANSFERS_OF_DOCUMENTS}/@BaseDR", TRANSFERRED_ROW))
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
@implied_by(NearGroupSum("ImporteP", f"{TRANSFERS_OF_DOCUMENTS}/@ImporteDR", TRANSFERRED_ROW))
def amount_equals_sum_of_documents(traslado: TrasladoP, ctx: EvaluationContext) -> RuleResult:
    if traslado.ImporteP is None:
        return None
    total = ctx.memoize(Payments).sums(traslado).traslado(traslado.row).importe
    return compare_sum(traslado.ImporteP, traslado.importe, total)
