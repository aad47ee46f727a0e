"""A signer whose encrypted key (PKCS#8 or another form that `load_private_key` reads) is in a file."""

from __future__ import annotations

from pathlib import Path

from timbra.seals.certificates.certificate import Certificate
from timbra.seals.keys.private_key import key_unreadable, load_private_key
from timbra.seals.signers.memory import MemorySigner, pair_key


def file_signer(certificate: Certificate, path: Path, password: str) -> MemorySigner:
    """Return the signer of a certificate; the key of the file is decrypted once and kept in memory.

    Raises:
        ServiceError: Those of `load_private_key`, "key-mismatch", and "key-unreadable" when the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as cause:
        raise key_unreadable(f"El archivo {path.name} no se puede leer.") from cause
    return pair_key(certificate, load_private_key(data, password))
