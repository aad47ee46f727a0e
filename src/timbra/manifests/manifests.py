"""Manifests: issuers who authorised the delivery of their CFDI to the SAT."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from timbra.cfdi.rfc import is_rfc
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.events.recorder import EventRecorder
from timbra.manifests.store import Manifest, ManifestRepository

NOT_SIGNED = "AU2003"
UNCHECKED = "AU2005"
MAX_DOCUMENT_BYTES = 16 * 1024 * 1024


class Manifests:
    """The manifests of the issuers of a provider."""

    def __init__(self, repository: ManifestRepository, events: EventRecorder, wall: Clock) -> None:
        self._repository = repository
        self._events = events
        self.wall = wall

    def register(self, rfc: str, signed_at: datetime, file_name: str, document: bytes) -> Manifest:
        """Store the signed manifest of an issuer; it replaces an earlier one.

        Args:
            rfc: The issuer.
            signed_at: When the issuer signed it.
            document: The signed document.

        Raises:
            ServiceError: "manifest-invalid".
        """
        issuer = rfc.strip().upper()
        if not is_rfc(issuer):
            raise ServiceError("manifest-invalid", f"{rfc[:20]} no es un RFC.")
        if not 0 < len(document) <= MAX_DOCUMENT_BYTES:
            raise ServiceError("manifest-invalid", f"El documento tiene de 1 a {MAX_DOCUMENT_BYTES} bytes.")
        if signed_at > self.wall.now():
            raise ServiceError("manifest-invalid", "La fecha de la firma está en el futuro.")
        digest = hashlib.sha256(document).hexdigest()
        manifest = Manifest(issuer, signed_at, self.wall.now(), file_name, digest)
        self._repository.put(manifest, document)
        self._events.record(
            "manifest.registered", issuer, {"sha256": digest, "signed_at": signed_at.isoformat(), "file": file_name}
        )
        return manifest

    def remove(self, rfc: str) -> bool:
        """Delete the manifest of an issuer; return whether there was one."""
        issuer = rfc.strip().upper()
        removed = self._repository.remove(issuer)
        if removed:
            self._events.record("manifest.removed", issuer, {})
        return removed

    def all(self) -> Sequence[Manifest]:
        """Return all manifests, by RFC."""
        return self._repository.all()

    def document(self, rfc: str) -> bytes | None:
        """Return the signed document of an issuer; None without one."""
        return self._repository.document(rfc)

    def require(self, rfc: str) -> None:
        """Check that an issuer has a manifest.

        Raises:
            ServiceError: "AU2003" without one, "AU2005" when that cannot be found out.
        """
        try:
            is_signed = self._repository.has(rfc)
        except ServiceError as cause:
            raise ServiceError(UNCHECKED, retry_after=1) from cause
        if not is_signed:
            raise ServiceError(NOT_SIGNED, f"El emisor {rfc} no ha firmado el manifiesto.")
