"""The bytes that published clients send, to a running server: every framing yields the same document."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable

import pytest
from tests.api.fake_house import TOKEN
from tests.api.served import RawAnswer, Server, read_answer, request

XML = '<?xml version="1.0" encoding="UTF-8"?>\n<cfdi:Comprobante Nombre="Ñandú">\r\n</cfdi:Comprobante>\n'.encode()
BOUNDARY = "6aRE9KJzRMDv3xpt4DINItD3YBtxM6"
DASHES = "-------------6b00153f0ab9b"
LONG_DASHES = "----------------------------8db1c2a3b4c5d6e"
INNER = "f4c09d9e-ea7f-4b53-973d-fefb49d94fde"
OUTER = "kvjY2Hy_vvZKtlTqMicqdJ8xaoJD9ml_3bF_i"
NET_PART = ["Content-Disposition: form-data; name=xml; filename=xml; filename*=utf-8''xml"]
PYTHON_PART = [
    "Content-Type: text/xml",
    "Content-Transfer-Encoding: binary",
    'Content-Disposition: form-data; name="xml"; filename="xml"',
]
CURL_PART = ['Content-Disposition: form-data; name="xml"; filename="xml"', "Content-Type: text/xml"]
JAVA_PART = ["Content-Disposition: form-data; name=xml; filename=xml", "Content-Type: application/xml"]


def part(
    boundary: str, headers: Iterable[str], content: bytes = XML, *, before: bytes = b"", end: bytes = b""
) -> bytes:
    head = "\r\n".join([f"--{boundary}", *headers, "", ""]).encode()
    return before + head + content + f"\r\n--{boundary}--".encode() + end


def nested(headers: list[str], outer: str) -> bytes:
    inner = part(INNER, headers, end=b"\r\n")
    return f"--{OUTER}\r\n{outer}\r\n\r\n".encode() + inner + f"--{OUTER}--\r\n".encode()


def bare(boundary: str) -> str:
    return f"Content-Type: multipart/form-data; boundary={boundary}"


UPPER = f"Authorization: Bearer {TOKEN}"
LOWER = f"Authorization: bearer {TOKEN}"
JAVA_BODY = nested(JAVA_PART, 'Content-Disposition: form-data; name="xml"')
JAVA18_VALIDATE = nested(
    ["Content-Disposition: form-data; name=xml;filename=xml", "Content-Type: application/xml"],
    'Content-Disposition: form-data; name="xml"; filename="name"',
)

CLIENTS = {
    "python": request("/cfdi33/stamp/v4", [UPPER, bare(BOUNDARY)], part(BOUNDARY, PYTHON_PART)),
    "ruby": request("/cfdi33/issue/v4", [UPPER, bare(BOUNDARY)], part(BOUNDARY, PYTHON_PART)),
    "php": request("//cfdi33/stamp/v4", ["Accept: */*", bare(DASHES), UPPER], part(DASHES, CURL_PART, end=b"\r\n")),
    "php with a header that swallowed others": request(
        "/v4/cfdi33/stamp/v4",
        [UPPER, bare(DASHES), "customid: id-2','extra: pdf','email: a@b.mx'"],
        part(DASHES, CURL_PART, end=b"\r\n"),
    ),
    "nodejs": request("/cfdi33/stamp/v4", [bare(DASHES), UPPER], part(DASHES, CURL_PART, end=b"\r\n")),
    "nodejs issue": request(
        "/v4/cfdi33/issue/v4",
        [bare("----IssueBoundary1f2e"), UPPER, "customid: 1", "extra: pdf", "email: a@b.mx,c@d.mx"],
        part("----IssueBoundary1f2e", CURL_PART, end=b"\r\n"),
    ),
    "java": request(
        "/cfdi33/stamp/V4",
        [LOWER, bare(INNER), "Content-Disposition: form-data; name=xml; filename=xml", "Accept-Encoding: gzip,deflate"],
        JAVA_BODY,
    ),
    "java18": request(
        "/cfdi33/stamp/v4/",
        [LOWER, bare("_ZdW_vbK6H1d2lLLq8HPe0Kf6-KKS5ZqYNgMpp")],
        part(
            "_ZdW_vbK6H1d2lLLq8HPe0Kf6-KKS5ZqYNgMpp",
            [
                'Content-Disposition: form-data; name="xml"; filename="name"',
                "Content-Type: text/xml",
                "Content-Transfer-Encoding: binary",
            ],
            end=b"\r\n",
        ),
    ),
    "dotnet, HTTP/1.0": request(
        "/cfdi33/stamp/v4/",
        [LOWER, bare(LONG_DASHES)],
        part(
            LONG_DASHES,
            ['Content-Disposition: form-data; name="xml"; filename="xml"', "Content-Type: application/octet-stream"],
            before=b"\r\n",
        ),
        version="1.0",
    ),
    "dotnet45": request(
        "/v4/cfdi33/stamp/v4//analytics",
        [LOWER, f'Content-Type: multipart/form-data; boundary="{INNER}"', "customId: a"],
        part(INNER, NET_PART, end=b"\r\n"),
    ),
    "netstandard": request(
        "/cfdi33/stamp/V4/",
        [LOWER, f'Content-Type: multipart/form-data; boundary="{INNER}"'],
        part(INNER, NET_PART, end=b"\r\n"),
    ),
    "net6": request(
        "/V4//cfdi33/Issue/V4/",
        [LOWER, f'Content-Type: multipart/form-data; boundary="{INNER}"', "customid:", "pdf:", "email: a@b.mx"],
        part(INNER, NET_PART, end=b"\r\n"),
    ),
    "go": request(
        "/cfdi33/stamp/v4",
        [LOWER, bare("a" * 60), "Accept-Encoding: gzip, deflate, br"],
        part(
            "a" * 60,
            ['Content-Disposition: form-data; name="xml"; filename="a.xml"', "Content-Type: application/octet-stream"],
            end=b"\r\n",
        ),
    ),
    "satcfdi": request(
        "/v4/cfdi33/stamp/v4",
        [UPPER, bare("0123456789abcdef" * 2), "Cache-Control: no-cache"],
        part("0123456789abcdef" * 2, CURL_PART, end=b"\r\n"),
    ),
    "a form field instead of a file": request(
        "/cfdi33/stamp/v4/",
        [UPPER, bare("---011000010111000001101001")],
        part("---011000010111000001101001", ['Content-Disposition: form-data; name="xml"'], end=b"\r\n"),
    ),
}


def same_document(answer: RawAnswer) -> bool:
    return answer.status == 200 and str(answer.json["data"]["cfdi"]).encode("latin-1") == XML


@pytest.mark.parametrize("client", CLIENTS)
def test_every_framing_yields_the_same_document(server: Server, client: str) -> None:
    assert same_document(server.send(CLIENTS[client]))


@pytest.mark.parametrize(
    "path", ["/cfdi33/stamp/v4/b64", "/cfdi33/stamp/v4/b64/", "/V4//cfdi33/Issue/V4/b64", "/cfdi33/stamp/v4"]
)
def test_base64(server: Server, path: str) -> None:
    sent = request(path, [UPPER, bare(BOUNDARY)], part(BOUNDARY, PYTHON_PART, b64encode(XML)))
    answer = server.send(sent)
    assert answer.status == 200
    expected = XML.decode("latin-1")
    assert answer.json["data"]["cfdi"] in (expected, b64encode(expected.encode()).decode())


def test_byte_order_mark(server: Server) -> None:
    marked = b"\xef\xbb\xbf" + XML
    answer = server.send(request("/cfdi33/stamp/v4", [UPPER, bare(BOUNDARY)], part(BOUNDARY, PYTHON_PART, marked)))
    assert answer.json["data"]["cfdi"].encode("latin-1") == marked


def test_http_1_0_gets_a_length_and_the_end_of_the_connection(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(CLIENTS["dotnet, HTTP/1.0"])
        answer = read_answer(connection)
        assert connection.recv(1) == b""
    assert answer.header("transfer-encoding") is None
    assert answer.header("content-encoding") is None
    assert answer.header("content-length") == str(len(answer.body))


def test_chunked(server: Server) -> None:
    body = part(BOUNDARY, PYTHON_PART)
    head = request("/cfdi33/stamp/v4", [UPPER, bare(BOUNDARY), "Transfer-Encoding: chunked"], b"", length=-1)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (body[:7], body[7:50], body[50:]))
    assert same_document(server.send(head + chunks + b"0\r\n\r\n"))


def test_expect_continue(server: Server) -> None:
    body = part(BOUNDARY, PYTHON_PART)
    head = request("/cfdi33/stamp/v4", [UPPER, bare(BOUNDARY), "Expect: 100-continue"], b"", length=len(body))
    with server.connect() as connection:
        connection.sendall(head)
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert same_document(read_answer(connection))


def test_expect_continue_of_a_body_over_the_limit(server: Server) -> None:
    head = request("/cfdi33/stamp/v4", [UPPER, bare(BOUNDARY), "Expect: 100-continue"], b"", length=10_000_000)
    with server.connect() as connection:
        connection.sendall(head)
        answer = read_answer(connection)
        assert connection.recv(1) == b""
    assert (answer.status, answer.json["message"][:6], answer.header("connection")) == (400, "TB4001", "close")


def test_validation_framings(server: Server) -> None:
    java = part(INNER, JAVA_PART)
    for path, body in (
        ("/validate/cfdi33", java),
        ("/validate/cfdi33/", java),
        ("/validate/cfdi", JAVA18_VALIDATE),
        ("/validate/cfdi?validatestatus=false", java),
        ("/validate/cfdi?ValidateStatus=FALSE", java),
    ):
        answer = server.send(request(path, [LOWER, bare(INNER)], body))
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
def test_logins(server: Server, sent: bytes) -> None:
    answer = server.send(sent)
    assert (answer.status, answer.json["data"]["token"]) == (200, TOKEN)


def test_a_length_counted_in_characters_is_answered_and_the_rest_is_dropped(server: Server) -> None:
    body = '{"user":"u","password":"páé"}'.encode()
    answer = server.send(request("/v2/security/authenticate", [], body, length=len(body) - 2))
    assert (answer.status, answer.json["message"][:6]) == (400, "AU2000")
    assert answer.header("connection") == "close"


def test_two_requests_on_one_connection(server: Server) -> None:
    with server.connect() as connection:
        for client in ("python", "java", "net6"):
            connection.sendall(CLIENTS[client])
            assert same_document(read_answer(connection))


def test_pipelined_requests(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(CLIENTS["python"] + CLIENTS["java"])
        both = b""
        while both.count(b'"status":"success"') < 2:
            both += connection.recv(65536)
    assert both.count(b"HTTP/1.1 200 OK") == 2


def test_a_client_that_closes_its_sending_side_gets_its_answer(server: Server) -> None:
    assert same_document(server.send(CLIENTS["python"], half_close=True))
