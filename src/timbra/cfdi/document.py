"""Hardened XML parser of documents; bytes that it rejects are error 301.

It resolves no entity, DTD, XInclude or network reference, and reads only XML 1.0 in UTF-8, with or without one BOM.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from timbra._native import STATE, tree_shape
from timbra.cfdi.whitespace import strip_attribute_whitespace
from timbra.core.errors import ServiceError
from timbra.core.text import REPLACEMENT

CFD4 = "http://www.sat.gob.mx/cfd/4"
CFD3 = "http://www.sat.gob.mx/cfd/3"
CFD2 = "http://www.sat.gob.mx/cfd/2"
RETENCIONES2 = "http://www.sat.gob.mx/esquemas/retencionpago/2"
RETENCIONES1 = "http://www.sat.gob.mx/esquemas/retencionpago/1"
_VERSIONS = {
    f"{{{CFD4}}}Comprobante": ("4.0",),
    f"{{{CFD3}}}Comprobante": ("3.2", "3.3"),
    f"{{{CFD2}}}Comprobante": ("2.2",),
    f"{{{RETENCIONES2}}}Retenciones": ("2.0",),
    f"{{{RETENCIONES1}}}Retenciones": ("1.0",),
}
"""Versions that are told apart, by qualified name of the root."""
_OF_RETENCIONES = (f"{{{RETENCIONES2}}}", f"{{{RETENCIONES1}}}")
XSI = "http://www.w3.org/2001/XMLSchema-instance"
BOM = b"\xef\xbb\xbf"
_REPLACEMENT = REPLACEMENT.encode()

_BLANKS = b" \t\r\n"
_DECLARATION = re.compile(rb"<\?xml\s")
_VERSION_10 = b'<?xml version="1.0" '
"""A document that begins in this way has the version 1.0; one without an exclamation mark has no DTD."""
_USUAL_DECLARATIONS = tuple(_VERSION_10 + b'encoding="%b"?>' % name for name in (b"UTF-8", b"utf-8"))
PROLOG = re.compile(rb"(?>\s++|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_DECLARED_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_NO_ROOT = etree.ErrorTypes.ERR_DOCUMENT_EMPTY
_NO_MEMORY = etree.ErrorTypes.ERR_NO_MEMORY
_PREFIX = re.compile(r"Namespace prefix (\S+) ")
_NOT_URI = re.compile(r"(xmlns(?::\S+)?): ('.*') is not a valid URI")
_POSITION = re.compile(r",?\s+line [0-9]+, column [0-9]+\Z")
_TOO_LONG = re.compile(r"XML_PARSE_HUGE|too (big|long)")
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
        source: the bytes as received, without BOM and without white space before the first element or comment.
        root: the tree.
        version: `4.0`, `3.3`, `3.2` or `2.2` of a Comprobante, `2.0` or `1.0` of Retenciones; empty for another one.
    """

    source: bytes = field(repr=False)
    root: etree._Element
    version: str

    @property
    def is_retenciones(self) -> bool:
        """Whether this is a CFDI de retenciones e información de pagos, of any version."""
        return is_retenciones(self.root)


def without_leading_space(content: bytes) -> bytes:
    """Return a document, XML or JSON, without the BOM and the white space before it, which are no part of it."""
    return content.removeprefix(BOM).lstrip(_BLANKS)


def is_retenciones(root: etree._Element) -> bool:
    """Whether the root is in a namespace of CFDI de retenciones e información de pagos, of any version."""
    return str(root.tag).startswith(_OF_RETENCIONES)


class DocumentParser:
    """Parser with limits. Create one per worker: the libxml2 parser is reused."""

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

    @property
    def max_bytes(self) -> int:
        """Size in bytes of the largest document that `parse` accepts."""
        return self._limits.max_bytes

    def parse(self, data: bytes, *, room: int = 0) -> Document:
        """Parse a document.

        Args:
            data: the XML, with or without BOM; without a declaration white space may precede the root.
            room: bytes allowed beyond `max_bytes`, for the stamp of a document that was within the limit.

        Raises:
            ServiceError: 301 with the parser's message and position.
            MemoryError: the parser had no memory.
        """
        received = self._plain_utf8(data, self._limits.max_bytes + room)
        try:
            root = etree.fromstring(received, self._parser)
        except etree.XMLSyntaxError as error:
            if getattr(error, "code", None) == _NO_MEMORY:
                raise MemoryError("the XML could not be parsed") from error
            raise _unreadable(_reader_message(error, self._limits)) from error
        source = received if received.startswith(b"<") else received.lstrip(_BLANKS)
        if _REPLACEMENT in source:
            _require_whole_names(root)
        if b"!" in source or not source.startswith(_VERSION_10):
            _require_plain_prolog(root)
        self._require_shape(source, root)
        strip_attribute_whitespace(source, root)
        return Document(source, root, version_of(root))

    def _require_shape(self, source: bytes, root: etree._Element) -> None:
        """Check nesting and attributes; ServiceError 301.

        Without native code the tree is not walked when the source has too few end tags and equals signs.
        """
        limits = self._limits
        if not STATE.active and source.count(b"</") < limits.max_depth and source.count(b"=") <= limits.max_attributes:
            return
        depth, attributes = tree_shape(root)
        if depth > limits.max_depth:
            raise _unreadable(_too_deep(limits))
        if attributes > limits.max_attributes:
            raise _unreadable(f"Un elemento tiene más de {limits.max_attributes} atributos.")

    def _plain_utf8(self, data: bytes, max_bytes: int) -> bytes:
        if len(data) > max_bytes:
            raise _unreadable(f"El documento pasa de {max_bytes} bytes.")
        source = data[3:] if data.startswith(BOM) else data
        try:
            source.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _unreadable(f"El byte {error.start} no es UTF-8.") from error
        if not source.startswith(b"<"):
            _require_blanks_before_root(source)
        declared = None if source.startswith(_USUAL_DECLARATIONS) else _DECLARED_ENCODING.match(source)
        if declared and declared[1].lower() not in (b"utf-8", b"utf8"):
            raise _unreadable(f"La codificación declarada es {declared[1].decode()}.")
        prolog = PROLOG.match(source) if b"!" in source else None
        if prolog and source.startswith(b"<!DOCTYPE", prolog.end()):
            raise _unreadable("No se admite DTD.")
        return source


