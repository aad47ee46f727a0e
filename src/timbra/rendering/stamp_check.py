"""Verification of the stamp of a document: only a print of a valid stamp is the printed representation of a CFDI."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from timbra.cfdi.cadena import CadenaOriginal
from timbra.cfdi.document import version_of
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.core.errors import ServiceError
from timbra.rendering.parts import attributes_of, first
from timbra.seals.certificates.certificate import CertificateCache
from timbra.seals.certificates.trust_anchors import ProviderCertificate
from timbra.seals.certificates.trust_store import TrustStore
from timbra.seals.rsa_signature import Digest
from timbra.seals.seal import verify

VERSIONS = frozenset({"3.2", "3.3", "4.0", "2.0", "1.0"})
"""Versions of CFDI, and those of Retenciones, that have a cadena original."""
OLD_VERSIONS = frozenset({"1.0", "3.2"})
"""Versions of Retenciones, of TimbreFiscalDigital and of CFDI whose seals have SHA-1."""
StampCheck = Callable[[etree._Element], bool]


class StampVerifier:
    """Verifies the provider's seal over the stamp and the issuer's seal over the document.

    Args:
        cadena: the stylesheets.
        trust: the trust store.
        provider: finds a provider's certificate by its number; raises ServiceError when the repository does not answer.
    """

    def __init__(
        self, cadena: CadenaOriginal, trust: TrustStore, provider: Callable[[str], ProviderCertificate | None]
    ) -> None:
        self._cadena = cadena
        self._trust = trust
        self._provider = provider
        self._certificates = CertificateCache()

    def __call__(self, root: etree._Element) -> bool:
        """Whether the document has exactly one stamp, of a trusted provider, and both seals are valid."""
        stamps = read_stamps(root)
        if len(stamps) != 1 or stamps[0].sello_cfd != _sello(root):
            return False
        try:
            return self._is_stamped(stamps[0], version_of(root)) and self._is_sealed(root)
        except ServiceError:
            # Without the certificate of the issuer or of the provider, the stamp counts as not verified.
            return False

    def _is_stamped(self, stamp: TimbreFiscalDigital, version: str) -> bool:
        provider = self._trust.provider(stamp.no_certificado_sat) or self._provider(stamp.no_certificado_sat)
        # A stamp 1.0 exists on old documents only: its weaker hash is not accepted on others.
        digest = _digest(stamp.version) if version in OLD_VERSIONS else "sha256"
        return provider is not None and verify(provider.public_key, stamp.cadena_original, stamp.sello_sat, digest)

    def _is_sealed(self, root: etree._Element) -> bool:
        version = version_of(root)
        if version not in VERSIONS:
            return False
        certificate = self._certificates.read_base64(first(attributes_of(root), "Certificado", "Cert", "certificado"))
        number = first(attributes_of(root), "NoCertificado", "NumCert", "noCertificado")
        if certificate.number != number or self._trust.issuer_of(certificate) is None:
            return False
        cadena, seal = self._cadena.build(root, version), _sello(root)
        return verify(certificate.public_key, cadena, seal, _digest(version))


def _sello(root: etree._Element) -> str:
    return root.get("Sello") or root.get("sello") or ""


def _digest(version: str) -> Digest:
    return "sha1" if version in OLD_VERSIONS else "sha256"
