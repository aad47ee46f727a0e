"""Credentials that the emulator issues and keeps as files: certificate, key and password."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from timbra.core.errors import ServiceError
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.keys.private_key import load_private_key


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file; it is complete at every instant, and only its owner can read it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
    draft.replace(path)


def write_credential(folder: Path, name: str, credential: MintedCredential) -> None:
    """Write NAME.key, NAME.password and NAME.cer; the certificate last, so that its presence means a complete set."""
    write_atomically(folder / f"{name}.key", credential.key_der)
    write_atomically(folder / f"{name}.password", credential.password.encode())
    write_atomically(folder / f"{name}.cer", credential.certificate_der)


def has_credential(folder: Path, name: str) -> bool:
    """Whether a complete credential is stored."""
    return (folder / f"{name}.cer").is_file()


def read_stored_certificate(folder: Path, name: str) -> Certificate:
    """Read a stored certificate. Raises ServiceError: "emulator-configuration" when the file cannot be read."""
    try:
        return read_certificate((folder / f"{name}.cer").read_bytes())
    except OSError as error:
        raise ServiceError("emulator-configuration", f"{folder / name}.cer: {error.strerror}") from error


def open_credential(
    folder: Path, name: str, issue: Callable[[], MintedCredential]
) -> tuple[Certificate, RSAPrivateKey]:
    """Return a stored credential; issue and store it at first use.

    Raises:
        ServiceError: "emulator-configuration" when a file cannot be read; those of reading a key.
    """
    if not has_credential(folder, name):
        write_credential(folder, name, issue())
    try:
        key = (folder / f"{name}.key").read_bytes()
        password = (folder / f"{name}.password").read_text()
    except OSError as error:
        raise ServiceError("emulator-configuration", f"{folder / name}: {error.strerror}") from error
    return read_stored_certificate(folder, name), load_private_key(key, password)


def open_secret(path: Path, size: int = 32) -> bytes:
    """Return the random bytes of a file, created at first use."""
    if not path.is_file():
        write_atomically(path, secrets.token_bytes(size))
    return path.read_bytes()
