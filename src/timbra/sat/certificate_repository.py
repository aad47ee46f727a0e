"""Client of the SAT's certificate repository, for provider certificates that the data snapshot does not have."""

from __future__ import annotations

import os
import re
from pathlib import Path
from tempfile import NamedTemporaryFile

import structlog

from timbra.core.bounded_dict import BoundedDict
from timbra.core.bounds import Bound, BoundKind
from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.transport import SUCCESS, Transport, down
from timbra.seals.certificates.certificate import MAX_CERTIFICATE_BYTES, CertificateKind, read_certificate
from timbra.seals.certificates.trust_anchors import ProviderCertificate, to_provider_certificate
from timbra.seals.certificates.trust_store import LOCAL, TrustStore

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.repository")

NUMBER = re.compile(r"[0-9]{20}\Z", re.ASCII)
ABSENT = (404, 410)
ABSENCE_SECONDS = 3_600
"""How long the client caches that the SAT has no certificate of a number."""
MAX_CACHED = 4_096


class SatCertificateRepository:
    """Finds provider certificates by number in a folder or at the SAT, and verifies their issuer.

    Thread-safe; processes may share the folder.
    """

    def __init__(
        self,
        url: str,
        folder: Path,
        trust: TrustStore,
        transport: Transport,
        breaker: CircuitBreaker,
        retry: RetryPolicy,
    ) -> None:
        """Use a repository.

        Args:
            url: The address of the repository.
            folder: Stores the certificates that were found.
            trust: The trusted authorities.
            breaker: Stops requests after repeated failures.
        """
        self._url = url.rstrip("/")
        self._folder = folder
        self._trust = trust
        self._transport = transport
        self._breaker = breaker
        self._retry = retry
        self._cache = BoundedDict[str, tuple[ProviderCertificate | None, float]](MAX_CACHED)

    def provider(self, number: str) -> ProviderCertificate | None:
        """Find a certificate by its 20 digits.

        Returns:
            None when the SAT has no certificate of that number, or it is not a provider's.

        Raises:
            ServiceError: "authority-down" when the repository does not respond.
        """
        if not NUMBER.match(number):
            return None
        now = self._retry.now()
        found, until = self._cache.get(number, (None, now))
        if found is None and until <= now:
            found = self._read_cached(number) or self._fetch(number)
            self._cache[number] = found, now + ABSENCE_SECONDS
        return found

    def _read_cached(self, number: str) -> ProviderCertificate | None:
        """Return the certificate of the folder; None when it is missing or damaged."""
        try:
            return self._verified(number, (self._folder / f"{number}.cer").read_bytes())
        except (FileNotFoundError, NotADirectoryError, ServiceError):
            return None

    def _fetch(self, number: str) -> ProviderCertificate | None:
        if not self._breaker.allow():
            raise down("El repositorio de certificados del SAT no respondió hace poco.")
        try:
            der = self._retry.call(lambda seconds: self._request(number, seconds))
            found = None if der is None else self._verified(number, der)
        except ServiceError:
            self._breaker.record_failure()
            raise
        self._breaker.record_success()
        if der is not None and found is not None:
            self._store(number, der)
        return found

    def _request(self, number: str, seconds: float) -> bytes | None:
        url = f"{self._url}/{place(number)}"
        response = self._transport.exchange("GET", url, seconds=seconds, max_bytes=MAX_CERTIFICATE_BYTES)
        if response.status in ABSENT:
            return None
        if response.status != SUCCESS:
            raise down(f"El repositorio respondió con el estado HTTP {response.status}.")
        return response.body

    def _verified(self, number: str, der: bytes) -> ProviderCertificate | None:
        """Return the certificate if it is a provider's and a trusted authority issued it; None otherwise.

        Raises:
            ServiceError: "authority-down" when `der` is not the certificate of that number.
        """
        try:
            certificate = read_certificate(der)
        except ServiceError as cause:
            raise down("El repositorio respondió con algo que no es un certificado.") from cause
        if certificate.number != number:
            raise down("El repositorio respondió con otro certificado.")
        trusted = certificate.kind is CertificateKind.PROVIDER and self._trust.issuer_of(certificate) is not None
        return to_provider_certificate(certificate, LOCAL) if trusted else None

    def _store(self, number: str, der: bytes) -> None:
        """Write the file atomically. A folder that is not writable is logged, and the next look-up fetches again."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(der)
            os.replace(file.name, self._folder / f"{number}.cer")
        except OSError:
            log.exception("certificate not kept", number=number)


def place(number: str) -> str:
    """Return the path of a certificate in the repository: folders of 6, 6, 2, 2 and 2 digits, then the whole number."""
    return f"{number[:6]}/{number[6:12]}/{number[12:14]}/{number[14:16]}/{number[16:18]}/{number}.cer"


BOUNDS = (
    Bound(
        "SatCertificateRepository",
        BoundKind.CACHE,
        f"{MAX_CACHED:,} certificates",
        "The entry that was written longest ago is dropped.",
    ),
)
