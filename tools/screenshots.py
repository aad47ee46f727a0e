"""Generator of docs/screenshots: pages of the portal of a sandbox with demo data, rendered by Chromium."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from PIL import Image
from playwright.sync_api import Browser, Page
from tests.support.chromium import chromium, page_of
from tests.support.reconciliation_month import OWN, planted_month
from tests.support.sandbox_app import with_attribute
from tests.support.server import Server, running

from timbra import examples
from timbra.core.clock import WallClock, to_central_mexico
from tools.demo_data import OTHER, PASSWORD, USER, DemoData, seed

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "screenshots"
METADATA = (
    "Uuid~RfcEmisor~NombreEmisor~RfcReceptor~NombreReceptor~RfcPac~FechaEmision~FechaCertificacionSat~Monto~"
    "EfectoComprobante~Estatus~FechaCancelacion\r\n"
    "6B29FC40-CA47-1067-B31D-00DD010662DA~AAA010101AAA~PROVEEDOR DEL NORTE~EKU9003173C9~ESCUELA KEMPER URGATE~"
    "SPR190613I52~2026-11-01 10:00:00~2026-11-01 10:01:00~1160.50~I~0~2026-11-02 09:00:00\r\n"
)
DESKTOP_WIDTH, PHONE_WIDTH = 1200, 390
MAX_HEIGHT = 1500
MAX_BYTES = 150_000
PALETTE_SIZES = (128, 64, 32, 16)
VALIDATION_MS = 120_000
REJECTION_LOG_SECONDS = 3
"""The server writes its rejection log to the database within this time."""


@dataclass(frozen=True, slots=True)
class DemoServer:
    """A running server with demo data.

    Attributes:
        folder: for files to upload.
    """

    server: Server
    data: DemoData
    folder: Path

    def document(self) -> bytes:
        """Download the XML of the last invoice."""
        with self.server.client() as client:
            link = client.get(f"/datawarehouse/v1/live/{self.data.uuid}").json()["data"]["records"][0]["urlXml"]
            return client.get(link).content


def _open(path: str) -> Callable[[Page, DemoServer], None]:
    def open_page(page: Page, demo: DemoServer) -> None:
        page.goto(demo.server.address + path.replace("UUID", demo.data.uuid))

    return open_page


def _open_validation(page: Page, demo: DemoServer) -> None:
    wrong = demo.folder / "factura.xml"
    wrong.write_bytes(with_attribute(with_attribute(demo.document(), "MetodoPago", "PPX"), "SubTotal", "7.77"))
    page.goto(f"{demo.server.address}/validador")
    page.set_input_files("#xml", wrong)
    page.get_by_role("button", name="Validar").click()
    page.locator(".report").first.wait_for()
    page.evaluate("scrollTo(0, 0)")


def _open_account(page: Page, demo: DemoServer) -> None:
    page.goto(f"{demo.server.address}/portal/cuentas")
    page.get_by_role("link", name=OTHER).click()


def _open_review(page: Page, demo: DemoServer) -> None:
    page.goto(f"{demo.server.address}/portal/timbrar?ejemplo=ingreso")
    editor = page.get_by_label("Documento en XML o JSON")
    wrong = with_attribute(with_attribute(editor.input_value().encode(), "UsoCFDI", "ZZZ"), "SubTotal", "7.77")
    editor.fill(wrong.decode())
    page.get_by_role("button", name="Revisar sin timbrar").click()


def _open_form(page: Page, demo: DemoServer) -> None:
    page.goto(f"{demo.server.address}/portal/nueva-factura/de/{demo.data.uuid}/duplicar")
    page.locator('[name="Receptor.DomicilioFiscalReceptor"]').fill("01000")
    page.get_by_role("button", name="Revisar sin timbrar").click()
    page.wait_for_load_state()


def _open_call(page: Page, demo: DemoServer) -> None:
    page.goto(f"{demo.server.address}/portal/inspector?estado=rechazadas")
    page.locator("tbody th a").first.click()
    page.wait_for_url("**/portal/inspector/*")
    page.wait_for_load_state()


def _open_received(page: Page, demo: DemoServer) -> None:
    """Upload a package of demo documents, and show the results."""
    package, document = demo.folder / "enero.zip", demo.document()
    wrong = with_attribute(with_attribute(document, "MetodoPago", "PPX"), "SubTotal", "7.77")
    with ZipFile(package, "w") as archive:
        for name, content in (("A-1.xml", document), ("A-2.xml", wrong), ("copia de A-1.xml", document)):
            archive.writestr(name, content)
        archive.writestr("nota.xml", "hola")
        archive.writestr("metadatos.txt", METADATA)
    page.goto(f"{demo.server.address}/portal/proveedores")
    page.set_input_files("#archivos", package)
    page.get_by_role("button", name="Revisar", exact=True).click()
    page.wait_for_url("**/portal/proveedores/*", timeout=VALIDATION_MS)


def _open_received_document(page: Page, demo: DemoServer) -> None:
    page.goto(f"{demo.server.address}/portal/proveedores")
    page.get_by_role("link", name="enero.zip").first.click()
    page.locator("tbody tr").nth(1).get_by_role("link").first.click()


def _open_reconciliation(page: Page, demo: DemoServer) -> None:
    """Send the files of an example month, and show the differences."""
    planted_month(56, 1).write(demo.folder)
    page.goto(f"{demo.server.address}/portal/conciliaciones")
    page.locator("#rfc").fill(OWN)
    page.locator("#mes").fill("2026-10")
    page.set_input_files("#sat", [demo.folder / "metadata.zip", demo.folder / "xml.zip"])
    page.set_input_files("#erp", demo.folder / "erp.csv")
    page.set_input_files("#pagos", demo.folder / "payments.csv")
    page.get_by_role("button", name="Conciliar").click()
    page.wait_for_url("**/portal/conciliaciones/*")
    while page.get_by_text("Falta en los registros").count() == 0:
        page.wait_for_timeout(1000)
        page.reload()


def _open_dark(page: Page, demo: DemoServer) -> None:
    with page.expect_response("**/portal/tema"):
        page.get_by_role("button", name="Tema oscuro").click()
    page.goto(f"{demo.server.address}/portal/facturas")
    page.get_by_role("button", name="Sumar").click()


SCREENSHOTS: dict[str, Callable[[Page, DemoServer], None]] = {
    "home": _open("/portal"),
    "steps": _open("/portal/primeros-pasos"),
    "stamping": _open_review,
    "invoice-form": _open_form,
    "dark": _open_dark,
    "validator": _open_validation,
    "rules": _open("/validador/reglas?q=uso+receptor"),
    "invoices": _open("/portal/facturas"),
    "invoice": _open("/portal/facturas/UUID"),
    "inspector": _open("/portal/inspector"),
    "call": _open_call,
    "received": _open_received,
    "received-document": _open_received_document,
    "received-form": _open("/portal/proveedores"),
    "downloads": _open("/portal/descargas"),
    "reconciliation": _open_reconciliation,
    "rejections": _open("/portal/rechazos"),
    "usage": _open("/portal/uso"),
    "certificates": _open("/portal/certificados"),
    "tokens": _open("/portal/tokens"),
    "security": _open("/portal/seguridad"),
    "sandbox": _open("/portal/ambiente"),
    "taxpayer": _open("/portal/ambiente/contribuyentes/EKU9003173C9"),
    "cancellations": _open("/portal/ambiente/cancelaciones"),
    "account": _open_account,
    "state": _open("/portal/estado"),
    "phone": _open("/portal/facturas/UUID"),
}


def main() -> None:
    """Take all screenshots, or those that the arguments name."""
    names = sys.argv[1:] or list(SCREENSHOTS)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        data = seed(folder / "data")
        with running(folder / "data", token=data.token) as server, chromium() as browser:
            demo = DemoServer(server, data, folder)
            _send_rejected_documents(demo)
            for name in names:
                (FOLDER / f"{name}.png").write_bytes(reduce_colours(_take(browser, demo, name)))


def reduce_colours(png: bytes) -> bytes:
    """Reduce the palette of an image until it has at most `MAX_BYTES`.

    Raises:
        ValueError: the smallest palette is too large.
    """
    image = Image.open(BytesIO(png)).convert("RGB")
    for colours in PALETTE_SIZES:
        buffer = BytesIO()
        image.quantize(colours, dither=Image.Dither.NONE).save(buffer, "png", optimize=True)
        if buffer.tell() <= MAX_BYTES:
            return buffer.getvalue()
    raise ValueError(f"{buffer.tell()} bytes in {PALETTE_SIZES[-1]} colours")


def _take(browser: Browser, demo: DemoServer, name: str) -> bytes:
    width = PHONE_WIDTH if name == "phone" else DESKTOP_WIDTH
    with page_of(browser, width=width) as page:
        page.goto(f"{demo.server.address}/portal/entrar")
        page.get_by_label("Usuario").fill(USER)
        page.get_by_label("Contraseña").fill(PASSWORD)
        page.get_by_role("button", name="Entrar").click()
        SCREENSHOTS[name](page, demo)
        height = int(page.evaluate("document.documentElement.scrollHeight"))
        page.set_viewport_size({"width": width, "height": min(height, MAX_HEIGHT)})
        return page.screenshot()


def _send_rejected_documents(demo: DemoServer) -> None:
    """Send three documents that violate different rules."""
    fecha = to_central_mexico(WallClock().now() - timedelta(minutes=5))
    document = examples.ingreso(fecha=fecha).encode()
    changes = (("UsoCFDI", "ZZZ"), ("DomicilioFiscalReceptor", "01000"), ("SubTotal", "7.77"))
    with demo.server.client() as client:
        for name, value in changes:
            client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", with_attribute(document, name, value))})
    time.sleep(REJECTION_LOG_SECONDS)


if __name__ == "__main__":
    main()
