"""Verification of a stamped document by a second parser.

Bytes on which two parsers agree are most likely read alike by other parsers. A plain document, as nearly all are, is
read by `timbra._native` where that is compiled: it accepts only what every parser reads in one way. expat reads any
other document; it calls no Python handler for elements until a namespace declaration announces a stamp.
"""

from __future__ import annotations

from xml.parsers import expat

from timbra._native import is_plainly_stamped
from timbra.cfdi.tfd import TFD, TimbreFiscalDigital

_STAMP = f"{TFD} TimbreFiscalDigital"
_BLANKS = " \t\r\n"
_DEPTH = 3
Attributes = dict[str, str]


def find_syntax_error(xml: bytes) -> str | None:
    """Return expat's error for the bytes, read as UTF-8 regardless of their declaration; None if well-formed."""
    try:
        expat.ParserCreate("utf-8", " ").Parse(xml, True)
    except expat.ExpatError as error:
        return describe_error(error)
    return None


def describe_error(error: expat.ExpatError) -> str:
    """Format an error of expat with its position."""
    message = expat.ErrorString(error.code)
    return f"{message}. Línea {error.lineno}, posición {error.offset + 1}."


def find_mismatch(xml: bytes, stamp: TimbreFiscalDigital, tag: str) -> str | None:
    """Compare the bytes with the stamp that they must contain.

    The bytes must be well-formed XML 1.0 without DTD that begins with its only declaration. The root must have
    that name and the Sello of the stamp, and its Complemento must contain exactly one stamp, with that UUID and
    SelloCFD.

    Args:
        xml: the stamped document.
        stamp: the stamp that was inserted.
        tag: qualified name of the root, `{namespace}local`.

    Returns:
        A Spanish description of the first difference; None when there is none.
    """
    namespace, _, local = tag[1:].partition("}")
    if is_plainly_stamped(xml, namespace.encode(), local.encode(), stamp.sello_cfd.encode(), stamp.uuid.encode()):
        return None
    return _find_mismatch_by_expat(xml, stamp, namespace, local)


def _find_mismatch_by_expat(xml: bytes, stamp: TimbreFiscalDigital, namespace: str, local: str) -> str | None:
    reader = _Reader(f"{namespace} Complemento")
    try:
        reader.read(xml)
    except (expat.ExpatError, LookupError, ValueError) as error:
        return describe_error(error) if isinstance(error, expat.ExpatError) else str(error)
    if not xml.startswith(b"<?xml") or reader.versions != ["1.0"]:
        return "No empieza con una sola declaración XML 1.0."
    if reader.has_dtd:
        return "Lleva un DTD."
    if reader.root != f"{namespace} {local}" or reader.sello.strip(_BLANKS) != stamp.sello_cfd:
        return "La raíz o su Sello son otros."
    found = [(attributes.get("UUID"), attributes.get("SelloCFD")) for attributes in reader.stamps]
    if found != [(stamp.uuid, stamp.sello_cfd)]:
        return f"Lleva {len(found)} timbres en su Complemento, o el timbre es otro."
    return None


class _Reader:
    """One parse of a document.

    Depths count from the element at which the element handlers were set; at the end of the parse the depth is minus the
    number of elements that were open then.

    Args:
        complement: name of the Complemento of the root, with its namespace.

    Attributes:
        versions: versions of the XML declarations.
        stamps: attributes of the stamps inside the Complemento of the root.
    """

    def __init__(self, complement: str) -> None:
        self._complement = complement
        self.versions: list[str] = []
        self.has_dtd = False
        self.root = ""
        self.sello = ""
        self.stamps: list[Attributes] = []
        self._depth = 0
        self._pending: dict[int, list[Attributes]] = {}
        self._inside: list[tuple[int, Attributes]] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")

    def read(self, xml: bytes) -> None:
        """Parse the bytes.

        Raises:
            expat.ExpatError: they are not well-formed.
            LookupError, ValueError: the encoding is unknown.
        """
        parser = self._parser
        parser.XmlDeclHandler = lambda version, _encoding, _standalone: self.versions.append(version)
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartNamespaceDeclHandler = self._namespace
        parser.StartElementHandler = self._first
        try:
            parser.Parse(xml, True)
        finally:
            # The handlers of the parser refer to this object; deleting the cycle frees both immediately.
            del self._parser
        self.stamps = [stamp for depth, stamp in self._inside if depth - self._depth == _DEPTH]

    def _doctype(self, *_: object) -> None:
        self.has_dtd = True

    def _namespace(self, _prefix: str | None, uri: str) -> None:
        if uri == TFD:
            self._parser.StartElementHandler = self._start
            self._parser.EndElementHandler = self._end

    def _first(self, name: str, attributes: Attributes) -> None:
        self.root, self.sello = name, attributes.get("Sello", "")
        self._parser.StartElementHandler = None

    def _start(self, name: str, attributes: Attributes) -> None:
        if not self.root:
            self.root, self.sello = name, attributes.get("Sello", "")
        self._depth += 1
        if name == _STAMP:
            self._pending.setdefault(self._depth, []).append(attributes)

    def _end(self, name: str) -> None:
        """At the end of an element, keep the stamps among its children if it is a Complemento."""
        self._depth -= 1
        children = self._depth + 2
        stamps = self._pending.pop(children, ())
        if name == self._complement:
            self._inside += ((children, stamp) for stamp in stamps)
