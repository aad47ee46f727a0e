"""What the checks of certificate, seal and stamp look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.clock import CENTRAL_MEXICO
from timbra.errors import ServiceError
from timbra.rules.engine.instants import instants
from timbra.seals.base64_text import strict_base64
from timbra.seals.seal import verify

if TYPE_CHECKING:
    from timbra.cfdi.cadena_variants import CadenaVariant
    from timbra.cfdi.nodes import Comprobante
    from timbra.rules.engine.ports import ReferenceData
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.certificates.certificate_cache import CertificateCache
    from timbra.seals.certificates.trust_anchors import ProviderCertificate
    from timbra.seals.certificates.trust_store import TrustStore


@dataclass(frozen=True)
class SealContext:
    """One sealed document. certificate: None when Certificado holds none; base64: whether it is base64 at all.

    cadena: the cadena original. issued: the instants, UTC, that Fecha may mean at LugarExpedicion (none when it is no
    date, two where the clock repeats an hour). stamps: those in the document. stamping: False when an already stamped
    document is validated. variants: cadenas made as others make them wrong, asked for only when a seal does not verify.
    fetched: the certificate of the stamp's provider, where only the SAT's repository knows it; unreached: why it could
    not be asked, in Spanish.
    """

    comprobante: Comprobante
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
        """Whether Sello is the seal of the cadena by the key of the certificate: two codes tell it, one answer."""
        certificate = self.certificate
        return certificate is not None and verify(certificate.public_key, self.cadena, self.comprobante.Sello)

    @property
    def provider(self) -> ProviderCertificate | None:
        """Whose certificate the first stamp names; None when nobody knows it."""
        return (self.trust.provider(self.stamps[0].no_certificado_sat) if self.stamps else None) or self.fetched

    @classmethod
    def of(
        cls,
        comprobante: Comprobante,
        cadena: str,
        certificates: CertificateCache,
        trust: TrustStore,
        reference_data: ReferenceData,
        *,
        stamping: bool = True,
    ) -> SealContext:
        """Reads the certificate and the date; a certificate that cannot be read is a finding, not an error."""
        text = comprobante.Certificado
        try:
            certificate = certificates.read_base64(text)
        except ServiceError:
            certificate = None
        zone = reference_data.catalogs.zone(comprobante.LugarExpedicion) or CENTRAL_MEXICO
        return cls(
            comprobante=comprobante,
            certificate=certificate,
            base64=certificate is not None or _is_base64(text),
            cadena=cadena,
            trust=trust,
            reference_data=reference_data,
            issued=instants(comprobante.Fecha, zone),
            stamps=tuple(read_stamps(comprobante.element)),
            stamping=stamping,
        )


def _is_base64(text: str) -> bool:
    try:
        strict_base64(text)
    except ValueError:
        return False
    return True
