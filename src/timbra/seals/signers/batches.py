"""Signatures of several keys in memory, at once on processors with AVX-512 IFMA."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from timbra._rsa8 import load_batches
from timbra.seals.rsa_signature import DIGEST_INFOS
from timbra.seals.signers.memory import CountedSigner, MemorySigner

if TYPE_CHECKING:
    from timbra._rsa8.crt import CrtKey
    from timbra.seals.signers.port import Signer

LANES = 8
FEWEST = 3
"""Fewer signatures are never made at once."""
ROUNDS = 3
PADDING = b"\x00\x01" + b"\xff" * 202 + b"\x00" + DIGEST_INFOS["sha256"]
"""EMSA-PKCS1-v1_5 for a key of 2,048 bits, up to the hash."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SignatureRequest:
    """Bytes to sign with RSA PKCS#1 v1.5 and SHA-256, and the signer."""

    signer: Signer
    data: bytes


class SignatureBatches:
    """Signs one by one with OpenSSL, and several at once where the processor can and where that takes less time.

    Every signature is verified with the public key before it is returned: a faulty one would reveal the primes of its
    key. One that fails in a batch is made again by OpenSSL.

    Args:
        load: returns the compiled module, or None and the reason.

    Attributes:
        reason: why signatures are never made at once, in English; empty where they are.
        fewest: from how many signatures on a batch is used; None until the first call determines it.
    """

    def __init__(self, load: Callable[[], tuple[ModuleType | None, str]] = load_batches) -> None:
        self._module, self.reason = load()
        self.fewest: int | None = None if self._module else LANES + 1

    def accepts(self, signer: Signer) -> bool:
        """Whether `sign` takes requests of the signer: a key in memory, of 2,048 bits where batches are made."""
        memory = _memory_signer(signer)
        return memory is not None and (self._module is None or memory.crt_key is not None)

    def sign(self, requests: Sequence[SignatureRequest]) -> list[bytes | Exception]:
        """Sign requests whose signers are accepted.

        Args:
            requests: Any number of requests.

        Returns:
            For each request its signature, or the exception of its signer.
        """
        results: list[bytes | Exception] = []
        for start in range(0, len(requests), LANES):
            group = requests[start : start + LANES]
            fewest = self._fewest_at_once(group[0])
            results += self._at_once(group) if len(group) >= fewest else map(_sign_alone, group)
        return results

    def _at_once(self, group: Sequence[SignatureRequest]) -> list[bytes | Exception]:
        signatures = self._signatures(group)
        if None in signatures:
            logger.warning("signature-batch-lane-failed", extra={"failed": signatures.count(None)})
        for request, signature in zip(group, signatures, strict=True):
            if signature is not None and isinstance(request.signer, CountedSigner):
                request.signer.count_use()
        return [
            _sign_alone(request) if signature is None else signature
            for request, signature in zip(group, signatures, strict=True)
        ]

    def _signatures(self, group: Sequence[SignatureRequest]) -> list[bytes | None]:
        assert self._module is not None  # noqa: S101 - only accepted signers get here
        blocks = [PADDING + hashlib.sha256(request.data).digest() for request in group]
        signatures: list[bytes | None] = self._module.sign_blocks([_key(each.signer) for each in group], blocks)
        return signatures

    def _fewest_at_once(self, request: SignatureRequest) -> int:
        if self.fewest is None:
            self.fewest = self._tried(request.signer)
        return self.fewest

    def _tried(self, signer: Signer) -> int:
        """Compare a batch with OpenSSL, in results and in time; a wrong result ends the use of batches."""
        uncounted = _memory_signer(signer) or signer
        group = [SignatureRequest(uncounted, b"timbra %d" % lane) for lane in range(LANES)]
        if self._signatures(group) != [_sign_alone(request) for request in group]:
            logger.error("signature-batches-wrong")
            return LANES + 1
        together = min(_seconds(lambda: self._signatures(group)) for _ in range(ROUNDS))
        alone = min(_seconds(lambda: _sign_alone(group[0])) for _ in range(ROUNDS))
        return max(FEWEST, int(together / alone) + 1)


def _memory_signer(signer: Signer) -> MemorySigner | None:
    """Return the signer with the key in memory; None for another kind of signer."""
    inner = signer.signer if isinstance(signer, CountedSigner) else signer
    return inner if isinstance(inner, MemorySigner) else None


def _key(signer: Signer) -> CrtKey:
    memory = _memory_signer(signer)
    key = None if memory is None else memory.crt_key
    if key is None:
        raise TypeError("the signer cannot sign in a batch")
    return key


def _sign_alone(request: SignatureRequest) -> bytes | Exception:
    try:
        return request.signer.sign(request.data)
    except Exception as error:  # returned to the one whose request it is
        return error


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
