"""Writes docs/pictures: the portal of a sandbox with example data, as a browser shows it."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page
from tests.support.chromium import chromium, page_of
from tests.support.desk import with_attribute
from tests.support.server import Server, running

from timbra import examples
from timbra.clock import WallClock, to_central_mexico
from tools.exhibition import OTHER, PASSWORD, USER, Exhibition, furnish

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDE, PHONE = 1200, 390
TALLEST = 1500
MOST_BYTES = 150_000
COLOURS = (128, 64, 32, 16)
NOTED_SECONDS = 3
"""By then a running server has written down what it refused."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The server with its data, and where documents for upload may be put."""

    server: Server
    data: Exhibition
    folder: Path

    def document(self) -> bytes:
        with self.server.client() as client:
            link = client.get(f"/datawarehouse/v1/live/{self.data.uuid}").json()["data"]["records"][0]["urlXml"]
            return client.get(link).content


def _at(path: str) -> Callable[[Page, Stage], None]:
    def go(page: Page, stage: Stage) -> None:
        page.goto(stage.server.address + path.replace("UUID", stage.data.uuid))

    return go


def _examined(page: Page, stage: Stage) -> None:
    wrong = stage.folder / "factura.xml"
    wrong.write_bytes(with_attribute(with_attribute(stage.document(), "MetodoPago", "PPX"), "SubTotal", "7.77"))
    page.goto(f"{stage.server.address}/validador")
    page.set_input_files("#xml", wrong)
    page.get_by_role("button", name="Validar").click()


def _account(page: Page, stage: Stage) -> None:
    page.goto(f"{stage.server.address}/portal/cuentas")
    page.get_by_role("link", name=OTHER).click()


PICTURES: dict[str, Callable[[Page, Stage], None]] = {
    "home": _at("/portal"),
    "validator": _examined,
    "rules": _at("/validador/reglas?q=uso+receptor"),
    "invoices": _at("/portal/facturas"),
    "invoice": _at("/portal/facturas/UUID"),
    "refusals": _at("/portal/rechazos"),
    "usage": _at("/portal/uso"),
    "certificates": _at("/portal/certificados"),
    "tokens": _at("/portal/tokens"),
    "sandbox": _at("/portal/ambiente"),
    "taxpayers": _at("/portal/ambiente/contribuyentes/EKU9003173C9"),
    "cancellations": _at("/portal/ambiente/cancelaciones"),
    "account": _account,
    "state": _at("/portal/estado"),
    "phone": _at("/portal/facturas/UUID"),
}


def main() -> None:
    """All pictures, or those that the arguments name."""
    wanted = sys.argv[1:] or list(PICTURES)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = furnish(folder / "data")
        with running(folder / "data", token=data.token) as server, chromium() as browser:
            stage = Stage(server, data, folder)
            _be_refused(stage)
            for picture in wanted:
                (FOLDER / f"{picture}.png").write_bytes(small(_taken(browser, stage, picture)))


def small(png: bytes) -> bytes:
    """The same picture in as many colours as fit into `MOST_BYTES`."""
    picture = Image.open(BytesIO(png)).convert("RGB")
    for colours in COLOURS:
        packed = BytesIO()
        picture.quantize(colours, dither=Image.Dither.NONE).save(packed, "png", optimize=True)
        if packed.tell() <= MOST_BYTES:
            return packed.getvalue()
    raise ValueError(f"{packed.tell()} bytes in {COLOURS[-1]} colours")


def _taken(browser: Browser, stage: Stage, picture: str) -> bytes:
    width = PHONE if picture == "phone" else WIDE
    with page_of(browser, width=width) as page:
        page.goto(f"{stage.server.address}/portal/entrar")
        page.get_by_label("Usuario").fill(USER)
        page.get_by_label("Contraseña").fill(PASSWORD)
        page.get_by_role("button", name="Entrar").click()
        PICTURES[picture](page, stage)
        height = int(page.evaluate("document.documentElement.scrollHeight"))
        page.set_viewport_size({"width": width, "height": min(height, TALLEST)})
        return page.screenshot()


def _be_refused(stage: Stage) -> None:
    """Three requests that are refused, each for a reason of its own."""
    fecha = to_central_mexico(WallClock().now() - timedelta(minutes=5))
    document = examples.ingreso(fecha=fecha).encode()
    faults = (("UsoCFDI", "ZZZ"), ("DomicilioFiscalReceptor", "01000"), ("SubTotal", "7.77"))
    with stage.server.client() as client:
        for name, value in faults:
            client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", with_attribute(document, name, value))})
    time.sleep(NOTED_SECONDS)


if __name__ == "__main__":
    main()
