"""The product's client of login, upload and reception, against the emulator with its faults."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from lxml import etree
from tests.emulator.emulator_support import PARSER, PROVIDER, EmulatorRun
from tests.support.sat_access import LoginKey

from timbra.core.clock import Clock, WallClock
from timbra.core.errors import ServiceError
from timbra.core.retry import Backoff, RetryPolicy
from timbra.sat.access_token import SatAccess
from timbra.sat.blob_upload import BlobContainer, BlobUpload
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.reception import SatReception, read_acuse
from timbra.sat.reception_port import ReceptionState, stamped_document
from timbra.sat.soap import SoapService
from timbra.sat.transport import Transport
from timbra.seals.signers.memory import MemorySigner

LOGIN, RECEPTION = "/Seguridad/Autenticacion.svc", "/Recepcion/CFDI40/RecibeCFDIService.svc"


class MovableClock:
    """Wall time, moved by a test."""

    def __init__(self) -> None:
        self.offset = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.offset


class CountedService(SoapService):
    """Counts its calls."""

    calls = 0

    def call(self, *args: Any, **kwargs: Any) -> etree._Element:
        self.calls += 1
        return super().call(*args, **kwargs)


def access(
    emulator: EmulatorRun, wall: Clock | None = None, *, decoded: bool = True
) -> tuple[SatAccess, CountedService]:
    holder = emulator.provider()
    service = CountedService(emulator.url(LOGIN), Transport())
    return SatAccess(
        service, lambda: LoginKey(holder.certificate, MemorySigner(holder.key)), wall or WallClock(), decoded=decoded
    ), service


def reception(
    emulator: EmulatorRun,
    token: SatAccess | None = None,
    *,
    signature: str | None = None,
    attempts: int = 3,
    breaker: CircuitBreaker | None = None,
) -> SatReception:
    provider = emulator.emulator.providers.register(PROVIDER)
    container = BlobContainer(emulator.url(f"/blob/{provider.container}"), signature or provider.access_signature)
    transport = Transport()
    return SatReception(
        BlobUpload(container, transport),
        SoapService(emulator.url(RECEPTION), transport),
        token or access(emulator)[0],
        breaker or CircuitBreaker(),
        RetryPolicy(seconds=20, attempts=attempts, backoff=Backoff(0.01)),
    )


def new_document(emulator: EmulatorRun) -> Any:
    xml, _ = emulator.stamped()
    return stamped_document(PARSER.parse(xml))


def received(emulator: EmulatorRun, uuid: str) -> bool:
    return emulator.control("GET", f"/receptions/{uuid}").status_code == 200


@pytest.mark.parametrize("decoded", [True, False])
def test_deliver_returns_the_whole_acuse(emulator: EmulatorRun, decoded: bool) -> None:
    document = new_document(emulator)
    acuse = reception(emulator, access(emulator, decoded=decoded)[0]).deliver(document)
    assert (acuse.state, acuse.incidencias) == (ReceptionState.RECEIVED, ())
    stored = emulator.control("GET", f"/receptions/{document.uuid}").json()["acuse"]
    assert etree.tostring(etree.fromstring(acuse.xml), method="c14n", exclusive=True) == etree.tostring(
        etree.fromstring(stored), method="c14n", exclusive=True
    )


def test_deliver_accepts_an_access_signature_with_bars(emulator: EmulatorRun) -> None:
    provider = emulator.emulator.providers.register(PROVIDER)
    barred = provider.access_signature.removeprefix("?").replace("&", "|")
    assert reception(emulator, signature=barred).deliver(new_document(emulator)).state is ReceptionState.RECEIVED


def test_deliver_uses_one_login_for_many_documents_and_threads(emulator: EmulatorRun) -> None:
    token, login = access(emulator)
    client = reception(emulator, token)
    documents = [new_document(emulator) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        states = {acuse.state for acuse in pool.map(client.deliver, documents)}
    assert (states, login.calls) == ({ReceptionState.RECEIVED}, 1)


def test_authorization_is_renewed_100_seconds_before_its_end(emulator: EmulatorRun) -> None:
    emulator.control("PATCH", "/options", {"token_seconds": 300})
    wall = MovableClock()
    token, login = access(emulator, wall)
    first = token.authorization(20)
    wall.offset = timedelta(seconds=190)
    assert token.authorization(20) == first
    wall.offset = timedelta(seconds=201)
    assert token.authorization(20) != first
    assert login.calls == 2


def test_authorization_with_a_short_life_is_used_for_half_of_it(emulator: EmulatorRun) -> None:
    emulator.control("PATCH", "/options", {"token_seconds": 60})
    wall = MovableClock()
    token, login = access(emulator, wall)
    first = token.authorization(20)
    wall.offset = timedelta(seconds=25)
    assert token.authorization(20) == first
    wall.offset = timedelta(seconds=31)
    assert token.authorization(20) != first
    assert login.calls == 2


def test_deliver_logs_in_again_when_the_token_dies_between_two_deliveries(emulator: EmulatorRun) -> None:
    token, login = access(emulator)
    client = reception(emulator, token)
    client.deliver(new_document(emulator))
    emulator.control("POST", "/tokens/expire")
    assert client.deliver(new_document(emulator)).state is ReceptionState.RECEIVED
    assert login.calls == 2


def test_deliver_fails_when_the_sat_accepts_no_token(emulator: EmulatorRun) -> None:
    emulator.fault("stale-token", service="reception")
    document = new_document(emulator)
    with pytest.raises(ServiceError, match="delivery-rejected"):
        reception(emulator).deliver(document)
    assert not received(emulator, document.uuid)


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "connection-reset", "service": "upload"},
        {"fault": "status", "service": "upload", "status": 500},
        {"fault": "answer-lost", "service": "upload"},
        {"fault": "connection-reset", "service": "authentication"},
        {"fault": "soap-fault", "service": "authentication"},
        {"fault": "connection-reset", "service": "reception"},
        {"fault": "answer-lost", "service": "reception"},
        {"fault": "status", "service": "reception", "status": 503},
        {"fault": "soap-fault", "service": "reception"},
        {"fault": "truncated", "service": "reception"},
        {"fault": "other-uuid", "service": "reception"},
    ],
    ids=lambda fault: "-".join((fault["fault"], fault["service"])),
)
def test_deliver_succeeds_after_a_temporary_fault(emulator: EmulatorRun, fault: dict[str, Any]) -> None:
    emulator.fault(**fault, times=2)
    document = new_document(emulator)
    assert reception(emulator).deliver(document).state is ReceptionState.RECEIVED
    assert received(emulator, document.uuid)


def test_deliver_reports_a_lasting_fault_and_succeeds_when_it_is_repeated(emulator: EmulatorRun) -> None:
    emulator.fault("answer-lost", service="reception", times=3)
    document = new_document(emulator)
    client = reception(emulator)
    with pytest.raises(ServiceError, match="authority-down"):
        client.deliver(document)
    assert received(emulator, document.uuid)
    assert client.deliver(document).state is ReceptionState.RECEIVED


def test_deliver_uploads_once_when_the_announcement_is_repeated(emulator: EmulatorRun) -> None:
    emulator.fault("status", service="reception", times=2)
    emulator.fault("status", service="upload", skip=1)
    assert reception(emulator).deliver(new_document(emulator)).state is ReceptionState.RECEIVED


def test_deliver_reports_the_fault_text_of_a_login(emulator: EmulatorRun) -> None:
    emulator.fault("soap-fault", service="authentication", message="Certificado revocado")
    with pytest.raises(ServiceError, match="Certificado revocado"):
        reception(emulator).deliver(new_document(emulator))


def test_deliver_returns_the_incidencia_of_a_received_document(emulator: EmulatorRun) -> None:
    emulator.fault("incidencia", service="reception", code="999", message="Extemporáneo", times=1)
    acuse = reception(emulator).deliver(new_document(emulator))
    assert acuse.state is ReceptionState.WITH_INCIDENCIA
    assert [(found.code, found.message) for found in acuse.incidencias] == [("999", "Extemporáneo")]


def test_deliver_returns_the_rejection_of_a_document(emulator: EmulatorRun) -> None:
    emulator.fault("reject", service="reception", code="505", message="No.", times=1)
    acuse = reception(emulator).deliver(new_document(emulator))
    assert (acuse.state, acuse.status) == (ReceptionState.REJECTED, "505")


def test_deliver_with_another_access_signature_is_an_error_of_the_configuration(emulator: EmulatorRun) -> None:
    document = new_document(emulator)
    emulator.fault("status", service="upload", skip=1)
    with pytest.raises(ServiceError, match="delivery-rejected"):
        reception(emulator, signature="?sr=c&si=WriteOnly&sig=AAAA").deliver(document)


def test_deliver_stops_calling_a_service_that_fails(emulator: EmulatorRun) -> None:
    breaker = CircuitBreaker(failures=2)
    client = reception(emulator, attempts=1, breaker=breaker)
    emulator.fault("status", service="upload", times=2)
    document = new_document(emulator)
    for _ in range(3):
        with pytest.raises(ServiceError, match="authority-down"):
            client.deliver(document)
    assert emulator.control("GET", "/faults").json() == []
    assert not received(emulator, document.uuid)


ACUSE = '<AcuseRecepcion xmlns="http://recibecfdi.sat.gob.mx">{}</AcuseRecepcion>'


@pytest.mark.parametrize(
    "text",
    [
        "<other/>",
        ACUSE.format(""),
        ACUSE.format('<AcuseRecepcionCFDI UUID="{0}" CodEstatus=""/>'),
        ACUSE.format('<AcuseRecepcionCFDI CodEstatus="200"/>'),
        ACUSE.format('<AcuseRecepcionCFDI UUID="{0}" CodEstatus="200"/><AcuseRecepcionCFDI UUID="{0}"/>'),
    ],
)
def test_read_acuse_rejects_other_answers(text: str) -> None:
    uuid = str(uuid4())
    with pytest.raises(ServiceError, match="authority-down"):
        read_acuse(etree.fromstring(text.replace("{0}", uuid)), uuid)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("Comprobante recibido satisfactoriamente", ReceptionState.RECEIVED),
        ("S - Comprobante recibido", ReceptionState.RECEIVED),
        ("200 - recibido", ReceptionState.RECEIVED),
        ("502", ReceptionState.REJECTED),
        ("Sin autorización", ReceptionState.REJECTED),
    ],
)
def test_read_acuse_knows_the_forms_of_a_good_status(status: str, state: ReceptionState) -> None:
    uuid = str(uuid4())
    text = ACUSE.format(f'<AcuseRecepcionCFDI UUID="{uuid.upper()}" CodEstatus="{status}"/>')
    assert read_acuse(etree.fromstring(text), uuid).state is state


def test_stamped_document_needs_one_stamp() -> None:
    document = PARSER.parse(b'<Comprobante xmlns="http://www.sat.gob.mx/cfd/4" Version="4.0"/>')
    with pytest.raises(ServiceError, match="document-invalid"):
        stamped_document(document)
