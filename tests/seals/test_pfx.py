"""PKCS#12 files: those of the corpus, and damaged ones."""

from __future__ import annotations

import os
from functools import partial

import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from cryptography.x509 import load_der_x509_certificate
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.seals.support import damaged, minted, rejection_of, rsa_key
from tests.support import child_work
from tests.support.corpus import Entry, pfx_files

from timbra.core.errors import ServiceError
from timbra.pools.work_share import WorkShare
from timbra.seals.keys.key_process import in_key_process
from timbra.seals.keys.pfx import load_pfx
from timbra.seals.signers.memory import pair_key

PROCESSOR_SECONDS = 2.0

PASSWORD = "contraseña 1"
MADE = pkcs12.serialize_key_and_certificates(
    None, rsa_key(1), load_der_x509_certificate(minted()), None, BestAvailableEncryption(PASSWORD.encode())
)


def code_of(data: bytes, password: str) -> str:
    with pytest.raises(ServiceError) as rejection:
        load_pfx(data, password)
    return rejection.value.code


@pytest.mark.parametrize("entry", pfx_files(), ids=str)
def test_load_pfx_reads_every_file_of_the_corpus(entry: Entry) -> None:
    assert entry.password is not None
    certificate, key = load_pfx(entry.read(), entry.password)
    assert (certificate.number, certificate.rfc) == (entry.number, entry.rfc)
    pair_key(certificate, key)
    assert code_of(entry.read(), "otra") == "key-password"


def test_load_pfx_reads_a_file_of_cryptography() -> None:
    certificate, key = load_pfx(MADE, PASSWORD)
    assert certificate.der == minted()
    pair_key(certificate, key)


def test_load_pfx_reads_ber_that_is_not_der() -> None:
    assert MADE[:2] == b"\x30\x82"
    certificate, _ = load_pfx(b"\x30\x83\x00" + MADE[2:], PASSWORD)
    assert certificate.der == minted()


def test_load_pfx_rejects_other_files() -> None:
    bare = pkcs12.serialize_key_and_certificates(
        None, None, load_der_x509_certificate(minted()), None, BestAvailableEncryption(b"x")
    )
    for data in (b"", minted(), MADE[:-1], bytes(1 << 20)):
        assert code_of(data, "x") == "key-unreadable"
    assert code_of(bare, "x") == "key-unreadable"


def test_load_pfx_rejects_expensive_mac_at_once() -> None:
    assert MADE.endswith(bytes([2, 2, 0x08, 0x00]))
    grown = bytearray(MADE[:-4] + bytes([2, 2, 0x7F, 0xFF]))
    assert code_of(bytes(grown), PASSWORD) == "key-password"
    assert code_of(with_longer_tail(MADE[:-4], bytes([2, 4, 0x7F, 0xFF, 0xFF, 0xFF]), 2), PASSWORD) == "key-cipher"


def with_longer_tail(head: bytes, tail: bytes, growth: int) -> bytes:
    """Return the PFX with another last element and corrected lengths of the enclosing sequences."""
    data = bytearray(head + tail)
    data[2:4] = (int.from_bytes(data[2:4], "big") + growth).to_bytes(2, "big")
    mac = head.rindex(bytes.fromhex("3031300d0609608648016503040201")) - 2
    assert data[mac] == 0x30
    data[mac + 1] += growth
    return bytes(data)


@given(st.binary(max_size=300), st.text(max_size=10))
def test_load_pfx_raises_only_service_errors_for_random_bytes(data: bytes, password: str) -> None:
    with pytest.raises(ServiceError):
        load_pfx(data, password)


@settings(max_examples=40)
@given(damaged([MADE]))
def test_load_pfx_raises_only_service_errors_for_damaged_files(data: bytes) -> None:
    assert rejection_of(load_pfx, data, PASSWORD) in {
        None,
        "key-password",
        "key-cipher",
        "key-unreadable",
        "certificate-unreadable",
    }


def with_many_bags(iterations: int, bags: int) -> bytes:
    """Return bytes that stand for a file whose encrypted part demands so many key derivations."""
    return b"".join(iterations.to_bytes(4, "big") for _ in range(bags))


def test_key_process_bounds_the_sum_of_all_derivations_of_a_file_and_charges_it() -> None:
    charged: list[float] = []
    share = WorkShare(100, 1, "")
    share._add = lambda account, seconds: charged.append(seconds)  # type: ignore[method-assign]
    share.call("1", partial(in_key_process, child_work.derive_each, with_many_bags(2_000, 2)))
    assert charged == []
    with pytest.raises(ServiceError) as rejection:
        share.call("1", partial(in_key_process, child_work.derive_each, with_many_bags(2_000_000, 1000)))
    assert (rejection.value.code, rejection.value.detail) == ("key-cipher", "Abrir el archivo exige demasiado trabajo.")
    assert charged == [PROCESSOR_SECONDS]
    share.call("1", partial(in_key_process, child_work.derive_each, with_many_bags(2_000, 2)))


def test_key_process_has_a_lower_priority() -> None:
    assert in_key_process(os.nice, 0) >= os.nice(0) + 5
