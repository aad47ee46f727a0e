"""Sealing of example documents with a certificate of the sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.sandbox.authority.certificates.authority import PROVIDER_RFC
from timbra.sandbox.ledger import LedgerService
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.stamping.sealing import seal_document

if TYPE_CHECKING:
    from lxml import etree

    from timbra.evaluation.dependencies import Dependencies
    from timbra.sandbox.authority.certificates.authority import SandboxAuthority
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.signers.port import Signer

YEAR = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class CertificateHolder:
    """Holder and validity of a certificate for an example document.

    Attributes:
        valid_from, valid_to: instants in UTC, inclusive.
    """

    rfc: str
    name: str
    valid_from: datetime
    valid_to: datetime


class ExampleSealer:
    """Seals examples. A new CSD of the issuer (50 ms) is cached for all its documents of one day.

    Args:
        authority: issues the certificates.
        tools: parser and stylesheets.
    """

    def __init__(self, authority: SandboxAuthority, tools: Dependencies) -> None:
        self._authority = authority
        self._tools = tools
        self._credentials: dict[CertificateHolder, tuple[Certificate, Signer]] = {}

    def seal(self, text: str) -> bytes:
        """Seal the document with a CSD of its issuer that was in force on its Fecha."""
        document = self._tools.parser.parse(text.encode())
        certificate, signer = self._credential(holder_of(document.root))
        return seal_document(document, certificate, signer, self._tools.cadena).source

    def file(self, text: str, uuid: str, ledger: LedgerService) -> None:
        """Import a document that examples relate to into the simulated authority, under that folio fiscal."""
        document = self._tools.parser.parse(self.seal(text))
        get = document.root.get
        stamp = TimbreFiscalDigital(
            uuid, get("Fecha") or "", PROVIDER_RFC, get("Sello") or "", get("NoCertificado") or ""
        )
        ledger.import_document(insert_complement(document, stamp.to_xml().encode()))

    def _credential(self, holder: CertificateHolder) -> tuple[Certificate, Signer]:
        if holder not in self._credentials:
            self._credentials[holder] = issue_credential(self._authority, holder)
        return self._credentials[holder]


def holder_of(root: etree._Element) -> CertificateHolder:
    """Return the issuer of a document, with a validity that begins one year before its Fecha.

    The validity is long, so that stamping rejects a document of an early Fecha for its date and not for an expired
    certificate.

    Raises:
        ValueError: the document has no Emisor.
    """
    emisor = root.find("{*}Emisor")
    if emisor is None:
        raise ValueError("the example has no Emisor")
    fecha = datetime.fromisoformat((root.get("Fecha") or root.get("FechaExp") or "")[:10]).replace(tzinfo=UTC)
    rfc, name = emisor.get("Rfc") or emisor.get("RfcE"), emisor.get("Nombre") or emisor.get("NomDenRazSocE")
    return CertificateHolder(str(rfc), str(name), fecha - YEAR, fecha + 20 * YEAR)


def issue_credential(
    authority: SandboxAuthority, holder: CertificateHolder, kind: CertificateKind = CertificateKind.CSD
) -> tuple[Certificate, Signer]:
    """Issue a certificate of the sandbox and return it with its key."""
    minted = authority.mint(holder.rfc, kind, holder.name, holder.valid_from, holder.valid_to)
    key = load_private_key(minted.key_der, minted.password)
    return minted.certificate, pair_key(minted.certificate, key)
