"""Certificates read once: the same issuers' certificates arrive again and again."""

from __future__ import annotations

from functools import lru_cache

from timbra.errors import ServiceError
from timbra.seals.certificate import Certificate, read_certificate
from timbra.seals.encoding import strict_base64


class CertificateCache:
    """The most recently used `size` certificates, found by their DER or by their base64 text. Safe among threads."""

    def __init__(self, size: int = 2048) -> None:
        self._by_der = lru_cache(maxsize=size)(read_certificate)
        self._by_text = lru_cache(maxsize=size)(self._decoded)

    def read(self, der: bytes) -> Certificate:
        """ServiceError("certificate-unreadable") as `read_certificate`; failures are not kept."""
        return self._by_der(der)

    def read_base64(self, text: str) -> Certificate:
        """The certificate in a `Certificado` attribute. ServiceError("certificate-unreadable")."""
        return self._by_text(text)

    def _decoded(self, text: str) -> Certificate:
        try:
            der = strict_base64(text)
        except ValueError as cause:
            raise ServiceError("certificate-unreadable", "El contenido no es base64.") from cause
        return self._by_der(der)
