"""Streaming reader of the LCO: an XML of taxpayers, each with its certificates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from xml.parsers import expat

from timbra.core.errors import ServiceError
from timbra.lists.packed.certificate_rows import STATUSES, packed_seal
from timbra.lists.sources.text import clean_text, repaired

NAMESPACES = ("http:/www.sat.gob.mx/cfd/LCO", "http://www.sat.gob.mx/cfd/LCO")
"""The SAT writes the namespace with one slash."""
LONGEST_TOKEN = 1024 * 1024
FEED = 64 * 1024
_NESTING = ("LCO", "Contribuyente", "Certificado")
_NAMES = {f"{namespace} {name}": depth for namespace in NAMESPACES for depth, name in enumerate(_NESTING)}
_TAXPAYER, _CERTIFICATE = 1, 2
_RFC = re.compile(r"[A-Z&Ñ]{3,4}[0-9]{6}[A-Z0-9]{3}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Row = tuple[bytes, bytes]


class LcoPart:
    """One part of the list. Iteration yields batches of rows (key and packed line).

    Attributes:
        dated: The date of the root; None without one.
        certificates: The number of certificates. It and the next two are complete after the iteration.
        skipped: Taxpayers and certificates with malformed attributes.
        unusual: Certificates whose EstatusCertificado is another letter than A, C and R.

    Raises:
        ServiceError: "list-unreadable", from the iteration, for another document or one with a DTD.
    """

    def __init__(self, content: Iterator[bytes]) -> None:
        self._content = clean_text(content)
        self._rows: list[Row] = []
        self._depth = 0
        self._rfc = b""
        self.dated: date | None = None
        self.certificates = 0
        self.skipped = 0
        self.unusual = 0

    def __iter__(self) -> Iterator[list[Row]]:
        parser = self._parser()
        fed = 0
        try:
            for piece in self._content:
                for start in range(0, len(piece), FEED):
                    part = piece[start : start + FEED]
                    parser.Parse(part, False)
                    fed += len(part)
                    if fed - max(parser.CurrentByteIndex, 0) > LONGEST_TOKEN:
                        raise _unreadable(f"un elemento rebasa {LONGEST_TOKEN} bytes")
                yield self._batch()
            parser.Parse(b"", True)
        except expat.ExpatError as cause:
            raise _unreadable(f"XML mal formado en el renglón {cause.lineno}, columna {cause.offset}") from cause
        yield self._batch()

    def _parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate("utf-8", " ")
        parser.StartDoctypeDeclHandler = _reject_doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        return parser

    def _batch(self) -> list[Row]:
        rows, self._rows = self._rows, []
        return rows

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if _NAMES.get(name) != self._depth:
            raise _unreadable(f"el elemento {name[:100]} no se espera ahí")
        if self._depth == _CERTIFICATE:
            self._certificate(attributes)
        elif self._depth == _TAXPAYER:
            self._taxpayer(attributes)
        else:
            self.dated = _date(attributes.get("fecha", ""))
        self._depth += 1

    def _end(self, _name: str) -> None:
        self._depth -= 1

    def _taxpayer(self, attributes: Mapping[str, str]) -> None:
        rfc = repaired(attributes.get("RFC", "").strip())
        if _RFC.fullmatch(rfc) is None:
            self._rfc = b""
            self.skipped += 1
            return
        self._rfc = rfc.encode()
        self._rows.append((self._rfc, self._rfc + b"|\n"))

    def _certificate(self, attributes: Mapping[str, str]) -> None:
        value = attributes.get
        status = value("EstatusCertificado", "")
        seal = packed_seal(
            value("noCertificado", ""),
            status,
            value("ValidezObligaciones", ""),
            value("FechaInicio", ""),
            value("FechaFinal", ""),
        )
        if seal is None or not self._rfc:
            self.skipped += 1
            return
        self.certificates += 1
        self.unusual += status not in STATUSES
        self._rows.append((self._rfc, b"%b|%b\n" % (self._rfc, seal)))


def _reject_doctype(*_: object) -> None:
    raise _unreadable("trae una DTD")


def _date(text: str) -> date | None:
    found = _DATE.match(text)
    try:
        return date.fromisoformat(found.group()) if found else None
    except ValueError:
        return None


def _unreadable(why: str) -> ServiceError:
    return ServiceError("list-unreadable", f"La LCO no tiene la forma esperada: {why}.")
