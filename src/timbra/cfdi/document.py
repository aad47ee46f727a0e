"""Hardened XML parser of documents; bytes that it rejects are error 301.

It resolves no entity, DTD, XInclude or network reference, and reads only XML 1.0 in UTF-8, with or without one BOM.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from timbra.cfdi.whitespace import strip_attribute_whitespace
from timbra.errors import ServiceError

CFD4 = "http://www.sat.gob.mx/cfd/4"
CFD3 = "http://www.sat.gob.mx/cfd/3"
RETENCIONES = ("http://www.sat.gob.mx/esquemas/retencionpago/1", "http://www.sat.gob.mx/esquemas/retencionpago/2")
BOM = b"\xef\xbb\xbf"

PROLOG = re.compile(rb"(?>\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_DECLARED_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_NO_ROOT = etree.ErrorTypes.ERR_DOCUMENT_EMPTY
_UNDECLARED = etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE
_PREFIX = re.compile(r"Namespace prefix (\S+) ")
_UNREADABLE = (
    "Error al leer el documento XML. La estructura del documento no es un Xml valido y/o "
    "la codificación del documento no es UTF8."
)


@dataclass(frozen=True, slots=True)
class ParserLimits:
    """Bounds of a document: size in bytes, element nesting, attributes of one element."""

    max_bytes: int = 40 * 1024 * 1024
    max_depth: int = 100
    max_attributes: int = 200


@dataclass(slots=True)
class Document:
    """A parsed CFDI: its bytes and the tree read from them (attribute white space apart, see `whitespace`).

    Attributes:
        source: the bytes as received, without BOM.
        root: the tree.
        version: `4.0`, `3.3`, `3.2`, `retenciones`, or empty for any other document.
    """

    source: bytes = field(repr=False)
    root: etree._Element
    version: str


class DocumentParser:
    """Parser with limits. Create one per worker: the libxml2 parser and the compiled limit checks are reused."""

    def __init__(self, limits: ParserLimits | None = None) -> None:
        self._limits = limits or ParserLimits()
        self._parser = etree.XMLParser(
            encoding="utf-8",
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=False,
            remove_blank_text=False,
            strip_cdata=False,
        )
        deep = "/*" * (self._limits.max_depth + 1)
        self._has_too_deep = etree.XPath(f"boolean({deep})")
        self._has_too_many = etree.XPath(f"boolean(//*[@*[{self._limits.max_attributes + 1}]])")

    @property
    def max_bytes(self) -> int:
        """Size in bytes of the largest document that `parse` accepts."""
        return self._limits.max_bytes

    def parse(self, data: bytes, *, room: int = 0) -> Document:
        """Parse a document.

        Args:
            data: the XML, with or without BOM.
            room: bytes allowed beyond `max_bytes`, for the stamp of a document that was within the limit.

        Raises:
            ServiceError: 301 with the parser's message and position.
        """
        source = self._plain_utf8(data, self._limits.max_bytes + room)
        try:
            root = etree.fromstring(source, self._parser)
        except etree.XMLSyntaxError as error:
            raise _unreadable(_reader_message(error)) from error
        _require_plain_prolog(root)
        if self._is_too_deep(source, root):
            raise _unreadable(f"El anidamiento pasa de {self._limits.max_depth} niveles.")
        if self._has_too_many_attributes(source, root):
            raise _unreadable(f"Un elemento tiene más de {self._limits.max_attributes} atributos.")
        strip_attribute_whitespace(source, root)
        return Document(source, root, _version(root))

    def _is_too_deep(self, source: bytes, root: etree._Element) -> bool:
        """Check the nesting; the search is skipped when there are fewer end tags than levels allowed."""
        return source.count(b"</") >= self._limits.max_depth and bool(self._has_too_deep(root))

    def _has_too_many_attributes(self, source: bytes, root: etree._Element) -> bool:
        """Check the attribute counts; the search is skipped when the source has no more equals signs than the limit."""
        return source.count(b"=") > self._limits.max_attributes and bool(self._has_too_many(root))

    def _plain_utf8(self, data: bytes, max_bytes: int) -> bytes:
        if len(data) > max_bytes:
            raise _unreadable(f"El documento pasa de {max_bytes} bytes.")
        source = data[3:] if data.startswith(BOM) else data
        try:
            source.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _unreadable(f"El byte {error.start} no es UTF-8.") from error
        if not source.startswith(b"<") and b"<" in source:
            raise _unreadable("Antes del primer '<' solo puede haber una marca de orden de bytes (BOM).")
        declared = _DECLARED_ENCODING.match(source)
        if declared and declared[1].lower() not in (b"utf-8", b"utf8"):
            raise _unreadable(f"La codificación declarada es {declared[1].decode()}.")
        prolog = PROLOG.match(source)
        if prolog and source.startswith(b"<!DOCTYPE", prolog.end()):
            raise _unreadable("No se admite DTD.")
        return source


def _require_plain_prolog(root: etree._Element) -> None:
    """Check the prolog as libxml2 parsed it; ServiceError 301."""
    docinfo = root.getroottree().docinfo
    if docinfo.xml_version != "1.0":
        raise _unreadable(f"La versión de XML declarada es {docinfo.xml_version}; se lee la 1.0.")
    if docinfo.internalDTD is not None:
        raise _unreadable("No se admite DTD.")


def _unreadable(reader: str) -> ServiceError:
    return ServiceError("301", f"{_UNREADABLE} {reader}")


def _reader_message(error: etree.XMLSyntaxError) -> str:
    line, column = error.position
    code = getattr(error, "code", None)
    missing = code == _NO_ROOT
    message = " ".join((error.msg or "").partition(", line ")[0].split())
    if code == _UNDECLARED and (prefix := _PREFIX.match(message)):
        message = f"No está declarado el prefijo {prefix[1]}: falta xmlns:{prefix[1]}"
    return f"{'Root element is missing' if missing else message}. Línea {line}, posición {column}."


def _version(root: etree._Element) -> str:
    name = etree.QName(root)
    if name.namespace in RETENCIONES and name.localname == "Retenciones":
        return "retenciones"
    if name.localname != "Comprobante":
        return ""
    declared = root.get("Version") or root.get("version") or ""
    if name.namespace == CFD4:
        return "4.0" if declared == "4.0" else ""
    return declared if name.namespace == CFD3 and declared in ("3.2", "3.3") else ""
