"""The application with operations for stamping, relating, cancelling and answering; receivers have credentials."""

from __future__ import annotations

import shutil
from base64 import b64encode
from copy import copy
from datetime import timedelta
from pathlib import Path

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from cryptography.x509 import load_der_x509_certificate
from tests.support.sandbox_app import NOW, SandboxApp

from timbra import examples
from timbra.app.composition import build_container
from timbra.cancellation.acceptance import AcceptanceResult
from timbra.cancellation.build import cancellation_services
from timbra.cancellation.cancelling import CancellationRequest, CancellationResult
from timbra.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.core.clock import to_central_mexico
from timbra.events.event_log import Event
from timbra.examples import Change
from timbra.examples.retenciones20 import related
from timbra.examples.tree import change
from timbra.sandbox.authority.build import sandbox_ledger
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.seals.keys.private_key import load_private_key
from timbra.settings import Settings
from timbra.stamping.models import DocumentKind

ISSUER, RECEIVER = examples.KEMPER.rfc, examples.ROBOTICA.rfc
YEARS = timedelta(days=1461)


class CancellationApp(SandboxApp):
    """Documents by UUID in lower case. The issuer's and the receiver's CSD are in the vault."""

    def __init__(self, data: Path, **settings: object) -> None:
        super().__init__(data, **settings)  # type: ignore[arg-type]
        end = self.now + YEARS
        self.issuer, self.receiver = self.mint(ISSUER, valid_to=end), self.mint(RECEIVER, valid_to=end)
        self.store(self.issuer)
        self.store(self.receiver)
        self._serial = 0

    def copied(self, data: Path, **settings: object) -> CancellationApp:
        """Return an application over a copy of this one's data, which must be closed; copying avoids new keys."""
        shutil.copytree(self.container.settings.data, data)
        sandbox_app = copy(self)
        sandbox_app.container = build_container(Settings(data=data, clock=NOW, **settings))  # type: ignore[arg-type]
        return sandbox_app

    @property
    def fecha(self) -> str:
        """The date of a document that was written an hour ago."""
        return to_central_mexico(self.now - timedelta(hours=1))

    def invoice(self, *, relation: str = "", to: str = "", price: str = "5000.00") -> str:
        """Stamp an invoice, of 5,800 pesos by default, and optionally relate it to another one."""
        changes: dict[str, Change] = {"CfdiRelacionados": examples.relation(relation, to)} if relation else {}
        text = examples.ingreso(self._next(changes), concepts=[examples.concepto(price=price)], fecha=self.fecha)
        return self.issue(text.encode()).uuid

    def payment(self, paid: str) -> str:
        """Stamp a payment of an invoice."""
        return self.issue(examples.pago(self._next({}), related=paid, fecha=self.fecha).encode()).uuid

    def retencion(self, *, relation: str = "", to: str = "") -> str:
        """Stamp a retención, and optionally relate it to another document."""
        self._serial += 1
        changes: dict[str, Change] = {"@FolioInt": str(self._serial)}
        if relation:
            changes["CfdiRetenRelacionados"] = change(related(relation), {"@UUID": to})
        text = examples.retencion(changes, fecha=self.fecha)
        return self.issue(text.encode(), kind=DocumentKind.RETENCIONES).uuid

    def old_invoice(self) -> str:
        """Return an invoice whose cancellation requires acceptance."""
        uuid = self.invoice()
        self.advance("3d")
        return uuid

    def _next(self, changes: dict[str, Change]) -> dict[str, Change]:
        self._serial += 1
        return {"@Folio": str(self._serial), **changes}

    def order(self, uuid: str, motivo: str = "02", substitute: str = "", rfc: str = ISSUER) -> CancellationRequest:
        return CancellationRequest(rfc, uuid, motivo, substitute)

    def cancel(self, uuid: str, motivo: str = "02", substitute: str = "", rfc: str = ISSUER) -> str:
        """The code that the authority gives for the CFDI."""
        return self.cancelled(self.order(uuid, motivo, substitute, rfc)).codes[uuid.upper()]

    def cancelled(self, order: CancellationRequest) -> CancellationResult:
        return self.container.get(cancellation_services).cancelling.by_uuid(self.caller, order, "request")

    def cancel_retencion(self, uuid: str, motivo: str = "02", substitute: str = "", rfc: str = ISSUER) -> str:
        """The code that the authority gives for the retención."""
        service = self.container.get(cancellation_services).cancelling_retenciones
        result = service.by_uuid(self.caller, self.order(uuid, motivo, substitute, rfc), "request")
        return result.codes[uuid.upper()]

    def answer(self, uuid: str, answer: str, rfc: str = RECEIVER) -> str:
        """The code of a receiver's answer."""
        [folio] = self.answered(uuid, answer, rfc).folios
        return folio.code

    def answered(self, uuid: str, answer: str, rfc: str = RECEIVER) -> AcceptanceResult:
        return self.container.get(cancellation_services).accepting.by_uuid(self.caller, rfc, uuid, answer, "request")

    def status(self, uuid: str) -> FiscalStatus:
        row = self.container.get(sandbox_ledger).indexer.find_or_index(uuid)
        assert row is not None
        return self.container.get(sandbox_services).ledger.status(
            StatusQuery(uuid, row.issuer_rfc, row.receiver_rfc, row.total, row.seal_tail, row.kind == "R")
        )

    def state(self, uuid: str) -> tuple[str, str | None, str]:
        status = self.status(uuid)
        return status.status, status.cancelable, status.cancellation

    def history(self, uuid: str) -> list[str]:
        return [event.kind.removeprefix("cancellation.") for event in self.events(uuid)]

    def events(self, uuid: str) -> list[Event]:
        return list(self.container.get(sandbox_ledger).history(uuid))

    def advance(self, duration: str) -> None:
        self.container.get(sandbox_services).clock_control.advance(duration)


def csd_files(credential: MintedCredential, **changes: str) -> CsdFiles:
    sent = {
        "certificate": b64encode(credential.certificate_der).decode(),
        "key": b64encode(credential.key_der).decode(),
        "password": credential.password,
    }
    return CsdFiles(**{**sent, **changes})


def pfx_file(credential: MintedCredential, password: str = "12345678a") -> PfxFile:
    key = load_private_key(credential.key_der, credential.password)
    certificate = load_der_x509_certificate(credential.certificate_der)
    encryption = BestAvailableEncryption(password.encode())
    pfx = pkcs12.serialize_key_and_certificates(b"csd", key, certificate, None, encryption)
    return PfxFile(b64encode(pfx).decode(), password)
