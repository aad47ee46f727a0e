"""The data that the rules about certificate, seal and stamp evaluate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING

from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.rules.engine.instants import instants, offset_instants
from timbra.seals.base64_text import strict_base64
from timbra.seals.seal import verify

if TYPE_CHECKING:
    from timbra.cfdi.cadena_variants import CadenaVariant
    from timbra.cfdi.nodes import FiscalDocument
    from timbra.rules.engine.ports import ReferenceData
    from timbra.seals.certificates.certificate import Certificate, CertificateCache
    from timbra.seals.certificates.trust_anchors import ProviderCertificate
    from timbra.seals.certificates.trust_store import TrustStore


@dataclass(frozen=True)
class SealContext:
    """A sealed document.

    Attributes:
        certificate: the certificate in Certificado; None when it has none that can be read.
        base64: whether Certificado is base64.
        cadena: the cadena original.
        issued: the instants, UTC, that Fecha may denote at LugarExpedicion: none for an invalid date, two in the hour
            that a clock change repeats.
        stamps: the stamps of the document.
        stamping: whether the document is stamped; False when it is validated.
        variants: returns cadenas as faulty programs build them; called only for a seal that does not verify.
        fetched: the certificate of the stamp's provider, when only the SAT's repository has it.
        unreached: why the repository could not be queried, in Spanish; empty when it was.
    """

    document: FiscalDocument
    certificate: Certificate | None
    base64: bool
    cadena: str = field(repr=False)
    trust: TrustStore
    reference_data: ReferenceData
    issued: tuple[datetime, ...]
    stamps: tuple[TimbreFiscalDigital, ...] = ()
    stamping: bool = True
    variants: Callable[[], Iterable[CadenaVariant]] = field(default=tuple, repr=False)
    fetched: ProviderCertificate | None = None
    unreached: str = ""

    @cached_property
    def is_sealed(self) -> bool:
        """Whether Sello verifies the cadena with the key of the certificate; cached, because two rules evaluate it."""
        certificate = self.certificate
        return certificate is not None and verify(
            certificate.public_key, self.cadena, self.document.Sello, self.document.DIGEST
        )

    @property
    def zone(self) -> tzinfo:
        """The zone of the place of issue; central Mexico for a place that the catalog does not have."""
        return _zone(self.document, self.reference_data)

    @property
    def provider(self) -> ProviderCertificate | None:
        """The provider's certificate that the first stamp names; None when it is unknown."""
        return (self.trust.provider(self.stamps[0].no_certificado_sat) if self.stamps else None) or self.fetched

    @classmethod
    def of(
        cls,
        document: FiscalDocument,
        cadena: str,
        certificates: CertificateCache,
        trust: TrustStore,
        reference_data: ReferenceData,
        stamps: Sequence[TimbreFiscalDigital],
        *,
        stamping: bool = True,
        variants: Callable[[], Iterable[CadenaVariant]] = tuple,
    ) -> SealContext:
        """Return the context of a document. A certificate that cannot be read is None; a rule reports it.

        Args:
            document: the nodes.
            cadena: the cadena original.
            certificates: reads certificates.
            trust: the known authorities and providers.
            reference_data: lists and fiscal time.
            stamps: the stamps of the document.
            stamping: whether the document is stamped; False when it is validated.
            variants: as the attribute.
        """
        text, written = document.Certificado, document.issued_at
        try:
            certificate = certificates.read_base64(text)
        except ServiceError:
            certificate = None
        zone = _zone(document, reference_data)
        return cls(
            document=document,
            certificate=certificate,
            base64=certificate is not None or _is_base64(text),
            cadena=cadena,
            trust=trust,
            reference_data=reference_data,
            issued=offset_instants(written) if document.DATE_HAS_OFFSET else instants(written, zone),
            stamps=tuple(stamps),
            stamping=stamping,
            variants=variants,
        )


def _zone(document: FiscalDocument, reference_data: ReferenceData) -> tzinfo:
    return reference_data.catalogs.zone(document.postal_code) or CENTRAL_MEXICO


def _is_base64(text: str) -> bool:
    try:
        strict_base64(text)
    except ValueError:
        return False
    return True
