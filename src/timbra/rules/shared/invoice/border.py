"""The 8 % IVA of the border region: the issuers, places and products for which it is allowed."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante, Concepto, Traslado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation

BORDER_IVA = Decimal("0.08")
IVA = "002"
NORTH, SOUTH = "1", "2"
SALES = ("01010101", "ACT")
REGISTERED = {2: frozenset({NORTH}), 3: frozenset({SOUTH}), 4: frozenset({NORTH, SOUTH})}
"""Regions (estimulo_frontera of a postal code) where 8 % is allowed, by ValidezObligaciones of the issuer."""


def is_border_iva(traslado: Traslado, ctx: EvaluationContext) -> bool:
    """Whether the tax is IVA at 8 %."""
    return is_border_row(traslado.row, ctx)


def is_border_row(row: tuple[str, str, str | None], ctx: EvaluationContext) -> bool:
    """Whether Impuesto, TipoFactor and TasaOCuota are those of IVA at 8 %."""
    tax, _, rate = row
    return tax == IVA and rate is not None and ctx.rate(rate) == BORDER_IVA


def has_border_iva(concepto: Concepto) -> bool:
    """Whether the Concepto transfers IVA at 8 %."""
    return any(row.Impuesto == IVA and row.TasaOCuota in ("0.08", "0.080000") for row in concepto.traslados)


def is_border(ctx: EvaluationContext, postal_code: str) -> bool:
    """Whether the postal code is in the border region."""
    row = ctx.row("c_CodigoPostal", postal_code)
    return row is not None and row["estimulo_frontera"] in (NORTH, SOUTH)


def transfers_border_iva(_comprobante: Comprobante, ctx: EvaluationContext) -> bool:
    """Whether any Concepto transfers IVA at 8 %."""
    return any(is_border_row(row, ctx) for row in ctx.sums.rows)


def issuer_is_registered(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    """Check that the list of taxpayers marks the issuer as entitled to the 8 %."""
    rfc, listed = ctx.comprobante.emisor.Rfc, ctx.reference_data.obligations
    found = listed.obligations(rfc) if listed is not None else None
    if found in REGISTERED:
        return None
    return Violation(
        found=traslado.TasaOCuota,
        expected=f"que {rfc} esté en el padrón de estímulo fronterizo (ValidezObligaciones 2, 3 o 4); tiene {found}",
    )


def place_is_of_its_region(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Check the region of LugarExpedicion; passes for an issuer without the mark and for an unknown postal code."""
    listed = ctx.reference_data.obligations
    allowed = REGISTERED.get(listed.obligations(comprobante.emisor.Rfc) or 0 if listed is not None else 0)
    row = ctx.row("c_CodigoPostal", comprobante.LugarExpedicion)
    if allowed is None or row is None or row["estimulo_frontera"] in allowed:
        return None
    where = {NORTH: "norte", SOUTH: "sur"}
    zones = " o ".join(where[zone] for zone in sorted(allowed))
    return Violation(found=comprobante.LugarExpedicion, expected=f"un código postal de la franja fronteriza {zones}")


def product_has_the_stimulus(traslado: Traslado, ctx: EvaluationContext) -> RuleResult:
    """Check the product; sales of a global invoice (01010101 ACT) pass, as they include any product."""
    concepto = ctx.comprobante.concepto_of(traslado)
    row = ctx.row("c_ClaveProdServ", concepto.ClaveProdServ)
    if row is None or row["estimulo_frontera"] == "1" or (concepto.ClaveProdServ, concepto.ClaveUnidad) == SALES:
        return None
    expected = f"que la ClaveProdServ {concepto.ClaveProdServ} tenga el estímulo de la franja fronteriza"
    return Violation(found=traslado.TasaOCuota, expected=expected)
