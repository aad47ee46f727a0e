"""A reader of BER that arrives in pieces: what is small is read whole, what is large stays a stream.

SAT's lists are one PKCS#7 of gigabytes around its content. Lengths may be indefinite and the content may be cut into
many strings, as programs write it that sign while they read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

OCTET_STRING = 0x04
CUT_OCTET_STRING = 0x24
SEQUENCE = 0x30
SET = 0x31
DEEPEST = 16
LONGEST_LENGTH = 8
_CONSTRUCTED = 0x20
_END = b"\x00\x00"


class BerError(ValueError):
    """The bytes are no BER of the demanded shape."""


@dataclass(frozen=True, slots=True)
class Container:
    """An element that was entered. end: position after its content, None when its length is indefinite."""

    end: int | None


class BerReader:
    """Reads forward only. position: bytes consumed so far."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = b""
        self._at = 0
        self._before = 0

    @property
    def position(self) -> int:
        return self._before + self._at

    def enter(self, tag: int, inside: Container | None = None) -> Container:
        """Goes into the element that comes next, which must have the tag and fit its container."""
        found, length = self._header()
        if found != tag:
            raise BerError(f"tag {found:#x} in place of {tag:#x}")
        return self._container(length, inside)

    def leave(self, container: Container) -> None:
        """Past the end of a container whose members were all read."""
        if container.end is None:
            if self._take(2) != _END:
                raise BerError("members follow where the element should end")
        elif self.position != container.end:
            raise BerError("the element does not end where its length says")

    def more(self, container: Container) -> bool:
        """Whether the container has another member."""
        if container.end is not None:
            return self.position < container.end
        self._hold(2)
        return self._held[self._at : self._at + 2] != _END

    def next_tag(self, container: Container) -> int | None:
        """The tag of the container's next member, None at its end."""
        if not self.more(container):
            return None
        self._hold(1)
        return self._held[self._at]

    def element(self, limit: int, depth: int = 0) -> bytes:
        """The next element whole, lengths made definite; BerError when it is larger than `limit` bytes."""
        tag, length = self._header()
        if length is not None:
            if length > limit:
                raise BerError(f"an element of {length} bytes where {limit} are allowed")
            return _encoded(tag, self._take(length))
        if depth == DEEPEST or not tag & _CONSTRUCTED:
            raise BerError("an indefinite length where none can be")
        members, size = [], 0
        container = Container(None)
        while self.more(container):
            members.append(self.element(limit - size, depth + 1))
            size += len(members[-1])
        self.leave(container)
        return _encoded(tag, b"".join(members))

    def octets(self, inside: Container, depth: int = 0) -> Iterator[bytes]:
        """The content of the OCTET STRING that comes next, piece by piece."""
        tag, length = self._header()
        if tag == OCTET_STRING and length is not None:
            self._container(length, inside)
            yield from self._stream(length)
            return
        if tag != CUT_OCTET_STRING or depth == DEEPEST:
            raise BerError(f"tag {tag:#x} where an octet string should be")
        container = self._container(length, inside)
        while self.more(container):
            yield from self.octets(container, depth + 1)
        self.leave(container)

    def finish(self) -> None:
        """BerError when anything follows; reads the source to its end."""
        if self._at < len(self._held) or any(self._pieces):
            raise BerError("bytes follow the message")

    def _container(self, length: int | None, inside: Container | None) -> Container:
        end = None if length is None else self.position + length
        if end is not None and inside is not None and inside.end is not None and end > inside.end:
            raise BerError("the element reaches beyond its container")
        return Container(end)

    def _header(self) -> tuple[int, int | None]:
        tag, length = self._take(2)
        if tag & 0x1F == 0x1F:
            raise BerError("tags of several bytes do not occur here")
        if length < 0x80:
            return tag, length
        if length == 0x80:
            return tag, None
        size = length & 0x7F
        if size > LONGEST_LENGTH:
            raise BerError("the element's length is absurd")
        return tag, int.from_bytes(self._take(size), "big")

    def _take(self, size: int) -> bytes:
        self._hold(size)
        taken = self._held[self._at : self._at + size]
        self._at += size
        return taken

    def _stream(self, size: int) -> Iterator[bytes]:
        while size:
            self._hold(1)
            piece = self._held[self._at : self._at + size]
            self._at += len(piece)
            size -= len(piece)
            yield piece

    def _hold(self, size: int) -> None:
        """Makes at least `size` bytes ready."""
        if len(self._held) - self._at >= size:
            return
        parts = [self._held[self._at :]]
        missing = size - len(parts[0])
        self._before += self._at
        while missing > 0:
            piece = next(self._pieces, None)
            if piece is None:
                raise BerError("the message is cut off")
            parts.append(piece)
            missing -= len(piece)
        self._held, self._at = b"".join(parts), 0


def _encoded(tag: int, body: bytes) -> bytes:
    size = len(body)
    if size < 0x80:
        return bytes((tag, size)) + body
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(octets))) + octets + body
