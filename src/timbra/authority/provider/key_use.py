"""Counts of signatures by certificate: each use of the provider's key is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from threading import Lock

from timbra.clock import Clock
from timbra.metrics import PROVIDER_SIGNATURES, MetricsRegistry
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.digest_algorithms import Digest
from timbra.seals.signers.port import Signer


class KeyUseCounter:
    """Counts signatures by certificate and day (UTC), until `take` returns them. Thread-safe."""

    def __init__(self, wall: Clock, metrics: MetricsRegistry) -> None:
        """Count from now on.

        Args:
            wall: Wall time.
            metrics: Metrics of the process, which count the same signatures.
        """
        self._wall = wall
        self._metrics = metrics
        self._lock = Lock()
        self._counts: Counter[tuple[str, date]] = Counter()

    def declare(self, number: str) -> None:
        """Show a certificate in the metrics."""
        self._metrics.declare(PROVIDER_SIGNATURES, (number,))

    def add(self, number: str) -> None:
        """Count a use of the key of a certificate."""
        with self._lock:
            self._counts[number, self._wall.now().date()] += 1
            self._metrics.count(PROVIDER_SIGNATURES, (number,))

    def take(self) -> Mapping[tuple[str, date], int]:
        """Return the counts since the last call."""
        with self._lock:
            taken, self._counts = self._counts, Counter()
        return taken

    def put_back(self, counts: Mapping[tuple[str, date], int]) -> None:
        """Add counts that could not be stored."""
        with self._lock:
            self._counts.update(counts)


class CountedSigner:
    """A signer whose signatures are counted, also those that failed after the key was used."""

    def __init__(self, signer: Signer, certificate: Certificate, counter: KeyUseCounter) -> None:
        self._signer = signer
        self._number = certificate.number
        self._counter = counter
        counter.declare(certificate.number)

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        """See `Signer.sign`."""
        self._counter.add(self._number)
        return self._signer.sign(data, digest)
