"""The sandbox that answers the scenario: an administrator with certificates, clients, documents and a mail server."""

from __future__ import annotations

import asyncio
import io
import logging
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from unittest import mock

import structlog
from lxml import etree
from tests.support import sandbox_support
from tests.support.cancellation_app import ISSUER, RECEIVER, YEARS, CancellationApp, csd_files, pfx_file
from tests.support.signing import signed
from tests.support.smtp import mail_server

from timbra import examples
from timbra.accounts.build import account_services
from timbra.batches.build import batch_runner, batch_service
from timbra.cfdi.cancelacion.answer import AcceptReject, ReceiverAnswer
from timbra.cfdi.cancelacion.reading import CANCELACFD
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.cfdi.document import RETENCIONES1
from timbra.cfdi.tfd import read_stamps
from timbra.core.caller import Caller
from timbra.database.build import opened_database
from timbra.documents.build import document_services
from timbra.events.dispatcher import EventDispatcher
from timbra.pools import ProcessPool
from timbra.received.build import document_store
from timbra.received.documents.models import DeliveredXml, DocumentMetadata, ReceivedHeader
from timbra.received.reconciliation.build import reconciliation_runner
from timbra.received.synchronization.build import request_work, sync_repository
from timbra.received.synchronization.models import BulkRequestState, IssuePeriod
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.taxpayers import TaxpayerChange
from timbra.sat.ports import provider_rfc
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.keys import key_process
from timbra.stamping.large_documents import MIN_CONCEPTOS
from timbra.transparency.build import transparency_log
from timbra.transparency.consumer import log_consumer
from tools.api_examples.calls import Variables

ADMINISTRATOR, PASSWORD = "admin@example.com", "una frase Larga y rara 99"
WALL = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
"""Wall time, and fiscal time after the preparation."""
AGEING = "3d"
"""After this time the cancellation of an invoice needs the acceptance of its receiver."""
UNKNOWN = "00000000-0000-4000-8000-000000000000"
PENDING = 8
"""Invoices with a pending cancellation, one for each call that answers one."""


KEY_SECONDS = 120.0
"""Longest decryption of a key: a machine under load starts the child process late."""
BULK_SERVICES = ("authentication", "request", "verification", "download")
LISTED = "XIA190128J61"
"""RFC of a taxpayer in the list of article 69-B."""


class FixedClock:
    """Wall time that stands still, so that recorded times are the same in every recording."""

    def now(self) -> datetime:
        """Return the instant."""
        return WALL


