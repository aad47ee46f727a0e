"""A signer that reports each signature, for the audit log."""

from __future__ import annotations

from collections.abc import Callable

from timbra.seals.digest_algorithms import Digest
from timbra.seals.signers.port import Signer


class CountedSigner:
    """A `Signer` that calls a function before each signature of another one."""

    __slots__ = ("_on_use", "_signer")

    def __init__(self, signer: Signer, on_use: Callable[[], None]) -> None:
        self._signer = signer
        self._on_use = on_use

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        """See `Signer.sign`."""
        self._on_use()
        return self._signer.sign(data, digest)
