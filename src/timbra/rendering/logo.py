"""The logo of the issuer on printed invoices: PNG or JPEG, with limits that are checked before decoding."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from timbra.core.errors import ServiceError

MAX_BYTES = 512 * 1024
MAX_PIXELS = 4_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
# Frame markers SOF0 to SOF15, without DHT, JPG and DAC, which are in the same range.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PNG_END, _JPEG_END = b"IEND", b"\xff\xd9"
END_ROOM = 1024
"""Bytes at the end of an image in which its last marker is searched; some programs append data."""
_STANDALONE = frozenset((0x01, *range(0xD0, 0xD9)))


LogoKind = Literal["png", "jpg"]


@dataclass(frozen=True, slots=True)
class Logo:
    """An image.

    Attributes:
        kind: format, by the header of the image.
    """

    kind: LogoKind
    content: bytes = field(repr=False)

    @property
    def mime_subtype(self) -> str:
        """The part of the media type after `image/`."""
        return "jpeg" if self.kind == "jpg" else self.kind


def read_logo(content: bytes) -> Logo:
    """Check the header of an image and its dimensions.

    Raises:
        ServiceError: "TB4005" for another format, for more than `MAX_BYTES` or `MAX_PIXELS`, or for a damaged header.
    """
    if len(content) > MAX_BYTES:
        raise _rejected(f"El logo pasa de {MAX_BYTES // 1024} KiB.")
    kind: LogoKind
    if content.startswith(_PNG):
        kind, size = "png", _png_size(content)
    elif content.startswith(_JPEG):
        kind, size = "jpg", _jpeg_size(content)
    else:
        raise _rejected("El logo debe ser una imagen PNG o JPEG.")
    if size is None or not all(size):
        raise damaged_logo()
    if size[0] * size[1] > MAX_PIXELS:
        raise _rejected(f"El logo tiene más de {MAX_PIXELS} pixeles.")
    return Logo(kind, content)


def check_logo(logo: Logo) -> Logo:
    """Return a logo whose image data are complete.

    Raises:
        ServiceError: "TB4005" when the data end before the image does.
    """
    end = _PNG_END if logo.kind == "png" else _JPEG_END
    if end not in logo.content[-END_ROOM:]:
        raise damaged_logo()
    return logo


def damaged_logo() -> ServiceError:
    """Return the error of an image that cannot be decoded."""
    return _rejected("La imagen del logo está dañada.")


def _rejected(detail: str) -> ServiceError:
    return ServiceError("TB4005", detail)


def _png_size(content: bytes) -> tuple[int, int] | None:
    """Return width and height of the IHDR chunk, which is the first one."""
    if content[12:16] != b"IHDR" or len(content) < 24:
        return None
    width, height = struct.unpack_from(">II", content, 16)
    return width, height


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    """Return width and height of the first frame."""
    for marker, offset in _segments(content):
        if marker in _FRAMES:
            if offset + 9 > len(content):
                return None
            height, width = struct.unpack_from(">HH", content, offset + 5)
            return width, height
    return None


def _segments(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield the markers of a JPEG with the offset of their 0xFF, up to the image data."""
    offset = 2
    while offset + 4 <= len(content) and content[offset] == 0xFF:
        marker = content[offset + 1]
        if marker == 0xFF:
            offset += 1
        elif marker in _STANDALONE:
            offset += 2
        else:
            yield marker, offset
            length = int.from_bytes(content[offset + 2 : offset + 4])
            if length < 2:
                return
            offset += 2 + length
