"""Upload and announcement of documents: acuses, codes 501 to 506, and what must not be received."""

from __future__ import annotations

import socket
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from hashlib import md5
from urllib.parse import quote
from uuid import uuid4

import pytest
from httpx2 import Response
from tests.emulator.emulator_support import (
    FECHA,
    PROVIDER,
    SEAL,
    WAIT_SECONDS,
    EmulatorRun,
    acuse_of,
    fault_of,
    stamped_by,
)

from timbra import examples
from timbra.sandbox.authority.build import sandbox_authority, sandbox_ledger
from timbra.sat.port import StatusQuery

GOOD = "Comprobante recibido satisfactoriamente"


def codes_of(response: Response) -> tuple[str, list[str]]:
    attributes, incidencias = acuse_of(response)
    return attributes["CodEstatus"], [code for code, _ in incidencias]


def status_of(emulator: EmulatorRun, uuid: str) -> str:
    query = StatusQuery(uuid, examples.KEMPER.rfc, examples.ROBOTICA.rfc, "2320.00", SEAL[-8:])
    return emulator.container.get(sandbox_ledger).status(query).status


def test_recibe_returns_the_acuse_of_a_delivered_document(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    attributes, incidencias = acuse_of(emulator.deliver(xml, uuid))
    assert (attributes["UUID"], attributes["CodEstatus"], incidencias) == (uuid, GOOD, [])
    assert attributes["NoCertificadoSAT"] == emulator.container.get(sandbox_authority).certificate.number
    assert datetime.fromisoformat(attributes["Fecha"]).tzinfo is None


def test_recibe_registers_the_document_in_the_ledger_of_the_sandbox(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    assert status_of(emulator, uuid) == "No Encontrado"
    emulator.deliver(xml, uuid)
    assert status_of(emulator, uuid) == "Vigente"


def test_recibe_returns_the_first_acuse_of_a_repeated_delivery(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    first = emulator.deliver(xml, uuid)
    assert emulator.deliver(xml, uuid).content == first.content


def test_recibe_finds_an_incidencia_in_a_repeated_delivery_when_the_option_says_so(emulator: EmulatorRun) -> None:
    emulator.control("PATCH", "/options", {"repeated_deliveries": "incidencia"})
    xml, uuid = emulator.stamped()
    emulator.deliver(xml, uuid)
    assert codes_of(emulator.deliver(xml, uuid)) == (GOOD, ["506"])


def test_recibe_accepts_the_token_as_received(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    # The support code decodes the token: what is encoded twice arrives as AutenticaResult has it.
    assert codes_of(emulator.deliver(xml, uuid, quote(emulator.login(), safe=""))) == (GOOD, [])


@pytest.mark.parametrize("token", ["", "nothing", "a=b&HMACSHA256=abc"])
def test_recibe_answers_501_without_a_valid_token(emulator: EmulatorRun, token: str) -> None:
    xml, uuid = emulator.stamped()
    emulator.upload(xml, f"{uuid}.xml")
    assert codes_of(emulator.announce(token, uuid)) == ("501", ["501"])
    assert status_of(emulator, uuid) == "No Encontrado"


def test_recibe_answers_501_when_tokens_expire_between_upload_and_announcement(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    token = emulator.login()
    emulator.upload(xml, f"{uuid}.xml")
    assert emulator.control("POST", "/tokens/expire").status_code == 200
    assert codes_of(emulator.announce(token, uuid)) == ("501", ["501"])


def test_recibe_answers_502_for_a_document_that_was_not_uploaded(emulator: EmulatorRun) -> None:
    assert codes_of(emulator.announce(emulator.login(), str(uuid4()))) == ("502", ["502"])


def test_recibe_answers_502_for_a_document_that_is_not_xml(emulator: EmulatorRun) -> None:
    uuid = str(uuid4())
    emulator.upload(b"nothing", f"{uuid}.xml")
    assert codes_of(emulator.announce(emulator.login(), uuid)) == ("502", ["502"])


@pytest.mark.parametrize("container", ["otro010101ab1", "..", PROVIDER, f"x/../{PROVIDER.lower()}/.."])
def test_recibe_answers_502_for_a_path_outside_the_container_of_the_provider(
    emulator: EmulatorRun, container: str
) -> None:
    xml, uuid = emulator.stamped()
    emulator.upload(xml, f"{uuid}.xml")
    path = emulator.url(f"/blob/{container}/{uuid}.xml")
    assert codes_of(emulator.announce(emulator.login(), uuid, path)) == ("502", ["502"])


@pytest.mark.parametrize(
    "fields",
    [
        {"RfcEmisor": "URE180429TM6"},
        {"Fecha": "2026-11-17T10:00:00"},
        {"NumeroCertificado": "30001000000500003416"},
        {"VersionComprobante": "3.3"},
        {"UUID": "0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_recibe_answers_503_for_a_header_that_differs_from_the_document(
    emulator: EmulatorRun, fields: dict[str, str]
) -> None:
    xml, uuid = emulator.stamped()
    emulator.upload(xml, f"{uuid}.xml")
    path = emulator.url(f"/blob/{PROVIDER.lower()}/{uuid}.xml")
    assert codes_of(emulator.announce(emulator.login(), uuid, path, **fields)) == ("503", ["503"])
    assert status_of(emulator, uuid) == "No Encontrado"


@pytest.mark.parametrize("fields", [{"Fecha": FECHA}, {"NumeroCertificado": "30001000000500003416"}])
def test_recibe_accepts_date_and_certificate_of_the_issuer(emulator: EmulatorRun, fields: dict[str, str]) -> None:
    xml, uuid = emulator.stamped({"@NoCertificado": "30001000000500003416"})
    emulator.upload(xml, f"{uuid}.xml")
    assert codes_of(emulator.announce(emulator.login(), uuid, **fields)) == (GOOD, [])


def test_recibe_answers_503_for_the_metadata_of_another_version(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    emulator.upload(xml, f"{uuid}.xml", **{"x-ms-meta-versionCFDI": "3.3"})
    assert codes_of(emulator.announce(emulator.login(), uuid)) == ("503", ["503"])


def test_recibe_answers_504_for_a_document_without_a_stamp(emulator: EmulatorRun) -> None:
    uuid = str(uuid4())
    emulator.upload(examples.ingreso({"@Sello": SEAL}, fecha=FECHA).encode(), f"{uuid}.xml")
    assert codes_of(emulator.announce(emulator.login(), uuid)) == ("504", ["504"])


def test_recibe_answers_504_for_the_stamp_of_another_provider(emulator: EmulatorRun) -> None:
    uuid = str(uuid4())
    other = emulator.provider("PAC020202CD2")
    text = examples.ingreso({"@Sello": SEAL}, fecha=FECHA)
    assert codes_of(emulator.deliver(stamped_by(other, text, uuid), uuid)) == ("504", ["504"])


def test_recibe_answers_504_for_a_seal_of_the_sat_that_does_not_verify(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    forged = xml.replace(b'FechaTimbrado="2026-11-17T11:30:00"', b'FechaTimbrado="2026-11-17T11:30:01"')
    emulator.upload(forged, f"{uuid}.xml")
    response = emulator.announce(emulator.login(), uuid, Fecha="2026-11-17T11:30:01")
    assert codes_of(response) == ("504", ["504"])


def test_recibe_accepts_any_stamp_when_the_option_says_so(emulator: EmulatorRun) -> None:
    emulator.control("PATCH", "/options", {"stamps": "accept"})
    xml, uuid = emulator.stamped()
    forged = xml.replace(b'SelloSAT="', b'SelloSAT="AAAA')
    assert codes_of(emulator.deliver(forged, uuid)) == (GOOD, [])


def test_recibe_answers_504_for_a_retencion(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped(text=examples.retencion({"@Sello": SEAL}))
    emulator.upload(xml, f"{uuid}.xml", **{"x-ms-meta-versionCFDI": "2.0"})
    assert codes_of(emulator.announce(emulator.login(), uuid, VersionComprobante="2.0")) == ("504", ["504"])


def test_recibe_rejects_a_header_with_fields_in_another_order(emulator: EmulatorRun) -> None:
    header = (
        '<EncabezadoCFDI xmlns="http://recibecfdi.sat.gob.mx"><UUID>x</UUID><RfcEmisor>y</RfcEmisor></EncabezadoCFDI>'
    )
    body = '<CFDI xmlns="http://recibecfdi.sat.gob.mx"><RutaCFDI>z</RutaCFDI></CFDI>'
    action = "http://recibecfdi.sat.gob.mx/IRecibeCFDIService/Recibe"
    response = emulator.soap("/Recepcion/CFDI40/RecibeCFDIService.svc", action, body, header, emulator.login())
    assert fault_of(response)[0] == "Client"


def test_upload_in_two_calls_keeps_document_and_metadata(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    provider = emulator.emulator.providers.register(PROVIDER)
    address = emulator.url(f"/blob/{provider.container}/{uuid}.xml{provider.access_signature}")
    metadata = {"x-ms-meta-versionCFDI": "4.0"}
    assert emulator.client.put(f"{address}&comp=metadata", headers=metadata).status_code == 200
    assert emulator.client.put(address, content=xml, headers={"x-ms-blob-type": "BlockBlob"}).status_code == 201
    stored = emulator.emulator.storage.read(provider.container, f"{uuid}.xml")
    assert stored is not None
    assert (stored.content, stored.metadata) == (xml, {"versioncfdi": "4.0"})


@pytest.mark.parametrize("query", ["", "?sr=c&si=WriteOnly&sig=AAAA", "?sr=c&si=ReadWrite&sig=", "?sig=%00"])
def test_upload_is_rejected_with_another_access_signature(emulator: EmulatorRun, query: str) -> None:
    response = emulator.upload(b"<a/>", "a.xml", query)
    assert (response.status_code, response.headers["x-ms-error-code"]) == (403, "AuthenticationFailed")


def test_upload_is_rejected_with_a_replaced_access_signature(emulator: EmulatorRun) -> None:
    before = emulator.emulator.providers.register(PROVIDER).access_signature
    replaced = emulator.control("POST", f"/providers/{PROVIDER}/access-signature").json()["access_signature"]
    assert emulator.upload(b"<a/>", "a.xml", before).status_code == 403
    assert emulator.upload(b"<a/>", "a.xml", replaced).status_code == 201


def test_upload_is_rejected_in_the_container_of_another_provider(emulator: EmulatorRun) -> None:
    other = emulator.emulator.providers.register("PAC020202CD2")
    assert emulator.upload(b"<a/>", "a.xml", other.access_signature).status_code == 403


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_access_signature_permits_no_reading(emulator: EmulatorRun, method: str) -> None:
    provider = emulator.emulator.providers.register(PROVIDER)
    emulator.upload(b"<a/>", "a.xml")
    for path in (f"/blob/{provider.container}/a.xml", f"/blob/{provider.container}"):
        response = emulator.client.request(method, emulator.url(path + provider.access_signature))
        assert (response.status_code, response.headers["x-ms-error-code"]) == (403, "AuthorizationPermissionMismatch")


def test_upload_checks_the_digest_of_the_request(emulator: EmulatorRun) -> None:
    digest = b64encode(md5(b"<a/>", usedforsecurity=False).digest()).decode()
    assert emulator.upload(b"<a/>", "a.xml", **{"Content-MD5": digest}).headers["content-md5"] == digest
    assert emulator.upload(b"<b/>", "a.xml", **{"Content-MD5": digest}).status_code == 400


@pytest.mark.parametrize("name", [".metadata", "%2E%2E%2Fother.xml", "a b.xml"])
def test_upload_rejects_other_names(emulator: EmulatorRun, name: str) -> None:
    assert emulator.upload(b"<a/>", name).status_code in (400, 404)


def test_upload_rejects_a_document_over_the_limit(emulator: EmulatorRun) -> None:
    provider = emulator.emulator.providers.register(PROVIDER)
    host, port = emulator.running.address.removeprefix("http://").split(":")
    head = (
        f"PUT /blob/{provider.container}/a.xml{provider.access_signature} HTTP/1.1\r\nHost: {host}\r\n"
        f"x-ms-blob-type: BlockBlob\r\nContent-Length: {65 * 1024 * 1024}\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=WAIT_SECONDS) as connection:
        connection.sendall(head.encode())
        assert connection.recv(64).startswith(b"HTTP/1.1 413 ")


def test_recibe_receives_a_document_once_of_concurrent_deliveries(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    token = emulator.login()
    emulator.upload(xml, f"{uuid}.xml")
    with ThreadPoolExecutor(8) as pool:
        acuses = set(pool.map(lambda _: emulator.announce(token, uuid).content, range(8)))
    assert len(acuses) == 1
