"""A streaming reader of BER: small elements are read whole, large content is yielded in pieces.

The SAT's lists are PKCS#7 files of gigabytes. Lengths may be indefinite, and the content may consist of many strings,
as programs write that sign a stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

OCTET_STRING = 0x04
CONSTRUCTED_OCTET_STRING = 0x24
SEQUENCE = 0x30
SET = 0x31
MAX_DEPTH = 16
MAX_LENGTH_BYTES = 8
_CONSTRUCTED = 0x20
_END = b"\x00\x00"


class BerError(ValueError):
    """The bytes are not BER of the required structure."""


@dataclass(frozen=True, slots=True)
class BerContainer:
    """An element that was entered.

    Attributes:
        end: The position after its content; None when its length is indefinite.
    """

    end: int | None


class BerReader:
    """Reads a message from an iterator of its bytes, forward only."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._buffer = b""
        self._at = 0
        self._before = 0

    @property
    def position(self) -> int:
        """The number of bytes that were read."""
        return self._before + self._at

    def enter(self, tag: int, inside: BerContainer | None = None) -> BerContainer:
        """Enter the next element.

        Args:
            tag: The tag that it must have.
            inside: The container inside which it must end.

        Raises:
            BerError: It has another tag, or does not end inside the container.
        """
        actual, length = self._header()
        if actual != tag:
            raise BerError(f"tag {actual:#x} in place of {tag:#x}")
        return self._container(length, inside)

    def leave(self, container: BerContainer) -> None:
        """Leave a container. Raises BerError: It has members that were not read."""
        if container.end is None:
            if self._read(2) != _END:
                raise BerError("members follow where the element should end")
        elif self.position != container.end:
            raise BerError("the element does not end where its length says")

    def more(self, container: BerContainer) -> bool:
        """Whether the container has another member."""
        if container.end is not None:
            return self.position < container.end
        self._fill(2)
        return self._buffer[self._at : self._at + 2] != _END

    def next_tag(self, container: BerContainer) -> int | None:
        """Return the tag of the container's next member, None at its end."""
        if not self.more(container):
            return None
        self._fill(1)
        return self._buffer[self._at]

    def element(self, limit: int, depth: int = 0) -> bytes:
        """Read the next element whole.

        Args:
            limit: The maximum size of its content in bytes.
            depth: Its depth inside the element of the first call.

        Returns:
            The element, encoded with definite lengths.

        Raises:
            BerError: The element is larger, or nested too deeply.
        """
        tag, length = self._header()
        if length is not None:
            if length > limit:
                raise BerError(f"an element of {length} bytes where {limit} are allowed")
            return _encode_element(tag, self._read(length))
        if depth == MAX_DEPTH or not tag & _CONSTRUCTED:
            raise BerError("an indefinite length where none can be")
        members, size = [], 0
        container = BerContainer(None)
        while self.more(container):
            members.append(self.element(limit - size, depth + 1))
            size += len(members[-1])
        self.leave(container)
        return _encode_element(tag, b"".join(members))

    def octets(self, inside: BerContainer, depth: int = 0) -> Iterator[bytes]:
        """Yield the content of the next OCTET STRING in pieces.

        Args:
            inside: The container inside which the string must end.
            depth: Its depth inside the string of the first call.

        Raises:
            BerError: The next element is not an OCTET STRING, or nested too deeply.
        """
        tag, length = self._header()
        if tag == OCTET_STRING and length is not None:
            self._container(length, inside)
            yield from self._stream(length)
            return
        if tag != CONSTRUCTED_OCTET_STRING or depth == MAX_DEPTH:
            raise BerError(f"tag {tag:#x} where an octet string should be")
        container = self._container(length, inside)
        while self.more(container):
            yield from self.octets(container, depth + 1)
        self.leave(container)

    def finish(self) -> None:
        """Read the source to its end. Raises BerError: Bytes follow the message."""
        if self._at < len(self._buffer) or any(self._pieces):
            raise BerError("bytes follow the message")

    def _container(self, length: int | None, inside: BerContainer | None) -> BerContainer:
        end = None if length is None else self.position + length
        if end is not None and inside is not None and inside.end is not None and end > inside.end:
            raise BerError("the element reaches beyond its container")
        return BerContainer(end)

    def _header(self) -> tuple[int, int | None]:
        tag, length = self._read(2)
        if tag & 0x1F == 0x1F:
            raise BerError("tags of several bytes do not occur here")
        if length < 0x80:
            return tag, length
        if length == 0x80:
            return tag, None
        size = length & 0x7F
        if size > MAX_LENGTH_BYTES:
            raise BerError("the element's length is too long")
        return tag, int.from_bytes(self._read(size), "big")

    def _read(self, size: int) -> bytes:
        self._fill(size)
        data = self._buffer[self._at : self._at + size]
        self._at += size
        return data

    def _stream(self, size: int) -> Iterator[bytes]:
        while size:
            self._fill(1)
            piece = self._buffer[self._at : self._at + size]
            self._at += len(piece)
            size -= len(piece)
            yield piece

    def _fill(self, size: int) -> None:
        """Fill the buffer with at least `size` unread bytes."""
        if len(self._buffer) - self._at >= size:
            return
        parts = [self._buffer[self._at :]]
        missing = size - len(parts[0])
        self._before += self._at
        while missing > 0:
            piece = next(self._pieces, None)
            if piece is None:
                raise BerError("the message is cut off")
            parts.append(piece)
            missing -= len(piece)
        self._buffer, self._at = b"".join(parts), 0


def _encode_element(tag: int, body: bytes) -> bytes:
    size = len(body)
    if size < 0x80:
        return bytes((tag, size)) + body
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(octets))) + octets + body
