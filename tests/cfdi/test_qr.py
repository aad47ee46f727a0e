from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import segno
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.pairs import native_module
from tests.support.effort import rounds

from timbra.cfdi import qr
from timbra.cfdi.qr import (
    SAT_PAGES,
    QrPainter,
    VerificationPages,
    VerificationQuery,
    printed_total,
    retenciones_verification_query,
    verification_query,
)
from timbra.snapshot import Snapshot, SnapshotManifest, SnapshotSource
from timbra.snapshot.build.qr import MASK, write_tables
from timbra.snapshot.manifest import to_entry
from timbra.snapshot.qr_tables import CAPACITY, module_count

ADDRESS = "https://verificacfdi.facturaelectronica.sat.gob.mx/default.aspx"
MAX_CONTENT = 251
RETENCIONES_ADDRESS = "https://prodretencionverificacion.clouda.sat.gob.mx/"
SCALE = 4
QUIET_ZONE = 4

UUID = "5803eb8d-81cd-4557-8719-26632d2fa434"
PREFIX = f"{ADDRESS}?id="
ASCII = st.characters(min_codepoint=32, max_codepoint=126)


@pytest.fixture(scope="module", params=["native", "python"])
def painter(request: pytest.FixtureRequest, tables: Snapshot) -> Iterator[QrPainter]:
    """Return a painter that draws natively, or from the tables."""
    native = native_module("qr").qr_png if request.param == "native" else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qr, "qr_png", native)
        yield QrPainter(tables)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    root = tmp_path_factory.mktemp("snapshot")
    write_tables(root)
    files = {f"qr/{file.name}": to_entry(file.read_bytes()) for file in (root / "qr").iterdir()}
    return Snapshot(root, SnapshotManifest("test", SnapshotSource("none", "0", ""), files))


