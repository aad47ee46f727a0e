"""The stamping endpoints: generations, versions, encodings, arguments and rejections."""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import replace
from datetime import date
from typing import Any

import orjson
import pytest
from structlog.testing import capture_logs
from tests.support.asgi import BEARER, call, upload
from tests.support.fake_services import CFDI, CONFLICT, STAMPED, TFD, FakeServices

from timbra.cfdi.from_json import JsonDocuments
from timbra.core.errors import ServiceError
from timbra.evaluation.article_69b import Article69bFinding
from timbra.messages import notices
from timbra.snapshot import locate, open_snapshot

XML = "<cfdi:Comprobante Nombre='Ñ'/>".encode()
V4 = {
    "cadenaOriginalSAT": STAMPED.cadena_original_sat,
    "noCertificadoSAT": STAMPED.numero_certificado_sat,
    "noCertificadoCFDI": STAMPED.numero_certificado_cfdi,
    "uuid": STAMPED.uuid,
    "selloSAT": STAMPED.sello_sat,
    "selloCFDI": STAMPED.sello_cfdi,
    "fechaTimbrado": STAMPED.fecha_timbrado,
    "qrCode": b64encode(b"\x89PNG\r\n\x1a\n" + b"https://verificacfdi.example/default.aspx?id=1").decode(),
    "cfdi": CFDI,
}
SUCCESS = {"v1": {"tfd": TFD}, "v2": {"tfd": TFD, "cfdi": CFDI}, "v3": {"cfdi": CFDI}, "v4": V4}
PARTIAL = {
    "v1": {"tfd": TFD},
    "v2": {"tfd": TFD, "cfdi": ""},
    "v3": {"cfdi": ""},
    "v4": {
        "cadenaOriginalSAT": None,
        "noCertificadoSAT": STAMPED.numero_certificado_sat,
        "noCertificadoCFDI": None,
        "uuid": STAMPED.uuid,
        "selloSAT": STAMPED.sello_sat,
        "selloCFDI": None,
        "fechaTimbrado": STAMPED.fecha_timbrado,
        "qrCode": None,
        "cfdi": "",
    },
}
GENERATIONS = ["/cfdi33/{}/{}", "/cfdi33/v2/{}/{}", "/v3/cfdi33/{}/{}", "/v4/cfdi33/{}/{}"]


def in_base64(data: dict[str, Any]) -> dict[str, Any]:
    return {key: b64encode(value.encode()).decode() if key in ("tfd", "cfdi") else value for key, value in data.items()}


@pytest.mark.parametrize("operation", ["stamp", "issue"])
def test_stamping_looks_up_in_the_database_pool(operation: str) -> None:
    fakes = FakeServices()
    headers, body = upload(XML)
    call(fakes.app(), "POST", f"/v4/cfdi33/{operation}/v4", headers=headers, body=body)
    (thread,) = fakes.stamping_services.stamping.threads
    assert thread.startswith("database_")


