"""The columns of an export of another program: by a map in JSON, or by their headings."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, convert

from timbra.core.errors import ServiceError
from timbra.core.text import storable

MAX_LISTED = 500
"""Characters of the headings in an error."""
BOOKS_COLUMNS = (
    "uuid",
    "rfc",
    "issuer_rfc",
    "receiver_rfc",
    "fecha",
    "total",
    "total_mxn",
    "moneda",
    "tipo_cambio",
    "status",
    "tipo_de_comprobante",
    "serie",
    "folio",
    "metodo_de_pago",
    "subtotal",
    "descuento",
    "iva",
    "ieps",
    "isr_retenido",
    "iva_retenido",
    "ieps_retenido",
    "traslados_locales",
    "retenciones_locales",
)
PAYMENT_COLUMNS = ("uuid", "rfc", "fecha", "monto", "moneda", "tipo_cambio", "referencia")
HEADINGS: Mapping[str, tuple[str, ...]] = {
    "uuid": ("folio fiscal", "folio fiscal uuid", "uuid relacionado", "id documento", "iddocumento"),
    "rfc": ("rfc proveedor", "rfc cliente", "rfc del proveedor", "rfc del cliente"),
    "issuer_rfc": ("rfc emisor", "rfcemisor", "rfc del emisor"),
    "receiver_rfc": ("rfc receptor", "rfcreceptor", "rfc del receptor"),
    "fecha": ("date", "fecha emision", "fecha de emision", "fecha factura", "fecha de pago", "fecha pago", "fechapago"),
    "total": ("importe total", "total factura", "amount", "amount total"),
    "total_mxn": ("total mxn", "total en pesos", "total moneda nacional", "total mn"),
    "monto": ("importe", "importe pagado", "pagado", "amount", "total", "monto pagado", "imp pagado"),
    "moneda": ("currency", "divisa"),
    "tipo_cambio": ("tipo de cambio", "tc", "exchange rate", "tipocambio"),
    "status": ("estado", "estatus", "state", "situacion"),
    "tipo_de_comprobante": ("tipo", "tipo comprobante", "tipo de comprobante", "efecto", "efectocomprobante"),
    "serie": ("series",),
    "folio": ("numero", "no factura", "factura", "invoice"),
    "metodo_de_pago": ("metodo pago", "metodo de pago", "metodopago"),
    "subtotal": ("sub total", "importe sin impuestos", "base"),
    "descuento": ("descuentos", "discount"),
    "iva": ("iva trasladado", "iva 16%"),
    "ieps": ("ieps trasladado",),
    "isr_retenido": ("isr retenido", "retencion isr", "ret isr"),
    "iva_retenido": ("iva retenido", "retencion iva", "ret iva"),
    "ieps_retenido": ("ieps retenido", "retencion ieps"),
    "traslados_locales": ("traslados locales", "impuestos locales", "ish"),
    "retenciones_locales": ("retenciones locales", "5 al millar"),
    "referencia": ("reference", "concepto", "descripcion"),
}
"""Headings that are recognized without a map, besides the name of the column itself."""


class ColumnMap(Struct, forbid_unknown_fields=True):
    """How an export is read.

    Attributes:
        columns: Heading by column; empty to recognize the headings.
        cancelled: Values of `status` of cancelled rows, besides those that begin with "cancel".
        date_format: Format of dates as of `strptime`; empty for the usual ones.
        decimal_comma: Whether amounts have a comma before the decimals.
        sheet: Sheet of a workbook; empty for the first.
        skip: Lines before the headings.
        recognize: Whether further columns are recognized by their headings.
    """

    columns: dict[str, str] = {}
    cancelled: tuple[str, ...] = ()
    date_format: str = ""
    decimal_comma: bool = False
    sheet: str = ""
    skip: Annotated[int, Meta(ge=0, le=1000)] = 0
    recognize: bool = False


def parse_column_map(content: bytes, names: Sequence[str]) -> ColumnMap:
    """Read a map.

    Args:
        content: The map as JSON.
        names: Columns that it may have.

    Raises:
        ServiceError: "column-map" for a map that cannot be used.
    """
    try:
        found = convert(json.loads(content), ColumnMap)
    except (ValueError, RecursionError, ValidationError) as error:
        raise ServiceError("column-map", str(error)) from error
    if unknown := set(found.columns) - set(names):
        raise ServiceError("column-map", f"No existe la columna {min(unknown)}; hay {', '.join(names)}.")
    return found


def read_column_map(file: Path | None, names: Sequence[str]) -> ColumnMap:
    """Read the map of a file; that of no columns without one. Raises ServiceError: "column-map"."""
    if file is None:
        return ColumnMap()
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ServiceError("column-map", f"{file}: {error.strerror}") from error
    return parse_column_map(content, names)


def find_columns(headings: Sequence[str], mapped: ColumnMap, names: Sequence[str]) -> dict[str, int]:
    """Return the place of each column that an export has.

    Raises:
        ServiceError: "column-map" when a heading of the map is missing, or no column is recognized.
    """
    listed = storable(", ".join(headings), MAX_LISTED)
    places: dict[str, int] = {}
    for place, heading in enumerate(headings):
        places.setdefault(_plain(heading), place)
    for heading in mapped.columns.values():
        if _plain(heading) not in places:
            raise ServiceError("column-map", f"No hay una columna {heading}; hay {listed}.")
    found = {name: places[_plain(heading)] for name, heading in mapped.columns.items()}
    for name in names if mapped.recognize or not found else ():
        if name in found:
            continue
        for heading in (_plain(name), *HEADINGS.get(name, ())):
            if heading in places and places[heading] not in found.values():
                found[name] = places[heading]
                break
    if not found:
        raise ServiceError("column-map", f"No se reconoce ninguna columna; hay {listed}.")
    return found


def _plain(heading: str) -> str:
    """Return a heading in lower case, without accents, dots and underscores."""
    decomposed = unicodedata.normalize("NFKD", heading.replace("_", " ").replace(".", " "))
    return " ".join("".join(char for char in decomposed if not unicodedata.combining(char)).casefold().split())
