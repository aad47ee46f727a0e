"""The sandbox and the emulator of one data folder are one simulated SAT."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree
from tests.emulator.emulator_support import (
    EmulatorRun,
    acuse_of,
    running_over,
    signed_request,
)
from tests.emulator.test_cancellation import CANCEL, cancelacion, codes, result_of
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.sandbox.authority.build import sandbox_ledger, sandbox_store
from timbra.sandbox.build import sandbox_services
from timbra.sat.reception_port import StampedDocument, stamped_document
from timbra.seals.certificates.certificate import CertificateKind

RFC = "TIM010101SB9"
GOOD = "Comprobante recibido satisfactoriamente"


class SharedSandbox:
    """A sandbox that stamps, with an emulator over it."""

    def __init__(self, app: SandboxApp, emulator: EmulatorRun) -> None:
        self.app = app
        self.emulator = emulator
        self.credential = app.mint()
        self.stamps = 0

    def stamp(self) -> StampedDocument:
        self.stamps += 1
        text = examples.ingreso({"@Folio": str(self.stamps)}, fecha=FECHA)
        stamped = self.app.stamp(self.app.sealed(text, self.credential))
        return stamped_document(DocumentParser().parse(stamped.cfdi.encode()))

    def deliver(self, document: StampedDocument) -> dict[str, str]:
        """Deliver a document as the provider of the sandbox."""
        provider = self.emulator.emulator.providers.register(RFC)
        address = self.emulator.url(f"/blob/{RFC.lower()}/{document.uuid}.xml")
        headers = {"x-ms-blob-type": "BlockBlob", "x-ms-meta-versionCFDI": "4.0"}
        upload = self.emulator.client.put(address + provider.access_signature, content=document.xml, headers=headers)
        assert upload.status_code == 201
        response = self.emulator.announce(
            self.emulator.login(holder=self.emulator.provider(RFC)),
            document.uuid,
            address,
            RfcEmisor=document.issuer_rfc,
            Fecha=document.stamped_at,
            NumeroCertificado=document.certificate_number,
        )
        return acuse_of(response)[0]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedSandbox]:
    app = SandboxApp(tmp_path_factory.mktemp("shared") / "data")
    with running_over(app.container) as emulator:
        yield SharedSandbox(app, emulator)
    app.container.close()


def consult(shared: SharedSandbox, document: StampedDocument) -> str:
    root = etree.fromstring(document.xml)
    expression = (
        f"?re={document.issuer_rfc}&amp;rr={root.find('{*}Receptor').get('Rfc')}&amp;tt={root.get('Total')}"  # type: ignore[union-attr]
        f"&amp;id={document.uuid}"
    )
    body = f'<Consulta xmlns="http://tempuri.org/"><expresionImpresa>{expression}</expresionImpresa></Consulta>'
    action = "http://tempuri.org/IConsultaCFDIService/Consulta"
    response = shared.emulator.soap("/ConsultaCFDIService.svc", action, body)
    return str(etree.fromstring(response.content).findtext(".//{*}Estado"))


def test_stamp_of_the_sandbox_exists_for_the_emulator_and_can_be_delivered_to_it(shared: SharedSandbox) -> None:
    document = shared.stamp()
    assert consult(shared, document) == "Vigente"
    assert shared.deliver(document)["CodEstatus"] == GOOD
    assert shared.emulator.control("GET", f"/receptions/{document.uuid}").status_code == 200


def test_cancellation_in_the_emulator_is_one_of_the_sandbox(shared: SharedSandbox) -> None:
    document = shared.stamp()
    holder = shared.emulator.holder(examples.KEMPER.rfc, CertificateKind.CSD)
    body = signed_request(holder, cancelacion(document.uuid))
    token = shared.emulator.login("/Autenticacion/Autenticacion.svc")
    message = f'<CancelaCFD xmlns="http://cancelacfd.sat.gob.mx">{body}</CancelaCFD>'
    result = result_of(shared.emulator.soap(*CANCEL, message, token=token))
    assert codes(result) == {document.uuid.lower(): "201"}
    history = shared.app.container.get(sandbox_ledger).history(document.uuid)
    assert [event.kind for event in history] == ["cancellation.cancelled"]


def test_fault_of_the_sandbox_is_one_of_the_emulator(shared: SharedSandbox) -> None:
    document = shared.stamp()
    shared.app.container.get(sandbox_services).faults.set("authority-down", 1)
    body = '<Consulta xmlns="http://tempuri.org/"><expresionImpresa>?tt=1&amp;id=x</expresionImpresa></Consulta>'
    action = "http://tempuri.org/IConsultaCFDIService/Consulta"
    assert shared.emulator.soap("/ConsultaCFDIService.svc", action, body).status_code == 500
    assert consult(shared, document) == "Vigente"


def test_emulator_needs_readable_files_of_its_providers(shared: SharedSandbox, tmp_path: Path) -> None:
    folder = shared.emulator.emulator.providers.register("DAM010101AB1").folder
    file = folder / "DAM010101AB1.signature"
    stored = file.read_bytes()
    file.write_bytes(b"{}")
    try:
        with (
            pytest.raises(ServiceError, match="emulator-configuration"),
            running_over(shared.app.container),
        ):
            pass
    finally:
        file.write_bytes(stored)


def test_document_of_before_a_reset_enters_the_ledger_again(shared: SharedSandbox) -> None:
    xml, uuid = shared.emulator.stamped()
    assert acuse_of(shared.emulator.deliver(xml, uuid))[0]["CodEstatus"] == GOOD
    with shared.emulator.container.get(sandbox_store).write() as transaction:
        transaction.cleanup.clear()
    assert shared.emulator.container.get(sandbox_ledger).indexer.find(uuid.lower()) is None
    assert acuse_of(shared.emulator.deliver(xml, uuid))[0]["CodEstatus"] == GOOD
    assert shared.emulator.container.get(sandbox_ledger).indexer.find(uuid.lower()) is not None
