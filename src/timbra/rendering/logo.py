"""A picture that the issuer wants on its printed invoices: PNG or JPEG, bounded before anybody decodes it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from timbra.errors import ServiceError

MOST_BYTES = 512 * 1024
MOST_PIXELS = 4_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
# Markers of frames, SOF0 to SOF15, without those that only look like one (DHT, JPG, DAC).
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_STANDALONE = frozenset((0x01, *range(0xD0, 0xD9)))


@dataclass(frozen=True, slots=True)
class Logo:
    """kind: what its header says that it is."""

    kind: Literal["png", "jpg"]
    content: bytes = field(repr=False)


def read_logo(content: bytes) -> Logo:
    """The logo in these bytes, judged by its header. ServiceError("TB4005") for another kind, size or shape."""
    if len(content) > MOST_BYTES:
        raise _refused(f"El logo pasa de {MOST_BYTES // 1024} KiB.")
    kind: Literal["png", "jpg"]
    if content.startswith(_PNG):
        kind, size = "png", _png_size(content)
    elif content.startswith(_JPEG):
        kind, size = "jpg", _jpeg_size(content)
    else:
        raise _refused("El logo debe ser una imagen PNG o JPEG.")
    if size is None or not all(size):
        raise unreadable()
    if size[0] * size[1] > MOST_PIXELS:
        raise _refused(f"El logo tiene más de {MOST_PIXELS} pixeles.")
    return Logo(kind, content)


def unreadable() -> ServiceError:
    """The refusal of a picture whose header promises what its content does not keep."""
    return _refused("La imagen del logo está dañada.")


def _refused(detail: str) -> ServiceError:
    return ServiceError("TB4005", detail)


def _png_size(content: bytes) -> tuple[int, int] | None:
    """Width and height of the IHDR chunk, which comes first."""
    if content[12:16] != b"IHDR" or len(content) < 24:
        return None
    width, height = struct.unpack_from(">II", content, 16)
    return width, height


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    """Width and height of the first frame."""
    for marker, at in _segments(content):
        if marker in _FRAMES:
            if at + 9 > len(content):
                return None
            height, width = struct.unpack_from(">HH", content, at + 5)
            return width, height
    return None


def _segments(content: bytes) -> Iterator[tuple[int, int]]:
    """Markers of a JPEG, each with the place of its 0xFF, up to the data of the picture."""
    at = 2
    while at + 4 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _STANDALONE:
            at += 2
        else:
            yield marker, at
            length = int.from_bytes(content[at + 2 : at + 4])
            if length < 2:
                return
            at += 2 + length
