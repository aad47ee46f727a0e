"""Pages in both themes and both widths, without a violation of the accessibility rules of axe."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, datetime
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext
from tests.support.browsing import PHONE_WIDTH, cut_tables, fits_the_viewport, sign_in, violations
from tests.support.effort import LONG
from tests.support.reconciliation_month import OWN as RECONCILED_RFC
from tests.support.reconciliation_month import planted_month
from tests.support.sandbox_app import with_attribute
from tests.support.server import PASSWORD, USER, Server, invoice, minted, running
from tests.support.waiting import wait_until

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services, efirma_vault
from timbra.app.composition import open_container
from timbra.inspector.build import inspector_services
from timbra.received.build import document_store, received_validation
from timbra.received.documents.models import DeliveredXml, DocumentMetadata, ReceivedHeader, ReceivedStatus
from timbra.received.files import UploadedFile
from timbra.received.reconciliation.build import reconciliation_runner, reconciliation_runs
from timbra.received.reconciliation.options import ReconciliationOptions, Side
from timbra.received.reconciliation.run_models import FileRole, RunFile, RunOptions
from timbra.received.synchronization.build import request_work, sync_repository
from timbra.received.synchronization.models import IssuePeriod, SyncState
from timbra.received.uploads import ReceivedOptions, ReceivedValidation
from timbra.seals.certificates.certificate import CertificateKind
from timbra.settings import Settings

VARIANTS = [*product(("light", "dark"), (1280, PHONE_WIDTH))]
METADATA = (
    "Uuid~RfcEmisor~NombreEmisor~RfcReceptor~NombreReceptor~RfcPac~FechaEmision~FechaCertificacionSat~Monto~"
    "EfectoComprobante~Estatus~FechaCancelacion\r\n"
    "6B29FC40-CA47-1067-B31D-00DD010662DA~AAA010101AAA~PROVEEDOR~EKU9003173C9~ESCUELA~SPR190613I52~"
    "2026-11-01 10:00:00~2026-11-01 10:01:00~1160.50~I~0~2026-11-02 09:00:00\r\n"
)
UNKNOWN = "00000000-0000-4000-8000-000000000000"
PUBLIC = ["/portal/entrar", "/portal/entrar?regreso=/portal/facturas", "/validador", "/default.aspx"]
PAGES = [
    "/portal",
    "/portal/primeros-pasos",
    "/portal/nueva-factura",
    "/portal/nueva-factura?tipo=global",
    "/portal/nueva-factura/borradores",
    "/portal/nueva-factura/pagos?rfc=URE180429TM6",
    "/portal/nueva-factura/de/UUID/sustituir",
    "/portal/timbrar?ejemplo=ingreso",
    "/portal/facturas?orden=total",
    "/portal/facturas",
    "/portal/facturas/UUID",
    "/portal/facturas?desde=ayer",
    "/portal/inspector",
    "/portal/inspector/1",
    "/portal/inspector/2",
    "/portal/reinicio",
    "/portal/seguridad",
    "/portal/proveedores",
    "/portal/proveedores/enlaces",
    "/portal/proveedores/1",
    "/portal/proveedores/1?resultado=raro",
    "/portal/proveedores/1?texto=nada",
    "/portal/proveedores/1/1",
    "/portal/recibidos?sumar=si",
    "/portal/recibidos?desde=ayer",
    "/portal/recibidos/UUID",
    "/portal/recibidos/cambios",
    "/portal/descargas",
    "/portal/descargas/EKU9003173C9",
    "/portal/conciliaciones",
    "/portal/conciliaciones/1",
    "/portal/conciliaciones/1?clase=substituted",
    "/portal/conciliaciones/2",
    "/portal/rechazos",
    "/portal/lotes",
    "/portal/webhooks",
    "/portal/uso",
    "/portal/certificados",
    "/portal/tokens",
    "/portal/impresion",
    "/portal/usuarios",
    "/portal/bitacora",
    "/portal/password",
    "/portal/reportes?reporte=inventory",
    "/portal/nada",
    "/validador/reglas?q=uso+receptor",
    "/validador/reglas/CFDI40124",
    "/portal/ambiente",
    "/portal/ambiente/contribuyentes",
    "/portal/ambiente/contribuyentes/EKU9003173C9",
    "/portal/ambiente/certificados",
    "/portal/ambiente/cancelaciones",
    "/portal/ambiente/cfdi?folio=UUID",
    "/portal/ambiente/correos",
    "/portal/cuentas",
    "/portal/reportes",
    "/portal/estado",
]


def wait_for_call(data: Path, number: int) -> None:
    """Wait until the inspector of the server has written this call."""
    with open_container(Settings(data=data)) as container:
        account_id = container.get(account_services).accounts.find(USER).account_id
        calls = container.get(inspector_services).calls
        wait_until(lambda: calls.newest_number(account_id) >= number)


def sample(index: int) -> list[tuple[str, int]]:
    """Return the variants in which a page is checked: all in the long form, one in turn otherwise."""
    return VARIANTS if LONG else [VARIANTS[index % len(VARIANTS)]]


CASES = [(path, *variant) for index, path in enumerate(PAGES) for variant in sample(index)]
PUBLIC_CASES = [(path, *variant) for index, path in enumerate(PUBLIC) for variant in sample(index)]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A server with an administrator, and the UUID of its invoice."""
    data = tmp_path_factory.mktemp("served")
    with open_container(Settings(data=data)) as container:
        made = container.get(account_services).accounts.create(USER, PASSWORD, "administrator")
        token = container.get(account_services).accounts.create_infinite_token(USER, "ERP")
        credential = minted(data)
        container.get(certificate_services).vault.save(
            made.account_id, credential.certificate_der, credential.key_der, credential.password
        )
    with running(data, token=token) as server:
        with server.client() as client:
            document = invoice(data, "1")
            answer = client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", document)}).json()
            wrong = with_attribute(document, "MetodoPago", "XXX")
            client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", wrong)})
        wait_for_call(data, 2)
        validate_received(data, made.account_id, str(answer["data"]["cfdi"]).encode())
        reconcile(data, made.account_id)
        download(data, made.account_id, answer["data"]["uuid"].lower())
        yield server, answer["data"]["uuid"].lower()


