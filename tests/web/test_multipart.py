"""The multipart reader: requests of clients, and agreement with the reader of the standard library."""

from __future__ import annotations

from collections.abc import Iterator
from email import policy
from email.parser import BytesParser
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.account_requests import ManagementClient
from tests.support.api_rejections import outcome
from tests.support.asgi import call

from timbra.app.operation_table import OPERATIONS
from timbra.core.errors import ServiceError
from timbra.web.framework.operation import Operation
from timbra.web.framework.router import placeholders
from timbra.web.parsing.multipart import part_file_name, part_places, xml_part

MAX_PARTS = 32

XML = '<?xml version="1.0" encoding="UTF-8"?>\r\n<cfdi:Comprobante Nombre="Ñ">\n</cfdi:Comprobante>'.encode()
PLAIN = b'Content-Disposition: form-data; name="xml"; filename="xml"'


def body(boundary: str, *headers: bytes, content: bytes = XML, end: bytes = b"\r\n") -> bytes:
    line = b"--" + boundary.encode()
    return line + b"\r\n" + b"\r\n".join(headers) + b"\r\n\r\n" + content + b"\r\n" + line + b"--" + end


@pytest.mark.parametrize(
    "headers",
    [
        (PLAIN,),
        (PLAIN, b"Content-Type: text/xml"),
        (b"Content-Type: text/xml", b"Content-Transfer-Encoding: binary", PLAIN),
        (b"Content-Disposition: form-data; name=xml; filename=xml; filename*=utf-8''xml",),
        (b"Content-Disposition: form-data; name=xml;filename=xml", b"Content-Type: application/xml"),
        (b'Content-Disposition: form-data; filename="a; name=no.xml"; name="xml"',),
        (b'Content-Disposition: form-data; filename="a \\" b.xml"; name="xml"',),
        (b"content-disposition:form-data;name=xml",),
        (b'Content-Disposition: form-data;\r\n name="xml"', b"X-Other: name=no"),
    ],
)
def test_xml_part_reads_part_headers_of_clients(headers: tuple[bytes, ...]) -> None:
    assert xml_part(body("b1", *headers), "multipart/form-data; boundary=b1") == XML


@pytest.mark.parametrize("quote", ["", '"', "'"])
@pytest.mark.parametrize("name", ["xml", "XML", "Xml"])
@pytest.mark.parametrize("order", ["{name}", "{file}; {name}", "{name}; {file}"])
@pytest.mark.parametrize("file", ["a.xml", "it's", "a; name=no", "name='no'; b"])
def test_parts_are_found_in_any_quotes_and_case(quote: str, name: str, order: str, file: str) -> None:
    for around in {'"', *(["'"] if "'" not in file else []), *([""] if file == "a.xml" else [])}:
        parameters = order.format(name=f"name={quote}{name}{quote}", file=f"filename={around}{file}{around}")
        sent = body("b1", f"Content-Disposition: form-data; {parameters}".encode())
        assert xml_part(sent, "multipart/form-data; boundary=b1") == XML
        places = part_places(sent, "multipart/form-data; boundary=b1")
        assert [sent[start:end] for start, end in places.values()] == [XML]
        assert list(places) == ["xml"]
        if "{file}" in order:
            assert part_file_name(sent, "multipart/form-data; boundary=b1", "xml") == file


@pytest.mark.parametrize("other", ["'xml'", '"XML"', "Xml"])
def test_two_parts_whose_names_differ_in_form_only_are_rejected(other: str) -> None:
    second = f"Content-Disposition: form-data; name={other}".encode()
    sent = body("b1", PLAIN).removesuffix(b"--\r\n") + b"\r\n" + second + b"\r\n\r\nx\r\n--b1--\r\n"
    for read in (xml_part, part_places):
        with pytest.raises(ServiceError, match="TB4003"):
            read(sent, "multipart/form-data; boundary=b1")


