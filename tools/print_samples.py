"""Print every example document and write contact sheets of the pages: `make print-samples`.

The documents have stamps whose seals are random texts, so every page has the notice of the sandbox.
"""

from __future__ import annotations

import argparse
import random
import string
import sys
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import pypdfium2
from lxml import etree
from PIL import Image, ImageDraw

from timbra import examples
from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.cfdi.qr import QrPainter
from timbra.cfdi.structure.standards import XmlStandards
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.examples.documents import DOCUMENTS
from timbra.rendering import ViewReader
from timbra.rendering.branding import DEFAULT_BRANDING, TEMPLATES, Branding
from timbra.rendering.logo import Logo
from timbra.rendering.pdf import pdf
from timbra.snapshot import locate, open_snapshot

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "screenshots" / "prints"
FOLIO = "5f3e9d1c-0b6a-4c57-9a6e-2d7f1f0c8b11"
SEAL_LENGTH = 344
MAX_LINES = 2_000
COLUMNS = 6
LOGO_SIZE, LOGO_COLOR = (600, 180), "#7a1f3d"
SCALE, WIDTH = 1.4, 330
"""Pixels per point of a page, and width of a page on a contact sheet."""
QUALITY = 60
LONG = 500
"""Conceptos of the long invoice."""
DETAILED = ("ingreso", "pagos20", "nomina12", "cartaporte31", "comercioexterior20", "retencion-dividendos")
"""Documents whose first page is written in full size."""


def main() -> None:
    """Write the contact sheets and the pages in full size; print the size of each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=FOLDER)
    parser.add_argument("--pdf", type=Path, help="folder for the PDF files")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    pages: list[tuple[str, Image.Image]] = []
    for name, content in _printed():
        if options.pdf is not None:
            options.pdf.mkdir(parents=True, exist_ok=True)
            (options.pdf / f"{name}.pdf").write_bytes(content)
        document = pypdfium2.PdfDocument(content)
        first = document[0].render(scale=SCALE).to_pil()
        pages.append((f"{name} ({len(document)} p.)", first))
        if name in DETAILED:
            _write(first, options.to / f"{name}.webp")
        if name == "factura-larga":
            numbers = (1, len(document) - 1)
            pages += [(f"{name}, p. {one + 1}", document[one].render(scale=SCALE).to_pil()) for one in numbers]
    _write(_sheet(pages), options.to / "contact-sheet.webp")


def _printed() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the PDF of every sample."""
    reader = sample_reader()
    for name, document in DOCUMENTS.items():
        yield name, _pdf(reader, document.make())
    yield "factura-larga", _pdf(reader, examples.ingreso(concepts=LONG))
    yield "factura-cancelada", _pdf(reader, examples.ingreso(), cancelled=True)
    yield "factura-en-dolares", _pdf(reader, _in_dollars())
    for template in TEMPLATES:
        branding = Branding(template, "#7a1f3d", "Tel. 55 5555 5555 · ejemplo.mx", _logo())
        yield f"plantilla-{template}", _pdf(reader, examples.ingreso(concepts=12), branding)


def _logo() -> Logo:
    """Return a logo: a rectangle."""
    written = BytesIO()
    Image.new("RGB", LOGO_SIZE, LOGO_COLOR).save(written, "PNG")
    return Logo("png", written.getvalue())


def sample_reader() -> ViewReader:
    """Return a reader that takes every stamp as valid."""
    snapshot = open_snapshot(locate(None))
    return ViewReader(
        CatalogLabels(snapshot),
        XmlStandards(snapshot),
        SnapshotCatalogs(snapshot),
        QrPainter(snapshot),
        lambda _: True,
        fiscal_effect=True,
    )


def _in_dollars() -> str:
    root = etree.fromstring(examples.ingreso().encode())
    root.set("Moneda", "USD")
    root.set("TipoCambio", str(Decimal("18.2345")))
    root.set("Serie", "USD")
    root.set("Folio", "1024")
    root.set("CondicionesDePago", "30 días")
    return etree.tostring(root).decode()


def _pdf(reader: ViewReader, text: str, branding: Branding = DEFAULT_BRANDING, *, cancelled: bool = False) -> bytes:
    root = stamped(text)
    view = replace(reader.view(root, MAX_LINES), cancelled=cancelled)
    return pdf(view, branding, xml=etree.tostring(root, xml_declaration=True, encoding="UTF-8"))


def stamped(text: str) -> etree._Element:
    """Return a document with a stamp whose seals are random."""
    characters, source = string.ascii_letters + string.digits + "+/", random.Random(0)  # noqa: S311 (no secret)
    seals = ["".join(source.choices(characters, k=SEAL_LENGTH - 2)) + "==" for _ in range(2)]
    root = etree.fromstring(text.encode())
    root.set("Sello", seals[0])
    stamp = TimbreFiscalDigital(
        FOLIO, "2026-11-17T12:00:05", "TIM010101SB9", seals[0], "99001000000500000001", seals[1]
    )
    complement = root.find("{*}Complemento")
    if complement is None:
        complement = etree.SubElement(root, f"{{{etree.QName(root).namespace}}}Complemento")
    complement.append(etree.fromstring(stamp.to_xml()))
    return root


def _sheet(pages: list[tuple[str, Image.Image]]) -> Image.Image:
    """Return all pages side by side, each with its name."""
    height = round(WIDTH * pages[0][1].height / pages[0][1].width)
    rows = -(-len(pages) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * (WIDTH + 12), rows * (height + 30)), "#8a94a0")
    pen = ImageDraw.Draw(sheet)
    for number, (name, page) in enumerate(pages):
        x, y = (number % COLUMNS) * (WIDTH + 12) + 6, (number // COLUMNS) * (height + 30) + 20
        pen.text((x, y - 15), name, fill="white")
        sheet.paste(page.resize((WIDTH, height), Image.Resampling.LANCZOS), (x, y))
    return sheet


def _write(picture: Image.Image, path: Path) -> None:
    picture.convert("RGB").save(path, "WEBP", quality=QUALITY, method=6)
    sys.stdout.write(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
