"""A certificate's signature: the issuer's key, the whole content, and a digest that is not MD5."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import MD5, SHA1, SHA256, SHA384, SHA512, HashAlgorithm
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import minted, rsa_key

from timbra.seals.certificate import read_certificate
from timbra.seals.issuance import issued_with

LEAF = read_certificate(minted())
KEY = rsa_key(0).public_key()


@pytest.mark.parametrize(
    ("digest", "algorithm", "accepted"),
    [
        ("sha1", SHA1(), True),
        ("sha256", SHA256(), True),
        ("sha384", SHA384(), True),
        ("sha512", SHA512(), True),
        ("md5", MD5(), False),
        ("", SHA256(), False),
        ("sha512", SHA256(), False),
    ],
)
def test_digests(digest: str, algorithm: HashAlgorithm, accepted: bool) -> None:
    signature = rsa_key(0).sign(LEAF.signed, PKCS1v15(), algorithm)
    assert issued_with(replace(LEAF, digest=digest, signature=signature), KEY) is accepted


def test_another_key_or_content() -> None:
    assert issued_with(LEAF, KEY)
    assert not issued_with(LEAF, rsa_key(1).public_key())
    assert not issued_with(replace(LEAF, signed=LEAF.signed + b"\0"), KEY)


@given(st.binary(max_size=300))
def test_no_signature_by_chance(signature: bytes) -> None:
    assert not issued_with(replace(LEAF, signature=signature), KEY)
