"""Construction of the provider's identity from the settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.provider.certificate_rules import CertificateRules, Issuers
from timbra.provider.identity import PROBE, ChangeOver, ProviderIdentity, ProviderSchedule
from timbra.provider.key_use import KeyUseCounter
from timbra.provider.signing_pool import SigningPool
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.certificates.trust_store import read_certificate_file
from timbra.seals.certificates.trust_table import load_trust_table
from timbra.seals.keys.file_signer import file_signer
from timbra.seals.keys.private_key import is_encrypted
from timbra.seals.signers.pkcs11 import Pkcs11Signer
from timbra.seals.signers.pkcs11_pool import Pkcs11Pool
from timbra.seals.signers.port import Signer
from timbra.settings import Settings

RECENT_SECONDS = 2.0
"""A worker without a signature of this time signs once when its readiness is queried."""


@dataclass(frozen=True, slots=True)
class KeyLocation:
    """Where the settings say that a key is: the label in a token, or the file with its password."""

    label: str
    file: Path | None
    password: str


class ProviderBuilder:
    """Builds the identity of one process.

    Args:
        settings: The settings of the server.
        trust: The authorities that the environment trusts.
        wall: Wall time.
        metrics: The metrics of the process.
        counter: Counts the uses of the keys.
    """

    def __init__(
        self, settings: Settings, trust: Issuers, wall: Clock, metrics: MetricsRegistry, counter: KeyUseCounter
    ) -> None:
        self._settings = settings
        self._trust = trust
        self._wall = wall
        self._metrics = metrics
        self._counter = counter

    @property
    def is_configured(self) -> bool:
        """Whether the settings name a provider."""
        return bool(self._settings.provider_rfc or self._settings.provider_certificate)

    def certificates(self) -> Sequence[Certificate]:
        """Read the certificates of the settings, whether they may stamp or not.

        Raises:
            ServiceError: "certificate-unreadable".
        """
        return read_provider_certificates(self._settings)

    def schedule(self) -> ProviderSchedule:
        """Build the identity; no device is used.

        Raises:
            ServiceError: "provider-settings" when a setting is missing; those of reading certificates and key files.
        """
        settings = self._settings
        if not settings.provider_rfc:
            raise _missing("provider_rfc")
        location = KeyLocation(settings.provider_key_label, settings.provider_key_file, settings.provider_key_password)
        current = self._identity("provider", settings.provider_certificate, location)
        return ProviderSchedule(current, self._change_over(), self.rules, self._wall)

    def _change_over(self) -> ChangeOver | None:
        settings = self._settings
        if settings.provider_next_certificate is None:
            return None
        if settings.provider_change_over is None:
            raise _missing("provider_change_over")
        location = KeyLocation(
            settings.provider_next_key_label, settings.provider_next_key_file, settings.provider_next_key_password
        )
        following = self._identity("provider_next", settings.provider_next_certificate, location)
        return ChangeOver(following, settings.provider_change_over)

    @cached_property
    def rules(self) -> CertificateRules:
        """The conditions of the provider's certificates."""
        is_rehearsal = self._settings.environment == "rehearsal"
        _, providers = load_trust_table()
        reserved = frozenset(provider.rfc for provider in providers) if is_rehearsal else frozenset[str]()
        return CertificateRules(self._settings.provider_rfc, self._trust, not is_rehearsal, reserved)

    def _identity(self, name: str, path: Path | None, location: KeyLocation) -> ProviderIdentity:
        if path is None:
            raise _missing(f"{name}_certificate")
        certificate = read_certificate_file(path)
        signer, pool = self._signer(name, certificate, location)
        return ProviderIdentity(
            self._settings.provider_rfc, certificate, self._counter.counted(signer, certificate), pool
        )

    def _signer(self, name: str, certificate: Certificate, location: KeyLocation) -> tuple[Signer, SigningPool | None]:
        if self._settings.provider_key_storage == "file":
            return _file_signer(name, certificate, location), None
        if not location.label:
            raise _missing(f"{name}_key_label")
        return Pkcs11Signer(self.tokens, certificate.public_key, label=location.label), self._signing

    @cached_property
    def tokens(self) -> Pkcs11Pool:
        """The sessions of the tokens. Raises ServiceError: "provider-settings" when module or tokens are missing."""
        settings, labels = self._settings, self.token_labels
        if settings.provider_pkcs11_module is None:
            raise _missing("provider_pkcs11_module")
        if not labels:
            raise _missing("provider_pkcs11_tokens")
        return Pkcs11Pool(
            settings.provider_pkcs11_module,
            labels,
            settings.provider_pkcs11_pin,
            settings.provider_pkcs11_sessions,
            hang_seconds=settings.provider_sign_timeout_seconds,
        )

    def signer_of_token(self, label: str, identity: ProviderIdentity) -> Signer:
        """Return a signer that uses one token only, for a check of each of them."""
        settings, certificate = self._settings, identity.certificate
        is_current = certificate == self.certificates()[0]
        key = settings.provider_key_label if is_current else settings.provider_next_key_label
        signer = Pkcs11Signer(self.tokens.of_token(label), certificate.public_key, label=key)
        return self._signing.limited(self._counter.counted(signer, certificate))

    def require_tokens(self, identity: ProviderIdentity) -> None:
        """Check that a token signs, if the key is in one; sign once unless this process has a recent signature.

        Raises:
            ServiceError: "signer-unavailable" when no token answers; "signature-faulty" when it signs wrongly.
        """
        if self._settings.provider_key_storage == "pkcs11" and not self.tokens.worked_within(RECENT_SECONDS):
            identity.login.signer.sign(PROBE)

    @property
    def token_labels(self) -> Sequence[str]:
        return [label.strip() for label in self._settings.provider_pkcs11_tokens.split(",") if label.strip()]

    @cached_property
    def _signing(self) -> SigningPool:
        return SigningPool(self.tokens.size, self._settings.provider_sign_timeout_seconds, self._metrics)


def read_provider_certificates(settings: Settings) -> Sequence[Certificate]:
    """Read the certificate of the settings and the next one, as far as the settings name them.

    Raises:
        ServiceError: "certificate-unreadable".
    """
    paths = (settings.provider_certificate, settings.provider_next_certificate)
    return [read_certificate_file(path) for path in paths if path is not None]


def _file_signer(name: str, certificate: Certificate, location: KeyLocation) -> Signer:
    """Open an encrypted key file.

    A file without encryption is rejected: its content would be the key.
    """

    if location.file is None:
        raise _missing(f"{name}_key_file")
    try:
        data = location.file.read_bytes()
    except OSError as cause:
        raise ServiceError("provider-settings", f"{location.file}: {cause.strerror}") from cause
    if not is_encrypted(data):
        raise ServiceError("provider-settings", f"La llave {location.file.name} no está cifrada con contraseña.")
    return file_signer(certificate, location.file, location.password)


def _missing(field: str) -> ServiceError:
    return ServiceError("provider-settings", f"Falta TIMBRA_{field.upper()}.")
