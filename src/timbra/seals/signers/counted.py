"""A signer that reports each signature, for the audit log."""

from __future__ import annotations

from collections.abc import Callable

from timbra.seals.digest_algorithms import Digest
from timbra.seals.signers.port import Signer


class CountedSigner:
    """A `Signer` that calls a function before each signature of another one.

    Attributes:
        signer: The other signer; code that signs with its key directly calls `count_use`.
    """

    __slots__ = ("count_use", "signer")

    def __init__(self, signer: Signer, count_use: Callable[[], None]) -> None:
        """Count the signatures of a signer. `count_use`: Called for each signature."""
        self.signer = signer
        self.count_use = count_use

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        self.count_use()
        return self.signer.sign(data, digest)
