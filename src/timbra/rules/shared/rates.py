"""Whether a rate is one of c_TasaOCuota; shared by taxes of Conceptos and of the document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.ports import RatePort
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation

Use = Literal["transfer", "withholding"]
_USES = {"transfer": "trasladar", "withholding": "retener"}
_COLUMNS = {"transfer": "traslado", "withholding": "retencion"}


def rate_of(
    ctx: EvaluationContext, row: tuple[str, str, str | None], use: Use, *, every_tax: bool = False
) -> RuleResult:
    """row: Impuesto, TipoFactor, TasaOCuota. Nothing to say without a rate or about a factor that has none.

    every_tax: False leaves a tax of no such use to the code about the tax; True judges it, where there is no such code.
    A row that is only each since a later date (the IEPS quota changes every January) cannot be judged.
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