@pytest.mark.parametrize(
    ("boundary", "content_type"),
    [
        ("-------------6b00153f0ab9b", "multipart/form-data; boundary=-------------6b00153f0ab9b"),
        ("a-b c", 'multipart/form-data; boundary="a-b c"'),
        ("b1", "Multipart/Form-Data;BOUNDARY=b1;charset=utf-8"),
        ("b1", 'multipart/form-data; charset="x; boundary=no"; boundary=b1'),
        ("'b1'", "multipart/form-data; boundary='b1'"),
        ("b'()+_,-./:=?", 'multipart/form-data; boundary="b\'()+_,-./:=?"'),
    ],
)
def test_xml_part_reads_declared_boundaries(boundary: str, content_type: str) -> None:
    assert xml_part(body(boundary, PLAIN), content_type) == XML


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n" + body("b1", PLAIN),
        body("b1", PLAIN, end=b""),
        b"preamble --b1 inside\r\n--b1x\r\n" + body("b1", PLAIN) + b"--outer--\r\n",
        body("b1", PLAIN).replace(b"--b1\r\n", b"--b1 \t\r\n"),
        body("b1", PLAIN) + b"epilogue\r\n--b1\r\n" + PLAIN + b"\r\n\r\nno\r\n--b1--",
        b"--b1\r\nContent-Disposition: form-data; name=other\r\n\r\n--b1 no\r\n" + body("b1", PLAIN),
        b"--b1\r\n\r\nwithout headers\r\n" + body("b1", PLAIN),
    ],
)
def test_xml_part_ignores_bytes_around_the_part(sent: bytes) -> None:
    assert xml_part(sent, "multipart/form-data; boundary=b1") == XML


def test_xml_part_reads_a_nested_body_that_declares_the_inner_boundary() -> None:
    inner = body("inner-1", b"Content-Disposition: form-data; name=xml; filename=xml", b"Content-Type: application/xml")
    outer = b'--outer_2\r\nContent-Disposition: form-data; name="xml"\r\n\r\n' + inner + b"\r\n--outer_2--\r\n"
    assert xml_part(outer, "multipart/form-data; boundary=inner-1") == XML


def test_xml_part_accepts_bare_line_feeds() -> None:
    sent = body("b1", PLAIN, content=b"<a/>").replace(b"\r\n", b"\n")
    assert xml_part(sent, "multipart/form-data; boundary=b1") == b"<a/>"


@pytest.mark.parametrize(
    ("sent", "content_type", "code"),
    [
        (b"", "multipart/form-data; boundary=b1", "xml-missing"),
        (b"<xml/>", "text/xml", "xml-missing"),
        (b"<xml/>", "", "xml-missing"),
        (body("b1", PLAIN, content=b""), "multipart/form-data; boundary=b1", "xml-missing"),
        (body("b1", b"Content-Disposition: form-data; name=cfdi"), "multipart/form-data; boundary=b1", "xml-missing"),
        (body("b1", b"Content-Type: text/xml"), "multipart/form-data; boundary=b1", "xml-missing"),
        (b"--b1--\r\n", "multipart/form-data; boundary=b1", "xml-missing"),
        (body("b1", PLAIN)[:-8], "multipart/form-data; boundary=b1", "TB4003"),
        (body("b1", PLAIN)[:40], "multipart/form-data; boundary=b1", "TB4003"),
        (b"--b1", "multipart/form-data; boundary=b1", "TB4003"),
        (body("b1", PLAIN), "multipart/form-data; boundary=b2", "TB4003"),
        (body("b1", PLAIN), "multipart/form-data", "TB4003"),
        (body("b1", PLAIN), 'multipart/form-data; boundary=""', "TB4003"),
        (body("b1", PLAIN), "multipart/form-data; boundary=" + "b" * 300, "TB4003"),
        (body("b1", PLAIN, b"X: " + b"y" * 9000), "multipart/form-data; boundary=b1", "TB4003"),
        (body("b1", PLAIN)[:-8] + body("b1", PLAIN), "multipart/form-data; boundary=b1", "TB4003"),
        (b"--b1\r\n\r\nx\r\n" * (MAX_PARTS + 1) + b"--b1--", "multipart/form-data; boundary=b1", "TB4003"),
    ],
)
def test_xml_part_rejects_other_bodies(sent: bytes, content_type: str, code: str) -> None:
    with pytest.raises(ServiceError) as rejected:
        xml_part(sent, content_type)
    assert rejected.value.code == code


MULTIPART = [
    operation
    for operation in OPERATIONS
    if any(payload.media_type == "multipart/form-data" for payload in operation.payloads)
    and operation.name != "received-add"  # its parts have any name
]
OTHER_PARTS = {"batches-create": ("file", b"no"), "reconciliations-create": ("rfc", b"EKU9003173C9")}
"""Name and content of a part of operations that read no part `xml`."""


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagementClient]:
    opened = ManagementClient(tmp_path_factory.mktemp("parts") / "data")
    yield opened
    opened.sandbox_app.container.close()


