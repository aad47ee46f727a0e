"""Signing of manifests by taxpayers: links, the text that they sign, and the signature by the e.firma.

The private key is opened for one signature and is neither stored nor logged.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from timbra.cfdi.rfc import is_rfc
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.manifests import signed_document
from timbra.manifests.manifests import Manifests
from timbra.manifests.signed_document import INVALID, SignedManifest, fill, require_efirma
from timbra.manifests.store import Manifest
from timbra.rules.engine.ports import ReferenceData
from timbra.seals.certificates.certificate import Certificate, read_certificate_content
from timbra.seals.certificates.trust_store import TrustStore
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.web.portal.dispatch.log_path import MANIFEST_LINK

DEFAULT_DAYS, MAX_DAYS = 30, 365
NO_LINK = "El enlace no es válido o ya venció. Pida otro a su proveedor."
EXAMPLE = Path(__file__).with_name("example.txt")
UNKNOWN = "________"
"""Stands for what is known when the e.firma is."""
_DIGEST_BYTES = 24
_EPOCH_BYTES = 6


@dataclass(frozen=True, slots=True)
class ManifestProvider:
    """RFC and name of the provider in whose favour taxpayers sign; empty when they are not known."""

    rfc: str
    name: str


class ManifestSigning:
    """Signs manifests of the taxpayers who open a link."""

    def __init__(
        self,
        manifests: Manifests,
        secret: Callable[[], bytes],
        template: Path | None,
        provider: Callable[[], ManifestProvider],
        trust: TrustStore,
        reference_data: Callable[[], ReferenceData],
    ) -> None:
        """Use a register of manifests.

        Args:
            secret: returns the key of links.
            template: the file of the text; None for none.
            provider: returns who stamps.
            reference_data: fiscal time, and the certificates that the SAT lists as revoked.
        """
        self.manifests = manifests
        self._secret = secret
        self._template = template
        self._provider = provider
        self._trust = trust
        self._reference_data = reference_data

    def link(self, rfc: str, days: int = DEFAULT_DAYS) -> tuple[str, datetime]:
        """Return the path of the page on which a taxpayer signs, and the instant at which it expires.

        Raises:
            ServiceError: "manifest-invalid" for another text than an RFC, another number of days, or without a text.
        """
        issuer = rfc.strip().upper()
        if not is_rfc(issuer):
            raise ServiceError(INVALID, f"{rfc[:20]} no es un RFC.")
        if not 0 < days <= MAX_DAYS:
            raise ServiceError(INVALID, f"El enlace vence en 1 a {MAX_DAYS} días.")
        self.text(issuer)
        expires = (self.manifests.wall.now() + timedelta(days=days)).replace(microsecond=0)
        body = int(expires.timestamp()).to_bytes(_EPOCH_BYTES, "big") + issuer.encode()
        token = urlsafe_b64encode(self._digest(body) + body).rstrip(b"=").decode()
        return f"{MANIFEST_LINK}{token}", expires

    def rfc_of(self, token: str) -> str:
        """Return the taxpayer of a link. Raises ServiceError: "TB4041" when it is not valid or has expired."""
        try:
            content = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
            digest, body = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
            expires, rfc = int.from_bytes(body[:_EPOCH_BYTES], "big"), body[_EPOCH_BYTES:].decode()
        except ValueError as error:
            raise ServiceError("TB4041", NO_LINK) from error
        is_open = expires > self.manifests.wall.now().timestamp()
        if not hmac.compare_digest(digest, self._digest(body)) or not is_open:
            raise ServiceError("TB4041", NO_LINK)
        return rfc

    def text(self, rfc: str, certificate: Certificate | None = None, at: datetime | None = None) -> str:
        """Return the text that a taxpayer signs; without the e.firma its fields are blank.

        Raises:
            ServiceError: "manifest-invalid" without a template, or for one that cannot be read.
        """
        if self._template is None:
            raise ServiceError(INVALID, "Este servidor no tiene el texto del manifiesto (TIMBRA_MANIFEST_TEMPLATE).")
        try:
            template = self._template.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ServiceError(INVALID, f"No se pudo leer la plantilla del manifiesto: {error}.") from error
        provider = self._provider()
        fields = {
            "rfc": rfc,
            "nombre": UNKNOWN if certificate is None else certificate.name,
            "certificado": UNKNOWN if certificate is None else certificate.number,
            "fecha": UNKNOWN if at is None else f"{at.astimezone(CENTRAL_MEXICO):%d/%m/%Y %H:%M:%S}",
            "proveedor_rfc": provider.rfc,
            "proveedor_nombre": provider.name,
        }
        return fill(template, fields)

    def sign(self, rfc: str, certificate: bytes, key: bytes, password: str, address: str) -> Manifest:
        """Sign the manifest of a taxpayer and register it. Takes about 30 ms.

        Args:
            certificate: the `.cer` file of the e.firma.
            key: its `.key` file.
            password: that of the key.
            address: the network address of the taxpayer.

        Raises:
            ServiceError: "manifest-invalid" when there is a manifest already, and those of `require_efirma`, of
                `load_private_key` and of `pair_key`.
        """
        if not certificate or not key:
            raise ServiceError(INVALID, f"Falta el archivo {'.cer' if not certificate else '.key'}.")
        if self.manifests.document(rfc) is not None:
            raise ServiceError(INVALID, f"El manifiesto de {rfc} ya está firmado.")
        read, reference_data = read_certificate_content(certificate), self._reference_data()
        require_efirma(read, rfc, reference_data.now, self._trust)
        self._require_not_revoked(read, reference_data)
        signer = pair_key(read, load_private_key(key, password))
        at = reference_data.now.replace(microsecond=0)
        text = self.text(rfc, read, at)
        document = signed_document.sign(text, read, signer, at, self._provider().rfc, address)
        signed_document.verify(document, self._trust)
        return self.manifests.register(rfc, min(at, self.manifests.wall.now()), f"manifiesto-{rfc}.xml", document)

    def signed(self, rfc: str) -> SignedManifest | None:
        """Verify the stored manifest of a taxpayer; None without one.

        Raises:
            ServiceError: "manifest-invalid" when it is not signed by an e.firma, or its signature is not valid.
        """
        document = self.manifests.document(rfc)
        return None if document is None else self.verify(document)

    def verify(self, document: bytes) -> SignedManifest:
        """Verify a signed manifest. Raises ServiceError: "manifest-invalid" with the reason."""
        return signed_document.verify(document, self._trust)

    def _require_not_revoked(self, certificate: Certificate, reference_data: ReferenceData) -> None:
        listed = reference_data.obligations
        row = None if listed is None else listed.certificate(certificate.rfc, certificate.number)
        if row is not None and row.status != "A":
            raise ServiceError("certificate-expired", "La e.firma está revocada o venció según la lista del SAT.")

    def _digest(self, body: bytes) -> bytes:
        return hmac.new(self._secret(), body, sha256).digest()[:_DIGEST_BYTES]
