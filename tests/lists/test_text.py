from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.lists.sources.text import clean_text


def clean(data: bytes, size: int = 5) -> str:
    return b"".join(clean_text(data[at : at + size] for at in range(0, len(data), size))).decode()


@given(st.text(), st.integers(1, 20))
def test_clean_text_keeps_utf8(text: str, size: int) -> None:
    if "Ã" not in text and not text.startswith("\ufeff"):
        assert clean(text.encode(), size) == text


@given(st.text(st.characters(max_codepoint=255, exclude_characters="Ã")), st.integers(1, 20))
def test_clean_text_decodes_single_bytes(text: str, size: int) -> None:
    if any(0x80 <= ord(character) < 0xC0 for character in text):
        return
    single = "|".join(text) + "|"
    assert clean(single.encode("latin-1"), size) == single


@given(st.binary(max_size=300), st.integers(1, 20))
def test_clean_text_accepts_any_bytes(data: bytes, size: int) -> None:
    clean(data, size)


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_clean_text_removes_a_mime_header(end: str) -> None:
    assert clean(f"Content-Type: text/plain{end}{end}RFC|SNCF{end}".encode()) == f"RFC|SNCF{end}"


def test_clean_text_removes_a_byte_order_mark() -> None:
    assert clean("\ufeffRFC".encode()) == "RFC"


UTF8 = "OÑO120726RX3".encode()


@pytest.mark.parametrize(
    "data",
    [UTF8, "OÑO120726RX3".encode("latin-1"), UTF8.decode("cp1252").encode(), UTF8.decode("latin-1").encode()],
)
def test_clean_text_decodes_every_encoding_of_enye(data: bytes) -> None:
    assert clean(data, 100) == "OÑO120726RX3"