@pytest.mark.parametrize(
    "path",
    [
        "/cfdi33/stamp/v1",
        "/v4/cfdi33/issue/v4",
        "/cfdi33/issue/json/v4",
        "/retencion/stamp/v3",
        "/retencion/issue/json/v3",
    ],
)
def test_stamping_states_a_listed_party_in_a_header(path: str) -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.stamped = replace(
        STAMPED, article_69b=Article69bFinding(date(2026, 10, 15), ("EKU9003173C9",))
    )
    headers, body = upload(XML)
    if "json" in path:
        headers, body = {**BEARER, "content-type": "application/json"}, orjson.dumps({"data": XML.decode()})
    answer = call(fakes.app(), "POST", path, headers=headers, body=body)
    assert answer.status == 200
    assert answer.headers["x-timbra-article-69b"] == "listed; date=2026-10-15; rfc=EKU9003173C9"
    fakes.stamping_services.stamping.stamped = STAMPED
    again = call(fakes.app(), "POST", path, headers=headers, body=body)
    assert "x-timbra-article-69b" not in again.headers


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("operation", ["stamp", "issue"])
@pytest.mark.parametrize("version", ["v1", "v2", "v3", "v4"])
def test_stamping_answers_each_version_in_plain_and_base64(generation: str, operation: str, version: str) -> None:
    fakes = FakeServices()
    path = generation.format(operation, version)
    plain = call(fakes.app(), "POST", path, headers=upload(XML)[0], body=upload(XML)[1])
    headers, body = upload(b64encode(XML))
    encoded = call(fakes.app(), "POST", path + "/b64", headers=headers, body=body)
    sniffed = call(fakes.app(), "POST", path, headers=headers, body=body)
    assert [(done, order.xml) for done, order in fakes.stamping_services.stamping.orders] == [(operation, XML)] * 3
    assert (plain.status, encoded.status) == (200, 200)
    assert list(plain.json) == ["data", "status"]
    assert plain.json == sniffed.json == {"data": SUCCESS[version], "status": "success"}
    assert list(plain.json["data"]) == list(SUCCESS[version])
    assert encoded.json == {"data": in_base64(SUCCESS[version]), "status": "success"}
    assert plain.headers["content-type"] == "application/json; charset=utf-8"
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize(
    "path",
    [
        "//cfdi33/stamp/v4",
        "/cfdi33/stamp/v4/",
        "/cfdi33/stamp/V4",
        "/cfdi33/Stamp/V4/B64/",
        "/V4//cfdi33/Stamp/V4/",
        "/v4/cfdi33/stamp/v4//analytics",
        "/v4/cfdi33/stamp/v4/b64/analytics",
    ],
)
def test_stamping_accepts_paths_of_clients(path: str) -> None:
    headers, body = upload(b64encode(XML))
    fakes = FakeServices()
    assert call(fakes.app(), "POST", path, headers=headers, body=body).json["data"]["uuid"] == STAMPED.uuid
    assert fakes.stamping_services.stamping.orders[0][1].xml == XML


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/cfdi33/stamp/v5"),
        ("POST", "/cfdi33/stamp"),
        ("POST", "/cfdi33/stamp/v4/plain"),
        ("POST", "/cfdi33/stamp/v4/b64/x"),
        ("POST", "/cfdi40/stamp/v4"),
        ("POST", "/v5/cfdi33/stamp/v4"),
        ("POST", "/"),
        ("POST", "//"),
        ("PUT", "/"),
        ("POST", ""),
        ("GET", "/cfdi33/stamp/v4\x00"),
    ],
)
def test_unknown_route_answers_404(method: str, path: str) -> None:
    answer = call(FakeServices().app(), method, path, headers=BEARER)
    assert answer.status == 404
    assert answer.json == {
        "message": "TB4040 - La ruta no existe.",
        "messageDetail": None,
        "data": None,
        "status": "error",
    }


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/cfdi33/stamp/v4", "POST"),
        ("HEAD", "/cfdi33/stamp/v4", "POST"),
        ("PUT", "/CFDI33//Issue/V4/b64/", "POST"),
        ("GET", "/cfdi33/cancel/EKU9003173C9/9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11/02", "POST"),
        ("POST", "/pendings/EKU9003173C9", "GET, HEAD"),
        ("OPTIONS", "/certificates/30001000000500003416", "DELETE, GET, HEAD"),
        ("PATCH", "/management/v2/api/dealers/users/1", "DELETE, GET, HEAD, PUT"),
    ],
)
@pytest.mark.parametrize("headers", [BEARER, {}])
def test_wrong_method_answers_404_with_allow(method: str, path: str, allow: str, headers: dict[str, str]) -> None:
    answer = call(FakeServices().app(), method, path, headers=headers)
    assert (answer.status, answer.headers["allow"]) == (404, allow)
    assert answer.json == {
        "message": f"TB4042 - La ruta no admite el método {method}.",
        "messageDetail": None,
        "data": None,
        "status": "error",
    }


def test_wrong_method_has_its_own_code_in_the_access_log() -> None:
    with capture_logs() as logged:
        call(FakeServices().app(), "GET", "/cfdi33/stamp/v4")
    assert [(line["event"], line["code"], line["status"]) for line in logged] == [("answered", "TB4042", 404)]


