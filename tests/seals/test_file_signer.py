"""The signer with a key file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.seals.support import minted, rejection_of
from tests.support.corpus import credential

from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.keys.file_signer import file_signer
from timbra.seals.seal import seal, verify


def test_file_signer_signs_with_the_key_of_the_file() -> None:
    entry = credential("URE180429TM6")
    assert entry.key is not None
    certificate = read_certificate(entry.read())
    signer = file_signer(certificate, entry.key, "12345678a")
    assert verify(certificate.public_key, "||ñ||", seal(signer, "||ñ||"))
    assert rejection_of(file_signer, certificate, entry.key, "12345678b") == "key-password"
    assert rejection_of(file_signer, read_certificate(minted()), entry.key, "12345678a") == "key-mismatch"


@pytest.mark.parametrize("name", ["absent.key", "."])
def test_file_signer_rejects_unreadable_file(tmp_path: Path, name: str) -> None:
    assert rejection_of(file_signer, read_certificate(minted()), tmp_path / name, "x") == "key-unreadable"
