"""Changes to a document's bytes that leave every other byte alone.

Sealing touches three attributes of the root, stamping adds one complement; quoting, blanks, comments, character
references and the Addenda stay as the issuer wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.parsers import expat

from lxml import etree

from timbra.cfdi.document import PROLOG, Document

DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'
_NAME = re.compile(rb"<([^\s/>]+)")
_ATTRIBUTES = re.compile(rb"""(?:\s++[^\s=/>]++\s*+=\s*+(?:"[^"]*+"|'[^']*+'))*+""")
_ATTRIBUTE = re.compile(rb"""(\s++([^\s=/>]++)\s*+=\s*+)("[^"]*+"|'[^']*+')""")
_BLANKS = b" \t\r\n"


def set_root_attributes(document: Document, values: Mapping[str, str]) -> Document:
    """The document with these root attributes replaced or added, in bytes and tree; `document` is used up.

    Values are base64 or digits: nothing in them needs escaping (ValueError otherwise).
    """
    if any(character in value for value in values.values() for character in "<>&\"'"):
        raise ValueError("a spliced attribute value needs no escaping")
    source = document.source
    start = _end_of_root_name(source)
    end = source.find(b">", start)
    written = {name.encode(): value.encode() for name, value in values.items()}
    opening = _with_attributes(source[start:end], written)
    if opening is None:
        end = _ATTRIBUTES.match(source, start).end()  # type: ignore[union-attr]
        opening = _with_attributes_of_any_form(source[start:end], written)
    for name, text in values.items():
        if document.root.get(name) != text:
            document.root.set(name, text)
    return Document(b"".join((source[:start], opening, source[end:])), document.root, document.version)


def _with_attributes(opening: bytes, values: Mapping[bytes, bytes]) -> bytes | None:
    """The inside of an opening tag with these attributes, None when another form than ` Name="value"` leaves doubt."""
    if b"'" in opening or not opening.endswith(b'"') or opening.count(b'"') % 2:
        return None
    for name, value in values.items():
        at = opening.find(b' %b="' % name)
        if at >= 0 and opening.count(b'"', 0, at) % 2 == 0:
            begin = at + len(name) + 3
            opening = opening[:begin] + value + opening[opening.index(b'"', begin) :]
        elif name in opening:
            return None
        else:
            opening += b' %b="%b"' % (name, value)
    return opening


def _with_attributes_of_any_form(opening: bytes, values: Mapping[bytes, bytes]) -> bytes:
    pending = dict(values)
    pieces: list[bytes] = []
    for head, name, value in _ATTRIBUTE.findall(opening):
        replacement = pending.pop(name, None)
        pieces += (head, value if replacement is None else b'"%b"' % replacement)
    pieces += (b' %b="%b"' % added for added in pending.items())
    return b"".join(pieces)


def insert_complement(document: Document, complement: bytes) -> bytes:
    """The whole XML, with a declaration, and `complement` as the last child of its Complemento."""
    source = document.source
    at = _end_of_complement(document)
    if at is not None:
        return _declared(source[:at] + complement + source[at:])
    at = _end_of_plain_root(document)
    if at is None:
        return _insert_by_reading(document, complement)
    return _declared(source[:at] + _wrapped(document, complement) + source[at:])


def _end_of_plain_root(document: Document) -> int | None:
    """Where the end tag of a root begins that has neither Complemento nor Addenda, when only blanks follow it."""
    return None if _places_inside(document) else _end_tag(document, str(etree.QName(document.root).localname))


def _end_of_complement(document: Document) -> int | None:
    """Where the end tag of the only Complemento begins, when only blanks part it from the root's."""
    if _places_inside(document) != ["Complemento"]:
        return None
    end = _end_tag(document, str(etree.QName(document.root).localname))
    return None if end is None else _end_tag(document, "Complemento", end)


def _places_inside(document: Document) -> list[str]:
    """Which of Complemento and Addenda the root has, of whatever namespace."""
    names = [str(child.tag).rpartition("}")[2] for child in document.root]
    return [name for name in names if name in ("Complemento", "Addenda")]


def _end_tag(document: Document, name: str, before: int | None = None) -> int | None:
    """Where the last markup begins, if it is the end tag of that name and blanks alone follow it.

    What a comment, an instruction or a CDATA section shows of it is followed by more than blanks.
    """
    at = document.source.rfind(b"</", 0, before)
    tag = document.source[at:before]
    opening = f"</{_qualified(document, name)}".encode()
    return at if tag.startswith(opening) and tag[len(opening) :].strip(_BLANKS) == b">" else None


def _insert_by_reading(document: Document, complement: bytes) -> bytes:
    """As `insert_complement`, for any document, by a walk through all of it."""
    source = document.source
    places = _Places(_qualified(document, "Complemento"), _qualified(document, "Addenda"))
    places.read(source)
    if places.complement_end is not None:
        at, text = places.complement_end, complement
    elif places.empty_complement is not None:
        slash = source.rindex(b"/", 0, places.empty_complement)
        opened = source[:slash] + b">" + complement + f"</{places.complement}>".encode()
        return _declared(opened + source[places.empty_complement :])
    else:
        at = places.addenda_start if places.addenda_start is not None else places.root_end
        text = _wrapped(document, complement)
    return _declared(source[:at] + text + source[at:])


def _wrapped(document: Document, complement: bytes) -> bytes:
    name = _qualified(document, "Complemento").encode()
    return b"<%b>%b</%b>" % (name, complement, name)


def _qualified(document: Document, local: str) -> str:
    """A name of the root's namespace, with the prefix that the root has."""
    prefix = document.root.prefix
    return f"{prefix}:{local}" if prefix else local


def _end_of_root_name(source: bytes) -> int:
    prolog = PROLOG.match(source)
    name = _NAME.match(source, prolog.end() if prolog else 0)
    if name is None:
        raise ValueError("no root element")
    return name.end()


def _declared(source: bytes) -> bytes:
    return source if source.startswith(b"<?xml ") else DECLARATION + source


@dataclass(slots=True)
class _Places:
    """Byte offsets of the root's children that stamping needs. complement, addenda: their names with prefix."""

    complement: str
    addenda: str
    complement_end: int | None = None
    empty_complement: int | None = None
    addenda_start: int | None = None
    root_end: int = 0

    def read(self, source: bytes) -> None:
        parser = expat.ParserCreate("utf-8")
        complement, addenda = self.complement, self.addenda
        closing = f"</{complement}".encode()
        depth = 0

        def start(name: str, _attributes: object) -> None:
            nonlocal depth
            depth += 1
            if depth == 2 and name == addenda and self.addenda_start is None:
                self.addenda_start = parser.CurrentByteIndex

        def end(name: str) -> None:
            nonlocal depth
            at = parser.CurrentByteIndex
            if depth == 2 and name == complement and self.complement_end is None and self.empty_complement is None:
                if source.startswith(closing, at):
                    self.complement_end = at
                else:
                    self.empty_complement = at
            elif depth == 1:
                self.root_end = at
            depth -= 1

        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.Parse(source, True)
