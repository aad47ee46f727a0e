"""Metadata files of the SAT's mass download: one line of values for each CFDI, separated by `~`.

Source: documentation of the SAT's Servicio de Descarga Masiva, response of type Metadata.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import IO

from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.money import parse
from timbra.validation.tables import Row

HEADINGS = (
    "Uuid",
    "RfcEmisor",
    "NombreEmisor",
    "RfcReceptor",
    "NombreReceptor",
    "RfcPac",
    "FechaEmision",
    "FechaCertificacionSat",
    "Monto",
    "EfectoComprobante",
    "Estatus",
    "FechaCancelacion",
)
STATUSES = {"0": "Cancelado", "1": "Vigente"}
MAX_LINE_BYTES = 64 * 1024


def read_metadata(lines: IO[bytes], source: str) -> Iterator[Row | None]:
    """Yield a row of `metadata` for each line, None for a line that is none; nothing for another kind of file.

    Args:
        source: its name for display.
    """
    first = lines.readline(MAX_LINE_BYTES).decode("utf-8-sig", "replace").strip()
    if [each.strip().lower() for each in first.split("~")] != [each.lower() for each in HEADINGS]:
        return
    while line := lines.readline(MAX_LINE_BYTES):
        if text := line.decode("utf-8", "replace").strip():
            yield _row(text.split("~"), source)


def _row(values: list[str], source: str) -> Row | None:
    if len(values) == len(HEADINGS) - 1:
        values = [*values, ""]
    uuid = canonical_uuid(values[0].strip())
    if uuid is None or len(values) != len(HEADINGS):
        return None
    _, issuer, issuer_name, receiver, receiver_name, provider, issued, stamped, total, kind, status, cancelled = (
        value.strip() for value in values
    )
    return {
        "source": source,
        "uuid": uuid,
        "issuer_rfc": issuer,
        "issuer_name": issuer_name,
        "receiver_rfc": receiver,
        "receiver_name": receiver_name,
        "provider_rfc": provider,
        "fecha": _time(issued),
        "fecha_timbrado": _time(stamped),
        "total": parse(total.replace("$", "").replace(",", "")),
        "tipo_de_comprobante": kind,
        "status": STATUSES.get(status, status),
        "cancelled_at": _time(cancelled),
    }


def _time(text: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.fromisoformat(text).replace(tzinfo=None)
    return None
