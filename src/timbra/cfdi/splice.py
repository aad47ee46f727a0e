"""Changes to a document's bytes that leave every other byte alone.

Sealing touches three attributes of the root, stamping adds one complement; quoting, blanks, comments, character
references and the Addenda stay as the issuer wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.parsers import expat

from timbra.cfdi.document import PROLOG, Document

DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'
_NAME = re.compile(rb"<([^\s/>]+)")
_ATTRIBUTE = re.compile(rb"""\s+([^\s=/>]+)\s*=\s*("[^"]*"|'[^']*')""")


def set_root_attributes(document: Document, values: Mapping[str, str]) -> Document:
    """The document with these root attributes replaced or added, in bytes and tree; `document` is used up.

    Values are base64 or digits: nothing in them needs escaping (ValueError otherwise).
    """
    if any(character in value for value in values.values() for character in "<>&\"'"):
        raise ValueError("a spliced attribute value needs no escaping")
    source = document.source
    pending = dict(values)
    pieces: list[bytes] = []
    start = position = _end_of_root_name(source)
    while match := _ATTRIBUTE.match(source, position):
        value = pending.pop(match[1].decode(), None)
        if value is not None:
            pieces += (source[start : match.start(2)], b'"', value.encode(), b'"')
            start = match.end()
        position = match.end()
    pieces.append(source[start:position])
    pieces += (f' {name}="{value}"'.encode() for name, value in pending.items())
    for name, value in values.items():
        document.root.set(name, value)
    head = source[: _end_of_root_name(source)]
    return Document(b"".join((head, *pieces, source[position:])), document.root, document.version)


def insert_complement(document: Document, complement: bytes) -> bytes:
    """The whole XML, with a declaration, and `complement` as the last child of its Complemento."""
    source = document.source
    places = _Places(document.root.prefix)
    places.read(source)
    if places.complement_end is not None:
        at, text = places.complement_end, complement
    elif places.empty_complement is not None:
        slash = source.rindex(b"/", 0, places.empty_complement)
        opened = source[:slash] + b">" + complement + f"</{places.name('Complemento')}>".encode()
        return _declared(opened + source[places.empty_complement :])
    else:
        name = places.name("Complemento")
        at = places.addenda_start if places.addenda_start is not None else places.root_end
        text = f"<{name}>".encode() + complement + f"</{name}>".encode()
    return _declared(source[:at] + text + source[at:])


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
    """Byte offsets of the root's children that stamping needs."""

    prefix: str | None
    complement_end: int | None = None
    empty_complement: int | None = None
    addenda_start: int | None = None
    root_end: int = 0

    def name(self, local: str) -> str:
        return f"{self.prefix}:{local}" if self.prefix else local

    def read(self, source: bytes) -> None:
        parser = expat.ParserCreate("utf-8")
        complement, addenda = self.name("Complemento"), self.name("Addenda")
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
