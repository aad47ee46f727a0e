"""Encrypted secrets: decrypted for their own context only, and under a new master key after rotation."""

from __future__ import annotations

import base64
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import rejection_of

from timbra.core.errors import ServiceError
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import LocalMasterKey, key_from_file, key_from_text

OLD, NEW = LocalMasterKey(bytes(range(32))), LocalMasterKey(bytes(32))
CONTEXT = b"csd:7:30001000000500003416"
SEALED = EnvelopeEncryption(OLD).close(b"secreto", CONTEXT)


@given(st.binary(max_size=500), st.binary(max_size=50))
def test_open_decrypts_what_close_encrypted(plain: bytes, context: bytes) -> None:
    envelope = EnvelopeEncryption(NEW)
    sealed = envelope.close(plain, context)
    assert envelope.open(sealed, context) == plain
    assert len(sealed) == len(plain) + 37


def test_close_uses_a_fresh_nonce() -> None:
    assert EnvelopeEncryption(OLD).close(b"secreto", CONTEXT) != SEALED


def test_close_hides_the_plain_text() -> None:
    assert b"secreto" not in SEALED


@given(st.integers(0, len(SEALED) - 1), st.integers(1, 255))
def test_open_rejects_every_changed_byte(place: int, change: int) -> None:
    damaged = bytearray(SEALED)
    damaged[place] ^= change
    expected = "vault-key-unknown" if 1 <= place <= 8 else "vault-damaged"
    assert rejection_of(EnvelopeEncryption(OLD).open, bytes(damaged), CONTEXT) == expected


@given(st.binary(max_size=80))
def test_open_rejects_random_bytes(data: bytes) -> None:
    assert rejection_of(EnvelopeEncryption(OLD).open, data, CONTEXT) in {"vault-damaged", "vault-key-unknown"}


@given(st.integers(0, len(SEALED) - 1))
def test_open_rejects_truncated_value(end: int) -> None:
    assert rejection_of(EnvelopeEncryption(OLD).open, SEALED[:end], CONTEXT) == "vault-damaged"


def test_open_rejects_another_context() -> None:
    assert rejection_of(EnvelopeEncryption(OLD).open, SEALED, b"csd:8:30001000000500003416") == "vault-damaged"


def test_rotate_encrypts_with_the_current_master_key() -> None:
    envelope = EnvelopeEncryption(NEW, [OLD])
    assert envelope.needs_rotation(SEALED)
    rotated = envelope.rotate(SEALED, CONTEXT)
    assert not envelope.needs_rotation(rotated)
    assert EnvelopeEncryption(NEW).open(rotated, CONTEXT) == b"secreto"
    assert rejection_of(EnvelopeEncryption(NEW).open, SEALED, CONTEXT) == "vault-key-unknown"


@pytest.mark.parametrize("text", ["", "no", base64.b64encode(bytes(31)).decode(), "ñ" * 44])
def test_key_from_text_requires_base64_of_32_bytes(text: str) -> None:
    with pytest.raises(ServiceError, match="master-key-invalid"):
        key_from_text(text)


@given(st.text(max_size=50))
def test_key_from_text_rejects_random_text(text: str) -> None:
    assert rejection_of(key_from_text, text) == "master-key-invalid"


def test_key_from_text_reads_a_master_key() -> None:
    key = key_from_text(base64.b64encode(bytes(range(32))).decode() + "\n")
    assert EnvelopeEncryption(key).open(SEALED, CONTEXT) == b"secreto"


def test_key_from_file_creates_a_private_file_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "master.key"
    sealed = EnvelopeEncryption(key_from_file(path)).close(b"secreto", CONTEXT)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["master.key"]
    assert EnvelopeEncryption(key_from_file(path)).open(sealed, CONTEXT) == b"secreto"


def test_key_from_file_gives_one_key_to_racing_processes(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    program = (
        "import sys; from pathlib import Path; from timbra.seals.encryption.master_key import key_from_file; "
        "sys.stdin.read(); print(key_from_file(Path(sys.argv[1])).id.hex())"
    )
    command = [sys.executable, "-c", program, str(path)]
    racers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.close()
        racer.stdin = None
    identifiers = {racer.communicate(timeout=30)[0] for racer in racers}
    assert identifiers == {key_from_file(path).id.hex() + "\n"}


def test_master_key_repr_hides_the_key() -> None:
    assert str(list(range(32))) not in repr(OLD)
    assert bytes(range(32)).hex() not in repr(vars(OLD))
