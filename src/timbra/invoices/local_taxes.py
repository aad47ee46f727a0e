"""The fields of local taxes, and the complement that they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from timbra.amounts.local_taxes import BASE, NAME, TRANSFERRED, WITHHELD, LocalTax, LocalTaxKind
from timbra.core.errors import ServiceError
from timbra.core.money import half_up

Json = dict[str, Any]
MAX_ROWS = 4
COMPLEMENT = f"implocal:{NAME}"
KINDS = {"": TRANSFERRED, "retenido": WITHHELD}
"""Values of the field `Tipo`."""
PARTS = ("Nombre", "Tipo", "Tasa", "Base")
LOCAL_FIELDS = tuple(f"Local.{number}.{part}" for number in range(1, MAX_ROWS + 1) for part in PARTS)
NOT_SHOWN = "El formulario no muestra los impuestos locales de este documento; use el editor de XML."
_PATH = re.compile(rf"Complemento/{NAME}/(\w+)\[(\d+)\](?:/@?(\w+))?")


def complement_of(values: Mapping[str, str]) -> Json:
    """Return the complement of the fields, without amounts; nothing without a local tax."""
    rows: dict[str, list[Json]] = {}
    for _, kind, row in _rows(values):
        rows.setdefault(kind.rows, []).append(row)
    return {COMPLEMENT: rows} if rows else {}


def fields_of(complement: Any, net: Decimal) -> dict[str, str]:
    """Return the fields of a complement.

    Args:
        complement: its members, as `timbra.cfdi.to_json` writes them.
        net: SubTotal less Descuento of the document.

    Raises:
        ServiceError: "TB4005" when the fields cannot show it.
    """
    found = [(kind, row) for kind in (WITHHELD, TRANSFERRED) for row in complement.get(kind.rows, [])]
    if not 0 < len(found) <= MAX_ROWS:
        raise ServiceError("TB4005", NOT_SHOWN)
    values: dict[str, str] = {}
    for number, (kind, row) in enumerate(found, 1):
        percent, amount = _number(row.get(kind.rate)), _number(row.get("Importe"))
        base = _base(kind, percent, amount, net)
        texts = (row.get(kind.name, ""), "retenido" if kind is WITHHELD else "", f"{percent:f}", base)
        values |= {f"Local.{number}.{part}": text for part, text in zip(PARTS, texts, strict=True)}
    return values


def field_at(path: str, values: Mapping[str, str]) -> str:
    """Return the field of a path of the complement; empty for none."""
    match = _PATH.match(path)
    if match is None:
        return ""
    numbers = [number for number, kind, _ in _rows(values) if kind.rows == match[1]]
    place = int(match[2])
    if not 0 < place <= len(numbers):
        return ""
    kind = WITHHELD if match[1] == WITHHELD.rows else TRANSFERRED
    part = {kind.rate: "Tasa", BASE: "Base"}.get(match[3] or "", "Nombre")
    return f"Local.{numbers[place - 1]}.{part}"


def _rows(values: Mapping[str, str]) -> Iterator[tuple[int, LocalTaxKind, Json]]:
    """Yield number, kind and members of each local tax that is written."""
    for number in range(1, MAX_ROWS + 1):
        name, kind, rate, base = (values.get(f"Local.{number}.{part}", "") for part in PARTS)
        if name or rate or base:
            named = KINDS.get(kind, TRANSFERRED)
            rate = rate.replace("%", "").replace(",", ".").strip()
            yield number, named, {named.name: name, named.rate: rate or None, **({BASE: base} if base else {})}


def _base(kind: LocalTaxKind, percent: Decimal, amount: Decimal, net: Decimal) -> str:
    """Return the field of the base: empty when it is the net amount of the document."""
    base = half_up(amount * 100 / percent, 2) if percent else net
    for text, value in (("", None), (f"{base:f}", base)):
        if LocalTax(kind, {}, percent, value).amount(net, 2) == amount:
            return text
    raise ServiceError("TB4005", NOT_SHOWN)


def _number(text: Any) -> Decimal:
    try:
        number = Decimal(str(text))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number < 0:
        raise ServiceError("TB4005", NOT_SHOWN)
    return number
