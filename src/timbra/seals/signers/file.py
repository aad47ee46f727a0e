"""A signer whose encrypted key (PKCS#8 or another form that `load_private_key` reads) lies in a file."""

from __future__ import annotations

from pathlib import Path

from timbra.seals.certificate import Certificate
from timbra.seals.keys import load_private_key, pair, unreadable
from timbra.seals.signers.memory import MemorySigner


def file_signer(certificate: Certificate, path: Path, password: str) -> MemorySigner:
    """The signer of the certificate, with the key in the file, decrypted once and kept in memory.

    ServiceError codes as `load_private_key`, "key-mismatch", and "key-unreadable" when the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as cause:
        raise unreadable(f"El archivo {path.name} no se puede leer.") from cause
    return pair(certificate, load_private_key(data, password))
