"""Taxes of Conceptos, the 8 % IVA of the border region, and Comprobante/Impuestos."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from timbra.cfdi.nodes import Comprobante, Concepto, ImpuestosTotales, RetencionTotal, TrasladoTotal
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.impuestos import Impuesto, Retencion, Traslado
from timbra.core.money import half_up
from timbra.rules.engine.amount_forms import Positive, Product, implied_by
from timbra.rules.engine.bound_rules import Predicate
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.shortcuts import determined_by, selects
from timbra.rules.shared.amounts import Factor, is_below_unit, is_near, tax_holds, tax_limits
from timbra.rules.shared.predicates import key_of

EXENTO = "Exento"
TAXED = ("Tasa", "Cuota")
BORDER_IVA = Decimal("0.08")
IVA = "002"
NORTH, SOUTH = "1", "2"
WITHOUT_STIMULUS = "0"
"""Value of the column for a product without stimulus; empty for a product whose value is not known."""
GLOBAL_INVOICE_SALES = ("01010101", "ACT")
"""ClaveProdServ and ClaveUnidad of the Conceptos of a global invoice."""
ALLOWED_REGIONS = {2: frozenset({NORTH}), 3: frozenset({SOUTH}), 4: frozenset({NORTH, SOUTH})}
"""Regions (estimulo_frontera of a postal code) where 8 % is allowed, by ValidezObligaciones of the issuer."""


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
def states_rate(traslado: Traslado, _ctx: EvaluationContext) -> bool:
    """Whether the traslado has TasaOCuota."""
    return traslado.TasaOCuota is not None


def _without_base(taxes: Sequence[Impuesto], _ctx: EvaluationContext) -> Sequence[Impuesto]:
    return [tax for tax in taxes if tax.base <= ZERO]


@selects(_without_base)
@implied_by(Positive("Base"))
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
@implied_by(Product("Base", "TasaOCuota", "Importe"))
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


def has_withheld_total_with_container(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    """TotalImpuestosRetenidos is present with the node Retenciones."""
    if not impuestos.has_retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Violation(expected="el total, por el nodo Retenciones")


def has_withheld_total_with_row(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    """TotalImpuestosRetenidos is present with a node Retencion."""
    if not impuestos.retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Violation(expected="el total, por el nodo Retencion")


def withheld_tax_is_unique(retencion: RetencionTotal, ctx: EvaluationContext) -> RuleResult:
    """No earlier Retencion has the same Impuesto."""
    if ctx.sums.is_first(retencion):
        return None
    return Violation(found=retencion.Impuesto, expected="una sola Retencion por impuesto")


def transferred_tax_is_unique(traslado: TrasladoTotal, ctx: EvaluationContext) -> RuleResult:
    """No earlier Traslado has the same Impuesto, TipoFactor and TasaOCuota."""
    if ctx.sums.is_first(traslado):
        return None
    found = " ".join(part for part in traslado.row if part is not None)
    return Violation(found=found, expected="un solo Traslado por Impuesto, TipoFactor y TasaOCuota")


def equals_sum_of_conceptos(ctx: EvaluationContext, text: str, value: Decimal, total: Decimal) -> RuleResult:
    """Check that an amount is a sum over the Conceptos, rounded once to the decimals of the currency.

    Args:
        text: the amount as written.
        value: the amount as a number.
        total: the unrounded sum.

    Returns:
        None also when the currency is unknown.
    """
    if ctx.decimals is None:
        return None
    expected = half_up(total, ctx.decimals)
    if value == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, de la suma {total:f} de los conceptos")


def rounds_to_sum_of_conceptos(ctx: EvaluationContext, text: str | None, value: Decimal, total: Decimal) -> RuleResult:
    """As `equals_sum_of_conceptos`, with the amount rounded to the decimals of the currency too."""
    if ctx.decimals is None:
        return None
    expected = half_up(total, ctx.decimals)
    if half_up(value, ctx.decimals) == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, de la suma {total:f} de los conceptos")


def _with_border_iva(traslados: Sequence[Traslado], ctx: EvaluationContext) -> Sequence[Traslado]:
    """Return the traslados with IVA at 8 %, all of one document."""
    if not transfers_border_iva(ctx.comprobante, ctx):
        return ()
    return [traslado for traslado in traslados if _is_border_row(traslado.row, ctx)]


@selects(_with_border_iva)
def is_border_iva(traslado: Traslado, ctx: EvaluationContext) -> bool:
    """Whether the tax is IVA at 8 %."""
    return _is_border_row(traslado.row, ctx)


def _is_border_row(row: tuple[str, str, str | None], ctx: EvaluationContext) -> bool:
    tax, _, rate = row
    return tax == IVA and rate is not None and ctx.rate(rate) == BORDER_IVA


def has_border_iva(concepto: Concepto) -> bool:
    """Whether the Concepto transfers IVA at 8 %."""
    return any(row.Impuesto == IVA and row.TasaOCuota in ("0.08", "0.080000") for row in concepto.traslados)


def is_in_border_region(ctx: EvaluationContext, postal_code: str) -> bool:
    row = ctx.row("c_CodigoPostal", postal_code)
    return row is not None and row["estimulo_frontera"] in (NORTH, SOUTH)


def transfers_border_iva(_comprobante: Comprobante, ctx: EvaluationContext) -> bool:
    """Whether any Concepto transfers IVA at 8 %."""
    for row in ctx.sums.rows:  # noqa: SIM110 (a generator doubles the time)
        if _is_border_row(row, ctx):
            return True
    return False


def issuer_has_border_stimulus(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    """The LCO has the issuer with ValidezObligaciones 2, 3 or 4."""
    rfc, obligations = ctx.comprobante.emisor.Rfc, ctx.reference_data.obligations
    found = obligations.obligations(rfc) if obligations is not None else None
    if found in ALLOWED_REGIONS:
        return None
    return Violation(
        found=traslado.TasaOCuota,
        expected=f"que {rfc} esté en el padrón de estímulo fronterizo (ValidezObligaciones 2, 3 o 4); tiene {found}",
    )


def place_is_in_region_of_issuer(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """LugarExpedicion is in a region that ValidezObligaciones of the issuer allows.

    An issuer without the stimulus and an unknown postal code pass: other rules report them.
    """
    obligations = ctx.reference_data.obligations
    found = obligations.obligations(comprobante.emisor.Rfc) or 0 if obligations is not None else 0
    allowed = ALLOWED_REGIONS.get(found)
    row = ctx.row("c_CodigoPostal", comprobante.LugarExpedicion)
    if allowed is None or row is None or row["estimulo_frontera"] in allowed:
        return None
    names = {NORTH: "norte", SOUTH: "sur"}
    regions = " o ".join(names[region] for region in sorted(allowed))
    return Violation(found=comprobante.LugarExpedicion, expected=f"un código postal de la franja fronteriza {regions}")


def product_has_border_stimulus(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    """ClaveProdServ has the border stimulus; sales of a global invoice pass, as they include any product."""
    concepto = ctx.comprobante.concepto_of(traslado)
    product = concepto.ClaveProdServ
    row = ctx.row("c_ClaveProdServ", product)
    if row is None or row["estimulo_frontera"] != WITHOUT_STIMULUS:
        return None
    if (product, concepto.ClaveUnidad) == GLOBAL_INVOICE_SALES:
        return None
    expected = f"que la ClaveProdServ {product} tenga el estímulo de la franja fronteriza"
    return Violation(found=traslado.TasaOCuota, expected=expected)
