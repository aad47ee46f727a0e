"""Seals are verified here and by openssl; nothing else is accepted."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import rsa_key
from tests.support.corpus import credential

from timbra.core.errors import ServiceError
from timbra.seals.base64_text import strict_base64
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.rsa_signature import verify_signature
from timbra.seals.seal import seal, seal_bytes, verify
from timbra.seals.signers.memory import MemorySigner, pair_key

CADENA = "||4.0|2026-11-17T12:00:00|Ñandú & Cía|México||"
SELLO = seal(MemorySigner(rsa_key()), CADENA)


def test_seal_is_rsa_sha256_of_utf8_text() -> None:
    public = rsa_key().public_key().public_numbers()
    opened = pow(int.from_bytes(base64.b64decode(SELLO), "big"), public.e, public.n).to_bytes(256, "big")
    assert opened.startswith(b"\x00\x01" + b"\xff" * 202 + b"\x00\x30\x31")
    assert opened.endswith(hashlib.sha256(CADENA.encode()).digest())


def test_verify_accepts_only_matching_text_and_key() -> None:
    assert verify(rsa_key().public_key(), CADENA, SELLO)
    assert not verify(rsa_key(1).public_key(), CADENA, SELLO)
    assert not verify(rsa_key().public_key(), CADENA + " ", SELLO)


def test_seal_is_deterministic() -> None:
    assert seal(MemorySigner(rsa_key()), CADENA) == SELLO


def test_seal_with_key_of_sat_key_file() -> None:
    entry = credential("EKU9003173C9")
    assert entry.key is not None
    certificate = read_certificate(entry.read())
    signer = pair_key(certificate, load_private_key(entry.key.read_bytes(), entry.password or ""))
    assert verify(certificate.public_key, CADENA, seal(signer, CADENA))


@pytest.mark.parametrize(
    "sello",
    ["", "0.00", SELLO[:-4], SELLO + "\n", " " + SELLO, SELLO.rstrip("="), SELLO[:-3] + "x==", SELLO.replace("A", "Á")],
)
def test_verify_rejects_noncanonical_base64_and_short_seals(sello: str) -> None:
    assert not verify(rsa_key().public_key(), CADENA, sello)


def test_strict_base64_requires_zero_padding_bits() -> None:
    assert strict_base64("QQ==") == b"A"
    assert seal_bytes("QR==") is None


@given(st.binary(max_size=64))
def test_strict_base64_decodes_encoded_bytes(data: bytes) -> None:
    assert strict_base64(base64.b64encode(data).decode()) == data


@given(st.text(max_size=40))
def test_strict_base64_rejects_other_text(text: str) -> None:
    try:
        decoded = strict_base64(text)
    except ValueError:
        return
    assert base64.b64encode(decoded).decode() == text


@given(st.binary(max_size=300), st.binary(max_size=40))
def test_verify_rejects_random_signatures(signature: bytes, data: bytes) -> None:
    assert not verify_signature(rsa_key().public_key(), data, signature)


def test_verify_own_signature_rejects_a_faulty_signature() -> None:
    with pytest.raises(ServiceError, match="signature-faulty"):
        MemorySigner(rsa_key(1), rsa_key(2).public_key()).sign(b"x")
