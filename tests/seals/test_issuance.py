"""A certificate's signature: the issuer's key, the whole content, and a digest that is not MD5."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import MD5, SHA1, SHA256, SHA384, SHA512, HashAlgorithm
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import minted, rsa_key

from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.certificates.issuance import is_issued_by

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
def test_is_issued_by_accepts_sha1_and_sha2_digests_only(digest: str, algorithm: HashAlgorithm, accepted: bool) -> None:
    signature = rsa_key(0).sign(LEAF.tbs_certificate, PKCS1v15(), algorithm)
    assert is_issued_by(replace(LEAF, digest=digest, signature=signature), KEY) is accepted


def test_is_issued_by_rejects_another_key_or_content() -> None:
    assert is_issued_by(LEAF, KEY)
    assert not is_issued_by(LEAF, rsa_key(1).public_key())
    assert not is_issued_by(replace(LEAF, tbs_certificate=LEAF.tbs_certificate + b"\0"), KEY)


@given(st.binary(max_size=300))
def test_is_issued_by_rejects_random_signatures(signature: bytes) -> None:
    assert not is_issued_by(replace(LEAF, signature=signature), KEY)
