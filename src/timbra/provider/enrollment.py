"""A provider's own certificates: a key is made in the device, its certificate requested, and the answer installed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from dotenv import set_key

from timbra.core.errors import ServiceError
from timbra.provider.certificate_rules import validity_problem
from timbra.provider.identity import KEY_MISMATCH, PROBE
from timbra.seals.signers.pkcs11 import Pkcs11Signer
from timbra.seals.signers.pkcs11_keys import device_key

if TYPE_CHECKING:
    from timbra.core.clock import Clock
    from timbra.events.audit.recorder import AuditRecorder
    from timbra.provider.builder import ProviderBuilder
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.signers.port import Signer
    from timbra.settings import Settings


class ProviderEnrollment:
    """Requests and installs certificates whose keys are in the device of the settings.

    Args:
        settings: name the provider and the device.
        audit: records each request and each installation.
    """

    def __init__(self, settings: Settings, builder: ProviderBuilder, wall: Clock, audit: AuditRecorder) -> None:
        self._settings = settings
        self._builder = builder
        self._wall = wall
        self._audit = audit

    def request(self, name: str, label: str, token: str | None, *, existing_key: bool) -> bytes:
        """Make a key of 2,048 bits in the device and return a request for its certificate, PKCS#10 in DER.

        Args:
            name: The name of the provider, as its fiscal certificate has it.
            label: The label of the key (CKA_LABEL).
            token: The token; None for the only one of the settings.
            existing_key: Whether to use the key that has the label, instead of a new one.

        Raises:
            ServiceError: "provider-settings" for missing settings, several tokens, and a label in use;
                "signer-unavailable" when the device does not respond.
        """
        token = token or self._only_token()
        sessions = self._builder.tokens.of_token(token)  # names a missing setting first
        module = self._settings.provider_pkcs11_module
        if not self._settings.provider_rfc or module is None:
            raise ServiceError("provider-settings", "Falta TIMBRA_PROVIDER_RFC.")
        public_key = device_key(module, token, self._settings.provider_pkcs11_pin, label, existing=existing_key)
        signer = Pkcs11Signer(sessions, public_key, label=label)
        encoded = certificate_request(self._settings.provider_rfc, name, public_key, signer)
        self._audit.record("provider.certificate-requested", None, label, {"token": token})
        return encoded

    def install(self, certificate: Certificate, path: Path, label: str, at: datetime | None) -> Mapping[str, str]:
        """Verify a certificate and its key in every token, and return the settings that use it.

        Args:
            path: The file of the certificate.
            at: The change-over; None for the first certificate of the provider.

        Raises:
            ServiceError: "provider-settings" for a certificate or an instant that cannot be used; "key-mismatch" when
                the key of a token is another; "signer-unavailable" when a device does not respond.
        """
        values = self._values(path, label, at)
        problems = [
            *self._builder.rules.problems(certificate),
            validity_problem(certificate, at or self._wall.now()),
        ]
        if any(problems):
            raise ServiceError("provider-settings", " ".join(filter(None, problems)))
        for token in self._builder.token_labels:
            try:
                Pkcs11Signer(self._builder.tokens.of_token(token), certificate.public_key, label=label).sign(PROBE)
            except ServiceError as error:
                if error.code != "signature-faulty":
                    raise
                detail = f"{token}: {KEY_MISMATCH.format(number=certificate.number)}"
                raise ServiceError("key-mismatch", detail) from error
        self._audit.record("provider.certificate-installed", None, certificate.number, {"label": label})
        return values

    def _values(self, path: Path, label: str, at: datetime | None) -> dict[str, str]:
        settings, now = self._settings, self._wall.now()
        if settings.provider_certificate is None:
            return {"TIMBRA_PROVIDER_CERTIFICATE": str(path), "TIMBRA_PROVIDER_KEY_LABEL": label}
        if at is None or at <= now:
            raise ServiceError(
                "provider-settings", "Indique con --at un instante futuro para el cambio de certificado."
            )
        current = {}
        if settings.provider_next_certificate is not None and settings.provider_change_over is not None:
            if settings.provider_change_over > now:
                raise ServiceError(
                    "provider-settings", "Ya espera otro cambio de certificado (TIMBRA_PROVIDER_NEXT_*)."
                )
            current = {
                "TIMBRA_PROVIDER_CERTIFICATE": str(settings.provider_next_certificate),
                "TIMBRA_PROVIDER_KEY_LABEL": settings.provider_next_key_label,
            }
        return current | {
            "TIMBRA_PROVIDER_NEXT_CERTIFICATE": str(path),
            "TIMBRA_PROVIDER_NEXT_KEY_LABEL": label,
            "TIMBRA_PROVIDER_CHANGE_OVER": at.isoformat(),
        }

    def _only_token(self) -> str:
        labels = self._builder.token_labels
        if len(labels) > 1:
            raise ServiceError("provider-settings", f"Elija un token con --token: {', '.join(labels)}.")
        return next(iter(labels), "")


def write_settings(file: Path, values: Mapping[str, str]) -> None:
    """Set values in a settings file, each in its line; the rest stays as it is."""
    owner = file.stat()
    for name, value in values.items():
        set_key(file, name, value, quote_mode="auto", follow_symlinks=True)
    if os.name == "posix":  # the server may run as another user than the command
        os.chown(file, owner.st_uid, owner.st_gid)


def certificate_request(rfc: str, name: str, public_key: RSAPublicKey, signer: Signer) -> bytes:
    """Return PKCS#10 in DER, signed with the key of a signer. Source: RFC 2986."""
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, name),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, name),
            x509.NameAttribute(NameOID.X500_UNIQUE_IDENTIFIER, rfc),
        ]
    )
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    return builder.sign(_SigningKey(public_key, signer), SHA256()).public_bytes(Encoding.DER)


_SIGNS_ONLY = "the key stays in the device, which only signs"


class _SigningKey(RSAPrivateKey):
    """The part of a private key that a request for a certificate needs; the key itself is in a device."""

    def __init__(self, public_key: RSAPublicKey, signer: Signer) -> None:
        self._public_key = public_key
        self._signer = signer

    @property
    def key_size(self) -> int:
        return self._public_key.key_size

    def public_key(self) -> RSAPublicKey:
        return self._public_key

    def sign(self, data: Any, padding: Any, algorithm: Any) -> bytes:
        del padding, algorithm  # those of the signer, PKCS#1 v1.5 and SHA-256
        return self._signer.sign(bytes(data))

    def decrypt(self, ciphertext: Any, padding: Any) -> bytes:
        raise NotImplementedError(_SIGNS_ONLY)

    def private_numbers(self) -> Any:
        raise NotImplementedError(_SIGNS_ONLY)

    def private_bytes(self, encoding: Any, format: Any, encryption_algorithm: Any) -> bytes:
        raise NotImplementedError(_SIGNS_ONLY)

    def __copy__(self) -> _SigningKey:
        return self

    def __deepcopy__(self, memo: Any) -> _SigningKey:
        return self