def validate_received(data: Path, account_id: int, cfdi: bytes) -> None:
    """Store the results of a valid document, one with errors, a copy, one that is no XML and a line of metadata."""
    contents = [cfdi, cfdi.replace(b'SubTotal="', b'SubTotal="1'), cfdi, b"hola", METADATA.encode()]
    files = [
        UploadedFile(f"{place}.{'txt' if place == len(contents) - 1 else 'xml'}", str(data / f"received{place}"))
        for place in range(len(contents))
    ]
    for file, content in zip(files, contents, strict=True):
        Path(file.path).write_bytes(content)

    async def run(documents: ReceivedValidation, number: int) -> None:
        options = ReceivedOptions(with_status=True, require_stamp=True)
        async for _ in documents.add(account_id, number, files, options, asyncio.to_thread):
            pass

    with open_container(Settings(data=data)) as container:
        documents = container.get(received_validation)
        number = documents.create(account_id, "prueba", "paquete.zip")[0]
        with ThreadPoolExecutor(1) as thread:  # the browser's event loop runs in this one
            thread.submit(asyncio.run, run(documents, number)).result()


def reconcile(data: Path, account_id: int) -> None:
    """Store a reconciliation with differences, and one whose files cannot be read."""
    month = planted_month(56, 1)
    month.write(data)
    days = (date(2026, 10, 1), date(2026, 10, 31))
    comparison = ReconciliationOptions(RECONCILED_RFC, Side.RECEIVED, *days)
    sources = ((FileRole.SAT, "metadata.zip"), (FileRole.SAT, "xml.zip"), (FileRole.ERP, "erp.csv"))
    named = (*sources, (FileRole.PAYMENTS, "payments.csv"))
    wrong = (*sources[:2], (FileRole.ERP, "xml.zip"))
    with open_container(Settings(data=data)) as container:
        for submission, files in (("one", named), ("two", wrong)):
            options = RunOptions(comparison, files=tuple(RunFile(role, name) for role, name in files))
            paths = [data / name for _, name in files]
            container.get(reconciliation_runs).submit(account_id, submission, options, paths)
        container.get(reconciliation_runner).run_due()


