"""QR codes, natively: every version and mask against segno, any length against zxing, every image read back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import segno
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.pairs import native_module

from timbra.cfdi import qr
from timbra.cfdi.qr import QrPainter
from timbra.snapshot import locate, open_snapshot
from timbra.snapshot.qr_tables import CAPACITY

VERSIONS = range(1, 41)


def room(version: int) -> int:
    """Return the bytes that a version holds at level M, found by trying."""
    fitting = 0
    for step in (2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
        try:
            native_module("qr").qr_modules(b"x" * (fitting + step), version)
        except ValueError:
            continue
        fitting += step
    return fitting


def grid(image: memoryview, side: int) -> bytes:
    return bytes(image[row, column] == 0 for row in range(side) for column in range(side))


@pytest.mark.parametrize("version", VERSIONS)
def test_qr_modules_equal_segno_for_full_text(version: int) -> None:
    """segno adds an empty codeword to shorter texts."""
    data = (b"https://example.mx/?a=1&b=" * 100)[: room(version)]
    for mask in range(8):
        code = segno.make(data, version=version, error="m", mask=mask, mode="byte", boost_error=False, micro=False)
        expected = bytes(module for row in code.matrix for module in row)
        assert native_module("qr").qr_modules(data, version, mask) == expected


def test_room_is_that_of_the_standard() -> None:
    assert {version: room(version) for version in CAPACITY} == CAPACITY
    assert (room(1), room(40)) == (14, 2331)


@settings(max_examples=60)
@given(text=st.text("abcxyz{|}~", min_size=1, max_size=1200), mask=st.integers(0, 7), extra=st.integers(0, 3))
def test_qr_modules_equal_zxing_at_any_length(text: str, mask: int, extra: int) -> None:
    version = min(next(version for version in VERSIONS if room(version) >= len(text)) + extra, 40)
    code = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ecLevel="M", version=version, dataMask=mask)
    drawn: Any = zxingcpp.write_barcode_to_image(code, scale=1, add_quiet_zones=False)
    expected = grid(memoryview(drawn), 17 + 4 * version)
    assert native_module("qr").qr_modules(text.encode(), version, mask) == expected


@pytest.fixture(scope="module")
def tables() -> Iterator[QrPainter]:
    """Return a painter that draws from the tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qr, "qr_png", None)
        yield QrPainter(open_snapshot(locate(None)))


@settings(max_examples=60)
@given(text=st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=max(CAPACITY.values())))
def test_qr_png_equals_the_one_from_tables(tables: QrPainter, text: str) -> None:
    version = next(version for version, room in CAPACITY.items() if len(text) <= room)
    assert native_module("qr").qr_png(text.encode(), version) == tables.png(text)


@pytest.mark.parametrize(("version", "mask"), [(0, 2), (41, 2), (-1, 0), (9, -1), (9, 8), (2**31 - 1, 0)])
def test_qr_modules_rejects_other_versions_and_masks(version: int, mask: int) -> None:
    with pytest.raises(ValueError, match="there is no version"):
        native_module("qr").qr_modules(b"x", version, mask)


@pytest.mark.parametrize("version", VERSIONS)
def test_qr_functions_reject_content_that_does_not_fit(version: int) -> None:
    for size in (room(version) + 1, 70_000, 1 << 20):
        with pytest.raises(ValueError, match="too many"):
            native_module("qr").qr_png(b"x" * size, version)


@pytest.mark.parametrize("content", [None, "text", bytearray(b"x"), 1])
def test_qr_functions_reject_what_is_not_bytes(content: object) -> None:
    with pytest.raises(TypeError):
        native_module("qr").qr_png(content, 9)
