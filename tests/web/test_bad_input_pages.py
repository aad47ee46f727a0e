"""Bad input in the portal: bodies that are too large, too many files, scripts in every field, sessions that ended."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from tests.support.browser import HOST, Visitor
from tests.support.effort import LONG
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.web.portal.dispatch.session_over import return_path

SUPPLIERS = "/portal/proveedores"
STAMPING = "/portal/timbrar"
SCRIPT = "<script>alert(1)</script>"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"
LARGE = 50 * 1024 * 1024
MEMBERS = 10_000 if LONG else 200


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


@pytest.fixture
def ana(app: SandboxApp) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_in("ana@example.com")
    return visitor


@pytest.fixture(scope="module")
def valid(app: SandboxApp) -> str:
    return app.issue(examples.ingreso(fecha=FECHA).encode()).cfdi


def scripted(xml: str) -> bytes:
    """Return the document with a script in every attribute that is no declaration."""
    escaped = SCRIPT.replace("<", "&lt;")
    text = re.sub(r' (?!xmlns|xsi:|Version|version|encoding)(\w+)="[^"]*"', rf' \1="{escaped}"', xml)
    assert text.count(escaped) > 20
    return text.encode()


@pytest.mark.parametrize(
    ("path", "field", "limit"),
    [(SUPPLIERS, "archivos", "40 MiB"), (STAMPING, "archivo", "4 MiB"), ("/validador", "xml", "40 MiB")],
)
def test_file_of_50_megabytes_is_rejected_with_the_limit(ana: Visitor, path: str, field: str, limit: str) -> None:
    ana.get(path)
    answer = ana.post(path, {}, files=[(field, ("grande.xml", bytes(LARGE)))])

    assert answer.status_code == 413
    assert limit in ana.text


def test_form_names_its_limits_before_the_upload(ana: Visitor) -> None:
    ana.get(SUPPLIERS)
    assert "hasta 40 MiB" in ana.text
    assert "20,000 documentos" in ana.text


@pytest.mark.parametrize(("path", "field"), [(SUPPLIERS, "archivos"), ("/validador", "xml")])
def test_form_with_10000_files_is_rejected_with_a_sentence(ana: Visitor, path: str, field: str) -> None:
    ana.get(path)
    answer = ana.post(path, {}, files=[(field, (f"{number}.xml", b"<a/>")) for number in range(10_000)])

    assert answer.status_code in (400, 422)
    assert "a lo más" in ana.text


def test_archive_of_many_documents_is_validated(ana: Visitor, valid: str) -> None:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for number in range(MEMBERS):
            archive.writestr(f"{number}.xml", valid if number % 100 == 0 else "<a/>")
    ana.get(SUPPLIERS)
    answer = ana.post(SUPPLIERS, {}, files=[("archivos", ("todo.zip", buffer.getvalue()))])
    ana.get(answer.headers["location"])

    assert f"{MEMBERS:,} documentos" in ana.text
    assert f"{MEMBERS - MEMBERS // 100:,} con errores" in ana.text


@pytest.mark.parametrize(
    "name", [f"{SCRIPT}.xml", '"><img src=x onerror=alert(1)>.xml', "../../etc/passwd", "=1+1.xml"]
)
def test_scripts_in_every_field_are_text(ana: Visitor, valid: str, name: str) -> None:
    ana.get(SUPPLIERS)
    answer = ana.post(SUPPLIERS, {}, files=[("archivos", (name, scripted(valid)))])
    address = answer.headers["location"]
    pages = [ana.get(path).text for path in (SUPPLIERS, address, f"{address}/0", f"{address}?texto={quote(SCRIPT)}")]

    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
    assert ESCAPED in pages[2]


def test_scripts_in_the_editor_are_text(ana: Visitor, valid: str) -> None:
    ana.get(STAMPING)
    text = scripted(valid).decode()
    answers = [ana.post(STAMPING, {"accion": "revisar", "documento": each}, files=[]) for each in (text, f"{{{SCRIPT}")]
    for answer in answers:
        assert answer.status_code in (200, 422)
        assert "<script>alert" not in answer.text


@pytest.mark.parametrize("field", ["texto", "rfc", "serie", "folio", "uuid", "desde", "minimo", "estado", "orden"])
def test_scripts_in_the_fields_of_the_invoice_list_are_text(ana: Visitor, field: str) -> None:
    answer = ana.get(f"/portal/facturas?{field}={quote(SCRIPT)}")
    assert answer.status_code in (200, 422)
    assert "<script>alert" not in answer.text


def ended(visitor: Visitor) -> None:
    """End the session as a day does: the browser has dropped its cookie."""
    visitor.cookies.clear()


def test_page_of_an_ended_session_leads_back_after_signing_in(ana: Visitor) -> None:
    ended(ana)
    answer = ana.get("/portal/facturas?estado=cancelado")
    ana.get(answer.headers["location"])

    assert "volverá a donde estaba" in ana.text
    signed = ana.post(
        "/portal/entrar",
        {"user": "ana@example.com", "password": "una contraseña larga", "regreso": "/portal/facturas?estado=cancelado"},
    )
    assert signed.headers["location"] == "/portal/facturas?estado=cancelado"


def test_part_of_a_page_of_an_ended_session_opens_the_sign_in_page(ana: Visitor) -> None:
    ended(ana)
    answer = ana.get("/portal/facturas?texto=a", {"hx-request": "true"})
    assert answer.headers["hx-redirect"] == "/portal/entrar?aviso=sesion&regreso=%2Fportal%2Ffacturas%3Ftexto%3Da"


@pytest.mark.parametrize(
    "path",
    [
        "https://example.com",
        "//example.com",
        "/\\example.com",
        "/portal\\example.com",
        "/portalx",
        "/portal/entrar",
        "/portal/salir",
        "javascript:alert(1)",
        "/portal/\n",
        "/portal/" + "x" * 2000,
        "",
    ],
)
def test_return_path_leads_to_pages_of_the_portal_only(path: str) -> None:
    assert return_path(path) == "/portal"


def test_form_of_an_ended_session_leads_back_to_its_page(ana: Visitor) -> None:
    ended(ana)
    headers = {"origin": HOST, "referer": f"{HOST}/portal/tokens"}
    answer = ana.post("/portal/tokens", {"name": "x"}, headers=headers)
    assert answer.headers["location"] == "/portal/entrar?aviso=sesion&regreso=%2Fportal%2Ftokens"
    foreign = ana.post("/portal/tokens", {"name": "x"}, headers={"referer": "https://example.com/portal/tokens"})
    assert foreign.headers["location"] == "/portal/entrar"


def test_text_of_the_editor_is_kept_when_the_session_ended(ana: Visitor, valid: str) -> None:
    ana.get(STAMPING)
    ended(ana)
    headers = {"origin": HOST, "referer": f"{HOST}{STAMPING}?ejemplo=ingreso"}
    answer = ana.post(STAMPING, {"documento": scripted(valid).decode()}, files=[], headers=headers)

    assert answer.status_code == 401
    assert "La sesión terminó" in ana.text
    assert "<script>alert" not in answer.text
    assert ana.page is not None
    assert ana.page.get_element_by_id("kept").text.strip() == scripted(valid).decode()
    assert ana.page.xpath("//main//a[@class='button']/@href") == [
        "/portal/entrar?regreso=%2Fportal%2Ftimbrar%3Fejemplo%3Dingreso"
    ]


@pytest.mark.parametrize("headers", [{}, {"origin": "https://example.com"}, {"origin": "null"}])
def test_text_from_another_site_is_not_shown(ana: Visitor, headers: dict[str, str]) -> None:
    ended(ana)
    answer = ana.post(STAMPING, {"documento": "de otro sitio"}, files=[], headers=headers)
    assert answer.status_code == 303
    assert "de otro sitio" not in answer.text


def test_form_of_a_tab_is_rejected_after_another_tab_signed_out(app: SandboxApp, ana: Visitor) -> None:
    ana.get("/portal/tokens")
    other = Visitor(app)
    other.cookies, other.page = dict(ana.cookies), ana.page
    other.post("/portal/salir", {})
    answer = ana.post("/portal/tokens", {"name": "x"}, headers={"referer": f"{HOST}/portal/tokens"})
    assert answer.headers["location"] == "/portal/entrar?aviso=sesion&regreso=%2Fportal%2Ftokens"
