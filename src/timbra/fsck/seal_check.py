"""The seals of each stored document: that of its issuer over the document, and that of the provider over the stamp."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lxml import etree

from timbra.cfdi.build import cadena_original
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.core.errors import ServiceError
from timbra.database.tables.stamps import STAMP
from timbra.fsck.check import ExaminedStamp, FsckCheck, FsckRun
from timbra.fsck.findings import Cure, FsckFinding, shown
from timbra.seals.certificates.certificate import CertificateCache
from timbra.seals.certificates.trust_anchors import ProviderCertificate
from timbra.seals.ports import trust_store
from timbra.seals.seal import verify
from timbra.validation.ports import provider_certificates

CERTIFICATES = 1024
VERSIONS = ("4.0", "3.3", "2.0")
"""Versions that are stamped; their seals are over SHA-256."""


class Seals:
    """Verifies both seals of every stamp."""

    def __init__(self, run: FsckRun) -> None:
        self._container = run.container
        self._cadena = run.container.get(cadena_original)
        self._certificates = CertificateCache(CERTIFICATES)
        self._providers: dict[str, ProviderCertificate | None] = {}

    def see(self, stamp: ExaminedStamp) -> Iterator[FsckFinding]:
        """Verify the seals; a damaged document is a finding of its own."""
        if stamp.document is None or stamp.document.version not in VERSIONS:
            return
        root = stamp.document.root
        names = [] if self._is_sealed(root, stamp.document.version) else ["Sello"]
        names += ["SelloSAT" for each in read_stamps(root) if not self._is_stamped(each, root)]
        for name in names:
            yield FsckFinding("seal-differs", STAMP.name, shown(stamp.uuid), "cfdi", name, cure=Cure.RESTORE)

    def finish(self) -> Iterable[FsckFinding]:
        """Name the providers whose seals could not be verified."""
        return [
            FsckFinding("certificate-unknown", STAMP.name, "", "provider_certificate", shown(number))
            for number, certificate in self._providers.items()
            if certificate is None
        ]

    def _is_sealed(self, root: etree._Element, version: str) -> bool:
        try:
            certificate = self._certificates.read_base64(root.get("Certificado") or "")
            return verify(certificate.public_key, self._cadena.build(root, version), root.get("Sello") or "")
        except (ServiceError, ValueError, RecursionError):
            return False

    def _is_stamped(self, stamp: TimbreFiscalDigital, root: etree._Element) -> bool:
        number = stamp.no_certificado_sat
        if number not in self._providers:
            self._providers[number] = self._provider(number)
        provider = self._providers[number]
        if provider is None:
            return True
        return stamp.sello_cfd == root.get("Sello") and verify(
            provider.public_key, stamp.cadena_original, stamp.sello_sat
        )

    def _provider(self, number: str) -> ProviderCertificate | None:
        """Return a certificate; None for one that is not known here, which `finish` names."""
        try:
            repository = self._container.get(provider_certificates)
            found = self._container.get(trust_store).provider(number)
            return repository.provider(number) if found is None and repository is not None else found
        except ServiceError:
            return None


CHECKS = (FsckCheck("seals", observers=lambda run: (Seals(run),)),)
