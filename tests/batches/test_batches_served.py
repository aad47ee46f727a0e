"""Batches over HTTP: upload, state, cancellation, results, and SW's batch service."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from base64 import encodebytes
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lxml import etree
from starlette.types import Receive, Scope, Send
from tests.support.account_requests import ManagementClient
from tests.support.asgi import Answer, call
from tests.support.hostile_archives import zipped

from timbra import examples
from timbra.batches.build import batch_runner
from timbra.container.build import data_folder
from timbra.core.clock import to_central_mexico
from timbra.events.build import dispatch_events
from timbra.operations.build import operations_services

PATH, SOAP_PATH, ANA = "/batches", "/BatchService.svc", "ana@example.com"
BOUNDARY = "limite"
FAULT = "{http://schemas.xmlsoap.org/soap/envelope/}Fault"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagementClient]:
    opened = ManagementClient(Path(tmp_path_factory.mktemp("batches")) / "data", batch_max_bytes=400_000)
    opened.sandbox_app.store(opened.sandbox_app.mint())
    yield opened
    opened.sandbox_app.container.close()


def invoice(client: ManagementClient, folio: str) -> bytes:
    fecha = to_central_mexico(client.sandbox_app.now - timedelta(hours=1))
    return examples.ingreso({"@Folio": folio}, fecha=fecha).encode()


def multipart(archive: bytes | None, **fields: str) -> bytes:
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'.encode()
        for name, text in fields.items()
    ]
    if archive is not None:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="lote.zip"\r\n\r\n'
        parts.append(head.encode() + archive + b"\r\n")
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def upload(client: ManagementClient, body: bytes, user: str = ANA, kind: str = "") -> Answer:
    headers = {
        "Authorization": f"Bearer {client.tokens[user]}",
        "Content-Type": kind or f"multipart/form-data; boundary={BOUNDARY}",
        "Host": "timbra.example",
    }
    pieces = [body[start : start + 1_000] for start in range(0, len(body), 1_000)] or [b""]
    return call(client.app, "POST", PATH, headers=headers, body=pieces)


def download(client: ManagementClient, path: str, query: str) -> Answer:
    """Get a result; the application learns of a client that disconnects by its writes, not by `receive`."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await client.app({**scope, "asgi": {"version": "3.0", "spec_version": "2.4"}}, receive, send)

    return call(app, "GET", path, query=query)


def run_batches(client: ManagementClient) -> None:
    asyncio.run(client.sandbox_app.container.get(batch_runner).run_due())


def envelope(token: str, archive: bytes, operation: str = "ProcessBatchV3") -> bytes:
    pdf = "<tem:generatePdf>true</tem:generatePdf><tem:pdfTemplateId>cfdi40</tem:pdfTemplateId>"
    return (
        '<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" '
        'xmlns:tem="http://tempuri.org/"><soapenv:Header/><soapenv:Body>'
        f"<tem:{operation}><tem:token>{token}</tem:token><tem:originalFileName>a.zip</tem:originalFileName>{pdf}"
        f"<tem:content>{encodebytes(archive).decode()}</tem:content></tem:{operation}>"
        "</soapenv:Body></soapenv:Envelope>"
    ).encode()


def soap(client: ManagementClient, body: bytes) -> Answer:
    pieces = [body[start : start + 700] for start in range(0, len(body), 700)]
    return call(client.app, "POST", SOAP_PATH, headers={"Content-Type": "text/xml"}, body=pieces)


def fault_of(answer: Answer) -> tuple[str, str]:
    assert answer.status == 500
    root = etree.fromstring(answer.body)
    return root.findtext(".//faultstring") or "", root.findtext(".//messageDetail") or ""


