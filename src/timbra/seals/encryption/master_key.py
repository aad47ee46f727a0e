"""Master keys: from a variable, or from a file that is created at first use.

`timbra.seals.encryption.pkcs11_master_key` implements a master key inside a token.
"""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from timbra.core.errors import ServiceError
from timbra.core.posix import sync_folder
from timbra.seals.base64_text import strict_base64

KEY_BYTES = 32
KEY_ID_BYTES = 8
NONCE_BYTES = 12


class MasterKey(Protocol):
    """Encrypts with AES-256-GCM."""

    @property
    def id(self) -> bytes:
        """8 bytes that identify the master key."""
        ...

    def encrypt(self, nonce: bytes, plain: bytes, context: bytes) -> bytes:
        """Encrypt a value.

        Args:
            nonce: 12 bytes that are never used twice.
            context: The associated data.

        Returns:
            The ciphertext with its 16-byte tag.
        """
        ...

    def decrypt(self, nonce: bytes, sealed: bytes, context: bytes) -> bytes:
        """Decrypt a value.

        Args:
            sealed: The ciphertext with its tag.
            context: The associated data.

        Raises:
            ServiceError: "vault-damaged" when the tag does not match.
        """
        ...


class LocalMasterKey:
    """A `MasterKey` of 32 bytes in the memory of this process."""

    def __init__(self, key: bytes) -> None:
        """Use a key. Raises ServiceError: "master-key-invalid" when the key does not have 32 bytes."""
        if len(key) != KEY_BYTES:
            raise ServiceError("master-key-invalid", "La llave maestra debe tener 32 bytes.")
        self.id = hashlib.sha256(b"timbra master key\0" + key).digest()[:KEY_ID_BYTES]
        self._cipher = AESGCM(key)

    def encrypt(self, nonce: bytes, plain: bytes, context: bytes) -> bytes:
        return self._cipher.encrypt(nonce, plain, context)

    def decrypt(self, nonce: bytes, sealed: bytes, context: bytes) -> bytes:
        try:
            return self._cipher.decrypt(nonce, sealed, context)
        except InvalidTag as cause:
            raise ServiceError("vault-damaged") from cause


def key_from_text(text: str) -> LocalMasterKey:
    """Read a master key in base64.

    Raises:
        ServiceError: "master-key-invalid" when the text is not base64 of 32 bytes.
    """
    try:
        return LocalMasterKey(strict_base64(text.strip()))
    except ValueError as cause:
        raise ServiceError("master-key-invalid", "La llave maestra no es base64.") from cause


def key_from_file(path: Path) -> LocalMasterKey:
    """Read the master key of a file, in base64; create the file (mode 0600) if it does not exist.

    Processes that create it at the same time get the same key: the first complete file is linked into place.
    The key is on disk before this function returns, because data encrypted with a lost key are lost.

    Raises:
        ServiceError: "master-key-invalid" when the file does not have a key.
    """
    if not path.exists():
        _create_key_file(path)
    return key_from_text(path.read_text("ascii", "replace"))


def _create_key_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(base64.b64encode(os.urandom(KEY_BYTES)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        _link_into_place(draft, path)
    finally:
        draft.unlink()


def _link_into_place(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    sync_folder(path.parent)
