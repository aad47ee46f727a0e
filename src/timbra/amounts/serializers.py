"""The answer with the amounts of an invoice. Its OpenAPI schema is derived from the classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from timbra.amounts.totals import Totals
from timbra.web.envelopes import SuccessAnswer


@dataclass(frozen=True, slots=True)
class LineTotalAnswer:
    """What a Concepto adds up to."""

    total: Annotated[str, "Importe less Descuento plus transferred taxes."]
    wished: Annotated[str | None, "The price of the line with taxes; null when prices do not include taxes."]
    difference: Annotated[str, "What `wished` exceeds `total` by."]


@dataclass(frozen=True, slots=True)
class TotalsAnswer:
    """An invoice with its amounts."""

    comprobante: Annotated[
        Mapping[str, object], "The invoice of the request with all amounts, as `/cfdi33/issue/json/v4` takes it."
    ]
    total: Annotated[str, "Total."]
    difference: Annotated[str, "What the prices with taxes exceed SubTotal less Descuento plus transferred taxes by."]
    lines: Annotated[list[LineTotalAnswer], "In the order of Conceptos."]


def totals_answer(totals: Totals) -> TotalsAnswer:
    """Build `data` of the amounts of an invoice."""
    return TotalsAnswer(
        totals.comprobante,
        f"{totals.total:f}",
        f"{totals.difference:f}",
        [
            LineTotalAnswer(
                f"{line.total:f}", None if line.wished is None else f"{line.wished:f}", f"{line.difference:f}"
            )
            for line in totals.lines
        ],
    )


ANSWERS: dict[str, object] = {"Totals": SuccessAnswer[TotalsAnswer]}
