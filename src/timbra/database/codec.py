"""Compression of stored documents: one byte that names the codec, then its output."""

from __future__ import annotations

import threading

import zstandard

from timbra.database.zstd_dictionary import DICTIONARY_1

CODEC_1 = b"\x01"  # zstd, first dictionary
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
