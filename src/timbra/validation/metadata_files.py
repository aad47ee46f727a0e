"""Metadata files of the SAT's mass download: one line of values for each CFDI, separated by `~`, without quotes.

Names are written as the CFDI has them, with line feeds and `~` inside: such lines are repaired.

Source: documentation of the SAT's Servicio de Descarga Masiva, response of type Metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
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
MAX_JOINED_LINES = 100
_NAMES = {"paccertifico": "rfcpac"}
"""Other headings of a column, in lower case."""
_RFC = re.compile(r"[A-ZÑ&]{3,4}[0-9]{6}[0-9A-Z]{3}")
_RECORD_START = re.compile(rb"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}~")


@dataclass(slots=True)
class MetadataLines:
    """The lines of a metadata file, repaired, each with the values of `HEADINGS` in this order.

    Attributes:
        repaired: number of lines that were repaired so far.
        damaged: number of lines so far that are no line of values.
        damaged_text: the last of these lines.
    """

    file: IO[bytes]
    repaired: int = 0
    damaged: int = 0
    damaged_text: str = ""
    _places: tuple[int, ...] | None = field(default=None, init=False)
    _columns: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        first = self.file.readline(MAX_LINE_BYTES).decode("utf-8-sig", "replace").strip()
        names = [each.strip().lower() for each in first.split("~")]
        found = {_NAMES.get(name, name): place for place, name in enumerate(names)}
        self._columns = len(names)
        if all(name.lower() in found for name in HEADINGS):
            self._places = tuple(found[name.lower()] for name in HEADINGS)

    @property
    def is_metadata(self) -> bool:
        """Whether the first line has the headings."""
        return self._places is not None

    def __iter__(self) -> Iterator[str | None]:
        """Yield the values of each line, separated by `~`; None for a damaged line."""
        if self._places is None:
            return
        is_usual = self._places == tuple(range(self._columns))
        following = b""
        while line := following or self.file.readline(MAX_LINE_BYTES):
            following, is_whole = b"", line.count(b"~") == self._columns - 1
            if not is_whole:
                line, following = self._joined(line)
            text = _text(line)
            if not text:
                continue
            sound = text if is_whole or text.count("~") == self._columns - 1 else self._repaired(text, is_usual)
            if sound is None:
                self.damaged += 1
                self.damaged_text = text
            elif not is_whole and (sound != text or b"\n" in line):
                self.repaired += 1
            if sound is None or is_usual:
                yield sound
            else:
                values = sound.split("~")
                yield "~".join(values[place] for place in self._places)

    def _joined(self, line: bytes) -> tuple[bytes, bytes]:
        """Join the lines of a record whose names have line feeds; return the record and the line after it."""
        parts = [line]
        following = b""
        while sum(part.count(b"~") for part in parts) < self._columns - 2 and len(parts) < MAX_JOINED_LINES:
            following = self.file.readline(MAX_LINE_BYTES)
            if not following or _RECORD_START.match(following):
                break
            parts.append(following)
            following = b""
        return b"\n".join(part.strip(b"\r\n") for part in parts), following

    def _repaired(self, text: str, is_usual: bool) -> str | None:
        values = text.split("~")
        if len(values) == self._columns - 1:
            return f"{text}~"
        if not is_usual or len(values) < self._columns:
            return None
        head, names, tail = values[:2], values[2:-7], values[-7:]
        receivers = [place for place, value in enumerate(names) if place and _RFC.fullmatch(value.strip())]
        is_tail = _RFC.fullmatch(tail[0].strip()) and tail[-2].strip() in STATUSES
        if len(receivers) != 1 or not is_tail:
            return None
        place = receivers[0]
        issuer, receiver = " ".join(names[:place]), " ".join(names[place + 1 :])
        return "~".join((*head, issuer, names[place], receiver, *tail))


def read_metadata(lines: IO[bytes], source: str) -> Iterator[Row | None]:
    """Yield a row of `metadata` for each line, None for a line that is none; nothing for another kind of file.

    Args:
        source: its name for display.
    """
    for text in MetadataLines(lines):
        yield None if text is None else metadata_row(text.split("~"), source)


def _text(line: bytes) -> str:
    """Return a line as text, without the line feeds of its names."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode("latin-1")
    return text.strip().replace("\n", " ")


def metadata_row(values: list[str], source: str) -> Row | None:
    """Return the row of a line of `MetadataLines`; None without a UUID. source: name for display."""
    uuid = canonical_uuid(values[0].strip())
    if uuid is None:
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
