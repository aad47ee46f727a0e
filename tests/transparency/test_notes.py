"""Signed notes: the examples of C2SP tlog-cosignature and of golang.org/x/mod/sumdb/note, and changed bits."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from timbra.core.errors import ServiceError
from timbra.transparency.notes import (
    Checkpoint,
    NoteKey,
    SignedNote,
    cosign,
    parse_note,
    sign,
)

SIGNATURE, COSIGNATURE = 1, 4
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw()
TEXT = Checkpoint("timbra.example.com/log", 20_852_163, bytes(range(32))).text()
OF_LOG = NoteKey("timbra.example.com/log", SIGNATURE, PUBLIC)
OF_WITNESS = NoteKey("witness.example.com/w1", COSIGNATURE, PUBLIC)


def note() -> SignedNote:
    lines = (sign(TEXT, OF_LOG.name, KEY), cosign(TEXT, OF_WITNESS.name, KEY, 1_679_315_147))
    return parse_note(str(SignedNote(Checkpoint("", 0, b""), TEXT, lines)))


def test_checkpoint_has_the_form_of_c2sp() -> None:
    assert TEXT == "timbra.example.com/log\n20852163\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
    content = str(note())
    assert content.startswith(TEXT + "\n\u2014 timbra.example.com/log ")
    assert content.splitlines()[5].startswith("\u2014 witness.example.com/w1 ")
    assert content.endswith("\n")
    assert note().checkpoint == Checkpoint("timbra.example.com/log", 20_852_163, bytes(range(32)))


def test_key_of_sumdb_is_read() -> None:
    # The key of Go's checksum database: its identifier is of this name and key.
    text = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
    assert str(NoteKey.parse(text)) == text


def test_note_of_sumdb_verifies() -> None:
    # The example of the documentation of golang.org/x/mod/sumdb/note.
    key = NoteKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    signature = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
    line = f"\u2014 PeterNeumann {signature}"
    assert SignedNote(Checkpoint("", 0, b""), text, (line,)).is_signed_by(key)
    assert not SignedNote(Checkpoint("", 0, b""), text + "x", (line,)).is_signed_by(key)


def test_signatures_are_of_their_keys_only() -> None:
    assert note().is_signed_by(OF_LOG)
    assert note().is_signed_by(OF_WITNESS)
    for other in (NoteKey("other", SIGNATURE, PUBLIC), NoteKey(OF_LOG.name, COSIGNATURE, PUBLIC)):
        assert not note().is_signed_by(other)
    assert NoteKey.parse(str(OF_WITNESS)) == OF_WITNESS


def test_cosignature_covers_its_time() -> None:
    later = cosign(TEXT, OF_WITNESS.name, KEY, 1_679_315_148)
    assert later != note().signatures[1]
    assert note().with_signatures([later]).signatures == (note().signatures[0], later)


@given(st.integers(0, 8 * len(str(note()).encode()) - 1))
def test_any_changed_bit_fails(bit: int) -> None:
    content = bytearray(str(note()).encode())
    content[bit // 8] ^= 1 << bit % 8
    try:
        changed = parse_note(content.decode())
    except (ServiceError, UnicodeDecodeError):
        return
    assert not (changed.is_signed_by(OF_LOG) and changed.is_signed_by(OF_WITNESS))


@pytest.mark.parametrize(
    "text", ["", "a", "a+00000000+AAAA", str(OF_LOG)[:-4], str(OF_LOG).replace("example", "other")]
)
def test_wrong_key_is_rejected(text: str) -> None:
    with pytest.raises(ServiceError, match="log-unreadable"):
        NoteKey.parse(text)


@pytest.mark.parametrize(
    "text",
    ["", "a\n1\nAA==\n", "a\n01\nAA==\n\n\u2014 a AA==\n", "a\n1\n\n\u2014 a AA==\n", "a\n1\n?\n\n\u2014 a AA==\n"],
)
def test_wrong_note_is_rejected(text: str) -> None:
    with pytest.raises(ServiceError, match="log-unreadable"):
        parse_note(text)