def test_batch_is_received_processed_and_downloaded(client: ManagementClient) -> None:
    archive = zipped({"a.xml": invoice(client, "1"), "b.xml": b"<no-cfdi/>"})
    sent = upload(client, multipart(archive, operation="issue", pdf="false"))
    assert sent.status == 202, sent.body
    queued = sent.json["data"]
    assert (queued["status"], queued["fileName"], queued["files"]) == ("queued", "lote.zip", 2)
    one = f"{PATH}/{queued['id']}"
    run_batches(client)

    done = client.data("GET", one, user=ANA)

    assert (done["status"], done["stamped"], done["rejected"]) == ("done", 1, 1)
    assert client.data("GET", f"{PATH}?limit=5", user=ANA) == [done]
    assert client.data("GET", PATH) == []
    assert client.call("GET", one).status == 404
    assert done["urlOutput"].startswith(f"http://timbra.example{one}/output.zip?")
    address = urlsplit(done["urlOutput"])
    output = download(client, address.path, address.query)
    assert output.headers["content-type"] == "application/zip"
    assert zipfile.ZipFile(io.BytesIO(output.body)).namelist() == ["a.xml"]
    errors = urlsplit(done["urlReportError"])
    assert download(client, errors.path, errors.query).body.startswith(b"file,code,message,messageDetail")
    assert call(client.app, "GET", errors.path).status == 404
    assert call(client.app, "GET", address.path, query=errors.query).status == 404
    assert client.call("DELETE", one, user=ANA).status == 400


def test_rejection_has_a_code_in_the_report_and_in_the_event(client: ManagementClient) -> None:
    rejections = client.sandbox_app.container.get(operations_services).rejections
    rejections.flush()
    created = client.call("POST", "/webhooks", {"url": "https://erp.example/", "events": ["cfdi.rejected"]}, user=ANA)
    webhook = f"/webhooks/{created.json['data']['webhook']['id']}"
    sent = upload(client, multipart(zipped({"vacio.xml": b""})))
    run_batches(client)
    rejections.flush()

    errors = urlsplit(client.data("GET", f"{PATH}/{sent.json['data']['id']}", user=ANA)["urlReportError"])
    dispatch_events(client.sandbox_app.container)
    [line] = client.data("GET", f"{webhook}/deliveries", user=ANA)
    event = client.data("GET", f"{webhook}/deliveries/{line['eventId']}", user=ANA)

    assert download(client, errors.path, errors.query).body.decode().splitlines()[1:] == [
        "vacio.xml,301,Xml CFDI33 no proporcionado o viene vacio.,"
    ]
    told = json.loads(event["body"])["data"]["object"]
    assert (told["code"], told["detail"]) == ("301", "Xml CFDI33 no proporcionado o viene vacio.")


def test_queued_batch_is_cancelled(client: ManagementClient) -> None:
    sent = upload(client, multipart(zipped({"a.xml": invoice(client, "2")})))
    one = f"{PATH}/{sent.json['data']['id']}"
    assert client.call("DELETE", one).status == 404
    assert client.data("DELETE", one, user=ANA)["status"] == "cancelled"
    again = client.call("DELETE", one, user=ANA)
    assert again.json["message"].startswith("TB4031")


@pytest.mark.parametrize(
    ("body", "kind", "code", "sentence"),
    [
        (multipart(None, operation="issue"), "", "TB4030", "parte de nombre file"),
        (b"", "", "TB4030", "no trae un ZIP"),
        (multipart(b"no"), "", "TB4030", "no es un archivo ZIP"),
        (multipart(zipped({"../a.xml": b"<a/>"})), "", "TB4030", "carpeta"),
        (multipart(zipped({"a.xml": b"<a/>"}), operation="seal"), "", "TB4005", "operation"),
        (multipart(zipped({"a.xml": b"<a/>"}), pdf="si"), "", "TB4005", "pdf"),
        (multipart(zipped({"a.xml": b"<a/>"}), pdfTemplateId="otra"), "", "TB4005", "plantilla «otra»"),
        (multipart(zipped({"a.xml": b"<a/>"}), operation="x" * 300), "", "TB4005", "200 bytes"),
        (multipart(zipped({"a.xml": b"<a/>"}))[:-10], "", "TB4003", "incompleto"),
        (b"{}", "application/json", "TB4030", "multipart/form-data"),
        (multipart(b"x" * 600_000), "", "TB4001", "MiB"),
    ],
)
def test_upload_is_rejected_with_a_sentence(
    client: ManagementClient, body: bytes, kind: str, code: str, sentence: str
) -> None:
    answer = upload(client, body, kind=kind)
    assert answer.status == 400
    assert answer.json["message"].startswith(code)
    assert sentence in answer.json["messageDetail"]


