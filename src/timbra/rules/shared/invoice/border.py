"""The 8 % IVA of the border region: the issuers, places and products for which it is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from timbra.cfdi.nodes import Comprobante, Concepto, Traslado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.shortcuts import selects

BORDER_IVA = Decimal("0.08")
IVA = "002"
NORTH, SOUTH = "1", "2"
WITHOUT_STIMULUS = "0"
"""Value of the column for a product without stimulus; empty for a product whose value is not known."""
GLOBAL_INVOICE_SALES = ("01010101", "ACT")
"""ClaveProdServ and ClaveUnidad of the Conceptos of a global invoice."""
ALLOWED_REGIONS = {2: frozenset({NORTH}), 3: frozenset({SOUTH}), 4: frozenset({NORTH, SOUTH})}
"""Regions (estimulo_frontera of a postal code) where 8 % is allowed, by ValidezObligaciones of the issuer."""


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
