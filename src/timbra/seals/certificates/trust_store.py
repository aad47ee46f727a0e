"""Trusted issuers and providers: the SAT's table, a folder of additional certificates, the sandbox's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, CertificateKind, read_certificate
from timbra.seals.certificates.issuance import is_issued_by
from timbra.seals.certificates.trust_anchors import (
    ProviderCertificate,
    TrustAnchor,
    to_anchor,
    to_provider_certificate,
    to_subordinate_anchor,
)
from timbra.seals.certificates.trust_table import PRODUCTION, load_trust_table
from timbra.seals.file_forms import CERTIFICATE_LABELS, pem_blocks

LOCAL = "local"
"""The environment of certificates that a folder or the sandbox adds."""
SUFFIXES = frozenset({".cer", ".crt", ".der", ".pem"})


class TrustStore:
    """An immutable set of trusted authorities and providers; the `with_...` methods return a larger one."""

    def __init__(self, anchors: Iterable[TrustAnchor], providers: Iterable[ProviderCertificate]) -> None:
        self._anchors = tuple(anchors)
        self._providers = {provider.number: provider for provider in providers}
        self._issuer = lru_cache(maxsize=4096)(self._find_issuer)

    @classmethod
    def built_in(cls, *, production: bool) -> TrustStore:
        """Return the SAT's authorities and providers; the SAT's test certificates are excluded in production."""
        anchors, providers = load_trust_table()
        return cls(
            (anchor for anchor in anchors if not production or anchor.environment == PRODUCTION),
            (provider for provider in providers if not production or provider.environment == PRODUCTION),
        )

    def issuer_of(self, certificate: Certificate) -> TrustAnchor | None:
        """Find the authority that issued the certificate; None if it is not trusted.

        The authority has the issuer's common name, its key verifies the signature, and it was valid when the validity
        of the certificate starts. The current time does not matter: authorities expire while documents stay. The
        certificate has no critical extension that is not processed.
        """
        return self._issuer(certificate)

    def provider(self, number: str) -> ProviderCertificate | None:
        """Find a provider certificate by its 20 digits; None if unknown. The caller checks its validity."""
        return self._providers.get(number)

    def with_authority(self, authority: Certificate) -> TrustStore:
        """Return a store that also trusts this authority; its issuer is not checked."""
        return TrustStore((*self._anchors, to_anchor(authority, LOCAL)), self._providers.values())

    def with_subordinate(self, authority: Certificate) -> TrustStore | None:
        """Return a store that also trusts an authority that a trusted one issued; None if none may have issued it."""
        issuer = self.issuer_of(authority)
        anchor = issuer and to_subordinate_anchor(authority, issuer, LOCAL)
        return TrustStore((*self._anchors, anchor), self._providers.values()) if anchor else None

    def with_provider(self, certificate: Certificate) -> TrustStore:
        """Return a store that also trusts this provider; its issuer is not checked."""
        return TrustStore(self._anchors, (*self._providers.values(), to_provider_certificate(certificate, LOCAL)))

    def with_folder(self, folder: Path, *, production: bool) -> TrustStore:
        """Return a store that also trusts the authorities and providers in a folder (DER or PEM files).

        In production each certificate must be issued by a trusted authority, or by an authority of the folder that a
        trusted one issued; other kinds of certificates than authorities and providers are rejected. A provider
        certificate whose number is in the store already is ignored.

        Args:
            production: Whether to verify the issuers.

        Raises:
            ServiceError: "trust-refused" for a certificate that is not trusted or a missing folder;
                "certificate-unreadable" for a file that is not a certificate. The detail names the first such file.
        """
        found, trust = list(_read_folder(folder)), self
        while found:
            rejected = []
            for path, certificate in found:
                larger = trust._with(certificate, production=production)
                if larger is None:
                    rejected.append((path, certificate))
                trust = larger or trust
            if len(rejected) == len(found):
                raise ServiceError("trust-refused", f"{found[0][0].name} no fue expedido por una autoridad del SAT.")
            found = rejected
        return trust

    def _with(self, certificate: Certificate, *, production: bool) -> TrustStore | None:
        """Return a store that also trusts the certificate; None if it must not be trusted in production."""
        if certificate.kind is CertificateKind.AUTHORITY:
            return self.with_subordinate(certificate) if production else self.with_authority(certificate)
        if production and (certificate.kind is not CertificateKind.PROVIDER or self.issuer_of(certificate) is None):
            return None
        return self if certificate.number in self._providers else self.with_provider(certificate)

    def _find_issuer(self, certificate: Certificate) -> TrustAnchor | None:
        if not certificate.is_processed:
            return None
        for anchor in self._anchors:
            if (
                anchor.holder == certificate.issuer_name
                and anchor.is_valid_at(certificate.valid_from)
                and is_issued_by(certificate, anchor.public_key)
            ):
                return anchor
        return None


class ReplaceableTrustStore(TrustStore):
    """A trust store whose content may be replaced while others refer to it."""

    def __init__(self, current: Callable[[], TrustStore]) -> None:
        """Delegate to a store. `current`: Returns the store in force."""
        self._current = current

    def issuer_of(self, certificate: Certificate) -> TrustAnchor | None:
        return self._current().issuer_of(certificate)

    def provider(self, number: str) -> ProviderCertificate | None:
        return self._current().provider(number)

    def with_authority(self, authority: Certificate) -> TrustStore:
        """See `TrustStore.with_authority`; the result does not change with this store."""
        return self._current().with_authority(authority)

    def with_subordinate(self, authority: Certificate) -> TrustStore | None:
        """See `TrustStore.with_subordinate`; the result does not change with this store."""
        return self._current().with_subordinate(authority)

    def with_provider(self, certificate: Certificate) -> TrustStore:
        """See `TrustStore.with_provider`; the result does not change with this store."""
        return self._current().with_provider(certificate)

    def with_folder(self, folder: Path, *, production: bool) -> TrustStore:
        """See `TrustStore.with_folder`; the result does not change with this store."""
        return self._current().with_folder(folder, production=production)


def read_certificate_file(path: Path) -> Certificate:
    """Read the certificate of a file, DER or PEM.

    Raises:
        ServiceError: "certificate-unreadable" when the file cannot be read, or does not have exactly one certificate.
    """
    try:
        found = _split_pem(path.read_bytes())
    except OSError as cause:
        raise ServiceError("certificate-unreadable", f"{path}: {cause.strerror}") from cause
    if len(found) != 1:
        raise ServiceError("certificate-unreadable", f"{path.name} tiene {len(found)} certificados.")
    return _read_file(path, found[0])


def _read_folder(folder: Path) -> Iterator[tuple[Path, Certificate]]:
    if not folder.is_dir():
        raise ServiceError("trust-refused", f"La carpeta {folder} no existe.")
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in SUFFIXES:
            continue
        for der in _split_pem(path.read_bytes()):
            yield path, _read_file(path, der)


def _split_pem(data: bytes) -> list[bytes]:
    """Return the certificates of a PEM bundle, or the file itself as DER."""
    try:
        return [block.der() for block in pem_blocks(data, CERTIFICATE_LABELS)] or [data]
    except ValueError:
        return [data]


def _read_file(path: Path, der: bytes) -> Certificate:
    try:
        return read_certificate(der)
    except ServiceError as rejection:
        raise ServiceError(rejection.code, f"{path.name}: {rejection.detail}") from rejection