def test_upload_needs_a_token(client: ManagementClient) -> None:
    assert call(client.app, "POST", PATH, body=multipart(zipped({"a.xml": b"<a/>"}))).status == 401


def test_upload_leaves_no_files(client: ManagementClient) -> None:
    upload(client, multipart(b"no"))
    assert list((client.sandbox_app.container.get(data_folder) / "batches").iterdir()) == []


@pytest.mark.parametrize("operation", ["ProcessBatchV2", "ProcessBatchV3"])
def test_soap_service_queues_sealed_documents(client: ManagementClient, operation: str) -> None:
    app = client.sandbox_app
    sealed = app.sealed(invoice(client, operation).decode(), app.mint())
    answer = soap(client, envelope(client.tokens[ANA], zipped({"a.xml": sealed}), operation))
    assert answer.status == 200
    root = etree.fromstring(answer.body)
    batch_id = root.findtext(f".//{{http://tempuri.org/}}{operation}Result")
    run_batches(client)
    batch = client.data("GET", f"{PATH}/{batch_id}", user=ANA)
    assert (batch["status"], batch["stamped"], batch["fileName"], batch["pdf"]) == ("done", 1, "a.zip", True)


def test_soap_service_answers_with_faults(client: ManagementClient) -> None:
    archive = zipped({"a.xml": b"<a/>"})
    token = client.tokens[ANA]
    good = envelope(token, archive)
    assert fault_of(soap(client, envelope("uno.dos", archive)))[0] == "El token debe contener 3 partes"
    assert fault_of(soap(client, envelope("", archive)))[0].startswith("AU4101")
    assert fault_of(soap(client, envelope(token[:-4] + "AAAA", archive)))[0].startswith("Firma inv")
    for body, sentence in (
        (b"no es xml", "No es XML"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]>" + good.partition(b"?>")[2], "DOCTYPE"),
        (good.replace(b"ProcessBatchV3", b"ProcessBatchV9"), "ProcessBatchV2"),
        (
            good.replace(b"http://schemas.xmlsoap.org/soap/envelope/", b"http://www.w3.org/2003/05/soap-envelope"),
            "SOAP",
        ),
        (good.replace(b"tem:content", b"tem:otro"), "content"),
        (good[:-30], "No es XML"),
        (good.replace(b"<tem:content>", b"<tem:content>&"), "No es XML"),
        (good.replace(b"<tem:originalFileName>", b"<tem:originalFileName>" + b"a" * 9_000), "demasiado texto"),
    ):
        message, detail = fault_of(soap(client, body))
        assert message.startswith("TB4032"), body[:80]
        assert sentence in detail
    message, detail = fault_of(soap(client, good.replace(b"<tem:content>", b"<tem:content>!")))
    assert (message[:6], detail) == ("TB4030", "El contenido no es base64.")
    assert fault_of(soap(client, envelope(token, b"no es un zip")))[0].startswith("TB4030")
    assert "pasa de" in fault_of(soap(client, envelope(token, b"x" * 450_000)))[1]


def test_soap_service_reads_little_without_a_token(client: ManagementClient) -> None:
    good = envelope(client.tokens[ANA], b"x" * 90_000)
    token = good[good.index(b"<tem:token>") : good.index(b"</tem:token>") + 12]
    last = good.replace(token, b"").replace(b"</tem:content>", b"</tem:content>" + token)
    assert fault_of(soap(client, last))[0].startswith("TB4030")
    padded = last.replace(b"<tem:content>", b"<tem:content>" + b" " * 300_000)
    assert "token va antes" in fault_of(soap(client, padded))[1]


def test_wsdl_has_both_operations(client: ManagementClient) -> None:
    for query in ("wsdl", ""):
        answer = call(client.app, "GET", SOAP_PATH, query=query, headers={"Host": "timbra.example"})
        root = etree.fromstring(answer.body)
        names = root.xpath("//*[local-name()='portType']/*/@name")
        assert names == ["ProcessBatchV2", "ProcessBatchV3"]
        assert root.xpath("//@location") == [f"http://timbra.example{SOAP_PATH}"]
