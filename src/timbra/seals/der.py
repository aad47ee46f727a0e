"""A small strict reader of DER: single-byte tags, definite lengths, no recursion of its own.

SAT's certificates break the character sets of their string types, so that no strict X.509 parser reads all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

INTEGER = 0x02
BIT_STRING = 0x03
OCTET_STRING = 0x04
OBJECT_IDENTIFIER = 0x06
UTC_TIME = 0x17
GENERALIZED_TIME = 0x18
SEQUENCE = 0x30
SET = 0x31


class DerError(ValueError):
    """The bytes are no DER of the demanded shape."""


class Node(NamedTuple):
    """One element of `data`: header at `start`, content from `content` to `end`."""

    data: bytes
    tag: int
    start: int
    content: int
    end: int

    @property
    def body(self) -> bytes:
        return self.data[self.content : self.end]

    @property
    def encoded(self) -> bytes:
        return self.data[self.start : self.end]

    def children(self) -> Iterator[Node]:
        position = self.content
        while position < self.end:
            child = node_at(self.data, position, self.end)
            yield child
            position = child.end

    def sequence(self) -> list[Node]:
        """The members of a SEQUENCE."""
        return list(expect(self, SEQUENCE).children())


def node_at(data: bytes, position: int, limit: int) -> Node:
    """The element whose header starts at `position`; it must end at `limit` or before."""
    if position + 2 > limit:
        raise DerError("the element's header is cut off")
    tag, length = data[position], data[position + 1]
    if tag & 0x1F == 0x1F:
        raise DerError("tags of several bytes do not occur here")
    content = position + 2
    if length & 0x80:
        size = length & 0x7F
        if not 1 <= size <= 4 or content + size > limit:
            raise DerError("the element's length is indefinite, too long or cut off")
        length = int.from_bytes(data[content : content + size], "big")
        content += size
    if content + length > limit:
        raise DerError("the element reaches beyond its container")
    return Node(data, tag, position, content, content + length)


def whole(data: bytes) -> Node:
    """The one element that `data` consists of; anything after it is an error."""
    node = node_at(data, 0, len(data))
    if node.end != len(data):
        raise DerError("bytes follow the element")
    return node


def expect(node: Node, tag: int) -> Node:
    if node.tag != tag:
        raise DerError(f"tag {node.tag:#x} in place of {tag:#x}")
    return node


def integer(node: Node) -> int:
    """A non-negative INTEGER."""
    body = expect(node, INTEGER).body
    if not body or body[0] & 0x80:
        raise DerError("the integer is empty or negative")
    return int.from_bytes(body, "big")


def object_identifier(node: Node) -> str:
    """The dotted form."""
    body = expect(node, OBJECT_IDENTIFIER).body
    if not body or body[-1] & 0x80 or len(body) > 64:
        raise DerError("the object identifier is empty, cut off or too long")
    arcs, value = [], 0
    for byte in body:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            arcs.append(value)
            value = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, (first, arcs[0] - 40 * first, *arcs[1:])))


def bit_string(node: Node) -> bytes:
    """The bytes of a BIT STRING; unused bits of the last byte stay as they are."""
    body = expect(node, BIT_STRING).body
    if not body or body[0] > 7:
        raise DerError("the bit string is empty or malformed")
    return body[1:]
