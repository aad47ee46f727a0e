"""A cache of decoded certificates."""

from __future__ import annotations

from functools import lru_cache

from timbra.core.errors import ServiceError
from timbra.seals.base64_text import strict_base64
from timbra.seals.certificates.certificate import Certificate, read_certificate


class CertificateCache:
    """An LRU cache of certificates, by their DER and by their base64 text. Thread-safe."""

    def __init__(self, size: int = 2048) -> None:
        self._by_der = lru_cache(maxsize=size)(read_certificate)
        self._by_text = lru_cache(maxsize=size)(self._decoded)

    def read(self, der: bytes) -> Certificate:
        """Read a certificate as `read_certificate` does; errors are not cached."""
        return self._by_der(der)

    def read_base64(self, text: str) -> Certificate:
        """Read the certificate of a `Certificado` attribute. Raises ServiceError: "certificate-unreadable"."""
        return self._by_text(text)

    def _decoded(self, text: str) -> Certificate:
        try:
            der = strict_base64(text)
        except ValueError as cause:
            raise ServiceError("certificate-unreadable", "El contenido no es base64.") from cause
        return self._by_der(der)
