"""The bytes of published clients, sent to a running server: every framing yields the same document."""

from __future__ import annotations

from base64 import b64encode
from time import sleep

import pytest
from tests.support.fake_services import TOKEN
from tests.support.framings import BOUNDARY, FRAMINGS, PYTHON_PART, STAMPING, chunked, part
from tests.support.server_fixtures import RawAnswer, Server, read_answer, request

XML = '<?xml version="1.0" encoding="UTF-8"?>\n<cfdi:Comprobante Nombre="Ñandú">\r\n</cfdi:Comprobante>\n'.encode()
UPLOAD = [f"Authorization: Bearer {TOKEN}", f"Content-Type: multipart/form-data; boundary={BOUNDARY}"]
CLIENTS = {name: FRAMINGS[name].request(XML, TOKEN) for name in STAMPING}


def same_document(answer: RawAnswer) -> bool:
    return answer.status == 200 and str(answer.json["data"]["cfdi"]).encode("latin-1") == XML


@pytest.mark.parametrize("client", CLIENTS)
def test_server_reads_the_same_document_from_every_framing(server: Server, client: str) -> None:
    assert same_document(server.send(CLIENTS[client]))


@pytest.mark.parametrize(
    "path", ["/cfdi33/stamp/v4/b64", "/cfdi33/stamp/v4/b64/", "/V4//cfdi33/Issue/V4/b64", "/cfdi33/stamp/v4"]
)
def test_server_decodes_base64_with_and_without_suffix(server: Server, path: str) -> None:
    sent = request(path, UPLOAD, part(BOUNDARY, PYTHON_PART, b64encode(XML)))
    answer = server.send(sent)
    assert answer.status == 200
    expected = XML.decode("latin-1")
    assert answer.json["data"]["cfdi"] in (expected, b64encode(expected.encode()).decode())


def test_server_keeps_a_byte_order_mark(server: Server) -> None:
    marked = b"\xef\xbb\xbf" + XML
    answer = server.send(request("/cfdi33/stamp/v4", UPLOAD, part(BOUNDARY, PYTHON_PART, marked)))
    assert answer.json["data"]["cfdi"].encode("latin-1") == marked


def test_server_answers_http_1_0_with_a_length_and_closes(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(CLIENTS["dotnet, HTTP/1.0"])
        answer = read_answer(connection)
        assert connection.recv(1) == b""
    assert answer.header("transfer-encoding") is None
    assert answer.header("content-encoding") is None
    assert answer.header("content-length") == str(len(answer.body))


def test_server_reads_a_chunked_body(server: Server) -> None:
    body = part(BOUNDARY, PYTHON_PART, XML)
    head = request("/cfdi33/stamp/v4", [*UPLOAD, "Transfer-Encoding: chunked"], b"", length=-1)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (body[:7], body[7:50], body[50:]))
    assert same_document(server.send(head + chunks + b"0\r\n\r\n"))


UPGRADE = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAAB"]
"""Headers of the HTTP client of Java 11 and newer: an offer of HTTP/2, which a server may ignore."""


@pytest.mark.parametrize("split", [None, "\r\n\r\n", "Upgrade", "<cfdi"])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_server_ignores_an_offer_of_http_2(server: Server, split: str | None, is_chunked: bool) -> None:
    sent = request("/cfdi33/stamp/v4", [*UPLOAD, *UPGRADE], part(BOUNDARY, PYTHON_PART, XML))
    sent = chunked(sent) if is_chunked else sent
    at = len(sent) if split is None else sent.index(split.encode()) + len(split)
    with server.connect() as connection:
        for _ in range(2):
            connection.sendall(sent[:at])
            if sent[at:]:
                sleep(0.02)  # the server reads the first segment alone
                connection.sendall(sent[at:])
            assert same_document(read_answer(connection))
        connection.sendall(CLIENTS["python"])
        assert same_document(read_answer(connection))


def test_server_answers_pipelined_offers_of_http_2(server: Server) -> None:
    offer = request("/cfdi33/stamp/v4", [*UPLOAD, *UPGRADE], part(BOUNDARY, PYTHON_PART, XML))
    with server.connect() as connection:
        connection.sendall(offer + CLIENTS["python"] + offer)
        received = b""
        while received.count(b'"status":"success"}') < 3:
            piece = connection.recv(65536)
            assert piece, received
            received += piece
    assert received.count(b"HTTP/1.1 200 OK") == 3


