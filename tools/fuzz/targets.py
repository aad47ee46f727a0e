"""The targets: each calls one reader with bytes, and lets only unexpected exceptions through.

A target must not depend on atheris: the tests run it with the corpus and with the inputs that once failed.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import product
from pathlib import Path
from zipfile import BadZipFile

from lxml import etree

from timbra._native import PlainReader
from timbra.asn1.ber_reader import BerError, BerReader
from timbra.asn1.der_reader import DerError, DerNode, parse_der
from timbra.catalogs.workbook import read_sheets, read_tables
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.from_json import JsonDocuments
from timbra.cfdi.header_reader import has_root_of_retenciones, read_header
from timbra.core.errors import ServiceError
from timbra.core.zip_archives import ZipReader
from timbra.emulator.soap import SoapEndpoint, SoapFault, SoapOperation
from timbra.lists.sources.columns import known_columns
from timbra.lists.sources.lco import LcoPart
from timbra.lists.sources.lrfc import LrfcPart
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.keys import pfx
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signed_data import SignedDataReader
from timbra.seals.xml_signatures import ws_security, xmldsig
from timbra.snapshot import locate, open_snapshot
from timbra.stamping.plain.build import plain_reader
from timbra.stamping.plain.layout import PATHS, RELATED
from timbra.stamping.plain.nodes import KeyReader
from timbra.web.parsing.json_body import json_object
from timbra.web.parsing.multipart import xml_part
from tools.fuzz.evaluation import evaluate

NOW = datetime(2026, 11, 17, 18, tzinfo=UTC)
PASSWORD = "12345678a"  # noqa: S105 - of the corpus
PIECE = 100
DEPTH = 50
BASE_SECONDS = 1.0
"""Processor time that an input of any size may take."""


@dataclass(frozen=True, slots=True)
class Target:
    """A reader to fuzz.

    Attributes:
        run: calls the reader; an exception that it lets through is a defect.
        modules: the modules whose lines the corpus must reach, as a share in percent.
        least: that share, of the lines inside of functions.
        is_native: whether the reader exists in native code only.
        microseconds_per_byte: processor time from which an input fails while it is fuzzed, beside `BASE_SECONDS`.
    """

    run: Callable[[bytes], None]
    modules: tuple[str, ...]
    least: int
    microseconds_per_byte: float = 100
    is_native: bool = False


def _pieces(data: bytes) -> Iterator[bytes]:
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


def _xml(data: bytes) -> None:
    with suppress(ServiceError):
        DocumentParser().parse(data)


def _header(data: bytes) -> None:
    read_header(data)
    has_root_of_retenciones(data)


def _json(data: bytes) -> None:
    with suppress(ServiceError):
        json_object(data)


@cache
def _documents() -> JsonDocuments:
    return JsonDocuments(open_snapshot(locate(None)))


def _json_document(data: bytes) -> None:
    for convert in (_documents().invoice, _documents().retencion):
        with suppress(ServiceError):
            convert(data)


@cache
def _plain() -> tuple[PlainReader, KeyReader]:
    reader, layout = plain_reader(open_snapshot(locate(None)))
    return reader, KeyReader(layout)


def _plain_document(data: bytes) -> None:
    reader, keys = _plain()
    for is_sealed, is_whole in product((False, True), repeat=2):
        document = reader.read(data, is_sealed, is_whole)
        if document is None:
            continue
        root = keys.header(document.header)
        keys.receiver(document.receiver)
        for key in document.concept_keys:
            keys.concept(key)
            keys.concept_element(key)
        keys.tail(document.tail)
        if root.by_kind:
            keys.complement(document.complement_key)
        document.grouped(PATHS.index(RELATED), 0)
        document.original()
        document.prepare(b"1", b"QQ==")
        document.finish(b"<a/>", (b"1", b"QQ==", b"QUE="))
        document.finish(b"<a/>")


def _multipart(data: bytes) -> None:
    content_type, _, body = data.partition(b"\n")
    with suppress(ServiceError):
        xml_part(body, content_type.decode("latin-1"))


def _soap(data: bytes) -> None:
    operation = SoapOperation("urn:a", "{urn:a}a", lambda request: etree.tostring(request.root))
    with suppress(SoapFault):
        SoapEndpoint(operation).respond({"soapaction": '"urn:a"'}, data)


def _parsed(data: bytes) -> etree._Element | None:
    with suppress(ServiceError):
        return DocumentParser().parse(data).root
    return None


def _xmldsig(data: bytes) -> None:
    root = _parsed(data)
    if root is not None:
        with suppress(ServiceError):
            xmldsig.verify(root)


def _ws_security(data: bytes) -> None:
    root = _parsed(data)
    if root is not None:
        with suppress(ServiceError):
            ws_security.verify_security(root, NOW)


def _zip(data: bytes) -> None:
    with suppress(BadZipFile):
        reader = ZipReader(io.BytesIO(data), 10, 1 << 20)
        for member in reader.files:
            reader.read(member, 1 << 16)


def _pfx(data: bytes) -> None:
    # What the server calls in a child process, where neither atheris nor the coverage sees it.
    with suppress(ServiceError):
        pfx._read(data, PASSWORD)


def _private_key(data: bytes) -> None:
    with suppress(ServiceError):
        load_private_key(data, PASSWORD)


def _certificate(data: bytes) -> None:
    with suppress(ServiceError):
        read_certificate(data)


def _der(data: bytes) -> None:
    with suppress(DerError):
        _walk(parse_der(data), DEPTH)


def _walk(node: DerNode, depth: int) -> None:
    if depth and node.tag & 0x20:
        for child in node.children():
            _walk(child, depth - 1)


def _ber(data: bytes) -> None:
    with suppress(BerError):
        BerReader(_pieces(data)).element(1000)
    with suppress(BerError):
        reader = BerReader(_pieces(data))
        outer = reader.enter(0x30)
        b"".join(reader.octets(outer))
        reader.leave(outer)
        reader.finish()


def _cms(data: bytes) -> None:
    with suppress(ServiceError):
        content = SignedDataReader(_pieces(data))
        b"".join(content)
        _ = content.signatures


def _lco(data: bytes) -> None:
    with suppress(ServiceError):
        list(LcoPart(_pieces(data)))


def _lrfc(data: bytes) -> None:
    with suppress(ServiceError):
        list(LrfcPart(_pieces(data), known_columns()))


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="timbra-fuzz-"))


def _catalog(data: bytes) -> None:
    suffix, content = (".csv", data[1:]) if data[:1] == b"c" else (".xlsx", data[1:])
    file = _folder() / f"catCFDI{suffix}"
    file.write_bytes(content)
    with suppress(ServiceError):
        list(read_tables(read_sheets(file)))


TARGETS = {
    "xml": Target(_xml, ("timbra.cfdi.document",), 40),
    "header": Target(_header, ("timbra.cfdi.header_reader",), 60),
    "json": Target(_json, ("timbra.web.parsing.json_body",), 60),
    "json-document": Target(_json_document, ("timbra.cfdi.from_json.documents", "timbra.cfdi.from_json.reading"), 50),
    "plain-document": Target(_plain_document, ("timbra.stamping.plain.nodes",), 70, is_native=True),
    "multipart": Target(_multipart, ("timbra.web.parsing.multipart",), 60),
    "soap": Target(_soap, ("timbra.emulator.soap",), 35),
    "xmldsig": Target(_xmldsig, ("timbra.seals.xml_signatures.xmldsig",), 35),
    "ws-security": Target(_ws_security, ("timbra.seals.xml_signatures.ws_security",), 35),
    "zip": Target(_zip, ("timbra.core.zip_archives",), 60),
    "pfx": Target(_pfx, ("timbra.seals.keys.pfx",), 50),
    "private-key": Target(_private_key, ("timbra.seals.keys.private_key",), 30),
    "certificate": Target(_certificate, ("timbra.seals.certificates.certificate", "timbra.asn1.x509_reader"), 50),
    "der": Target(_der, ("timbra.asn1.der_reader",), 40),
    "ber": Target(_ber, ("timbra.asn1.ber_reader",), 50),
    "cms": Target(_cms, ("timbra.seals.signed_data",), 50),
    "lco": Target(_lco, ("timbra.lists.sources.lco",), 60),
    "lrfc": Target(_lrfc, ("timbra.lists.sources.lrfc",), 60),
    "catalog": Target(_catalog, ("timbra.catalogs.workbook",), 50),
    "evaluation": Target(
        evaluate,
        (
            "timbra.evaluation.sound_parts",
            "timbra.validation.examination",
            "timbra.cfdi.structure.error_messages",
            "timbra.cfdi.structure.paths",
        ),
        70,
    ),
}
