from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lists.signing import NOW, Identity, authority, openssl, signed, signer, trust

from timbra.core.errors import ServiceError
from timbra.lists.signer_policy import ListSigners
from timbra.lists.sources.text import clean_text
from timbra.seals.signed_data import CmsSignature, SignedDataReader

CONTENT = "RFC|SNCF|SUBCONTRATACION\r\nOÑO120726RX3|0|0\r\nEOF\r\n".encode() * 40
MESSAGE = signed(CONTENT)
SIGN = ("cms", "-sign", "-binary", "-outform", "DER")
VARIANTS = {
    "plain": ("-nodetach",),
    "streamed": ("-nodetach", "-stream"),
    "sha1": ("-nodetach", "-md", "sha1"),
    "sha512": ("-nodetach", "-md", "sha512"),
    "no attributes": ("-nodetach", "-noattr"),
    "named by key": ("-nodetach", "-keyid"),
    "streamed, no attributes, sha1": ("-nodetach", "-stream", "-noattr", "-md", "sha1"),
}


def read(message: bytes, size: int = 1000) -> tuple[bytes, tuple[CmsSignature, ...]]:
    content = SignedDataReader(message[at : at + size] for at in range(0, len(message), size))
    return b"".join(content), content.signatures


def rejection(message: bytes) -> str:
    with pytest.raises(ServiceError) as caught:
        read(message)
    return caught.value.code


@pytest.fixture
def signer_file(tmp_path: Path) -> Path:
    path = tmp_path / "signer.pem"
    path.write_bytes(signer().pem())
    return path


@pytest.mark.parametrize("variant", VARIANTS)
def test_signed_data_accepts_messages_signed_by_openssl(variant: str, signer_file: Path) -> None:
    made = openssl(*SIGN, *VARIANTS[variant], "-signer", signer_file, given=CONTENT)
    assert made.returncode == 0, made.stderr
    content, (signature,) = read(made.stdout)
    assert content == CONTENT
    assert signature.certificate.der == signer().der
    assert (signature.signed_at is None) == ("-noattr" in VARIANTS[variant])
    assert signature.digest == next((name for name in ("sha1", "sha512") if name in VARIANTS[variant]), "sha256")


def test_signed_data_verifies_several_signatures(tmp_path: Path, signer_file: Path) -> None:
    other = tmp_path / "other.pem"
    other.write_bytes(signer(number="00001000000000000010").pem())
    made = openssl(*SIGN, "-nodetach", "-signer", signer_file, "-signer", other, given=CONTENT)
    assert {signature.certificate.number[-2:] for signature in read(made.stdout)[1]} == {"09", "10"}


def test_signed_data_keeps_content_of_openssl_text_option(signer_file: Path) -> None:
    made = openssl("cms", "-sign", "-outform", "DER", "-nodetach", "-text", "-signer", signer_file, given=CONTENT)
    content, _ = read(made.stdout)
    assert content == b"Content-Type: text/plain\r\n\r\n" + CONTENT
    assert b"".join(clean_text(iter([content]))) == CONTENT


@pytest.mark.parametrize(
    ("options", "code"),
    [((), "list-unreadable"), (("-nodetach", "-nocerts"), "list-signature")],
    ids=["detached", "no certificate"],
)
def test_signed_data_rejects_unsupported_messages(options: tuple[str, ...], code: str, signer_file: Path) -> None:
    assert rejection(openssl(*SIGN, *options, "-signer", signer_file, given=CONTENT).stdout) == code


@pytest.mark.parametrize("attributes", [True, False])
@pytest.mark.parametrize("digest", ["sha1", "sha256"])
def test_openssl_verifies_messages_of_the_test_signer(tmp_path: Path, digest: str, attributes: bool) -> None:
    message = signed(CONTENT, digest=digest, attributes=attributes)
    assert verified_by_openssl(tmp_path, message) == CONTENT
    assert read(message, 7)[0] == CONTENT


def test_openssl_accepts_every_message_that_signed_data_accepts(tmp_path: Path) -> None:
    """For each flipped byte: a message that is accepted here is accepted by openssl with the same content."""
    chooser = random.Random(11)
    accepted = 0
    for place in chooser.sample(range(len(MESSAGE) - 900, len(MESSAGE)), 60):
        changed = bytearray(MESSAGE)
        changed[place] ^= 1 << chooser.randrange(8)
        try:
            content, (signature,) = read(bytes(changed))
            ListSigners(trust(), strict=False).require_trusted(signature.certificate, signature.others, NOW)
        except ServiceError:
            continue
        accepted += 1
        assert verified_by_openssl(tmp_path, bytes(changed)) == content
    assert accepted < 10


def verified_by_openssl(folder: Path, message: bytes) -> bytes:
    anchor = folder / "ca.der"
    anchor.write_bytes(authority().der)
    made = openssl("x509", "-inform", "DER", "-in", anchor, "-out", folder / "ca.pem")
    assert made.returncode == 0, made.stderr
    done = openssl(
        *("cms", "-verify", "-binary", "-inform", "DER", "-CAfile", folder / "ca.pem"),
        *("-purpose", "any", "-attime", str(int(NOW.timestamp())), "-auth_level", "0"),
        given=message,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@settings(max_examples=150)
@given(st.integers(0, len(MESSAGE) - 1), st.integers(0, 7))
def test_signed_data_detects_every_flipped_bit(place: int, bit: int) -> None:
    changed = bytearray(MESSAGE)
    changed[place] ^= 1 << bit
    try:
        assert read(bytes(changed))[0] == CONTENT
    except ServiceError as rejection:
        assert rejection.code in ("list-unreadable", "list-signature")  # noqa: PT017


@settings(max_examples=60)
@given(st.integers(0, len(MESSAGE) - 1))
def test_signed_data_rejects_truncated_message(size: int) -> None:
    assert rejection(MESSAGE[:size]) == "list-unreadable"


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_signed_data_rejects_random_bytes(data: bytes) -> None:
    assert rejection(data) == "list-unreadable"


def test_signed_data_rejects_bytes_after_the_message() -> None:
    assert rejection(MESSAGE + b"\0") == "list-unreadable"


def test_signed_data_rejects_signature_of_other_content() -> None:
    assert rejection(MESSAGE.replace("OÑO".encode(), "AÑO".encode(), 1)) == "list-signature"


def test_signed_data_rejects_signature_of_another_key() -> None:
    own = signer()
    forged = signed(CONTENT, Identity(authority("AC AJENA").key, own.x509))
    assert rejection(forged) == "list-signature"


def test_signed_data_ignores_unreadable_certificate_of_others() -> None:
    content, (signature,) = read(signed(CONTENT, certificates=[b"\x30\x00", signer().der, authority().der]))
    assert content == CONTENT
    assert [other.number for other in signature.others] == [authority().certificate.number]


def test_signed_data_streams_without_reading_ahead() -> None:
    def pieces() -> Iterator[bytes]:
        yield MESSAGE[:200]
        raise AssertionError("read on")

    assert next(iter(SignedDataReader(pieces()))) == CONTENT[: 200 - MESSAGE.index(CONTENT)]
