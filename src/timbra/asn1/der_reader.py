"""A strict reader of DER elements: single-byte tags, definite lengths, no recursion.

Private keys, PKCS#12 files, CMS signatures and the names in SAT's certificates are read with it: the tree of elements
is inspected before, or instead of, parsing the whole structure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

INTEGER = 0x02
OCTET_STRING = 0x04
OBJECT_IDENTIFIER = 0x06
SEQUENCE = 0x30
SET = 0x31


class DerError(ValueError):
    """The bytes are not DER of the required structure."""


class DerNode(NamedTuple):
    """One element of `data`.

    Attributes:
        data: The bytes that contain the element.
        tag: The identifier byte.
        start: Position of the header in `data`.
        content: Position of the first content byte.
        end: Position after the content.
    """

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
        """The header and the content bytes."""
        return self.data[self.start : self.end]

    def children(self) -> Iterator[DerNode]:
        """Iterate over the elements that a constructed element contains."""
        position = self.content
        while position < self.end:
            child = parse_element(self.data, position, self.end)
            yield child
            position = child.end

    def sequence(self) -> list[DerNode]:
        return list(require_tag(self, SEQUENCE).children())


def parse_element(data: bytes, position: int, limit: int) -> DerNode:
    """Parse an element.

    Args:
        data: The bytes that contain it.
        position: The position of its header.
        limit: The position after its container.

    Raises:
        DerError: The element is malformed or ends after `limit`.
    """
    if position + 2 > limit:
        raise DerError("the element's header is cut off")
    tag, length = data[position], data[position + 1]
    if tag & 0x1F == 0x1F:
        raise DerError("tags of several bytes are not supported")
    content = position + 2
    if length & 0x80:
        size = length & 0x7F
        if not 1 <= size <= 4 or content + size > limit:
            raise DerError("the element's length is indefinite, too long or cut off")
        length = int.from_bytes(data[content : content + size], "big")
        content += size
    if content + length > limit:
        raise DerError("the element ends after its container")
    return DerNode(data, tag, position, content, content + length)


def parse_der(data: bytes) -> DerNode:
    """Parse the single element of `data`. Raises DerError: The element is malformed, or bytes follow it."""
    node = parse_element(data, 0, len(data))
    if node.end != len(data):
        raise DerError("bytes follow the element")
    return node


def require_tag(node: DerNode, tag: int) -> DerNode:
    """Return the node. Raises DerError: The node has another tag."""
    if node.tag != tag:
        raise DerError(f"tag {node.tag:#x} in place of {tag:#x}")
    return node


def integer(node: DerNode) -> int:
    """Decode a non-negative INTEGER."""
    body = require_tag(node, INTEGER).body
    if not body or body[0] & 0x80:
        raise DerError("the integer is empty or negative")
    return int.from_bytes(body, "big")


def object_identifier(node: DerNode) -> str:
    """Decode an OBJECT IDENTIFIER into its dotted form."""
    body = require_tag(node, OBJECT_IDENTIFIER).body
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
