from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.asn1 import der_writer as der
from timbra.asn1.ber_reader import BerError, BerReader

INDEFINITE = b"\x80"


def reader(data: bytes, size: int = 3) -> BerReader:
    return BerReader(data[at : at + size] for at in range(0, len(data), size))


def content(data: bytes, size: int = 3) -> bytes:
    """Return the content of a container with one octet string."""
    read = reader(data, size)
    outer = read.enter(0x30)
    found = b"".join(read.octets(outer))
    read.leave(outer)
    read.finish()
    return found


@given(st.binary(max_size=400), st.integers(1, 50))
def test_octets_reads_content_of_any_chunking(data: bytes, size: int) -> None:
    assert content(der.sequence(der.octets(data)), size) == data


@given(st.lists(st.binary(max_size=200)), st.integers(1, 50))
def test_octets_joins_constructed_strings(strings: list[bytes], size: int) -> None:
    cut = b"\x24" + INDEFINITE + b"".join(map(der.octets, strings)) + b"\0\0"
    assert content(b"\x30" + INDEFINITE + cut + b"\0\0", size) == b"".join(strings)
    assert content(der.sequence(der.element(0x24, b"".join(map(der.octets, strings)))), size) == b"".join(strings)


def test_element_makes_indefinite_lengths_definite() -> None:
    inner = der.integer(7) + b"\x31" + INDEFINITE + der.null() + b"\0\0"
    data = b"\x30" + INDEFINITE + inner + b"\0\0"
    assert reader(data).element(100) == der.sequence(der.integer(7), der.element(0x31, der.null()))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x30",
        b"\x30\x84\xff\xff\xff\xff" + b"x" * 20,
        b"\x30\x89" + b"\x01" * 9,
        b"\x1f\x81\x01\x00",
        b"\x04" + INDEFINITE + b"\0\0",
        b"\x30" + INDEFINITE + b"\x02\x01",
        (b"\x30" + INDEFINITE) * 40,
    ],
)
def test_element_rejects_malformed_input(data: bytes) -> None:
    with pytest.raises(BerError):
        reader(data).element(64)


def test_element_rejects_oversized_length_before_reading() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"\x30\x88" + (2**62).to_bytes(8, "big")
        raise AssertionError("read on")

    with pytest.raises(BerError):
        BerReader(pieces()).element(1000)


@pytest.mark.parametrize(
    "data",
    [
        der.sequence(der.octets(b"abc")) + b"x",
        b"\x30\x04" + der.octets(b"abc"),
        b"\x30\x06" + der.octets(b"abc"),
        b"\x30" + INDEFINITE + der.octets(b"abc"),
        b"\x30" + INDEFINITE + der.octets(b"abc") + der.null() + b"\0\0",
        der.sequence(der.integer(1)),
        b"\x30\x05\x24\x04" + der.octets(b"abc"),
    ],
)
def test_enter_and_leave_require_matching_lengths(data: bytes) -> None:
    with pytest.raises(BerError):
        content(data)


@given(st.binary(max_size=300), st.integers(1, 40))
def test_element_raises_only_ber_error_for_random_bytes(data: bytes, size: int) -> None:
    with suppress(BerError):
        assert len(reader(data, size).element(200)) <= 300
    with suppress(BerError):
        assert len(content(data, size)) < 300
