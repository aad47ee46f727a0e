"""Certificates are read once."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import minted, rejection_of

from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import CertificateCache


def test_cache_returns_the_same_object_for_equal_input() -> None:
    cache = CertificateCache()
    der = minted()
    text = base64.b64encode(der).decode()
    assert cache.read(der) is cache.read(bytes(bytearray(der)))
    assert cache.read_base64(text) is cache.read(der)


def test_cache_evicts_least_recently_used() -> None:
    cache = CertificateCache(size=1)
    first, second = minted(number="30001000000500000001"), minted(number="30001000000500000002")
    kept = cache.read(first)
    cache.read(second)
    assert cache.read(first) is not kept
    assert cache.read(first).number == "30001000000500000001"


@pytest.mark.parametrize("text", ["", "*", "QQ==", base64.b64encode(minted()).decode() + " ", "á"])
def test_read_base64_rejects_text_that_is_no_certificate(text: str) -> None:
    with pytest.raises(ServiceError, match="certificate-unreadable"):
        CertificateCache().read_base64(text)


@given(st.text(max_size=60))
def test_read_base64_raises_only_service_errors(text: str) -> None:
    assert rejection_of(CertificateCache().read_base64, text) == "certificate-unreadable"