def test_issue_passes_caller_and_request_id() -> None:
    fakes = FakeServices()
    headers, body = upload(XML)
    answer = call(fakes.app(), "POST", "/cfdi33/issue/v1", headers=headers, body=body)
    (_, order) = fakes.stamping_services.stamping.orders[0]
    assert order.caller.account_id == 7
    assert order.request_id == answer.headers["x-request-id"]
    assert order.custom_id is None


@pytest.mark.parametrize("path", ["/v4/cfdi33/issue/v4", "/cfdi33/issue/v1", "/cfdi33/v2/stamp/v2"])
@pytest.mark.parametrize(("sent", "expected"), [("id-1", "id-1"), ("", None)])
def test_stamping_reads_customid_on_every_route(path: str, sent: str, expected: str | None) -> None:
    fakes = FakeServices()
    headers, body = upload(XML)
    headers |= {"customId": sent, "email": "", "pdf": "", "extra": "pdf"}
    assert call(fakes.app(), "POST", path, headers=headers, body=body).status == 200
    assert fakes.stamping_services.stamping.orders[0][1].custom_id == expected


@pytest.mark.parametrize(
    ("email", "message"),
    [
        ("invalid", "El header email no tiene un correo válido (email)."),
        (",".join(["a@b.mx"] * 11), "El header email contiene más de 10 correos."),
    ],
)
@pytest.mark.parametrize("path", ["/v4/cfdi33/issue/v4", "/cfdi33/issue/v1"])
def test_stamping_rejects_an_invalid_email_on_every_route(path: str, email: str, message: str) -> None:
    fakes = FakeServices()
    headers, body = upload(XML)
    answer = call(fakes.app(), "POST", path, headers={**headers, "email": email}, body=body)
    assert (answer.status, answer.json["message"]) == (400, message)
    assert fakes.stamping_services.stamping.orders == []


@pytest.mark.parametrize("path", ["/v4/cfdi33/issue/v4", "/cfdi33/stamp/v1", "/cfdi/stamp/v1/zip"])
@pytest.mark.parametrize("email", ["", "a@b.mx", "a@b.mx,c@d.mx"])
@pytest.mark.parametrize("mail_enabled", [False, True])
def test_stamping_states_that_nothing_is_mailed(path: str, email: str, mail_enabled: bool) -> None:
    fakes = FakeServices()
    fakes.stamping_services.mail_enabled = mail_enabled
    headers, body = upload(XML)
    with capture_logs() as logged:
        answer = call(fakes.app(), "POST", path, headers={**headers, "email": email}, body=body)
    if not email:
        notice = None
    elif path.endswith("zip"):
        notice = notices.MAIL_TOO_LARGE
    else:
        notice = None if mail_enabled else notices.MAIL_NOT_CONFIGURED
    assert (answer.status, answer.json["status"], "message" in answer.json) == (200, "success", False)
    assert "messageDetail" not in answer.json
    assert answer.headers.get("x-timbra-warning") == notice
    lines = [line for line in logged if line["event"] == "stamped document not mailed"]
    assert [(line["uuid"], line["reason"]) for line in lines] == ([(STAMPED.uuid, notice)] if notice else [])
    assert "a@b.mx" not in str(logged)


@pytest.mark.parametrize("version", ["v1", "v2", "v3", "v4"])
@pytest.mark.parametrize("base64", [False, True])
@pytest.mark.parametrize(
    ("code", "stored", "shapes", "message"),
    [
        ("307", STAMPED, SUCCESS, "307. El comprobante contiene un timbre previo."),
        ("307", None, None, "307. El comprobante contiene un timbre previo."),
        ("CFDI3307", CONFLICT, PARTIAL, "CFDI3307 - Timbre duplicado. El customId proporcionado está duplicado."),
    ],
)
def test_stamping_returns_the_stored_stamp_for_a_repeat(
    version: str, base64: bool, code: str, stored: object, shapes: dict[str, Any] | None, message: str
) -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = ServiceError(code, data=stored)
    headers, body = upload(b64encode(XML))
    path = f"/cfdi33/issue/{version}" + ("/b64" if base64 else "")
    answer = call(fakes.app(), "POST", path, headers=headers, body=body)
    data = None if shapes is None else in_base64(shapes[version]) if base64 else shapes[version]
    assert answer.status == 400
    detail = CFDI if stored is STAMPED else None
    assert answer.json == {"message": message, "messageDetail": detail, "data": data, "status": "error"}
    assert list(answer.json) == ["message", "messageDetail", "data", "status"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("301", "301 - La estructura del comprobante es incorrecta."),
        (
            "401",
            "401 - El rango de la fecha de generación no debe de ser mayor a 72 horas para la emisión del timbre.",
        ),
        (
            "CFDI40102",
            "CFDI40102 - El resultado de la digestión debe ser igual al resultado de la desencripción del sello.",
        ),
        ("305", None),
        ("402", None),
    ],
)
def test_stamping_rejects_with_the_code_of_the_service(code: str, message: str | None) -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = ServiceError(code, "detalle ñ")
    headers, body = upload(XML)
    answer = call(fakes.app(), "POST", "/cfdi33/stamp/v4", headers=headers, body=body)
    assert answer.status == 400
    assert answer.json["message"] == message or answer.json["message"].startswith(f"{code} - ")
    assert (answer.json["messageDetail"], answer.json["data"], answer.json["status"]) == ("detalle ñ", None, "error")