def _require_blanks_before_root(source: bytes) -> None:
    """Check what precedes the first "<": white space, unless a declaration follows it; ServiceError 301.

    Source: XML 1.0, productions 1, 22 and 27: a declaration is at the beginning, and the root may follow white space.
    """
    start = source.lstrip(_BLANKS)
    if _DECLARATION.match(start):
        raise _unreadable("Antes de la declaración XML solo puede haber una marca de orden de bytes (BOM).")
    if b"<" in start and not start.startswith(b"<"):
        raise _unreadable("Antes del primer '<' solo puede haber una marca de orden de bytes (BOM) y espacios.")


def _require_plain_prolog(root: etree._Element) -> None:
    """Check the prolog as libxml2 parsed it; ServiceError 301."""
    docinfo = root.getroottree().docinfo
    if docinfo.xml_version != "1.0":
        raise _unreadable(f"La versión de XML declarada es {docinfo.xml_version}; se lee la 1.0.")
    if docinfo.internalDTD is not None:
        raise _unreadable("No se admite DTD.")


def _require_whole_names(root: etree._Element) -> None:
    """Reject U+FFFD in a name: it stands for a character that a wrong decoding has lost; ServiceError 301."""
    for element in root.iter("*"):
        for qualified in (str(element.tag), element.prefix or "", *map(str, element.attrib)):
            name = qualified.rpartition("}")[2]
            if REPLACEMENT in name:
                raise _unreadable(f"El nombre {name} tiene un carácter que se perdió al cambiar la codificación.")


def _unreadable(reader: str) -> ServiceError:
    return ServiceError("301", f"{_UNREADABLE} {reader}")


def _reader_message(error: etree.XMLSyntaxError, limits: ParserLimits) -> str:
    """Return the parser's message and position, in Spanish for the errors that writers of CFDI make most.

    "Root element is missing" is the text of the contract.
    """
    line, column = error.position
    message = " ".join(_POSITION.sub("", error.msg or "").split())
    if getattr(error, "code", None) == _NO_ROOT:
        message = "Root element is missing"
    elif prefix := _PREFIX.match(message):
        message = f"No está declarado el prefijo {prefix[1]}: falta xmlns:{prefix[1]}"
    elif written := _NOT_URI.match(message):
        message = _namespace_message(written[1], written[2])
    elif _TOO_LONG.search(message):
        message = _limit_message(message, limits)
    return f"{message.removesuffix('.')}. Línea {line}, posición {column}."


def _namespace_message(name: str, value: str) -> str:
    """Describe a namespace declaration whose value is not a URI."""
    if name == "xmlns:schemaLocation":
        return (
            "xmlns:schemaLocation declara un prefijo, no la dirección de los esquemas: escriba xsi:schemaLocation y "
            f'declare xmlns:xsi="{XSI}"'
        )
    return f"El valor de {name} no es una URI: {value}"


def _limit_message(message: str, limits: ParserLimits) -> str:
    """Describe the limit of libxml2 that a document exceeds; its limit of nesting is above the one of `limits`."""
    if "depth" in message:
        return _too_deep(limits)
    if message.startswith("Name "):
        return "Un nombre pasa de 50,000 bytes"
    return "Un texto, un comentario o el valor de un atributo pasa de 10 MB, el máximo que se admite"


def _too_deep(limits: ParserLimits) -> str:
    return f"El anidamiento pasa de {limits.max_depth} niveles."


def version_of(root: etree._Element) -> str:
    versions = _VERSIONS.get(str(root.tag), ())
    declared = root.get("Version") or root.get("version") or ""
    return declared if declared in versions else ""
