"""The amounts of an invoice from its lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from timbra.library.resources import LOCK, When, catalogs, instant

if TYPE_CHECKING:
    from timbra.amounts.totals import Totals


def totals(
    invoice: str | bytes | Mapping[str, Any],
    *,
    price_includes_tax: bool = False,
    rounding: Literal["line", "total"] = "line",
    on: When | None = None,
) -> Totals:
    """Compute the amounts of a CFDI 4.0 from its lines, within the limits of the SAT's rules.

    Args:
        invoice: JSON as text or bytes, or its object, by the SAT's names: Cantidad, ValorUnitario, Descuento and
            Impuestos of each Concepto, and Moneda (MXN without it). Amounts that it has are replaced, and the other
            members kept.
        price_includes_tax: Whether ValorUnitario and Descuento include the transferred taxes: each line then adds up to
            its price, wherever the limits allow it.
        rounding: `line` rounds the amounts of each line to the decimals of the currency; `total` keeps up to six and
            rounds the sums.
        on: The day of the catalogs, when the invoice has no Fecha; today without it.

    Returns:
        The invoice with its amounts, which `from_json` converts.

    Raises:
        Error: "TB4005" for a value that is absent or not valid, with its place in `location`; the code of the SAT's
            rule that no amounts satisfy, such as "CFDI40174" for a Base of zero; "301" for a text that is no JSON.
    """
    from timbra.amounts.totals import totals_of
    from timbra.cfdi.from_json.reading import read_object
    from timbra.rules.engine.ports import ReferenceData

    if isinstance(invoice, Mapping):
        members = invoice
    else:
        members = read_object(invoice if isinstance(invoice, bytes) else invoice.encode())
    with LOCK:
        data = ReferenceData(instant(on), catalogs(), taxpayers=None, obligations=None)
        return totals_of(members, data, price_includes_tax=price_includes_tax, rounding=rounding)
