"""An example document made whole: sealed by its issuer, with a certificate of the sandbox."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from timbra.authority.sandbox.ca import PROVIDER_RFC
from timbra.cfdi.splice import insert_complement
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.seals.certificate import Kind
from timbra.seals.keys import load_private_key, pair
from timbra.service.sealing import sealed

if TYPE_CHECKING:
    from timbra.authority.sandbox.ca import SandboxAuthority
    from timbra.authority.sandbox.ledger import SandboxLedger
    from timbra.seals.certificate import Certificate
    from timbra.seals.signers.port import Signer
    from timbra.service.order import Tools

YEAR = timedelta(days=365)


class ExampleSealer:
    """Seals examples; the issuer's new CSD (50 ms) serves all its documents of that day."""

    def __init__(self, authority: SandboxAuthority, tools: Tools) -> None:
        self._authority = authority
        self._tools = tools
        self._credentials: dict[tuple[str, datetime], tuple[Certificate, Signer]] = {}

    def seal(self, text: str) -> bytes:
        """The document with a seal by a CSD of its issuer that was in force on its date."""
        document = self._tools.parser.parse(text.encode())
        emisor = document.root.find("{*}Emisor")
        if emisor is None:
            raise ValueError("the example has no Emisor")
        start = _date(document.root.get("Fecha") or "") - YEAR
        certificate, signer = self._credential(str(emisor.get("Rfc")), str(emisor.get("Nombre")), start)
        return sealed(document, certificate, signer, self._tools.cadena)[0].source

    def file(self, text: str, uuid: str, ledger: SandboxLedger) -> None:
        """Makes a document that examples relate to known to the simulated authority, under that folio."""
        document = self._tools.parser.parse(self.seal(text))
        get = document.root.get
        stamp = TimbreFiscalDigital(
            uuid, get("Fecha") or "", PROVIDER_RFC, get("Sello") or "", get("NoCertificado") or ""
        )
        ledger.import_document(insert_complement(document, stamp.to_xml().encode()))

    def _credential(self, rfc: str, name: str, start: datetime) -> tuple[Certificate, Signer]:
        key = (rfc, start)
        if key not in self._credentials:
            minted = self._authority.mint(rfc, Kind.CSD, name, start, start + 4 * YEAR)
            signer = pair(minted.certificate, load_private_key(minted.key_der, minted.password))
            self._credentials[key] = minted.certificate, signer
        return self._credentials[key]


def _date(fecha: str) -> datetime:
    return datetime.fromisoformat(fecha[:10]).replace(tzinfo=UTC)
