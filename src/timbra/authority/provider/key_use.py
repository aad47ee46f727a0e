"""Counts of signatures by certificate: each use of the provider's key is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from functools import partial
from threading import Lock

from timbra.clock import Clock
from timbra.metrics import PROVIDER_SIGNATURES, MetricsRegistry
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.signers.counted import CountedSigner
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

    def counted(self, signer: Signer, certificate: Certificate) -> CountedSigner:
        """Return a signer whose signatures are counted, also those that fail after the key was used."""
        self.declare(certificate.number)
        return CountedSigner(signer, partial(self.add, certificate.number))

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