@pytest.mark.parametrize(
    ("headers", "body", "message"),
    [
        (upload(b"")[0], upload(b"")[1], "Xml CFDI33 no proporcionado o viene vacio."),
        (upload(b" \r\n")[0], upload(b" \r\n")[1], "Xml CFDI33 no proporcionado o viene vacio."),
        (upload(XML)[0], b"", "Xml CFDI33 no proporcionado o viene vacio."),
        (upload(XML)[0], upload(XML)[1][:-10], "TB4003 - El cuerpo multipart está mal formado."),
        ({**BEARER, "Content-Type": "text/xml"}, XML, "Xml CFDI33 no proporcionado o viene vacio."),
        (BEARER, XML, "Xml CFDI33 no proporcionado o viene vacio."),
    ],
)
def test_stamping_rejects_an_upload_without_document(headers: dict[str, str], body: bytes, message: str) -> None:
    fakes = FakeServices()
    answer = call(fakes.app(), "POST", "/cfdi33/stamp/v4", headers=headers, body=body)
    assert (answer.status, answer.json["message"], answer.json["data"]) == (400, message, None)
    assert fakes.stamping_services.stamping.orders == []


def test_stamping_rejects_plain_xml_on_a_base64_route() -> None:
    headers, body = upload(XML)
    answer = call(FakeServices().app(), "POST", "/cfdi33/stamp/v4/b64", headers=headers, body=body)
    assert (answer.status, answer.json["message"][:4]) == (400, "301 ")


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("/cfdi33/issue/json/v4/b64", b64encode(XML).decode(), XML),
        ("/cfdi33/issue/json/v4", b64encode(XML).decode(), XML),
        ("/cfdi33/issue/json/v4", "<a b='\\u00d1'/>", "<a b='Ñ'/>".encode()),
        ("/v3/cfdi33/issue/json/v4", b64encode(XML).decode(), XML),
        ("/V4/cfdi33/issue/json/V4/B64/", b64encode(XML).decode(), XML),
    ],
)
@pytest.mark.parametrize("name", ["data", "Data"])
def test_issue_json_accepts_xml_in_json(path: str, data: str, expected: bytes, name: str) -> None:
    fakes = FakeServices()
    headers = {**BEARER, "Content-Type": "application/json"}
    answer = call(fakes.app(), "POST", path, headers=headers, body=f'{{"{name}": "{data}"}}'.encode())
    assert answer.status == 200
    assert [(operation, order.xml) for operation, order in fakes.stamping_services.stamping.orders] == [
        ("issue", expected)
    ]
    assert b64decode(answer.json["data"]["qrCode"]).startswith(b"\x89PNG")


