"""Compression of stored documents: one byte that names the codec, then its output.

In place of a stamped document there may be a reference to it, see `Database.document`.
"""

from __future__ import annotations

import json
import threading
from dataclasses import astuple, dataclass

import zstandard

from timbra.database.zstd_dictionary import DICTIONARY_1

CODEC_1 = b"\x01"  # zstd, first dictionary
REFERENCE = b"\x02"  # JSON of an `ArchivedDocument`
LEVEL = 3
MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
"""A frame that announces a larger document is damaged: documents are limited to 40 MiB when they are received."""

_dictionary = zstandard.ZstdCompressionDict(DICTIONARY_1, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
_dictionary.precompute_compress(level=LEVEL)
# The checksum has 4 bytes and detects damaged documents.
_compressor = zstandard.ZstdCompressor(level=LEVEL, dict_data=_dictionary, write_checksum=True, write_dict_id=False)
_decompressor = zstandard.ZstdDecompressor(dict_data=_dictionary)
_lock = threading.Lock()


def encode(document: bytes) -> bytes:
    """Compress a document."""
    with _lock:
        return CODEC_1 + _compressor.compress(document)


def decode(stored: bytes) -> bytes:
    """Decompress a document. Raises ValueError: The bytes are damaged, or this version does not have the codec."""
    if stored[:1] != CODEC_1:
        raise ValueError("unknown codec of a stored document")
    frame = memoryview(stored)[1:]
    try:
        if zstandard.frame_content_size(frame) > MAX_DOCUMENT_BYTES:
            raise ValueError("damaged stored document: its length is impossible")
        with _lock:
            return _decompressor.decompress(frame)
    except zstandard.ZstdError as error:
        raise ValueError("damaged stored document") from error


@dataclass(frozen=True, slots=True)
class ArchivedDocument:
    """Where a document is in an archive.

    Attributes:
        archive: Name of the archive.
        file: Path of the ZIP file in the archive.
        start: Offset of the compressed document in the file.
        length: Bytes of the compressed document.
        size: Bytes of the document.
        method: Method of compression, as in the ZIP file.
        sha256: Of the document, in hexadecimal.
    """

    archive: str
    file: str
    start: int
    length: int
    size: int
    method: int
    sha256: str


_TYPES = (str, str, int, int, int, int, str)


def encode_reference(place: ArchivedDocument) -> bytes:
    """Return what is stored in place of an archived document."""
    return REFERENCE + json.dumps(astuple(place), separators=(",", ":")).encode()


def is_reference(stored: bytes) -> bool:
    """Whether a reference is stored in place of the document."""
    return stored[:1] == REFERENCE


def decode_reference(stored: bytes) -> ArchivedDocument:
    """Return the place of an archived document. Raises ValueError: The reference is damaged."""
    values = json.loads(stored[1:])
    if not isinstance(values, list) or tuple(map(type, values)) != _TYPES:
        raise ValueError("damaged reference to an archived document")
    place = ArchivedDocument(*values)
    if min(place.start, place.length, place.size) < 0 or max(place.length, place.size) > MAX_DOCUMENT_BYTES:
        raise ValueError("damaged reference to an archived document: its length is impossible")
    return place
