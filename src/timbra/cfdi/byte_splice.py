"""Changes to the bytes of a document that preserve all other bytes.

Sealing sets three attributes of the root, stamping inserts one complement; quotes, white space, comments, character
references and the Addenda stay as the issuer wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.parsers import expat

from timbra.cfdi.document import PROLOG, Document

DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'
_OWN_DECLARATION = re.compile(rb"<\?xml[ \t\r\n][^>]*+>")
_ALIAS = re.compile(rb"""["']utf8["']""", re.IGNORECASE)
_NAME = re.compile(rb"<([^\s/>]+)")
_ATTRIBUTES = re.compile(rb"""(?:\s++[^\s=/>]++\s*+=\s*+(?:"[^"]*+"|'[^']*+'))*""")
_ATTRIBUTE = re.compile(rb"""(\s++([^\s=/>]++)\s*+=\s*+)("[^"]*+"|'[^']*+')""")
_BLANKS = b" \t\r\n"


def set_root_attributes(document: Document, values: Mapping[str, str]) -> Document:
    """Replace or add attributes of the root, in the bytes and in the tree.

    Args:
        document: must not be used afterwards, because its tree is changed.
        values: base64 or digits by attribute name.

    Returns:
        The document with the new bytes and the same tree.

    Raises:
        ValueError: a value has a character that would need escaping.
    """
    for value in values.values():
        if "<" in value or ">" in value or "&" in value or '"' in value or "'" in value:
            raise ValueError("a spliced attribute value needs no escaping")
    source = document.source
    start = _root_name_end(source)
    end = source.find(b">", start)
    written = {name.encode(): value.encode() for name, value in values.items()}
    opening = _replace_attributes(source[start:end], written)
    if opening is None:
        end = _ATTRIBUTES.match(source, start).end()  # type: ignore[union-attr]
        opening = _replace_attributes_by_regex(source[start:end], written)
    for name, text in values.items():
        if document.root.get(name) != text:
            document.root.set(name, text)
    return Document(b"".join((source[:start], opening, source[end:])), document.root, document.version)


def _replace_attributes(opening: bytes, values: Mapping[bytes, bytes]) -> bytes | None:
    """Return the inside of an opening tag with these attributes; None unless all are written as ` Name="value"`."""
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


def _replace_attributes_by_regex(opening: bytes, values: Mapping[bytes, bytes]) -> bytes:
    pending = dict(values)
    pieces: list[bytes] = []
    for head, name, value in _ATTRIBUTE.findall(opening):
        replacement = pending.pop(name, None)
        pieces += (head, value if replacement is None else b'"%b"' % replacement)
    pieces += (b' %b="%b"' % added for added in pending.items())
    return b"".join(pieces)


def insert_complement(document: Document, complement: bytes) -> bytes:
    """Insert the stamp into a document.

    Args:
        document: parsed invoice, sealed.
        complement: serialized element, UTF-8 without declaration.

    Returns:
        The XML, with a declaration, and with `complement` as the last child of its Complemento.
    """
    source = document.source
    sections = _root_sections(document)
    at = _root_end(document) if sections in ([], ["Complemento"]) else None
    if at is not None and sections:
        at = _end_tag(document, "Complemento", at)
    if at is None:
        return _insert_by_parsing(document, complement)
    text = complement if sections else _wrap_in_complemento(document, complement)
    return _with_declaration(b"".join((source[:at], text, source[at:])))


def _root_sections(document: Document) -> list[str]:
    """Return the local names of the Complemento and Addenda children of the root, in any namespace."""
    sections = document.root.iterchildren("{*}Complemento", "{*}Addenda")
    return [str(section.tag).rpartition("}")[2] for section in sections]


def _root_end(document: Document) -> int | None:
    """Return the offset of the root's end tag; None with more than blanks after it."""
    return _end_tag(document, str(document.root.tag).rpartition("}")[2])


def _end_tag(document: Document, name: str, before: int | None = None) -> int | None:
    """Return the offset of the last end tag before `before` if it has that name and only blanks follow it.

    The same text inside a comment, an instruction or a CDATA section is followed by more than blanks.
    """
    at = document.source.rfind(b"</", 0, before)
    tag = document.source[at:before]
    opening = f"</{_qualified_name(document, name)}".encode()
    return at if tag.startswith(opening) and tag[len(opening) :].strip(_BLANKS) == b">" else None


def _insert_by_parsing(document: Document, complement: bytes) -> bytes:
    """Do `insert_complement` for a document of any form, with a parse of the whole document."""
    source = document.source
    points = _InsertionPoints(_qualified_name(document, "Complemento"), _qualified_name(document, "Addenda"))
    points.read(source)
    if points.complement_end is not None:
        at, text = points.complement_end, complement
    elif points.empty_complement is not None:
        slash = source.rindex(b"/", 0, points.empty_complement)
        opening = source[:slash] + b">" + complement + f"</{points.complement}>".encode()
        return _with_declaration(opening + source[points.empty_complement :])
    else:
        at = points.addenda_start if points.addenda_start is not None else points.root_end
        text = _wrap_in_complemento(document, complement)
    return _with_declaration(source[:at] + text + source[at:])


def _wrap_in_complemento(document: Document, complement: bytes) -> bytes:
    name = _qualified_name(document, "Complemento").encode()
    return b"<%b>%b</%b>" % (name, complement, name)


def _qualified_name(document: Document, local: str) -> str:
    """Return a local name with the prefix of the root."""
    prefix = document.root.prefix
    return f"{prefix}:{local}" if prefix else local


def _root_name_end(source: bytes) -> int:
    prolog = PROLOG.match(source)
    name = _NAME.match(source, prolog.end() if prolog else 0)
    if name is None:
        raise ValueError("no root element")
    return name.end()


def _with_declaration(source: bytes) -> bytes:
    """Return the XML with exactly one declaration; one that writes the alias `utf8` is replaced."""
    own = _OWN_DECLARATION.match(source)
    if own is None:
        return DECLARATION + source
    return DECLARATION + source[own.end() :] if _ALIAS.search(own[0]) else source


@dataclass(slots=True)
class _InsertionPoints:
    """Byte offsets of the root's children that stamping needs.

    Attributes:
        complement, addenda: names of the two elements, with prefix.
        complement_end: start of the first `</Complemento>`; None without one.
        empty_complement: end of the first `<Complemento/>`, when it comes before any `</Complemento>`.
        addenda_start: start of the first Addenda.
        root_end: start of the root's end tag.
    """

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
