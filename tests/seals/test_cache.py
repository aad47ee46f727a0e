"""Certificates are read once."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import minted, refusal_of

from timbra.errors import ServiceError
from timbra.seals.cache import CertificateCache


def test_the_same_bytes_or_text_give_the_same_object() -> None:
    cache = CertificateCache()
    der = minted()
    text = base64.b64encode(der).decode()
    assert cache.read(der) is cache.read(bytes(bytearray(der)))
    assert cache.read_base64(text) is cache.read(der)


def test_only_the_latest_are_kept() -> None:
    cache = CertificateCache(size=1)
    first, second = minted(number="30001000000500000001"), minted(number="30001000000500000002")
    kept = cache.read(first)
    cache.read(second)
    assert cache.read(first) is not kept
    assert cache.read(first).number == "30001000000500000001"


@pytest.mark.parametrize("text", ["", "*", "QQ==", base64.b64encode(minted()).decode() + " ", "á"])
def test_text_that_is_no_certificate(text: str) -> None:
    with pytest.raises(ServiceError, match="certificate-unreadable"):
        CertificateCache().read_base64(text)


@given(st.text(max_size=60))
def test_random_text_never_breaks_the_reader(text: str) -> None:
    assert refusal_of(CertificateCache().read_base64, text) == "certificate-unreadable"
