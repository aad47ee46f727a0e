"""Cancellation on a running server with the bytes of every published client."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from httpx2 import Client
from lxml import etree
from tests.support.cancel_requests import JSON, JSON_BODIES, PATHS
from tests.support.framings import FRAMINGS, STAMPING, chunked
from tests.support.server import AGE, Server, minted, running, seed
from tests.support.server_fixtures import RawAnswer, read_answer, request
from tests.support.server_fixtures import Server as Socket
from tests.support.signing import signed

from timbra import examples
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.core.clock import to_central_mexico
from timbra.sandbox.authority.certificates.authority import MintedCredential

RFC = examples.KEMPER.rfc


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("cancel") / "data"
    with running(data, token=seed(data)) as started:
        yield started


@pytest.fixture(scope="module")
def credential(server: Server) -> MintedCredential:
    return minted(server.data)


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Client]:
    with server.client() as client:
        yield client


@pytest.fixture
def connection(server: Server) -> Socket:
    return Socket(server.process, int(server.address.rpartition(":")[2]))


def issue(client: Client, folio: str) -> str:
    """Stamp a CFDI that can be cancelled without acceptance and return its UUID."""
    text = examples.ingreso({"@Folio": folio}, fecha=to_central_mexico(datetime.now(UTC) - AGE))
    answer = client.post("/cfdi33/issue/v4", files={"xml": ("invoice.xml", text.encode())})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["data"]["uuid"])


def is_cancelled(answer: RawAnswer, uuid: str) -> bool:
    """Return whether the response reports the cancellation in the shape of the contract."""
    data = answer.json["data"]
    acuse = etree.fromstring(data["acuse"].encode())
    assert [element.text for element in acuse.iterfind("{*}Folios/{*}UUID")] == [uuid.upper()]
    return (answer.status, answer.json["status"], data["uuid"]) == (200, "success", {uuid.upper(): "201"})


@pytest.mark.parametrize("name", PATHS)
def test_cancel_by_uuid_cancels_and_repeats_for_every_client(
    server: Server, client: Client, connection: Socket, name: str
) -> None:
    uuid = issue(client, name[:30])
    answer = connection.send(PATHS[name].bytes(RFC, uuid, server.token))
    assert is_cancelled(answer, uuid)
    again = connection.send(PATHS[name].bytes(RFC.lower(), uuid.upper(), server.token))
    assert (again.status, again.json["data"]["uuid"]) == (200, {uuid.upper(): "202"})


def test_cancel_by_uuid_ignores_the_body_on_a_reused_connection(
    server: Server, client: Client, connection: Socket
) -> None:
    uuid = issue(client, "ignored")
    with connection.connect() as one:
        for code in ("201", "202", "202"):
            one.sendall(PATHS["php"].bytes(RFC, uuid, server.token))
            assert read_answer(one).json["data"]["uuid"] == {uuid.upper(): code}


@pytest.mark.parametrize("name", JSON_BODIES)
def test_cancel_by_csd_cancels_for_every_client(
    server: Server, client: Client, connection: Socket, credential: MintedCredential, name: str
) -> None:
    uuid = issue(client, f"csd {name}")
    members: dict[str, str | None] = {
        "uuid": uuid,
        "password": credential.password,
        "rfc": RFC,
        "motivo": "02",
        "b64Cer": b64encode(credential.certificate_der).decode(),
        "b64Key": b64encode(credential.key_der).decode(),
    }
    head = [f"Authorization: bearer {server.token}", JSON]
    assert is_cancelled(connection.send(request("/cfdi33/cancel/csd", head, JSON_BODIES[name](members))), uuid)


@pytest.mark.parametrize(
    ("name", "in_chunks"),
    [*((name, False) for name in STAMPING), *((name, True) for name in STAMPING if FRAMINGS[name].version != "1.0")],
)
def test_cancel_by_xml_cancels_for_every_framing(
    server: Server, client: Client, connection: Socket, credential: MintedCredential, name: str, in_chunks: bool
) -> None:
    framing = FRAMINGS[name]
    uuid = issue(client, f"xml {name[:20]} {in_chunks}")
    document = signed(credential, Cancelacion(RFC, (Folio(uuid, "02"),)).to_root(datetime.now(UTC)))
    sent = framing.request(document, server.token, "/cfdi33/cancel/xml")
    assert is_cancelled(connection.send(chunked(sent) if in_chunks else sent), uuid)


def test_cancel_rejects_with_the_messages_of_the_contract(server: Server, client: Client, connection: Socket) -> None:
    def rejection(path: str) -> tuple[int, str, str]:
        answer = connection.send(request(path, [f"Authorization: Bearer {server.token}"], b""))
        return answer.status, answer.json["message"], answer.json["messageDetail"]

    failed, xml = "CACFDI33 - Error no controlado", "CACFDI33 - Problemas con el xml."
    uuid = "FE4E71B0-8959-4FB9-8091-F5AC4FB0FEF8"
    none = "No se encontró el CSD correspondiente al RFC URE180429TM6 ."
    motive = "CR1310. Clave de motivo de cancelación no válida"
    assert rejection(f"/cfdi33/cancel/URE180429TM6/{uuid}/02") == (400, failed, none)
    assert rejection(f"/cfdi33/cancel/EKU/{uuid}/02")[2] == "El Rfc proporcionado es inválido. Favor de verificar."
    bad = "El uuid proporcionado es inválido. Favor de verificar"
    assert rejection(f"/cfdi33/cancel/{RFC}/no-uuid/02") == (400, failed, bad)
    assert rejection(f"/cfdi33/cancel/{RFC}/{uuid}") == (400, xml, motive)
    assert rejection(f"/cfdi33/cancel/{RFC}/{uuid}/09") == (400, xml, motive)
    unknown = client.post(f"/cfdi33/cancel/{RFC}/{uuid}/02").json()
    assert unknown["data"]["uuid"] == {uuid: "205"}