def rejection_of(routes: ManagementClient, operation: Operation, name: str, content: bytes) -> tuple[int, str, str]:
    path = operation.paths[0]
    for placeholder in placeholders(path):
        path = path.replace(f"{{{placeholder}}}", operation.choices[placeholder][0])
    sent = body("b1", f"Content-Disposition: form-data; name={name}; filename='a.zip'".encode(), content=content)
    token = routes.tokens["jefa@example.com"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "multipart/form-data; boundary=b1"}
    answer = call(routes.app, operation.method, path, headers=headers, body=sent)
    return answer.status, answer.json["message"], answer.json["messageDetail"] or ""


@pytest.mark.parametrize("operation", MULTIPART, ids=lambda operation: operation.name)
def test_every_route_finds_its_part_in_any_quotes_and_case(routes: ManagementClient, operation: Operation) -> None:
    name, content = OTHER_PARTS.get(operation.name, ("xml", b"no"))
    expected = rejection_of(routes, operation, f'"{name}"', content)
    assert rejection_of(routes, operation, '"other"', content) != expected
    for form in (name.upper(), f"'{name}'", f'"{name.upper()}"', f"'{name.title()}'"):
        assert rejection_of(routes, operation, form, content) == expected


class CountingBytes(bytes):
    """A body that counts the bytes that searches for a delimiter scan."""

    scanned_bytes = 0

    def find(self, part: Any, start: Any = 0, end: Any = None) -> int:
        found = super().find(part, start, end)
        self.scanned_bytes += (len(self) if found < 0 else found + len(part)) - start
        return found


@pytest.mark.parametrize(("begin", "parameters"), [(b"", ""), (b"--b1\r\n", ";" * 50_000)])
def test_xml_part_scans_a_hostile_body_at_most_twice(begin: bytes, parameters: str) -> None:
    near_delimiter = b"\n--b1x"
    body = CountingBytes(begin + near_delimiter * 20_000)
    with pytest.raises(ServiceError):
        xml_part(body, "multipart/form-data; boundary=b1" + parameters)
    assert len(body) <= body.scanned_bytes <= 2 * len(body)


@given(st.binary(max_size=400), st.text(max_size=60))
def test_xml_part_returns_content_or_rejects_any_bytes(sent: bytes, content_type: str) -> None:
    for declared in (content_type, "multipart/form-data; boundary=b" + content_type[:3]):
        result, code = outcome(partial(xml_part, sent, declared))
        assert code in {"xml-missing", "TB4003"} or (result and result in sent)


LINES = st.lists(
    st.sampled_from([b"--b1", b"--b1--", b"--b1 ", b"--b1x", b"\r\n", b"\r\n\r\n", PLAIN, b"<a/>", b"--", b" "]),
    max_size=12,
).map(b"".join)


@given(LINES)
def test_xml_part_returns_content_or_rejects_any_sequence_of_lines(sent: bytes) -> None:
    result, code = outcome(lambda: xml_part(sent, "multipart/form-data; boundary=b1"))
    assert code in {"xml-missing", "TB4003"} or (result and result in sent)


TOKENS = st.text(alphabet="abcXYZ019'_-.", min_size=1, max_size=40)
CONTENTS = st.binary(min_size=1, max_size=300).filter(lambda content: b"\r" not in content and b"--" not in content)


@given(
    boundary=TOKENS,
    content=CONTENTS,
    quoted=st.booleans(),
    headers=st.permutations([PLAIN, b"Content-Type: text/xml", b"Content-Transfer-Encoding: binary"]),
    before=st.sampled_from([b"", b"\r\n", b"preamble\r\n"]),
    after=st.sampled_from([b"", b"\r\n", b"\r\nepilogue"]),
)
def test_xml_part_agrees_with_the_standard_library(
    boundary: str, content: bytes, quoted: bool, headers: list[bytes], before: bytes, after: bytes
) -> None:
    declared = f'"{boundary}"' if quoted else boundary
    content_type = f"multipart/form-data; boundary={declared}"
    sent = before + body(boundary, *headers, content=content, end=after)
    message = BytesParser(policy=policy.compat32).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + sent
    )
    _, part = message.walk()
    assert xml_part(sent, content_type) == content == part.get_payload(decode=True)
