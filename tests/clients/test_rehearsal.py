"""Clients of this service against a provider in rehearsal, whose SAT is the emulator: as against the sandbox.

The quick form is the client of `satcfdi`; the long form adds the vendor's SDK for Node.js, which needs port 80.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from tests.clients.test_nodejs_sdk import NODE, port_80_is_free
from tests.emulator.emulator_support import EmulatorRun, running_emulator
from tests.support.effort import LONG
from tests.support.rehearsal import PASSWORD, RehearsedProvider
from tests.support.rehearsal_server import rehearsal_server
from tests.support.requirements import need
from tests.support.satcfdi_names import (
    CFDI,
    Cancelacion,
    CancelReason,
    Environment,
    Folio,
    Folios,
    ResponseError,
    Signer,
    SolicitudAceptacionRechazo,
    SWSapien,
)
from tests.support.server import Server
from tests.support.signing import signed
from tests.support.waiting import wait_until

from timbra import examples
from timbra.accounts.certificates import certificate_services
from timbra.cfdi.cancelacion.request import Cancelacion as SignedCancelacion
from timbra.cfdi.cancelacion.request import Folio as SignedFolio
from timbra.container.build import fiscal_clock
from timbra.core.clock import CENTRAL_MEXICO
from timbra.examples import Change
from timbra.sandbox.authority.build import sandbox_authority
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind

RECEIVED = "received"

# The client reads certificates with deprecated functions of pyOpenSSL.
pytestmark = pytest.mark.filterwarnings("ignore:X509.get_:DeprecationWarning")
RECEIVER = examples.ROBOTICA.rfc
NODE_ADDRESS = "127.0.0.81"


@dataclass
class RehearsalClient:
    """The client of satcfdi with a running server, its emulator, and the credentials of an issuer and a receiver."""

    emulator: EmulatorRun
    provider: RehearsedProvider
    server: Server
    client: Any
    receiver: MintedCredential
    issued: int = 0

    def invoice(self, replaces: str = "") -> bytes:
        self.issued += 1
        changes: dict[str, Change] = {"@Folio": str(self.issued)}
        if replaces:
            changes["CfdiRelacionados"] = examples.relation("04", replaces)
        fecha = (datetime.now(CENTRAL_MEXICO) - timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%S")
        return examples.ingreso(changes, concepts=[examples.concepto(price="5000.00")], fecha=fecha).encode()

    def issue(self, *, replaces: str = "") -> Any:
        """Stamp a CFDI, wait until the SAT has it, and return it as the client reads it."""
        cfdi = CFDI.from_string(self.client.issue(CFDI.from_string(self.invoice(replaces))).xml)
        wait_until(lambda: self.provider.state(folio_of(cfdi)).state == RECEIVED)
        return cfdi

    def state(self, cfdi: Any) -> tuple[str, str]:
        report = self.client.validate(cfdi)
        return report["statusSat"], report["statusCancelation"]


def folio_of(cfdi: Any) -> str:
    return str(cfdi["Complemento"]["TimbreFiscalDigital"]["UUID"])


def signer(credential: MintedCredential) -> Any:
    return Signer.load(certificate=credential.certificate_der, key=credential.key_der, password=credential.password)


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorRun]:
    with running_emulator(tmp_path_factory.mktemp("emulator"), clock="") as run:
        yield run


@pytest.fixture(scope="module")
def rehearsal(emulator: EmulatorRun, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RehearsalClient]:
    need("satcfdi", SWSapien, "the package is not installed")
    now = emulator.container.get(fiscal_clock).now()
    start, end = now - timedelta(days=1), now + timedelta(days=30)
    receiver = emulator.container.get(sandbox_authority).mint(
        RECEIVER, CertificateKind.CSD, examples.ROBOTICA.name, start, end
    )
    provider = RehearsedProvider(emulator, tmp_path_factory.mktemp("provider"))
    provider.container.get(certificate_services).vault.save(
        provider.caller.account_id, receiver.certificate_der, receiver.key_der, receiver.password
    )
    try:
        with rehearsal_server(provider) as server:

            class Local(SWSapien):  # type: ignore[misc]
                def _host(self, service: str = "services") -> str:
                    return server.address

            client = Local(token=server.token, environment=Environment.TEST)
            yield RehearsalClient(emulator, provider, server, client, receiver)
    finally:
        provider.close()


def test_satcfdi_issues_stamps_and_validates(rehearsal: RehearsalClient) -> None:
    issued = rehearsal.issue()
    report = rehearsal.client.validate(issued)
    assert (report["statusSat"], report["uuid"]) == ("Vigente", folio_of(issued))
    cfdi = CFDI.from_string(rehearsal.invoice())
    cfdi.sign(signer(rehearsal.provider.csd))
    stamped = etree.fromstring(rehearsal.client.stamp(cfdi).xml)
    assert stamped.find(".//{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital") is not None
    repeated = CFDI.from_string(rehearsal.invoice())
    rehearsal.client.issue(repeated, ref_id="pedido-77")
    with pytest.raises(ResponseError):
        rehearsal.client.issue(repeated, ref_id="pedido-77")


def test_satcfdi_cancels_by_uuid(rehearsal: RehearsalClient) -> None:
    cfdi = rehearsal.issue()
    response = rehearsal.client.cancel(cfdi, CancelReason.COMPROBANTE_EMITIDO_CON_ERRORES_SIN_RELACION)
    assert response.code == "201"
    assert "<Acuse " in response.acuse
    assert rehearsal.state(cfdi) == ("Cancelado", "Cancelado sin aceptación")


def test_satcfdi_substitutes(rehearsal: RehearsalClient) -> None:
    wrong = rehearsal.issue()
    right = rehearsal.issue(replaces=folio_of(wrong))
    related = rehearsal.client.relations(right)
    assert related["codStatus"] == "2000"
    assert [one["uuid"].upper() for one in related["data"]["uuidsRelacionadosPadres"]] == [folio_of(wrong).upper()]
    reason = CancelReason.COMPROBANTE_EMITIDO_CON_ERRORES_CON_RELACION
    assert rehearsal.client.cancel(wrong, reason, folio_of(right)).code == "201"


def test_satcfdi_cancels_several_by_a_document_that_it_signed(rehearsal: RehearsalClient) -> None:
    first, second = rehearsal.issue(), rehearsal.issue()
    folios = [Folio(folio_of(first), "02"), Folio(folio_of(second), "03")]
    response = rehearsal.client.cancel_comprobante(Cancelacion(signer(rehearsal.provider.csd), folios))
    assert response.code == {folio_of(first).upper(): "201", folio_of(second).upper(): "201"}


def test_satcfdi_answers_as_the_receiver(rehearsal: RehearsalClient) -> None:
    wanted, kept = rehearsal.issue(), rehearsal.issue()
    with pytest.raises(ResponseError):
        rehearsal.client.pending(RECEIVER)
    clock = rehearsal.emulator.container.get(sandbox_services).clock_control
    clock.advance("6d")  # past the next working day, until which a cancellation needs no acceptance
    try:
        for cfdi in (wanted, kept):
            assert rehearsal.client.cancel(cfdi, CancelReason.NO_SE_LLEVO_A_CABO_LA_OPERACION).code == "201"
            assert rehearsal.state(cfdi) == ("Vigente", "En proceso")
        pending = sorted(uuid.upper() for uuid in rehearsal.client.pending(RECEIVER))
        assert pending == sorted(folio_of(cfdi).upper() for cfdi in (wanted, kept))
        answers = [Folios("Aceptacion", folio_of(wanted)), Folios("Rechazo", folio_of(kept))]
        request = SolicitudAceptacionRechazo(
            signer(rehearsal.receiver), rehearsal.provider.settings.provider_rfc, answers
        )
        response = rehearsal.client.accept_reject(request)
        assert {uuid.upper(): found["estatusUUID"] for uuid, found in response.folios.items()} == {
            folio_of(wanted).upper(): "1000",
            folio_of(kept).upper(): "1000",
        }
        assert rehearsal.state(wanted) == ("Cancelado", "Cancelado con aceptación")
        assert rehearsal.state(kept) == ("Vigente", "Solicitud rechazada")
    finally:
        clock.reset()


@pytest.mark.skipif(not LONG, reason="long form")
def test_node_sdk_stamps_and_cancels(rehearsal: RehearsalClient, tmp_path: Path) -> None:
    need("node", shutil.which("node"), "Node.js is not installed")
    need("node", (NODE / "node_modules/sw-sdk-nodejs").is_dir(), "npm ci --prefix tests/clients/node was not run")
    need("port80", port_80_is_free(), "port 80 cannot be bound here")
    file, csd = tmp_path / "document.xml", rehearsal.provider.csd
    with rehearsal_server(rehearsal.provider, host=NODE_ADDRESS, port=80) as server:
        cfdi = CFDI.from_string(rehearsal.invoice())
        cfdi.sign(signer(csd))
        file.write_bytes(cfdi.xml_bytes())
        user = rehearsal.provider.caller.user
        stamped = answer_to("stamp.js", NODE_ADDRESS, user, PASSWORD, "v4", str(file), "xml")
        assert stamped["status"] == "success", stamped
        uuid = str(stamped["data"]["uuid"])
        wait_until(lambda: rehearsal.provider.state(uuid).state == RECEIVED)
        request = SignedCancelacion(examples.KEMPER.rfc, (SignedFolio(uuid, "02"),))
        file.write_bytes(signed(csd, request.to_root(datetime.now(CENTRAL_MEXICO))))
        answer = answer_to("cancel.js", NODE_ADDRESS, server.token, str(file))
    assert answer["data"]["uuid"] == {uuid.upper(): "201"}


def answer_to(*words: str) -> dict[str, Any]:
    answer = subprocess.run(["node", *words], cwd=NODE, capture_output=True, text=True, timeout=60, check=True)
    return dict(json.loads(answer.stdout))
