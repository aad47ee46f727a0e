"""How a stamped document is kept: one byte that names the codec, then what that codec made of it."""

from __future__ import annotations

import threading

import zstandard

from timbra.store.dictionary import DICTIONARY_1

CODEC_1 = b"\x01"  # zstd, first dictionary
LEVEL = 3

_dictionary = zstandard.ZstdCompressionDict(DICTIONARY_1, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
_dictionary.precompute_compress(level=LEVEL)
# The checksum costs 4 bytes and tells a damaged document from a whole one.
_compressor = zstandard.ZstdCompressor(level=LEVEL, dict_data=_dictionary, write_checksum=True, write_dict_id=False)
_decompressor = zstandard.ZstdDecompressor(dict_data=_dictionary)
_one_at_a_time = threading.Lock()


def encode(document: bytes) -> bytes:
    """The document as it is stored."""
    with _one_at_a_time:
        return CODEC_1 + _compressor.compress(document)


def decode(stored: bytes) -> bytes:
    """The document, byte for byte. ValueError when the bytes are damaged or of a codec unknown to this version."""
    if stored[:1] != CODEC_1:
        raise ValueError("unknown codec of a stored document")
    try:
        with _one_at_a_time:
            return _decompressor.decompress(memoryview(stored)[1:])
    except zstandard.ZstdError as error:
        raise ValueError("damaged stored document") from error