@pytest.mark.parametrize("data", ['""', "null", "[]", "true", '" "'])
def test_issue_json_rejects_json_without_xml(data: str) -> None:
    headers = {**BEARER, "Content-Type": "application/json"}
    answer = call(
        FakeServices().app(), "POST", "/cfdi33/issue/json/v4", headers=headers, body=f'{{"data":{data}}}'.encode()
    )
    assert answer.status == 400
    assert answer.json["message"].startswith(("Xml CFDI33 no proporcionado", "301"))


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/jsontoxml", b'{"Version": "4.0"}'),
        ("application/jsontoxml; charset=utf-8", b'{"Version": "4.0"}'),
        ("Application/JsonToXml", b'{"data": "x"}'),
        ("application/json", b'{"Version": "4.0", "data": "x"}'),
        ("", b'{"Version": "4.0"}'),
    ],
)
@pytest.mark.parametrize("path", ["/v3/cfdi33/issue/json/v4", "/v4/cfdi33/issue/json/v4", "/cfdi33/issue/json/v4"])
def test_issue_json_converts_json_invoices(content_type: str, body: bytes, path: str) -> None:
    fakes = FakeServices()
    answer = call(fakes.app(), "POST", path, headers={**BEARER, "Content-Type": content_type}, body=body)
    assert answer.status == 200
    assert [order.xml for _, order in fakes.stamping_services.stamping.orders] == [
        b"<from-json>" + body + b"</from-json>"
    ]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\x00", b'{"data": "a", "data": "b"}'])
def test_issue_json_rejects_malformed_json(body: bytes) -> None:
    headers = {**BEARER, "Content-Type": "application/json"}
    answer = call(FakeServices().app(), "POST", "/v3/cfdi33/issue/json/v4", headers=headers, body=body)
    assert (answer.status, answer.json["message"]) == (400, "TB4004 - El cuerpo JSON está mal formado.")


@pytest.mark.parametrize(
    ("path", "keys", "operation"),
    [
        ("/cfdi/stamp/v1/zip/v4", set(V4), "stamp"),
        ("/cfdi/stamp/V1/zip/", {"tfd"}, "stamp"),
        ("/cfdi/issue/v1/zip", {"tfd"}, "issue"),
        ("/cfdi/Issue/V1/zip/v4", set(V4), "issue"),
    ],
)
def test_stamp_zip_passes_the_archive_to_its_service(path: str, keys: set[str], operation: str) -> None:
    fakes = FakeServices()
    headers, body = upload(b"PK\x03\x04...")
    answer = call(fakes.app(), "POST", path, headers={**headers, "customid": "x"}, body=body)

    assert answer.status == 200
    assert set(answer.json["data"]) == keys
    assert fakes.stamping_services.large.taken == [(b"PK\x03\x04...", "x", operation)]


def test_issue_json_names_ignored_keys_in_a_header() -> None:
    fakes = FakeServices()
    fakes.stamping_services.json_documents.ignored_keys = (
        "Comprobante/Teléfono",
        *(f"Comprobante/x{n}" for n in range(30)),
    )
    headers = {"Content-Type": "application/jsontoxml", **BEARER}
    answer = call(fakes.app(), "POST", "/v4/cfdi33/issue/json/v4", headers=headers, body=b"{}")
    shown = answer.headers["x-timbra-ignored-keys"].split(", ")
    assert answer.status == 200
    assert shown[0] == "Comprobante/Tel%C3%A9fono"
    assert len(shown) == 20


def test_issue_json_names_ignored_keys_of_a_rejected_document() -> None:
    fakes = FakeServices()
    fakes.stamping_services.json_documents.ignored_keys = ("Comprobante/Totl",)
    fakes.stamping_services.stamping.failure = ServiceError("301")
    headers = {"Content-Type": "application/jsontoxml", **BEARER}
    answer = call(fakes.app(), "POST", "/v4/cfdi33/issue/json/v4", headers=headers, body=b"{}")
    assert (answer.status, answer.headers["x-timbra-ignored-keys"]) == (400, "Comprobante/Totl")


@pytest.mark.parametrize("body", [b"{}", b'{"xml": "<cfdi:Comprobante/>"}'])
def test_issue_json_without_members_of_a_document_names_what_is_missing(body: bytes) -> None:
    fakes = FakeServices()
    fakes.stamping_services.json_documents = JsonDocuments(open_snapshot(locate(None)))  # type: ignore[assignment]
    headers = {"Content-Type": "application/json", **BEARER}
    answer = call(fakes.app(), "POST", "/cfdi33/issue/json/v1", headers=headers, body=body)
    assert answer.status == 400
    assert '"data"' in answer.json["messageDetail"]
