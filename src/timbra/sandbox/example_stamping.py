"""Stamps of example documents: a correct one, or one with a defect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING
from uuid import UUID

from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.core.clock import LOCAL_FORMAT
from timbra.examples.codes.seals import StampDefect
from timbra.sandbox.defective_sealing import UNKNOWN_NUMBER, altered
from timbra.seals.seal import seal

if TYPE_CHECKING:
    from lxml import etree

    from timbra.cfdi.document import DocumentParser
    from timbra.sandbox.authority.certificates.authority import SandboxAuthority

DAY = timedelta(days=1)
_END_OF_CONCEPTO = b"</cfdi:Concepto>"


class ExampleStamper:
    """Stamps sealed examples with the key of the sandbox's provider.

    The stamps are dated at Fecha, so LugarExpedicion must have the time of central Mexico. The folio fiscal follows
    from the document, so that equal documents get equal stamps.

    Args:
        authority: has the provider.
        parser: parses the documents.
    """

    def __init__(self, authority: SandboxAuthority, parser: DocumentParser) -> None:
        self._authority = authority
        self._parser = parser

    def stamp(self, sealed: bytes) -> bytes:
        """Insert a correct stamp."""
        return self._inserted(sealed, self._sealed(self._unsealed(sealed)))

    def stamp_with_defect(self, sealed: bytes, defect: StampDefect) -> bytes:
        if defect is StampDefect.TWO_STAMPS:
            return self.stamp(self.stamp(sealed))
        if defect is StampDefect.OUTSIDE_COMPLEMENTO:
            return _stamped_in_concepto(sealed, self._sealed(self._unsealed(sealed)))
        if defect is StampDefect.ALTERED_SELLO_SAT:
            stamp = self._sealed(self._unsealed(sealed))
            return self._inserted(sealed, stamp.sealed(altered(stamp.sello_sat)))
        return self._inserted(sealed, self._sealed(CHANGES[defect](self._unsealed(sealed))))

    def _unsealed(self, sealed: bytes) -> TimbreFiscalDigital:
        root: etree._Element = self._parser.parse(sealed).root
        provider = self._authority.provider
        return TimbreFiscalDigital(
            uuid=str(UUID(bytes=sha256(sealed).digest()[:16], version=4)),
            fecha_timbrado=root.get("Fecha") or "",
            rfc_prov_certif=provider.rfc,
            sello_cfd=root.get("Sello") or "",
            no_certificado_sat=provider.certificate.number,
        )

    def _sealed(self, stamp: TimbreFiscalDigital) -> TimbreFiscalDigital:
        return stamp.sealed(seal(self._authority.provider.signer, stamp.cadena_original))

    def _inserted(self, sealed: bytes, stamp: TimbreFiscalDigital) -> bytes:
        return insert_complement(self._parser.parse(sealed), stamp.to_xml().encode())


def _stamped_in_concepto(sealed: bytes, stamp: TimbreFiscalDigital) -> bytes:
    holder = f"<cfdi:ComplementoConcepto>{stamp.to_xml()}</cfdi:ComplementoConcepto>".encode()
    return sealed.replace(_END_OF_CONCEPTO, holder + _END_OF_CONCEPTO, 1)


def _a_day_earlier(stamp: TimbreFiscalDigital) -> TimbreFiscalDigital:
    date = datetime.fromisoformat(stamp.fecha_timbrado) - DAY
    return replace(stamp, fecha_timbrado=date.strftime(LOCAL_FORMAT))


CHANGES: dict[StampDefect, Callable[[TimbreFiscalDigital], TimbreFiscalDigital]] = {
    StampDefect.OTHER_VERSION: lambda stamp: replace(stamp, version="1.2"),
    StampDefect.OTHER_SELLO_CFD: lambda stamp: replace(stamp, sello_cfd=altered(stamp.sello_cfd)),
    StampDefect.UNKNOWN_PROVIDER: lambda stamp: replace(stamp, no_certificado_sat=UNKNOWN_NUMBER),
    StampDefect.EARLY_DATE: _a_day_earlier,
}
"""Changes of the stamp before the provider seals it, by defect."""