def _pixels(png: bytes) -> list[list[int]]:
    """Return rows of 0 (dark) and 1 (light) of a PNG and verify its checksums."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        kind, content = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        assert struct.unpack_from(">I", png, place + 8 + length) == (zlib.crc32(kind + content),)
        chunks[kind] = content
        place += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, *others = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, others) == (1, [0, 0, 0, 0])
    return _unfiltered(zlib.decompress(chunks[b"IDAT"]), width, height)


def _unfiltered(data: bytes, width: int, height: int) -> list[list[int]]:
    row_bytes = -(-width // 8) + 1
    assert len(data) == row_bytes * height
    rows, above = [], bytes(row_bytes - 1)
    for start in range(0, len(data), row_bytes):
        kind, line = data[start], data[start + 1 : start + row_bytes]
        assert kind in (0, 2)
        above = bytes((old + new) & 0xFF for old, new in zip(above, line, strict=True)) if kind == 2 else line
        rows.append([above[column // 8] >> (7 - column % 8) & 1 for column in range(width)])
    return rows


def _modules(png: bytes) -> list[list[int]]:
    """Check scale and quiet zone, and return the dark modules as 1 without quiet zone."""
    pixels = _pixels(png)
    small = [row[::SCALE] for row in pixels[::SCALE]]
    assert pixels == [[pixel for pixel in row for _ in range(SCALE)] for row in small for _ in range(SCALE)]
    side = len(small)
    assert all(set(row) == {1} for row in small[:QUIET_ZONE] + small[-QUIET_ZONE:])
    assert all(set(row[:QUIET_ZONE] + row[-QUIET_ZONE:]) == {1} for row in small)
    return [
        [1 - pixel for pixel in row[QUIET_ZONE : side - QUIET_ZONE]] for row in small[QUIET_ZONE : side - QUIET_ZONE]
    ]


def _read(png: bytes) -> str:
    pixels = _pixels(png)
    grey = bytes(255 * pixel for row in pixels for pixel in row)
    image = memoryview(grey).cast("B", (len(pixels), len(pixels[0])))
    found = zxingcpp.read_barcode(image, formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode))
    assert found is not None
    return str(found.text)


@settings(max_examples=rounds(20, 60))
@given(text=st.text(ASCII, min_size=1, max_size=251) | st.text(ASCII, max_size=184).map(PREFIX.__add__))
def test_qr_image_is_read_back(painter: QrPainter, text: str) -> None:
    assert _read(painter.png(text)) == text


@pytest.mark.parametrize("start", ["", PREFIX])
@pytest.mark.parametrize(("version", "length"), CAPACITY.items())
def test_qr_matrix_equals_segno_for_full_text(painter: QrPainter, start: str, version: int, length: int) -> None:
    text = (start + "a1/" * length)[:length]
    code = segno.make(text, version=version, error="m", mask=MASK, mode="byte", boost_error=False, micro=False)

    modules = _modules(painter.png(text))

    assert len(modules) == module_count(version)
    assert modules == [[int(module) for module in row] for row in code.matrix]


@settings(max_examples=rounds(20, 60))
@given(text=st.text("abcxyz{|}~", min_size=1, max_size=251))
def test_qr_matrix_equals_segno_at_any_length(painter: QrPainter, text: str) -> None:
    # Lower-case letters only: segno encodes digits and capitals in another mode. It adds an empty codeword.
    version = next(version for version, room in CAPACITY.items() if len(text) <= room)
    code = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ecLevel="M", version=version, dataMask=MASK)
    drawn: Any = zxingcpp.write_barcode_to_image(code, scale=1, add_quiet_zones=False)
    image = memoryview(drawn)
    side = range(module_count(version))

    assert _modules(painter.png(text)) == [[int(image[row, column] == 0) for column in side] for row in side]


def test_qr_matrix_is_correct_with_cached_prefix(painter: QrPainter) -> None:
    texts = [f"{PREFIX}{end}" for end in ("abc", "xyz", "abc")]

    assert [_read(painter.png(text)) for text in texts] == texts


@pytest.mark.parametrize("text", ["x" * 252, "Ñ"])
def test_qr_rejects_text_that_does_not_fit(painter: QrPainter, text: str) -> None:
    with pytest.raises(ValueError, match=r"too long|ascii"):
        painter.png(text)


def test_verification_url_has_the_form_of_anexo_20() -> None:
    query = verification_query(UUID, "XOCD720319T86", "CARR861127SB0", Decimal("14300.00"), "A" * 336 + "rH8/bw==")

    assert SAT_PAGES.url(query) == (
        "https://verificacfdi.facturaelectronica.sat.gob.mx/default.aspx?id=5803eb8d-81cd-4557-8719-26632d2fa434"
        "&re=XOCD720319T86&rr=CARR861127SB0&tt=14300.0&fe=rH8/bw=="
    )


@pytest.mark.parametrize(
    ("base", "cfdi", "retencion"),
    [
        (
            "http://localhost:8000",
            "http://localhost:8000/default.aspx?id=1",
            "http://localhost:8000/Home/ConsultaRetencion?id=1",
        ),
        ("https://" + "x" * 240, f"{ADDRESS}?id=1", f"{RETENCIONES_ADDRESS}?id=1"),
        ("https://ñ.example", f"{ADDRESS}?id=1", f"{RETENCIONES_ADDRESS}?id=1"),
    ],
)
def test_verification_url_is_that_of_the_sat_when_another_does_not_fit(base: str, cfdi: str, retencion: str) -> None:
    pages = VerificationPages.at(base)
    assert pages.url(VerificationQuery("?id=1", is_retencion=False)) == cfdi
    assert pages.url(VerificationQuery("?id=1", is_retencion=True)) == retencion


@settings(max_examples=rounds(20, 60))
@given(
    issuer=st.from_regex(r"[A-Z&Ñ]{3,4}[0-9]{6}[A-Z0-9]{3}", fullmatch=True),
    receiver=st.from_regex(r"[A-Z&Ñ]{3,4}[0-9]{6}[A-Z0-9]{3}", fullmatch=True),
    total=st.decimals(0, Decimal("999999999999999999.999999"), places=6),
    end=st.from_regex(r"[A-Za-z0-9+/]{6}==", fullmatch=True),
)
def test_verification_url_has_its_values_and_fits(
    painter: QrPainter, issuer: str, receiver: str, total: Decimal, end: str
) -> None:
    url = SAT_PAGES.url(verification_query(UUID, issuer, receiver, total, "x" * 336 + end))

    query = parse_qs(urlsplit(url).query, strict_parsing=True)
    assert list(query) == ["id", "re", "rr", "tt", "fe"]
    assert (query["id"], query["re"], query["rr"], query["fe"]) == ([UUID], [issuer], [receiver], [end])
    assert Decimal(query["tt"][0]) == total
    assert _read(painter.png(url)) == url


@pytest.mark.parametrize(
    ("total", "printed"),
    [
        ("0", "0.0"),
        ("0.00", "0.0"),
        ("100", "100.0"),
        ("2010.01", "2010.01"),
        ("14300.500000", "14300.5"),
        ("0.123456", "0.123456"),
        ("1E+3", "1000.0"),
        ("999999999999999999.999999", "999999999999999999.999999"),
    ],
)
def test_verification_url_writes_total_without_needless_zeros(total: str, printed: str) -> None:
    assert printed_total(Decimal(total)) == printed


@pytest.mark.parametrize(
    ("receiver", "tax_id", "written"),
    [
        ("CACX7605101P8", "", "rr=CACX7605101P8"),
        ("", "123456789", "nr=123456789"),
        ("", "A&B 1", "nr=A%26B%201"),
        ("", "%" * 20, f"nr={'%25' * 20}"),
        ("", "", "nr="),
        ("", "Ñ" * 20, "nr="),
    ],
)
def test_retenciones_verification_query_has_the_receiver_and_fits(receiver: str, tax_id: str, written: str) -> None:
    total = Decimal("999999999999999999.99")
    query = retenciones_verification_query(UUID, "&&&010101AAA", receiver, tax_id, total, "+" * 8)
    assert query.text == f"?id={UUID}&re=%26%26%26010101AAA&{written}&tt=999999999999999999.99&fe={'%2B' * 8}"
    assert len(SAT_PAGES.url(query)) <= MAX_CONTENT