def download(data: Path, account_id: int, uuid: str) -> None:
    """Store an e.firma, a blocked synchronization with requests and packages, and documents of which some changed."""
    credential = minted(data, CertificateKind.EFIRMA)
    rfc, month = credential.certificate.rfc, IssuePeriod(*map(datetime.fromisoformat, ("2026-10-01", "2026-10-31")))
    fecha = "2026-10-02T10:00:00"
    header = ReceivedHeader(
        uuid, "cfdi", rfc, "A", rfc, "B", "SPR190613I52", fecha, fecha, "1160.50", "I", "A", "1", "MXN"
    )
    finding = {"severity": "error", "code": "CFDI40124", "path": "Comprobante/@Total", "found": "1", "expected": "2"}
    with open_container(Settings(data=data)) as container:
        key = credential.key_der, credential.password
        container.get(efirma_vault).save(account_id, credential.certificate_der, *key)
        repository, work = container.get(sync_repository), container.get(request_work)
        at = container.wall.now()
        with repository.write() as connection:
            own = {"account_id": account_id, "rfc": rfc, "kind": "cfdi", "is_issued": False, "created_at": at}
            repository.start(connection, {**own, "since": month.starts})
            blocked = {"state": SyncState.BLOCKED, "reason": "305 Certificado Inválido.", "resume_at": at}
            repository.change_sync(connection, account_id, rfc, blocked)
        [sync] = repository.syncs(account_id, rfc)
        with repository.write() as connection:
            for _ in range(3):
                work.ask(connection, sync, month, {"code": "5002", "message": "5002 Agotadas."}, is_metadata=False)
        for request, state in zip(repository.newest(account_id, rfc, 3), ("failed", "lost", "ready"), strict=True):
            with repository.write() as connection:
                repository.change_request(connection, request, {"state": state, "documents": 1200})
                repository.add_packages(connection, request, ["A_01", "A_02"], at)
        store = container.get(document_store)
        outcome = ("hash", "sat", "invalid", 1, 0, "Presunto", None, [finding])
        store.put_xml(account_id, [DeliveredXml(header, b"<a/>", *outcome)])
        store.put_metadata(account_id, [DocumentMetadata(replace(header, uuid=UNKNOWN, total=None), "Cancelado")])
        store.put_statuses(account_id, [ReceivedStatus(uuid, "Vigente", "En proceso")])
        store.put_situations(account_id, {rfc: "Presunto"})


@pytest.fixture(scope="module")
def contexts(browser: Browser, served: tuple[Server, str]) -> Iterator[dict[tuple[str, int], BrowserContext]]:
    """A signed-in browser profile for each variant."""
    opened = {}
    for theme, width in VARIANTS:
        context = open_context(browser, theme, width)
        sign_in(context.new_page(), served[0])
        opened[theme, width] = context
    yield opened
    for context in opened.values():
        context.close()


def open_context(browser: Browser, theme: str, width: int) -> BrowserContext:
    return browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )


@pytest.mark.parametrize(("path", "theme", "width"), CASES)
def test_page_is_accessible_and_fits(
    contexts: dict[tuple[str, int], BrowserContext], served: tuple[Server, str], path: str, theme: str, width: int
) -> None:
    server, uuid = served
    page = contexts[theme, width].pages[0]

    page.goto(server.address + path.replace("UUID", uuid))

    assert violations(page) == []
    assert fits_the_viewport(page)
    assert width == PHONE_WIDTH or cut_tables(page) == []


@pytest.mark.parametrize(("path", "theme", "width"), PUBLIC_CASES)
def test_public_page_is_accessible_and_fits(
    browser: Browser, served: tuple[Server, str], path: str, theme: str, width: int
) -> None:
    context = open_context(browser, theme, width)
    page = context.new_page()

    page.goto(served[0].address + path)

    assert violations(page) == []
    assert fits_the_viewport(page)
    context.close()


def test_menu_of_a_phone_opens_and_closes(
    contexts: dict[tuple[str, int], BrowserContext], served: tuple[Server, str]
) -> None:
    page = contexts["dark", PHONE_WIDTH].pages[0]
    page.goto(f"{served[0].address}/portal/uso")
    menu = page.get_by_role("navigation", name="Principal")
    assert not menu.is_visible()

    page.get_by_role("button", name="Menú").click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    assert not menu.is_visible()
    page.get_by_role("button", name="Menú").click()
    menu.get_by_role("link", name="Facturas").click()

    page.wait_for_url("**/portal/facturas")
    assert not menu.is_visible()


def test_theme_switch_changes_the_page_at_once_and_for_later_pages(
    browser: Browser, served: tuple[Server, str]
) -> None:
    context = open_context(browser, "light", 1280)
    page = context.new_page()
    page.goto(f"{served[0].address}/portal/entrar")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")

    with page.expect_response("**/portal/tema"):
        page.get_by_role("button", name="Tema oscuro").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto(f"{served[0].address}/validador")

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark != light
    context.close()


def test_shortcuts_search_open_pages_and_can_be_switched_off(
    contexts: dict[tuple[str, int], BrowserContext], served: tuple[Server, str]
) -> None:
    page = contexts["light", 1280].pages[0]
    page.goto(f"{served[0].address}/portal")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "find"
    page.keyboard.type("gi")
    assert page.url.endswith("/portal")

    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/portal/facturas")

    page.keyboard.press("?")
    assert violations(page) == []
    page.get_by_label("Usar atajos").uncheck()
    page.get_by_role("button", name="Cerrar").click()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "find"
    page.evaluate("localStorage.clear()")
