from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.authority.lists.signing import NOW, Identity, authority, openssl, signed, signer, trust

from timbra.authority.lists.cms import Signature, SignedContent
from timbra.authority.lists.signers import ListSigners
from timbra.authority.lists.text import clean_text
from timbra.errors import ServiceError

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


def read(message: bytes, size: int = 1000) -> tuple[bytes, tuple[Signature, ...]]:
    content = SignedContent(message[at : at + size] for at in range(0, len(message), size))
    return b"".join(content), content.signatures


def refusal(message: bytes) -> str:
    with pytest.raises(ServiceError) as caught:
        read(message)
    return caught.value.code


@pytest.fixture
def signer_file(tmp_path: Path) -> Path:
    path = tmp_path / "signer.pem"
    path.write_bytes(signer().pem())
    return path


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_openssl_signs(variant: str, signer_file: Path) -> None:
    made = openssl(*SIGN, *VARIANTS[variant], "-signer", signer_file, given=CONTENT)
    assert made.returncode == 0, made.stderr
    content, (signature,) = read(made.stdout)
    assert content == CONTENT
    assert signature.certificate.der == signer().der
    assert (signature.signed_at is None) == ("-noattr" in VARIANTS[variant])
    assert signature.digest == next((name for name in ("sha1", "sha512") if name in VARIANTS[variant]), "sha256")


def test_several_signatures(tmp_path: Path, signer_file: Path) -> None:
    other = tmp_path / "other.pem"
    other.write_bytes(signer(number="00001000000000000010").pem())
    made = openssl(*SIGN, "-nodetach", "-signer", signer_file, "-signer", other, given=CONTENT)
    assert {signature.certificate.number[-2:] for signature in read(made.stdout)[1]} == {"09", "10"}


def test_the_text_option(signer_file: Path) -> None:
    made = openssl("cms", "-sign", "-outform", "DER", "-nodetach", "-text", "-signer", signer_file, given=CONTENT)
    content, _ = read(made.stdout)
    assert content == b"Content-Type: text/plain\r\n\r\n" + CONTENT
    assert b"".join(clean_text(iter([content]))) == CONTENT


@pytest.mark.parametrize(
    ("options", "code"),
    [((), "list-unreadable"), (("-nodetach", "-nocerts"), "list-signature")],
    ids=["detached", "no certificate"],
)
def test_what_cannot_be_verified(options: tuple[str, ...], code: str, signer_file: Path) -> None:
    assert refusal(openssl(*SIGN, *options, "-signer", signer_file, given=CONTENT).stdout) == code


@pytest.mark.parametrize("attributes", [True, False])
@pytest.mark.parametrize("digest", ["sha1", "sha256"])
def test_what_the_tests_sign_is_what_openssl_verifies(tmp_path: Path, digest: str, attributes: bool) -> None:
    message = signed(CONTENT, digest=digest, attributes=attributes)
    assert verified_by_openssl(tmp_path, message) == CONTENT
    assert read(message, 7)[0] == CONTENT


def test_openssl_accepts_whatever_is_accepted_here(tmp_path: Path) -> None:
    """Bytes are flipped one at a time: what passes here passes there, with the same content."""
    chooser = random.Random(11)
    accepted = 0
    for place in chooser.sample(range(len(MESSAGE) - 900, len(MESSAGE)), 60):
        changed = bytearray(MESSAGE)
        changed[place] ^= 1 << chooser.randrange(8)
        try:
            content, (signature,) = read(bytes(changed))
            ListSigners(trust(), strict=False).demand(signature.certificate, signature.others, NOW)
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
def test_a_flipped_bit_never_changes_what_is_accepted(place: int, bit: int) -> None:
    changed = bytearray(MESSAGE)
    changed[place] ^= 1 << bit
    try:
        assert read(bytes(changed))[0] == CONTENT
    except ServiceError as refusal:
        assert refusal.code in ("list-unreadable", "list-signature")  # noqa: PT017


@settings(max_examples=60)
@given(st.integers(0, len(MESSAGE) - 1))
def test_a_cut_message_is_refused(size: int) -> None:
    assert refusal(MESSAGE[:size]) == "list-unreadable"


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    assert refusal(data) == "list-unreadable"


def test_bytes_after_the_message() -> None:
    assert refusal(MESSAGE + b"\0") == "list-unreadable"


def test_a_signature_of_other_content() -> None:
    assert refusal(MESSAGE.replace("OÑO".encode(), "AÑO".encode(), 1)) == "list-signature"


def test_a_signature_of_another_key() -> None:
    own = signer()
    forged = signed(CONTENT, Identity(authority("AC AJENA").key, own.x509))
    assert refusal(forged) == "list-signature"


def test_an_unreadable_certificate_beside_the_signers_does_not_matter() -> None:
    content, (signature,) = read(signed(CONTENT, certificates=[b"\x30\x00", signer().der, authority().der]))
    assert content == CONTENT
    assert [other.number for other in signature.others] == [authority().certificate.number]


def test_nothing_is_read_ahead_of_what_is_asked() -> None:
    def pieces() -> Iterator[bytes]:
        yield MESSAGE[:200]
        raise AssertionError("read on")

    assert next(iter(SignedContent(pieces()))) == CONTENT[: 200 - MESSAGE.index(CONTENT)]
