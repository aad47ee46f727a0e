"""Whole requests to a real server over a real container: framings, versions, and hostile documents."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.support.framings import FRAMINGS, STAMPING
from tests.support.leading_space import LEADING
from tests.support.server import PASSWORD, USER, Server, invoice, minted, running, sealed_invoice, seed
from tests.support.server_fixtures import RawAnswer, request
from tests.support.server_fixtures import Server as Socket

PLAIN = FRAMINGS["python"]
PROLOG = b'<?xml version="1.0" encoding="UTF-8"?>'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("edge") / "data"
    token = seed(data)
    with running(data, token=token, environment={"TIMBRA_MAX_BODY_BYTES": "2000000"}) as started:
        yield started


@pytest.fixture
def connection(server: Server) -> Socket:
    return Socket(server.process, int(server.address.rpartition(":")[2]))


def issued(connection: Socket, server: Server, xml: bytes, path: str = "/cfdi33/issue/v4") -> RawAnswer:
    return connection.send(PLAIN.request(xml, server.token, path))


def test_issue_reads_the_same_document_from_every_framing(server: Server, connection: Socket) -> None:
    xml = invoice(server.data, folio="framings")
    first = issued(connection, server, xml).json["data"]
    assert first["uuid"]
    for name in STAMPING:
        framing = FRAMINGS[name]
        path = framing.path.replace("stamp", "issue").replace("Stamp", "Issue")
        answer = connection.send(framing.request(xml, server.token, path))
        assert (answer.status, answer.json["message"][:4], answer.json["data"]) == (400, "307.", first), name
        assert answer.json["messageDetail"] == first["cfdi"], name


@pytest.mark.parametrize("version", ["v1", "v2", "v3", "v4"])
def test_issue_answers_each_version_in_plain_and_base64(server: Server, connection: Socket, version: str) -> None:
    xml = invoice(server.data, folio=f"version-{version}")
    plain = issued(connection, server, xml, f"/cfdi33/issue/{version}")
    encoded = issued(connection, server, b64encode(xml), f"/cfdi33/issue/{version}/b64")
    assert (plain.status, plain.json["status"]) == (200, "success")
    assert (encoded.status, encoded.json["message"][:4]) == (400, "307.")
    assert encoded.json["messageDetail"] == plain.json["data"].get("cfdi", encoded.json["messageDetail"])
    data: dict[str, str] = plain.json["data"]
    for key, value in data.items():
        text = encoded.json["data"][key]
        assert (b64decode(text).decode() if key in ("tfd", "cfdi") else text) == value
    for key in {"tfd", "cfdi"} & set(data):
        assert data[key].startswith("<?xml")
    if version == "v4":
        assert b64decode(data["qrCode"]).startswith(b"\x89PNG")


def test_issue_makes_one_stamp_for_concurrent_identical_requests(server: Server, connection: Socket) -> None:
    xml = invoice(server.data, folio="twins")
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: issued(connection, server, xml), range(6)))
    assert sorted(answer.status for answer in answers) == [200, 400, 400, 400, 400, 400]
    assert len({answer.json["data"]["uuid"] for answer in answers}) == 1


def test_issue_accepts_tokens_of_both_login_styles(server: Server, connection: Socket) -> None:
    for sent in (
        request("/v2/security/authenticate", [], json.dumps({"user": USER, "password": PASSWORD}).encode()),
        request("//security/authenticate/", [f"user: {USER}", f"password: {PASSWORD}".encode().decode("latin-1")], b""),
    ):
        session = connection.send(sent).json["data"]
        assert session["token"].count(".") == 2
        stamped = connection.send(
            PLAIN.request(invoice(server.data, folio=session["token"][-20:]), session["token"], "/cfdi33/issue/v3")
        )
        report = connection.send(
            PLAIN.request(stamped.json["data"]["cfdi"].encode(), session["token"], "/validate/cfdi")
        )
        assert (report.status, report.json["statusSat"]) == (200, "Vigente")


def hostile() -> dict[str, bytes]:
    lol = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 10))
    return {
        "no XML": b"this is no XML",
        "stray markup": b"<a><b></a>",
        "two roots": b"<a/><b/>",
        "only a declaration": PROLOG,
        "NUL bytes": b"<a>\x00</a>",
        "all NUL": b"\x00" * 1000,
        "Latin-1 declared as UTF-8": PROLOG + "<a b='Ñ'/>".encode("latin-1"),
        "declared as Latin-1": b'<?xml version="1.0" encoding="ISO-8859-1"?>' + "<a b='Ñ'/>".encode("latin-1"),
        "UTF-16": '<?xml version="1.0" encoding="UTF-16"?><a/>'.encode("utf-16"),
        "UTF-16 without a mark": '<?xml version="1.0" encoding="UTF-16LE"?><a/>'.encode("utf-16-le"),
        "external entity": PROLOG + b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        "external DTD": PROLOG + b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>',
        "parameter entity": PROLOG + b'<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><a/>',
        "billion laughs": PROLOG + b'<!DOCTYPE a [<!ENTITY l0 "lol">' + lol + b"]><a>&l9;</a>",
        "10,000 levels": b"<a>" * 10_000 + b"</a>" * 10_000,
        "many attributes": b"<a " + b" ".join(b'a%d=""' % n for n in range(5000)) + b"/>",
        "another document": PROLOG + b"<html/>",
        "a certificate": b"\x30\x82\x06\x15\x30\x82" + bytes(range(256)) * 4,
    }


@pytest.mark.parametrize("case", hostile())
@pytest.mark.parametrize("path", ["/cfdi33/issue/v4", "/cfdi33/stamp/v1", "/cfdi33/stamp/v4/b64", "/validate/cfdi"])
def test_endpoints_reject_hostile_documents_with_301(server: Server, connection: Socket, case: str, path: str) -> None:
    xml = hostile()[case]
    answer = issued(connection, server, b64encode(xml) if path.endswith("b64") else xml, path)
    assert answer.status == 400
    assert answer.json["message"] == "301 - La estructura del comprobante es incorrecta."
    assert answer.json["messageDetail"]
    assert (answer.json["data"], answer.json["status"]) == (None, "error")
    assert b"root:" not in answer.body
    assert connection.send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").status == 200


@pytest.mark.parametrize(
    "xml",
    [
        PROLOG + b'<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/3" Version="3.3"/>',
        PROLOG + b'<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/5" Version="5.0"/>',
        PROLOG + b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/2" Version="2.0"/>',
    ],
)
@pytest.mark.parametrize("path", ["/cfdi33/issue/v4", "/cfdi33/stamp/v4"])
def test_endpoints_reject_documents_of_other_standards(
    server: Server, connection: Socket, xml: bytes, path: str
) -> None:
    answer = issued(connection, server, xml, path)
    assert (answer.status, answer.json["data"], answer.json["status"]) == (400, None, "error")
    assert not answer.json["message"].startswith("CO1000")
    assert answer.json["messageDetail"]


def test_issue_rejects_a_body_over_the_limit(server: Server, connection: Socket) -> None:
    answer = issued(connection, server, b"x" * 2_000_001)
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4001")


def test_issue_json_accepts_wrapped_invoices(server: Server, connection: Socket) -> None:
    head = [f"Authorization: bearer {server.token}", "Content-Type: application/jsontoxml"]
    body: dict[str, Any] = {"invalid": "x"}
    answer = connection.send(request("/v3/cfdi33/issue/json/v4", head, json.dumps(body).encode()))
    assert (answer.status, answer.json["status"]) == (400, "error")
    wrapped = json.dumps({"data": b64encode(invoice(server.data, folio="json")).decode()}).encode()
    head = [f"Authorization: Bearer {server.token}", "Content-Type: application/json"]
    answer = connection.send(request("/cfdi33/issue/json/v4/b64", head, wrapped))
    assert (answer.status, answer.json["status"]) == (200, "success")


def sent_by_every_route(server: Server, xml: bytes, operation: str) -> list[bytes]:
    """Return the requests of all routes with the document."""
    path, json_type = f"/cfdi33/{operation}", "Content-Type: application/json"
    requests = [
        PLAIN.request(xml, server.token, f"{path}/v4"),
        PLAIN.request(b64encode(xml), server.token, f"{path}/v4"),
        PLAIN.request(b64encode(xml), server.token, f"{path}/v4/b64"),
    ]
    if operation == "issue":
        head = [f"Authorization: Bearer {server.token}", json_type]
        plain, encoded = (json.dumps({"data": each.decode()}).encode() for each in (xml, b64encode(xml)))
        requests.append(request(f"{path}/json/v4", head, plain))
        requests.append(request(f"{path}/json/v4/b64", head, encoded))
    return requests


@pytest.mark.parametrize("operation", ["issue", "stamp"])
def test_routes_find_a_document_again_with_any_white_space_before_its_root(
    server: Server, connection: Socket, operation: str
) -> None:
    folio = f"white-{operation}"
    made = (
        invoice(server.data, folio) if operation == "issue" else sealed_invoice(server.data, minted(server.data), folio)
    )
    xml = made[made.index(b"<cfdi:Comprobante") :]
    first = connection.send(sent_by_every_route(server, b"\n" + xml, operation)[0])
    assert first.status == 200, first.json
    stamped = first.json["data"]["cfdi"]
    for before in LEADING:
        for number, sent in enumerate(sent_by_every_route(server, before + xml, operation)):
            answer = connection.send(sent)
            assert (answer.status, answer.json["message"][:4]) == (400, "307."), (before[:10], number, answer.json)
            assert answer.json["messageDetail"] == stamped
        content = before + stamped[stamped.index("<cfdi:Comprobante") :].encode()
        report = connection.send(PLAIN.request(content, server.token, "/validate/cfdi"))
        assert (report.json["status"], report.json["uuid"]) == ("success", first.json["data"]["uuid"])


def test_sandbox_serves_the_certificate_of_a_stamp(server: Server, connection: Socket) -> None:
    data = issued(connection, server, invoice(server.data, folio="published")).json["data"]
    line = f"GET /sandbox/certificates/{data['noCertificadoSAT']}.cer HTTP/1.1\r\nHost: x\r\n\r\n"
    answer = connection.send(line.encode())
    assert (answer.status, answer.body[:1]) == (200, b"0")