class ExampleSandbox(CancellationApp):
    """A sandbox with all that the calls of the scenario need.

    Attributes:
        variables: Values that the calls use.
    """

    def __init__(self, data: Path, mail_port: int, *, large: bool) -> None:
        super().__init__(
            data,
            wall=FixedClock(),
            smtp_host="127.0.0.1",
            smtp_port=mail_port,
            smtp_security="none",
            smtp_sender="facturas@example.com",
            **{f"sat_bulk_{name}_url": "http://127.0.0.1:1" for name in BULK_SERVICES},
        )
        accounts = self.container.get(account_services).accounts
        made = accounts.create(ADMINISTRATOR, PASSWORD, "administrator")
        self.caller = Caller(made.account_id, made.user, made.role)
        self.store(self.issuer)
        self.store(self.receiver)
        self._pending = [self.invoice() for _ in range(PENDING)]
        self.advance(AGEING)
        for uuid in self._pending:
            self.cancel(uuid)
        self._number = 1000
        registry = self.container.get(sandbox_services).registry
        registry.change(LISTED, TaxpayerChange(situation="Definitivo"))
        registry.refresh()
        self.variables = Variables(self._sources())
        self.variables.values |= self._values()
        if large:
            self.variables.values |= {name: self._large_zip() for name in ("largeZip", "otherLargeZip")}

    def run_jobs(self, tag: str) -> None:
        """Do what follows a call of an operation with this tag: run batches and reconciliations, ask the SAT, log."""
        if tag == "batches":
            asyncio.run(self.container.get(batch_runner).run_due())
        elif tag == "reconciliations":
            self.container.get(reconciliation_runner).run_due()
        elif tag == "received":
            self._ask()
        elif tag == "storage":
            database = self.container.get(opened_database)
            EventDispatcher(database, [log_consumer(database)], self.container.wall).run()
            self.container.get(transparency_log).run()

    def _ask(self) -> None:
        """Store two requests of a synchronization that has none, of which one has a package."""
        repository, work = self.container.get(sync_repository), self.container.get(request_work)
        syncs = repository.syncs(self.caller.account_id)
        if not syncs or repository.newest(self.caller.account_id, RECEIVER, 1):
            return
        month = IssuePeriod(*map(datetime.fromisoformat, ("2026-11-01T00:00:00", "2026-11-19T23:59:59")))
        with repository.write() as connection:
            for is_metadata in (False, True):
                work.ask(connection, syncs[0], month, {}, is_metadata=is_metadata)
        [asked, _] = repository.newest(self.caller.account_id, RECEIVER, 2)
        values = {"state": BulkRequestState.READY, "code": "5000", "request_id": UNKNOWN, "documents": 1}
        with repository.write() as connection:
            repository.change_request(connection, asked, values)
            repository.add_packages(connection, asked, [f"{UNKNOWN}_01"], WALL)

    def _store_received(self, uuid: str) -> None:
        """Store an invoice with its XML and a finding, and one of metadata that is cancelled then."""
        store, account_id = self.container.get(document_store), self.caller.account_id
        record = self.container.get(document_services).storage.own(self.caller, uuid)
        header = ReceivedHeader(
            uuid,
            "cfdi",
            record.issuer_rfc,
            examples.KEMPER.name,
            record.receiver_rfc,
            examples.ROBOTICA.name,
            self.container.get(provider_rfc),
            record.fecha,
            record.fecha,
            record.total,
            record.kind,
            record.serie,
            record.folio,
            "MXN",
        )
        finding = {"severity": "warning", "code": None, "detail": "No se consultó el estado."}
        seal, outcome = sha256(record.cfdi).hexdigest(), ("sat", "valid", 0, 1, None, None, [finding])
        store.put_metadata(account_id, [DocumentMetadata(header, "Vigente")])
        store.put_xml(account_id, [DeliveredXml(header, record.cfdi, seal, *outcome)])
        other = DocumentMetadata(replace(header, uuid=UNKNOWN), "Vigente")
        store.put_metadata(account_id, [other])
        store.put_metadata(account_id, [replace(other, status="Cancelado", cancelled_at="2026-11-19T10:00:00")])
        store.put_situations(account_id, {record.issuer_rfc: "Presunto"})

    def _values(self) -> dict[str, str | bytes]:
        """Return the values that stay the same during the scenario."""
        uuid, other, retencion = self.invoice(), self.mint(ISSUER, valid_to=self.now + YEARS), self.retencion()
        storage = self.container.get(document_services).storage
        cfdi = storage.own(self.caller, uuid).cfdi.decode()
        stored = etree.fromstring(storage.own(self.caller, retencion).cfdi)
        received = self.invoice()
        self._store_received(received)
        return {
            "user": ADMINISTRATOR,
            "password": PASSWORD,
            "token": self.container.get(account_services).accounts.create_infinite_token(ADMINISTRATOR),
            "rfc": ISSUER,
            "receiverRfc": RECEIVER,
            "listedRfc": LISTED,
            "uuid": uuid,
            "relatedUuid": self._related(uuid),
            "receivedUuid": received,
            "stampedXml": cfdi,
            "stampedRetencion": etree.tostring(stored, encoding="unicode"),
            "foreignXml": sandbox_support.invoice().decode(),
            **_credential("", self.issuer),
            **_credential("receiver", self.receiver),
            **_credential("new", other),
            **_credential("efirma", self.mint(RECEIVER, CertificateKind.EFIRMA, valid_to=self.now + YEARS)),
            "statusQuery": _status_query(cfdi),
            "retencionUuid": retencion,
            "retencionReceiver": examples.CASAS.rfc,
            "retencionSeal": stored.get("Sello", "")[-8:],
        }

    def _sources(self) -> dict[str, Callable[[], str | bytes]]:
        """Return what makes the values of which each call needs another one."""
        return {
            "folio": self._folio,
            "fecha": lambda: self.fecha,
            "invoiceXmlB64": lambda: _base64(self._invoice_text()),
            "retencionXmlB64": lambda: _base64(self._retencion_text()),
            "sealedXml": lambda: self._sealed_invoice().decode(),
            "sealedXmlB64": lambda: _base64(self._sealed_invoice()),
            "sealedRetencion": lambda: self._sealed_retencion().decode(),
            "sealedRetencionB64": lambda: _base64(self._sealed_retencion()),
            "cancellableUuid": self.invoice,
            "cancellableRetencionUuid": self.retencion,
            "replacedUuid": self.invoice,
            "substituteUuid": lambda: self.invoice(relation="04", to=self.variables.text("replacedUuid")),
            "replacedRetencionUuid": self.retencion,
            "substituteRetencionUuid": lambda: self.retencion(
                relation="04", to=self.variables.text("replacedRetencionUuid")
            ),
            "pendingUuid": self._pending.pop,
            "signedCancellation": lambda: self._signed_cancellation(self.invoice(), CANCELACFD),
            "signedRetencionCancellation": lambda: self._signed_cancellation(self.retencion(), RETENCIONES1),
            "signedAcceptance": self._signed_acceptance,
            "signedRelations": self._signed_relations,
            "batchFile": lambda: zipped({"factura.xml": self._invoice_text().encode()}),
            "sealedBatchB64": lambda: _base64(zipped({"factura.xml": self._sealed_invoice()})),
            "queuedBatchId": self._queued_batch,
        }

    def _folio(self) -> str:
        self._number += 1
        return str(self._number)

    def _invoice_text(self, concepts: int = 1) -> str:
        return examples.ingreso({"@Folio": self._folio()}, fecha=self.fecha, concepts=concepts)

    def _retencion_text(self) -> str:
        return examples.retencion({"@FolioInt": self._folio()}, fecha=self.fecha)

    def _sealed_invoice(self, concepts: int = 1) -> bytes:
        return self.sealed(self._invoice_text(concepts), self.issuer)

    def _large_zip(self) -> bytes:
        return zipped({"factura.xml": self._sealed_invoice(MIN_CONCEPTOS)})

    def _sealed_retencion(self) -> bytes:
        return self.sealed(self._retencion_text(), self.issuer)

    def _related(self, uuid: str) -> str:
        """Relate an invoice to one, and return the one that has related invoices."""
        self.invoice(relation="04", to=uuid)
        return uuid

    def _signed_cancellation(self, uuid: str, namespace: str) -> str:
        request = Cancelacion(ISSUER, (Folio(uuid, "02"),), namespace)
        return signed(self.issuer, request.to_root(self.now)).decode()

    def _signed_acceptance(self) -> str:
        answers = AcceptReject(RECEIVER, {self._pending.pop(): ReceiverAnswer.ACCEPT}, self.container.get(provider_rfc))
        return signed(self.receiver, answers.to_root(self.now)).decode()

    def _signed_relations(self) -> str:
        query = RelationsRequest(self.variables.text("relatedUuid"), ISSUER, self.container.get(provider_rfc))
        return signed(self.issuer, query.to_root()).decode()

    def _queued_batch(self) -> str:
        batches = self.container.get(batch_service)
        archive = io.BytesIO(zipped({"factura.xml": self._invoice_text().encode()}))
        return batches.submit(self.caller.account_id, archive, "lote.zip", "issue", "http://localhost", pdf=False).id


