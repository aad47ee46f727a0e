"""The registered providers (PAC): RFC, credential, container and the access signature of the container."""

from __future__ import annotations

import hmac
import json
import secrets
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from urllib.parse import quote

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.x509.oid import NameOID

from timbra.cfdi.rfc import is_rfc
from timbra.core.errors import ServiceError
from timbra.emulator.credentials import (
    has_credential,
    read_stored_certificate,
    write_atomically,
    write_credential,
)
from timbra.emulator.query_string import query_values
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.sandbox.authority.certificates.authority import OWN_VALIDITY
from timbra.seals.certificates.certificate import TEST_PROVIDER_BRANCH, Certificate, CertificateKind

SIGNATURE_VERSION = "2023-01-03"
POLICY = "WriteOnly"
_KINDS = frozenset({CertificateKind.PROVIDER, CertificateKind.CSD, CertificateKind.EFIRMA})


@dataclass(frozen=True, slots=True)
class EmulatedProvider:
    """A provider.

    Attributes:
        certificate: The certificate that the simulated SAT gave it.
        folder: The folder with its files RFC.cer, RFC.key and RFC.password.
        signature: The value `sig` of the access signature of its container.
    """

    rfc: str
    certificate: Certificate
    folder: Path
    signature: str = field(repr=False)

    @property
    def container(self) -> str:
        """The container of its documents."""
        return self.rfc.lower()

    @property
    def access_signature(self) -> str:
        """The query string that permits writing to the container."""
        return f"?sv={SIGNATURE_VERSION}&sr=c&si={POLICY}&sig={quote(self.signature, safe='')}"

    def permits(self, query: str) -> bool:
        """Whether a query string has the access signature. A plus sign in it may be written without encoding."""
        values = query_values(query)
        given = {name: values.get(name, "") for name in ("sr", "si", "sig")}
        matches = hmac.compare_digest(given["sig"].replace(" ", "+").encode(), self.signature.encode())
        return matches and (given["sr"], given["si"]) == ("c", POLICY)


class EmulatedProviders:
    """The registered providers, in files of a folder. Thread-safe."""

    def __init__(self, sat: SimulatedSat, folder: Path) -> None:
        """Read the registered providers.

        Args:
            sat: Issues certificates and decides which are trusted.
            folder: Has one set of files for each provider.

        Raises:
            ServiceError: "emulator-configuration" when a file cannot be read.
        """
        self._sat = sat
        self._folder = folder
        self._lock = Lock()
        stored = sorted(path.stem for path in folder.glob("*.signature")) if folder.is_dir() else []
        self._providers = {rfc: self._read(rfc) for rfc in stored}

    def register(self, rfc: str) -> EmulatedProvider:
        """Register a provider and issue its credential; return the registered one if there is one.

        Raises:
            ServiceError: "taxpayer-invalid" for a malformed RFC.
        """
        if not is_rfc(rfc):
            raise ServiceError("taxpayer-invalid", f"El RFC {rfc[:20]!r} está mal formado.")
        with self._lock:
            if rfc not in self._providers:
                if not has_credential(self._folder, rfc):
                    minted = self._sat.authority.mint(
                        rfc, CertificateKind.CSD, rfc, *OWN_VALIDITY, branch=TEST_PROVIDER_BRANCH, listed=False
                    )
                    write_credential(self._folder, rfc, minted)
                self._write_signature(rfc)
                self._providers[rfc] = self._read(rfc)
            return self._providers[rfc]

    def certify(self, rfc: str, request: bytes) -> Certificate:
        """Return a certificate of a registered provider for the key of a request, PKCS#10 in DER.

        Raises:
            ServiceError: "request-unreadable" for another request, or one whose signature or RFC is wrong;
                "taxpayer-unknown" for an unregistered RFC.
        """
        if self.get(rfc) is None:
            raise ServiceError("taxpayer-unknown", f"El RFC {rfc[:20]!r} no es de un proveedor registrado.")
        try:
            found = x509.load_der_x509_csr(request)
            subject = {each.oid: str(each.value) for each in found.subject}
            key = found.public_key()
            is_signed = found.is_signature_valid
        except (ValueError, UnsupportedAlgorithm, InvalidSignature) as error:
            raise ServiceError("request-unreadable", "La solicitud no es PKCS#10 en DER.") from error
        if not is_signed or not isinstance(key, RSAPublicKey) or subject.get(NameOID.X500_UNIQUE_IDENTIFIER) != rfc:
            raise ServiceError("request-unreadable", f"La solicitud no está firmada, o no es de {rfc}.")
        name = subject.get(NameOID.COMMON_NAME, rfc)
        return self._sat.authority.certify(
            key, rfc, CertificateKind.CSD, name, *OWN_VALIDITY, branch=TEST_PROVIDER_BRANCH, listed=False
        )

    def rotate(self, rfc: str) -> EmulatedProvider:
        """Replace the access signature of a provider; the previous one permits nothing any more.

        Raises:
            ServiceError: "taxpayer-unknown" for an unregistered RFC.
        """
        with self._lock:
            if rfc not in self._providers:
                raise ServiceError("taxpayer-unknown", f"El RFC {rfc[:20]!r} no es de un proveedor registrado.")
            self._write_signature(rfc)
            self._providers[rfc] = self._read(rfc)
            return self._providers[rfc]

    def all(self) -> Iterable[EmulatedProvider]:
        """Return the registered providers, by RFC."""
        with self._lock:
            return [self._providers[rfc] for rfc in sorted(self._providers)]

    def of_container(self, container: str) -> EmulatedProvider | None:
        return self.get(container.upper()) if container == container.lower() else None

    def get(self, rfc: str) -> EmulatedProvider | None:
        with self._lock:
            return self._providers.get(rfc)

    def accepted(self, certificate: Certificate) -> EmulatedProvider | None:
        """Return the provider that a certificate identifies.

        It must be a certificate of the RFC of a registered provider: the one with which it stamps, another CSD or its
        e.firma, issued by a trusted authority, in force by wall time and not revoked.
        """
        known = self.get(certificate.rfc)
        is_good = (
            certificate.kind in _KINDS
            and certificate.is_valid_at(self._sat.wall.now())
            and self._sat.trust.issuer_of(certificate) is not None
            and not self._sat.is_revoked(certificate)
        )
        return known if is_good else None

    def _read(self, rfc: str) -> EmulatedProvider:
        try:
            signature = str(json.loads((self._folder / f"{rfc}.signature").read_text())["sig"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ServiceError("emulator-configuration", f"{self._folder / rfc}.signature: {error}") from error
        return EmulatedProvider(rfc, read_stored_certificate(self._folder, rfc), self._folder, signature)

    def _write_signature(self, rfc: str) -> None:
        signature = {"sig": b64encode(secrets.token_bytes(32)).decode()}
        write_atomically(self._folder / f"{rfc}.signature", json.dumps(signature).encode())
