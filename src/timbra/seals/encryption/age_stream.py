"""Encryption of streams to public keys in the format of age (X25519, ChaCha20-Poly1305), by the library pyrage."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from pyrage.x25519 import Identity, Recipient

MAGIC = b"age-encryption.org/v1\n"
"""The first bytes of an encrypted stream."""


def create_identity() -> tuple[str, str]:
    """Create a key pair.

    Returns:
        The private key (`AGE-SECRET-KEY-1...`), which age calls identity, and the public key (`age1...`).
    """
    from pyrage import x25519

    identity = x25519.Identity.generate()
    return str(identity), str(identity.to_public())


def parse_recipients(texts: Sequence[str]) -> list[Recipient]:
    """Parse public keys.

    Args:
        texts: Keys `age1...`; each text may have several, separated by commas.

    Raises:
        ServiceError: "backup-key" for a text that is no public key.
    """
    from pyrage import RecipientError, x25519

    keys = [key for text in texts for key in text.replace(",", " ").split()]
    try:
        return [x25519.Recipient.from_str(key) for key in keys]
    except RecipientError as error:
        raise ServiceError("backup-key", "La clave pública debe tener la forma age1...") from error


def read_identities(file: Path) -> list[Identity]:
    """Read the private keys of an identity file of age: one in each line, besides comments.

    Raises:
        ServiceError: "backup-key" when the file cannot be read or has no key.
    """
    from pyrage import IdentityError, x25519

    try:
        lines = [line.strip() for line in file.read_text("ascii").splitlines()]
        identities = [x25519.Identity.from_str(line) for line in lines if line and not line.startswith("#")]
    except (OSError, UnicodeDecodeError, IdentityError) as error:
        raise ServiceError("backup-key", f"{file} no es un archivo de claves privadas de age.") from error
    if not identities:
        raise ServiceError("backup-key", f"{file} no tiene una clave privada.")
    return identities


@contextmanager
def encrypting(target: IO[bytes], recipients: Sequence[Recipient]) -> Iterator[IO[bytes]]:
    """Encrypt what is written in the block.

    Args:
        target: Gets the encrypted stream; it stays open.
        recipients: Each of them can decrypt it.

    Yields:
        A stream to write to. An exception of the block, or of `target`, leaves an incomplete stream in `target`.
    """
    import pyrage

    reading, writing = _pipe()
    with reading, writing:
        output = _Output(target)
        worker = _Worker(lambda: pyrage.encrypt_io(reading, output, list(recipients)), reading, output)
        try:
            yield writing
            writing.close()
        except BrokenPipeError:
            worker.finish()
            raise
        finally:
            with suppress(BrokenPipeError):
                writing.close()
            worker.join()
        worker.finish()


@contextmanager
def decrypting(source: IO[bytes], identities: Sequence[Identity]) -> Iterator[IO[bytes]]:
    """Decrypt a stream; a changed, truncated or extended stream raises at the latest at its end.

    Args:
        source: The encrypted stream.
        identities: Private keys, one of which must be able to decrypt it.

    Yields:
        A stream to read from. The block should read it to its end.

    Raises:
        ServiceError: "backup-encrypted" when no private key fits; "backup-damaged" when the stream was changed.
    """
    import pyrage

    reading, writing = _pipe()
    with reading, writing:
        output = _Output(writing)
        worker = _Worker(lambda: pyrage.decrypt_io(source, output, list(identities)), writing, output)
        try:
            yield reading
        except Exception:
            reading.close()
            # The failure of the decryption is the cause of what the reader of a truncated stream found.
            worker.finish()
            raise
        reading.close()
        worker.finish()


class _Output:
    """A target that keeps its failure, which pyrage reports as text only."""

    def __init__(self, target: IO[bytes]) -> None:
        self._target = target
        self.failure: OSError | None = None

    def write(self, piece: bytes) -> int:
        try:
            return self._target.write(piece)
        except OSError as error:
            self.failure = error
            raise

    def flush(self) -> None:
        self._target.flush()


class _Worker:
    """A thread that runs one call of pyrage and closes its end of the pipe afterwards."""

    def __init__(self, work: Callable[[], object], end: IO[bytes], output: _Output) -> None:
        self._work = work
        self._end = end
        self._output = output
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="timbra-age", daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join()

    def finish(self) -> None:
        """Wait for the call, and raise its failure unless the other end of the pipe was closed before."""
        self._thread.join()
        if self._failure is not None and not isinstance(self._failure, BrokenPipeError):
            raise self._failure

    def _run(self) -> None:
        try:
            self._work()
        except Exception as error:
            self._failure = self._output.failure or _translated(error)
        finally:
            with suppress(OSError):
                self._end.close()


def _translated(error: Exception) -> Exception:
    """Return the error of a stream that cannot be decrypted; an error of the system, which has a number, as it is."""
    if isinstance(error, OSError) and error.errno is not None:
        return error
    if "matching" in str(error):
        return ServiceError("backup-encrypted", "Ninguna de las claves privadas puede descifrarlo.")
    return ServiceError("backup-damaged", "Motivo: el cifrado no es íntegro.")


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb"), os.fdopen(writing, "wb")
