"""Certificates, keys and PFX files in every form in which programs have them."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import minted, rejection_of, rsa_key
from tests.support.key_forms import (
    CERTIFICATE_FORMS,
    KEY_FORMS,
    PASSWORD,
    PFX_FORMS,
    TEXT_FORMS,
    certificate_file,
    is_encrypted,
    key_file,
    pfx_file,
    sent_text,
)

from timbra.seals.certificates.certificate import read_certificate_content
from timbra.seals.file_forms import decode_file, file_content, pem_blocks
from timbra.seals.keys import private_key
from timbra.seals.keys.pfx import load_pfx
from timbra.seals.keys.private_key import load_private_key

CERTIFICATE_LABELS = frozenset({"CERTIFICATE", "X509 CERTIFICATE"})
KEY_LABELS = frozenset({"ENCRYPTED PRIVATE KEY", "PRIVATE KEY", "RSA PRIVATE KEY"})
MAX_PEM_BYTES = 96 * 1024

CERTIFICATE = minted()
NUMBERS = rsa_key(1).private_numbers()


@pytest.mark.parametrize("text_form", TEXT_FORMS)
@pytest.mark.parametrize("form", CERTIFICATE_FORMS)
def test_certificate_is_read_in_every_form(form: str, text_form: str) -> None:
    file = certificate_file(form, CERTIFICATE)
    text = sent_text(text_form, file)
    for content in (file, text.encode(), decode_file(text)):
        assert read_certificate_content(content).der == CERTIFICATE


@pytest.mark.parametrize("text_form", TEXT_FORMS)
@pytest.mark.parametrize("form", KEY_FORMS)
def test_key_is_read_in_every_form(form: str, text_form: str) -> None:
    file = key_file(form, rsa_key(1))
    text = sent_text(text_form, file)
    for content in (file, text.encode(), decode_file(text)):
        assert private_key.is_encrypted(content) == is_encrypted(form)
        assert load_private_key(content, PASSWORD).private_numbers() == NUMBERS
        for password in ("", "otra"):
            if is_encrypted(form):
                assert rejection_of(load_private_key, content, password) == "key-password"
            else:
                assert load_private_key(content, password).private_numbers() == NUMBERS


@pytest.mark.parametrize("text_form", TEXT_FORMS)
@pytest.mark.parametrize("form", PFX_FORMS)
def test_pfx_is_read_in_every_form(form: str, text_form: str) -> None:
    file = pfx_file(form, rsa_key(1), CERTIFICATE)
    text = sent_text(text_form, file)
    right = PASSWORD if is_encrypted(form) else ""
    for content in (file, text.encode(), decode_file(text)):
        certificate, key = load_pfx(content, right)
        assert (certificate.der, key.private_numbers()) == (CERTIFICATE, NUMBERS)
        if is_encrypted(form):
            assert {rejection_of(load_pfx, content, wrong) for wrong in ("", "otra")} == {"key-password"}


def test_first_certificate_of_a_chain_is_read() -> None:
    chain = certificate_file("pem", CERTIFICATE) + certificate_file("pem", minted(authority=True))
    assert read_certificate_content(chain).der == CERTIFICATE


@pytest.mark.parametrize(
    "damaged",
    [
        b"-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n",
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        b"-----BEGIN CERTIFICATE-----\n",
        b"-----BEGIN PKCS12-----\n*\n-----END PKCS12-----\n",
        b"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n-----END RSA PRIVATE KEY-----\n",
        b"-----BEGIN ",
        b64encode(b64encode(b64encode(CERTIFICATE))),
    ],
)
def test_damaged_files_are_unreadable(damaged: bytes) -> None:
    assert rejection_of(read_certificate_content, damaged) == "certificate-unreadable"
    assert rejection_of(load_private_key, damaged, PASSWORD) in ("key-unreadable", "key-password")
    assert rejection_of(load_pfx, damaged, PASSWORD) in ("key-unreadable", "key-password")


@given(st.binary(max_size=200))
def test_content_of_a_file_in_base64_is_the_file(data: bytes) -> None:
    assert file_content(b64encode(data)) == data


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_blocks_are_found_between_other_bytes(before: bytes, after: bytes) -> None:
    pem = certificate_file("pem", CERTIFICATE)
    if b"-----" not in before:
        assert CERTIFICATE in [block.der() for block in pem_blocks(before + pem + after, CERTIFICATE_LABELS)]
    assert list(pem_blocks(pem, KEY_LABELS)) == []


def test_search_for_blocks_ends_at_the_first_that_is_open() -> None:
    """The search visits each byte a few times, whatever the number of first lines."""

    class Counted(bytes):
        searches = 0

        def find(self, *arguments: object) -> int:
            Counted.searches += 1
            return super().find(*arguments)  # type: ignore[arg-type]

    assert list(pem_blocks(Counted(b"-----BEGIN CERTIFICATE-----" * 3000), CERTIFICATE_LABELS)) == []
    assert Counted.searches == 3
    assert list(pem_blocks(certificate_file("pem", CERTIFICATE) * (MAX_PEM_BYTES // 1000), CERTIFICATE_LABELS)) == []
