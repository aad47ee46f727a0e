"""Checks that a rate is in c_TasaOCuota, for taxes of Conceptos and of the document."""

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
