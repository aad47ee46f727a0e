"""Secrets at rest: what is closed opens for its own context only, and under a new master key after rotation."""

from __future__ import annotations

import base64
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import refusal_of

from timbra.errors import ServiceError
from timbra.seals.envelope import Envelope
from timbra.seals.master_key import LocalKey, key_from_file, key_from_text

OLD, NEW = LocalKey(bytes(range(32))), LocalKey(bytes(32))
CONTEXT = b"csd:7:30001000000500003416"
SEALED = Envelope(OLD).close(b"secreto", CONTEXT)


@given(st.binary(max_size=500), st.binary(max_size=50))
def test_opens_what_it_closed(plain: bytes, context: bytes) -> None:
    envelope = Envelope(NEW)
    sealed = envelope.close(plain, context)
    assert envelope.open(sealed, context) == plain
    assert len(sealed) == len(plain) + 37


def test_closing_twice_differs() -> None:
    assert Envelope(OLD).close(b"secreto", CONTEXT) != SEALED


def test_the_plain_text_does_not_show() -> None:
    assert b"secreto" not in SEALED


@given(st.integers(0, len(SEALED) - 1), st.integers(1, 255))
def test_any_changed_byte_is_noticed(place: int, change: int) -> None:
    damaged = bytearray(SEALED)
    damaged[place] ^= change
    expected = "vault-key-unknown" if 1 <= place <= 8 else "vault-damaged"
    assert refusal_of(Envelope(OLD).open, bytes(damaged), CONTEXT) == expected


@given(st.binary(max_size=80))
def test_random_bytes_are_refused(data: bytes) -> None:
    assert refusal_of(Envelope(OLD).open, data, CONTEXT) in {"vault-damaged", "vault-key-unknown"}


@given(st.integers(0, len(SEALED) - 1))
def test_a_cut_value_is_refused(end: int) -> None:
    assert refusal_of(Envelope(OLD).open, SEALED[:end], CONTEXT) == "vault-damaged"


def test_another_context_does_not_open_it() -> None:
    assert refusal_of(Envelope(OLD).open, SEALED, b"csd:8:30001000000500003416") == "vault-damaged"


def test_rotation() -> None:
    envelope = Envelope(NEW, [OLD])
    assert envelope.needs_rotation(SEALED)
    rotated = envelope.rotate(SEALED, CONTEXT)
    assert not envelope.needs_rotation(rotated)
    assert Envelope(NEW).open(rotated, CONTEXT) == b"secreto"
    assert refusal_of(Envelope(NEW).open, SEALED, CONTEXT) == "vault-key-unknown"


@pytest.mark.parametrize("text", ["", "no", base64.b64encode(bytes(31)).decode(), "ñ" * 44])
def test_a_master_key_is_base64_of_32_bytes(text: str) -> None:
    with pytest.raises(ServiceError, match="master-key-invalid"):
        key_from_text(text)


@given(st.text(max_size=50))
def test_random_text_is_no_master_key(text: str) -> None:
    assert refusal_of(key_from_text, text) == "master-key-invalid"


def test_a_master_key_in_a_variable() -> None:
    key = key_from_text(base64.b64encode(bytes(range(32))).decode() + "\n")
    assert Envelope(key).open(SEALED, CONTEXT) == b"secreto"


def test_the_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "master.key"
    sealed = Envelope(key_from_file(path)).close(b"secreto", CONTEXT)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["master.key"]
    assert Envelope(key_from_file(path)).open(sealed, CONTEXT) == b"secreto"


def test_processes_that_race_for_the_file_agree(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    program = (
        "import sys; from pathlib import Path; from timbra.seals.master_key import key_from_file; "
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


def test_a_key_shows_nothing_of_itself() -> None:
    assert str(list(range(32))) not in repr(OLD)
    assert bytes(range(32)).hex() not in repr(vars(OLD))
