"""Secrets in recorded headers, queries and bodies: none of them is left, and other text does not change."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import unquote, urlencode

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from tests.support.cached_keys import holder_key  # noqa: F401 - the keys of the tests are small and cached
from tests.support.key_forms import KEY_FORMS, key_file

from timbra import examples
from timbra.inspector.bodies import record_body, xml_in
from timbra.inspector.masking import is_private_key, is_secret_name, mask_headers, mask_json, mask_query, mask_text

MASK = "[oculto]"

KEY = rsa.generate_private_key(65537, 2048)
ENCRYPTED = serialization.BestAvailableEncryption(b"12345678a")
PLAIN = serialization.NoEncryption()
DER = serialization.Encoding.DER
PRIVATE_KEYS = {
    "pkcs8": KEY.private_bytes(DER, serialization.PrivateFormat.PKCS8, PLAIN),
    "pkcs8 encrypted": KEY.private_bytes(DER, serialization.PrivateFormat.PKCS8, ENCRYPTED),
    "pkcs1": KEY.private_bytes(DER, serialization.PrivateFormat.TraditionalOpenSSL, PLAIN),
    "pfx": pkcs12.serialize_key_and_certificates(b"csd", KEY, None, None, ENCRYPTED),
}
PEM = KEY.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, PLAIN).decode()
SECRET = "Contraseña-9f3b"
BOUNDARY = "frontera"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"


def part(name: str, content: bytes, file_name: str = "") -> bytes:
    disposition = f'form-data; name="{name}"' + (f'; filename="{file_name}"' if file_name else "")
    return f"--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n\r\n".encode() + content + b"\r\n"


def recorded(body: bytes, content_type: str, path: str = "/cfdi33/issue/v4") -> str:
    return record_body(body, len(body), content_type, path).text


@pytest.mark.parametrize("der", PRIVATE_KEYS.values(), ids=[*PRIVATE_KEYS])
def test_is_private_key_recognizes_every_format(der: bytes) -> None:
    assert is_private_key(der)


def test_is_private_key_rejects_public_data() -> None:
    assert not is_private_key(b"")
    assert not is_private_key(b"<xml/>")
    assert not is_private_key(bytes.fromhex("3082058f30820377a003020102"))  # a certificate


@pytest.mark.parametrize(
    "name", ["password", "Contrasena", "b64Key", "b64Pfx", "token", "X-Api-Key", "apikey", "secret"]
)
def test_secret_names(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "b64Cer",
        "Clave",
        "ClaveProdServ",
        "Pin",
        "Opinion",
        "Sigla",
        "Pasajero",
        "FechaPago",
        "SubTotal",
        "KeyInfo",
        "Idempotency-Key",
    ],
)
def test_public_names(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize("name", ["clave", "pin", "PIN", "nip", "ciec", "CIEC", "sig", "claveprivada"])
def test_short_names_of_secrets_are_hidden_in_every_place(name: str) -> None:
    assert is_secret_name(name)
    places = [
        mask_query(f"{name}={SECRET}&a=1"),
        mask_json(json.dumps({name: SECRET, "a": 1})),
        mask_json(f'{{"{name}": "{SECRET}", '),
        mask_text(f'<csd {name}="{SECRET}"/>'),
        mask_text(f"<{name}>{SECRET}</{name}>"),
        mask_text(f"POST /x?{name}={SECRET} HTTP/1.1"),
        mask_json(json.dumps({"url": f"https://example.com/hook?{name}={SECRET}&a=1"})),
    ]
    assert [place for place in places if SECRET in place] == []


@pytest.mark.parametrize(
    "url",
    [
        f"https://user:{SECRET}@example.com/hook",
        f"https://:{SECRET}@example.com",
        f"https://example.com/hook?token={SECRET}",
        f"https://example.com/hook#access_token={SECRET}&state=1",
    ],
)
def test_secrets_inside_of_urls_are_hidden(url: str) -> None:
    for shown in (mask_text(url), mask_json(json.dumps({"url": url})), mask_query(urlencode({"url": url}))):
        assert SECRET not in unquote(shown)
        assert "example.com" in unquote(shown)
    assert mask_text("https://example.com:8080/a@b") == "https://example.com:8080/a@b"


def test_mask_headers_hides_credentials_only() -> None:
    sent = [
        (b"Authorization", f"Bearer {SECRET}".encode("latin-1")),
        (b"user", b"ana@example.com"),
        (b"password", SECRET.encode("latin-1")),
        (b"Cookie", b"timbra_session=abc"),
        (b"X-Whatever", b"Bearer abcdefgh12345"),
        (b"customid", b"77"),
    ]

    assert mask_headers(sent) == [
        ("Authorization", f"Bearer {MASK}"),
        ("user", MASK),
        ("password", MASK),
        ("Cookie", MASK),
        ("X-Whatever", f"Bearer {MASK}"),
        ("customid", "77"),
    ]


def test_mask_query_hides_secret_parameters_only() -> None:
    assert mask_query("page=2&rfc=%26") == "page=2&rfc=%26"
    assert mask_query(f"page=2&token={SECRET}") == f"page=2&token={MASK}"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"password": SECRET}),
        json.dumps({"a": [{"Password": {"deep": SECRET}}]}),
        json.dumps({"pass\\u0077ord": SECRET}).replace("\\\\", "\\"),
        '{"password": "' + SECRET,
        "{'password': '" + SECRET + "'}",
        "{password: " + SECRET + "}",
        '{"a": 1,} {"b64Key" : "' + SECRET + '"}',
    ],
)
def test_mask_json_hides_secrets_also_when_it_cannot_be_parsed(text: str) -> None:
    assert SECRET not in mask_json(text)


def test_mask_json_keeps_json_without_secrets_as_it_is() -> None:
    text = '{ "Total": 1.10, "Clave": "x", "password": null, "token": "" }'

    assert mask_json(text) == text


def test_mask_json_hides_json_that_is_too_deep_to_search() -> None:
    depth = 900

    assert SECRET not in mask_json('{"a":' * depth + json.dumps({"password": SECRET}) + "}" * depth)


FILES_OF_KEYS = PRIVATE_KEYS | {form: key_file(form, KEY) for form in KEY_FORMS if form.startswith("pem")}


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
@pytest.mark.parametrize("file", FILES_OF_KEYS.values(), ids=[*FILES_OF_KEYS])
def test_keys_are_hidden_under_any_name(file: bytes, encode: object) -> None:
    key = encode(file).decode()  # type: ignore[operator]
    wrapped = "\n".join(key[start : start + 64] for start in range(0, len(key), 64))
    for text in (json.dumps({"archivo": key}), json.dumps({"archivo": wrapped}), f"<a>{wrapped}</a>", f"x={key}"):
        shown = mask_json(text)
        assert MASK in shown
        assert not any(key[start : start + 40] in shown for start in range(0, len(key) - 40, 10))


def test_pem_is_hidden_also_when_it_is_cut() -> None:
    for text in (PEM, json.dumps({"x": PEM}), f"<a>{PEM[:600]}"):
        assert PEM[100:140].replace("\n", "") not in mask_text(text).replace("\\n", "").replace("\n", "")


@pytest.mark.parametrize("der", PRIVATE_KEYS.values(), ids=[*PRIVATE_KEYS])
def test_multipart_hides_key_files_and_passwords(der: bytes) -> None:
    xml = b"<cfdi:Comprobante Version='4.0'/>"
    files = part("archivo", der, "csd.bin") + part("key", b"text", "csd.key") + part("password", SECRET.encode())
    body = part("xml", xml, "a.xml") + files + f"--{BOUNDARY}--\r\n".encode()

    for content in (body, body[:-40], body[: len(body) - len(part("password", b"")) - 4]):
        shown = recorded(content, MULTIPART)
        assert SECRET not in shown
        assert shown.count(MASK) >= 2
        assert xml.decode() in shown
    assert xml_in(record_body(body, len(body), MULTIPART, "/x"), MULTIPART) == xml.decode()


def test_body_that_is_a_key_is_not_stored() -> None:
    for der in PRIVATE_KEYS.values():
        assert recorded(der, "application/octet-stream") == ""


def test_xml_hides_elements_and_attributes_with_secret_names() -> None:
    text = f'<a password="{SECRET}" Total="1"><t:token>{SECRET}</t:token><b>{1}</b></a>'

    shown = recorded(text.encode(), "text/xml")

    assert SECRET not in shown
    assert 'Total="1"' in shown
    assert "<b>1</b>" in shown


def test_documents_are_stored_unchanged() -> None:
    for name in ("ingreso", "nomina12", "cartaporte31", "pagos20", "retencion"):
        xml = examples.DOCUMENTS[name].make()
        assert recorded(xml.encode(), "text/xml") == xml


def test_unreadable_body_of_a_route_with_keys_is_hidden() -> None:
    assert recorded(b"lo que sea", "text/plain", "/certificates/save") == MASK
    assert recorded(b"lo que sea", "text/plain", "/cfdi33/issue/v4") == "lo que sea"


@pytest.mark.parametrize(
    "hostile", ["MIA", '"a":"', '"', "password", "<password ", "a.", 'password="', "eyJaaaaaaaaa."]
)
def test_hostile_bodies_are_searched_in_linear_time(hostile: str) -> None:
    """A body of 256 KiB takes well under a second; quadratic time would take minutes."""
    text = hostile * (256 * 1024 // len(hostile))

    assert len(mask_json("{" + text)) > 0
