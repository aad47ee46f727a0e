"""Sealing of example documents with a certificate of the sandbox."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from timbra.authority.sandbox.certificates.authority import PROVIDER_RFC
from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.service.sandbox.ledger import LedgerService
from timbra.service.stamping.sealing import seal_document

if TYPE_CHECKING:
    from timbra.authority.sandbox.certificates.authority import SandboxAuthority
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.signers.port import Signer
    from timbra.service.evaluation.dependencies import Dependencies

YEAR = timedelta(days=365)


class ExampleSealer:
    """Seals examples. A new CSD of the issuer (50 ms) is cached for all its documents of one day.

    Args:
        authority: issues the certificates.
        tools: parser and stylesheets.
    """

    def __init__(self, authority: SandboxAuthority, tools: Dependencies) -> None:
        self._authority = authority
        self._tools = tools
        self._credentials: dict[tuple[str, datetime], tuple[Certificate, Signer]] = {}

    def seal(self, text: str) -> bytes:
        """Seal the document with a CSD of its issuer that was in force on its Fecha."""
        document = self._tools.parser.parse(text.encode())
        emisor = document.root.find("{*}Emisor")
        if emisor is None:
            raise ValueError("the example has no Emisor")
        start = _date(document.root.get("Fecha") or "") - YEAR
        certificate, signer = self._credential(str(emisor.get("Rfc")), str(emisor.get("Nombre")), start)
        return seal_document(document, certificate, signer, self._tools.cadena).source

    def file(self, text: str, uuid: str, ledger: LedgerService) -> None:
        """Import a document that examples relate to into the simulated authority, under that folio fiscal."""
        document = self._tools.parser.parse(self.seal(text))
        get = document.root.get
        stamp = TimbreFiscalDigital(
            uuid, get("Fecha") or "", PROVIDER_RFC, get("Sello") or "", get("NoCertificado") or ""
        )
        ledger.import_document(insert_complement(document, stamp.to_xml().encode()))

    def _credential(self, rfc: str, name: str, start: datetime) -> tuple[Certificate, Signer]:
        key = (rfc, start)
        if key not in self._credentials:
            minted = self._authority.mint(rfc, CertificateKind.CSD, name, start, start + 4 * YEAR)
            signer = pair_key(minted.certificate, load_private_key(minted.key_der, minted.password))
            self._credentials[key] = minted.certificate, signer
        return self._credentials[key]


def _date(fecha: str) -> datetime:
    return datetime.fromisoformat(fecha[:10]).replace(tzinfo=UTC)
