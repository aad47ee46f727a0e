"""Signatures of files: compatible with minisign, and rejected when anything was changed."""

from __future__ import annotations

import shutil
import subprocess
from hashlib import blake2b
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.support.requirements import need

from timbra.core.errors import ServiceError
from timbra.seals.minisign import (
    create_signing_key,
    read_public_key,
    read_signature_file,
    read_signing_key,
    verify,
)

CONTENT = b"respaldo"
DIGEST = blake2b(CONTENT).digest()
# Made by minisign 0.10 with `minisign -G -W` and `minisign -S` over CONTENT.
FOREIGN_KEY = "RWS06bmwr9vQi+smrH4Ywi0eC1Xd+ayoiltoPcQ+2u3QcDMWGY4KYlvk"
FOREIGN_SIGNATURE = """untrusted comment: signature from minisign secret key
RUS06bmwr9vQi5STcU/lYybU5IcldF5Pu0JAJk/8NQB/nXhdDMchdqvxaLTeU8dbIu0zu+ZjbOgbFIMdMtRFNUC/p91lk4mqjAk=
trusted comment: hecho por minisign
ZasSaOOhGAqPKM43Ze1YhP7Q2daiFnoN+H5CgwqLSWNHPZxtZpEbP8nM06ESr4vn/vPXzRPZD+J/cQfKqEOKBw==
"""


def code_of(signature: str, digest: bytes = DIGEST) -> str:
    with pytest.raises(ServiceError) as caught:
        verify(signature, digest, KEY.public_key)
    return caught.value.code


KEY = create_signing_key()
SIGNATURE = KEY.sign(DIGEST, "file:a")


def test_verify_returns_the_trusted_comment() -> None:
    assert verify(SIGNATURE, DIGEST, KEY.public_key) == "file:a"


def test_verify_rejects_other_content() -> None:
    assert code_of(SIGNATURE, blake2b(b"other").digest()) == "backup-signature"


def test_verify_rejects_the_signature_of_another_key() -> None:
    assert code_of(create_signing_key().sign(DIGEST, "file:a")) == "backup-signature"


@pytest.mark.parametrize("change", [("file:a", "file:b"), ("trusted comment: ", ""), ("\n", "\n\n"), ("RU", "RW")])
def test_verify_rejects_a_changed_signature(change: tuple[str, str]) -> None:
    assert SIGNATURE.replace(*change) != SIGNATURE
    assert code_of(SIGNATURE.replace(*change)) == "backup-signature"


def test_verify_rejects_every_changed_byte_of_the_signature() -> None:
    lines = SIGNATURE.splitlines()
    for line in (1, 3):
        for place in range(0, len(lines[line]) - 4, 7):
            changed = "A" if lines[line][place] != "A" else "B"
            parts = [*lines]
            parts[line] = lines[line][:place] + changed + lines[line][place + 1 :]
            assert code_of("\n".join(parts)) == "backup-signature"


def test_verify_accepts_a_signature_of_minisign(tmp_path: Path) -> None:
    (tmp_path / "key.pub").write_text(f"untrusted comment: minisign public key\n{FOREIGN_KEY}\n")
    comment = verify(FOREIGN_SIGNATURE, DIGEST, read_public_key(tmp_path / "key.pub"))
    assert comment == "hecho por minisign"


def test_minisign_accepts_the_signature(tmp_path: Path) -> None:
    program = shutil.which("minisign")
    need("minisign", program, "the program is not installed")
    (tmp_path / "a").write_bytes(CONTENT)
    (tmp_path / "a.minisig").write_text(SIGNATURE)
    (tmp_path / "key.pub").write_text(KEY.public_key.to_text())
    command = [str(program), "-V", "-p", str(tmp_path / "key.pub"), "-m", str(tmp_path / "a")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_keys_are_read_back(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_bytes(KEY.to_pem())
    (tmp_path / "key.pub").write_text(KEY.public_key.to_text())
    assert read_signing_key(tmp_path / "key.pem").public_key == read_public_key(tmp_path / "key.pub") == KEY.public_key


def test_reading_rejects_what_is_no_key(tmp_path: Path) -> None:
    pem = X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for content in (b"", b"text", pem, b"\xff", KEY.public_key.to_text().encode()[:-20]):
        (tmp_path / "key").write_bytes(content)
        for read in (read_signing_key, read_public_key):
            with pytest.raises(ServiceError, match="backup-key"):
                read(tmp_path / "key")


def test_read_signature_file_rejects_a_missing_and_a_long_file(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"a" * 5000)
    for name in ("missing", "long"):
        with pytest.raises(ServiceError, match="backup-signature"):
            read_signature_file(tmp_path / name)
