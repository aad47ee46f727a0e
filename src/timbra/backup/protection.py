"""Protection of backups: encryption to public keys (age), and a signature in a file beside the archive (minisign)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from timbra.core.errors import ServiceError
from timbra.seals.encryption import age_stream
from timbra.seals.minisign import (
    HASH_BYTES,
    SUFFIX,
    SigningKey,
    create_signing_key,
    read_public_key,
    read_signature_file,
    read_signing_key,
    verify,
)

IDENTITY_FILE = "backup-identity.txt"
SIGNING_KEY_FILE = "backup-signing.pem"
PUBLIC_KEY_FILE = "backup-signing.pub"
PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class CreationKeys:
    """What a new backup is protected with.

    Attributes:
        recipients: Public keys of age; none leaves the archive unencrypted.
        signing_key: File of the private key that signs; None makes no signature.
    """

    recipients: Sequence[str] = ()
    signing_key: Path | None = None


@dataclass(frozen=True, slots=True)
class OpeningKeys:
    """What a backup is opened with.

    Attributes:
        identity: File of the private keys that decrypt; None opens unencrypted archives only.
        public_key: File of the public key that must have signed; None verifies no signature.
    """

    identity: Path | None = None
    public_key: Path | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """What is known about an archive.

    Attributes:
        encrypted: Whether it is encrypted.
        signed_by: Identifier of the key whose signature was verified; empty when none was.
    """

    encrypted: bool
    signed_by: str


def create_keys(folder: Path) -> str:
    """Create the keys of backups: an identity of age, and a signing key with its public key, in a new folder.

    Args:
        folder: Gets three files; it must not have them.

    Returns:
        The public key of age (`age1...`).

    Raises:
        ServiceError: "backup-exists" when one of the files exists.
    """
    identity, recipient = age_stream.create_identity()
    key = create_signing_key()
    contents = {
        IDENTITY_FILE: f"# public key: {recipient}\n{identity}\n".encode(),
        SIGNING_KEY_FILE: key.to_pem(),
        PUBLIC_KEY_FILE: key.public_key.to_text().encode(),
    }
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    existing = [name for name in contents if (folder / name).exists()]
    if existing:
        raise ServiceError("backup-exists", str(folder / existing[0]))
    for name, content in contents.items():
        with os.fdopen(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
    return recipient


class ArchiveWriter:
    """Writes an archive with its protection; parses the keys first, so that a wrong key makes no file."""

    def __init__(self, keys: CreationKeys) -> None:
        self._recipients = age_stream.parse_recipients(keys.recipients)
        self._signing_key: SigningKey | None = read_signing_key(keys.signing_key) if keys.signing_key else None
        self._hash = hashlib.blake2b(digest_size=HASH_BYTES)

    @contextmanager
    def open(self, file: IO[bytes]) -> Iterator[IO[bytes]]:
        """Yield the stream to which the content is written; the file gets it, encrypted if there are recipients."""
        hashing = _HashingWriter(file, self._hash)
        if not self._recipients:
            yield hashing  # type: ignore[misc]  # as far as tarfile and zstandard use a file
            return
        with age_stream.encrypting(hashing, self._recipients) as stream:  # type: ignore[arg-type]
            yield stream

    def signature(self, name: str, now: datetime) -> str | None:
        """Return the content of the signature file of a written archive; None without a signing key.

        Args:
            name: The file name of the archive.
            now: The wall time, which the signature covers with the name.
        """
        if self._signing_key is None:
            return None
        comment = f"timestamp:{int(now.timestamp())}\tfile:{' '.join(name.split())}\thashed"
        return self._signing_key.sign(self._hash.digest(), comment)


@contextmanager
def open_archive(archive: Path, keys: OpeningKeys) -> Iterator[tuple[IO[bytes], Provenance]]:
    """Open an archive: verify its signature as a whole, then decrypt it.

    Yields:
        The decrypted stream, and what is known about the archive.

    Raises:
        ServiceError: "backup-damaged" when the file does not exist or was changed; "backup-signature"; "backup-key";
            "backup-encrypted" without the private key of an encrypted archive.
    """
    try:
        file = archive.open("rb")
    except FileNotFoundError as error:
        raise ServiceError("backup-damaged", f"{archive} no existe.") from error
    with file:
        signed_by = "" if keys.public_key is None else _verify(archive, file, keys.public_key)
        file.seek(0)
        encrypted = file.read(len(age_stream.MAGIC)) == age_stream.MAGIC
        file.seek(0)
        if not encrypted:
            yield file, Provenance(encrypted, signed_by)
        elif keys.identity is None:
            raise ServiceError("backup-encrypted", "Indique el archivo de la clave privada con --identity.")
        else:
            with age_stream.decrypting(file, age_stream.read_identities(keys.identity)) as stream:
                yield stream, Provenance(encrypted, signed_by)


def signature_file(archive: Path) -> Path:
    """Return the place of the signature of an archive."""
    return archive.with_name(archive.name + SUFFIX)


def _verify(archive: Path, file: IO[bytes], public_key_file: Path) -> str:
    public_key = read_public_key(public_key_file)
    signature = read_signature_file(signature_file(archive))
    hashed = hashlib.blake2b(digest_size=HASH_BYTES)
    while piece := file.read(PIECE):
        hashed.update(piece)
    verify(signature, hashed.digest(), public_key)
    return public_key.name


class _HashingWriter:
    def __init__(self, file: IO[bytes], hashed: hashlib.blake2b) -> None:
        self._file = file
        self._hash = hashed

    def write(self, piece: bytes) -> int:
        self._hash.update(piece)
        return self._file.write(piece)

    def flush(self) -> None:
        self._file.flush()
