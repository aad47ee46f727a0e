"""Counts each use of a provider's key: in the metrics of the process, and for the audit log."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock

from timbra.core.metrics import PROVIDER_SIGNATURES, MetricsRegistry
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.signers.memory import CountedSigner
from timbra.seals.signers.port import Signer


class KeyUseCounter:
    """Counts signatures by the number of the certificate. Thread-safe."""

    def __init__(self, record: Callable[[str], None], metrics: MetricsRegistry) -> None:
        """Count from now on.

        Args:
            record: Counts a use of the key of a certificate, by its number, for the audit log; thread-safe.
            metrics: Metrics of the process, which count the same signatures.
        """
        self._record = record
        self._metrics = metrics
        self._lock = Lock()

    def declare(self, number: str) -> None:
        """Show a certificate in the metrics."""
        self._metrics.declare(PROVIDER_SIGNATURES, (number,))

    def counted(self, signer: Signer, certificate: Certificate) -> CountedSigner:
        """Return a signer whose signatures are counted, also those that fail after the key was used."""
        self.declare(certificate.number)
        return CountedSigner(signer, partial(self.add, certificate.number))

    def add(self, number: str) -> None:
        """Count a use of the key of a certificate."""
        self._record(number)
        with self._lock:
            self._metrics.count(PROVIDER_SIGNATURES, (number,))