@contextmanager
def example_sandbox(folder: Path, *, large: bool = True) -> Iterator[ExampleSandbox]:
    """Open the sandbox over an empty folder, with a mail server on loopback. Of its log only errors are printed.

    Args:
        folder: The folder.
        large: Whether the calls with documents of 10,000 Conceptos will be sent; sealing these takes seconds.
    """
    keys = ProcessPool(key_process.PROCESSES, key_process.MEMORY_BYTES, KEY_SECONDS)
    with _errors_only(), mail_server() as mail, mock.patch.object(key_process, "POOL", keys):
        sandbox = ExampleSandbox(folder, mail.port, large=large)
        try:
            yield sandbox
        finally:
            sandbox.container.close()
            keys.close()


@contextmanager
def _errors_only() -> Iterator[None]:
    kept = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    try:
        yield
    finally:
        structlog.configure(**kept)


def zipped(members: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive whose bytes depend on its members only."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _credential(prefix: str, credential: MintedCredential) -> dict[str, str | bytes]:
    """Return files and password of a credential, and its PFX, by variable."""
    csd, pfx = csd_files(credential), pfx_file(credential)
    values = {
        "b64Cer": csd.certificate,
        "b64Key": csd.key,
        "csdPassword": csd.password,
        "b64Pfx": pfx.pfx,
        "pfxPassword": pfx.password,
        "certificateNumber": credential.certificate.number,
    }
    return {f"{prefix}{name[0].upper()}{name[1:]}" if prefix else name: value for name, value in values.items()}


def _base64(content: str | bytes) -> str:
    return b64encode(content.encode() if isinstance(content, str) else content).decode()


def _status_query(cfdi: str) -> str:
    """Return the expression that the SAT's service reads."""
    root = etree.fromstring(cfdi.encode())
    issuer, receiver = (str(root.xpath(f"string(*[local-name()='{name}']/@Rfc)")) for name in ("Emisor", "Receptor"))
    [stamp] = read_stamps(root)
    total, seal = root.get("Total", ""), root.get("Sello", "")
    return f"?re={issuer}&rr={receiver}&tt={total}&id={stamp.uuid}&fe={seal[-8:]}"
