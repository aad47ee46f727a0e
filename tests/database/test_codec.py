"""Compression of stored documents."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpus import corpus_path

from timbra.database.codec import decode, encode
from timbra.database.zstd_dictionary import DICTIONARY_1
from timbra.examples.cfdi40 import ingreso


def decoded_or_none(stored: bytes) -> bytes | None:
    try:
        return decode(stored)
    except ValueError:
        return None


@given(st.binary(max_size=20_000))
def test_decode_returns_the_encoded_bytes(document: bytes) -> None:
    assert decode(encode(document)) == document


@given(st.binary(max_size=2_000))
def test_decode_rejects_foreign_bytes(stored: bytes) -> None:
    with pytest.raises(ValueError, match="stored document"):
        decode(stored)


@given(st.data())
def test_decode_rejects_a_changed_byte(data: st.DataObject) -> None:
    document = ingreso().encode()
    stored = bytearray(encode(document))
    place = data.draw(st.integers(0, len(stored) - 1))
    stored[place] ^= data.draw(st.integers(1, 255))
    assert decoded_or_none(bytes(stored)) in {document, None}


def test_decode_rejects_a_frame_that_announces_an_impossible_length() -> None:
    stored = bytearray(encode(ingreso().encode()))
    stored[5] ^= 0xB0  # the sizes of the field for the length, and more, in the frame header descriptor
    assert decoded_or_none(bytes(stored)) is None


def test_dictionary_is_unchanged() -> None:
    assert sha256(DICTIONARY_1).hexdigest() == "237c44bce71c48e0b3763eb2663c852afc5d4f5df5e3c9ea166433d5543fe76d"


def test_encode_compresses_an_invoice_to_a_quarter() -> None:
    document = ingreso(concepts=3).encode()
    assert len(encode(document)) * 4 < len(document)


def test_encode_compresses_the_corpus_to_half() -> None:
    documents = [path.read_bytes() for path in sorted(corpus_path().glob("docs/**/*.xml"))]
    stamped = [one for one in documents if b"TimbreFiscalDigital" in one and b'Version="4.0"' in one]
    assert len(stamped) > 10
    assert sum(len(encode(one)) for one in stamped) * 2 < sum(map(len, stamped))