def test_server_reads_many_offers_of_http_2_in_one_segment(server: Server) -> None:
    offer = request("/health/live", UPGRADE, b"", method="GET")
    with server.connect() as connection:
        connection.sendall(offer * 400 + request("/health/live", ["Connection: close"], b"", method="GET"))
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.count(b"HTTP/1.1 200 OK") == 401


def test_server_rejects_a_malformed_body_after_an_offer_of_http_2(server: Server) -> None:
    head = request("/cfdi33/stamp/v4", [*UPLOAD, *UPGRADE, "Transfer-Encoding: chunked"], b"", length=-1)
    assert server.send(head + b"zz\r\n").status == 400


def test_server_answers_expect_continue(server: Server) -> None:
    body = part(BOUNDARY, PYTHON_PART, XML)
    head = request("/cfdi33/stamp/v4", [*UPLOAD, "Expect: 100-continue"], b"", length=len(body))
    with server.connect() as connection:
        connection.sendall(head)
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert same_document(read_answer(connection))


def test_server_rejects_expect_continue_of_a_body_over_the_limit(server: Server) -> None:
    head = request("/cfdi33/stamp/v4", [*UPLOAD, "Expect: 100-continue"], b"", length=10_000_000)
    with server.connect() as connection:
        connection.sendall(head)
        answer = read_answer(connection)
        assert connection.recv(1) == b""
    assert (answer.status, answer.json["message"][:6], answer.header("connection")) == (400, "TB4001", "close")


@pytest.mark.parametrize("client", ["java validate", "java18 validate", "python"])
@pytest.mark.parametrize(
    "path", ["/validate/cfdi33", "/validate/cfdi33/", "/validate/cfdi", "/validate/cfdi?validateStatus=FALSE"]
)
def test_validate_reads_framings_of_clients(server: Server, client: str, path: str) -> None:
    answer = server.send(FRAMINGS[client].request(XML, TOKEN, path))
    assert (answer.status, answer.json["status"]) == (200, "success")


@pytest.mark.parametrize(
    "sent",
    [
        request(
            "/v2/security/authenticate", ["Content-Type: application/json"], b'{"user": "u", "password": "p\\u00e1"}'
        ),
        request("/v2/security/authenticate", ["Accept-Encoding: UTF-8"], b'{"user": "u", "password": "p"}'),
        request("/v2/security/authenticate", [], '{"user":"u","password":"pá"}'.encode("latin-1")),
        request("/v2/security/authenticate", [], b'{"User":"u","Password":"p"}'),
        request("/security/authenticate", ["user: u", "password: p"], b""),
        request("//security/authenticate", ["user: u", "password: p", "Authorization:"], b""),
        request("/security/authenticate", ["user: u", "password: p"], b"", length=-1),
    ],
)
def test_authenticate_reads_logins_of_clients(server: Server, sent: bytes) -> None:
    answer = server.send(sent)
    assert (answer.status, answer.json["data"]["token"]) == (200, TOKEN)


def test_server_closes_the_connection_when_the_length_is_too_short(server: Server) -> None:
    body = '{"user":"u","password":"páé"}'.encode()
    answer = server.send(request("/v2/security/authenticate", [], body, length=len(body) - 2))
    assert (answer.status, answer.json["message"][:6]) == (400, "AU2000")
    assert answer.header("connection") == "close"


def test_server_keeps_the_connection_for_further_requests(server: Server) -> None:
    with server.connect() as connection:
        for client in ("python", "java", "net6"):
            connection.sendall(CLIENTS[client])
            assert same_document(read_answer(connection))


def test_server_answers_pipelined_requests(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(CLIENTS["python"] + CLIENTS["java"])
        both = b""
        while both.count(b'"status":"success"') < 2:
            both += connection.recv(65536)
    assert both.count(b"HTTP/1.1 200 OK") == 2


def test_server_answers_a_half_closed_connection(server: Server) -> None:
    assert same_document(server.send(CLIENTS["python"], half_close=True))
