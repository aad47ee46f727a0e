"""Streams encrypted to public keys: every change is detected, and failures of the target are reported as they are."""

from __future__ import annotations

import errno
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from timbra.core.errors import ServiceError
from timbra.seals.encryption.age_stream import (
    create_identity,
    decrypting,
    encrypting,
    parse_recipients,
    read_identities,
)

MAGIC = b"age-encryption.org/v1\n"

PLAIN = bytes(range(256)) * 1000
"""More than one chunk of age (64 KiB) and more than a pipe holds."""
IDENTITY, RECIPIENT = create_identity()


@pytest.fixture
def identity_file(tmp_path: Path) -> Path:
    file = tmp_path / "identity.txt"
    file.write_text(f"# public key: {RECIPIENT}\n\n{IDENTITY}\n")
    return file


def encrypted(plain: bytes = PLAIN) -> bytes:
    target = io.BytesIO()
    with encrypting(target, parse_recipients([f"{create_identity()[1]}, {RECIPIENT}"])) as stream:
        stream.write(plain)
    return target.getvalue()


def decrypted(content: bytes, file: Path) -> bytes:
    with decrypting(io.BytesIO(content), read_identities(file)) as stream:
        return stream.read()


@pytest.mark.parametrize("plain", [b"", b"a", PLAIN])
def test_decrypting_returns_what_was_encrypted(identity_file: Path, plain: bytes) -> None:
    content = encrypted(plain)
    assert content.startswith(MAGIC)
    assert plain[:100] == b"" or plain[:100] not in content or len(plain) < 2
    assert decrypted(content, identity_file) == plain


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "shorter": lambda content: content[:-1],
    "a chunk shorter": lambda content: content[:-70_000],
    "longer": lambda content: content + b"a",
    "a byte of the content": lambda content: content[:-50] + bytes([content[-50] ^ 1]) + content[-49:],
    "a byte of the header": lambda content: content[:150] + bytes([content[150] ^ 1]) + content[151:],
    "nothing": lambda content: b"",
    "not encrypted": lambda content: b"text" * 1000,
}


@pytest.mark.parametrize("change", CHANGES)
def test_decrypting_rejects_a_changed_stream(identity_file: Path, change: str) -> None:
    with pytest.raises(ServiceError) as caught:
        decrypted(CHANGES[change](encrypted()), identity_file)
    assert caught.value.code in {"backup-damaged", "backup-encrypted"}


def test_decrypting_needs_the_private_key(identity_file: Path) -> None:
    identity_file.write_text(create_identity()[0])
    with pytest.raises(ServiceError, match="backup-encrypted"):
        decrypted(encrypted(), identity_file)


def test_decrypting_may_end_early(identity_file: Path) -> None:
    with decrypting(io.BytesIO(encrypted()), read_identities(identity_file)) as stream:
        assert stream.read(10) == PLAIN[:10]


class FullDisk(io.BytesIO):
    def write(self, piece: object) -> int:
        raise OSError(errno.ENOSPC, "full")


def test_encrypting_raises_the_failure_of_the_target() -> None:
    def fill() -> None:
        with encrypting(FullDisk(), parse_recipients([RECIPIENT])) as stream:
            for _ in range(100):
                stream.write(PLAIN)

    with pytest.raises(OSError, match="full") as caught:
        fill()
    assert caught.value.errno == errno.ENOSPC


def test_encrypting_raises_the_error_of_the_block() -> None:
    with pytest.raises(ValueError, match="block"), encrypting(io.BytesIO(), parse_recipients([RECIPIENT])):
        raise ValueError("block")


@pytest.mark.parametrize("text", ["age1nothing", IDENTITY, "AGE"], ids=["short", "private key", "no key"])
def test_parse_recipients_rejects_what_is_no_public_key(text: str) -> None:
    with pytest.raises(ServiceError, match="backup-key"):
        parse_recipients([text])


@pytest.mark.parametrize(
    "content",
    [b"", b"# only a comment", RECIPIENT.encode(), b"\xff"],
    ids=["empty", "comment", "public key", "no text"],
)
def test_read_identities_rejects_a_file_without_private_key(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "identity.txt").write_bytes(content)
    with pytest.raises(ServiceError, match="backup-key"):
        read_identities(tmp_path / "identity.txt")
