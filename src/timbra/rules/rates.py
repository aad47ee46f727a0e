"""Whether a rate is one of c_TasaOCuota; shared by taxes of Conceptos and of the document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from timbra.rules.case import Case
from timbra.rules.finding import Breach, Unknown, Verdict
from timbra.rules.world import Rate

Use = Literal["transfer", "withholding"]
_USES = {"transfer": "trasladar", "withholding": "retener"}
_COLUMNS = {"transfer": "traslado", "withholding": "retencion"}


def rate_of(case: Case, row: tuple[str, str, str | None], use: Use, *, every_tax: bool = False) -> Verdict:
    """row: Impuesto, TipoFactor, TasaOCuota. Nothing to say without a rate or about a factor that has none.

    every_tax: False leaves a tax of no such use to the code about the tax; True judges it, where there is no such code.
    A row that is only known since a later date (the IEPS quota changes every January) cannot be judged.
    """
    tax, factor, text = row
    if text is None or factor not in ("Tasa", "Cuota") or not _is_judged(case, tax, use, every_tax):
        return None
    rows = _for(case.rates(tax, factor), use)
    value = case.rate(text)
    if any(known.allows(value) for known in rows):
        return None
    if not rows and _for(case.rates(tax, factor, ever=True), use):
        return Unknown(f"c_TasaOCuota de {tax} {factor} en {case.on}")
    listed = ", ".join(_interval(known) for known in rows) or "ninguna"
    return Breach(found=f"{tax} {factor} {text}", expected=f"una tasa o cuota que se pueda {_USES[use]}: {listed}")


def _is_judged(case: Case, tax: str, use: Use, every_tax: bool) -> bool:
    row = case.row("c_Impuesto", tax)
    return row is not None and (every_tax or bool(row[_COLUMNS[use]]))


def _for(rates: Sequence[Rate], use: Use) -> list[Rate]:
    return [rate for rate in rates if (rate.transfer if use == "transfer" else rate.withholding)]


def _interval(rate: Rate) -> str:
    return f"{rate.minimum:f}" if rate.minimum == rate.maximum else f"de {rate.minimum:f} a {rate.maximum:f}"
