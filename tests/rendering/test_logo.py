"""The logo of printed invoices: format and limits are checked by the header of the file."""

from __future__ import annotations

import pytest
from tests.support.images import jpeg_header, png_header, red_png

from timbra.core.errors import ServiceError
from timbra.rendering.logo import read_logo

MAX_BYTES = 512 * 1024


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (red_png(30, 10), "png"),
        (png_header(2000, 2000), "png"),
        (jpeg_header(2000, 2000), "jpg"),
        (jpeg_header(16, 9, before=b"\xff\xe0\x00\x04ab\xff\xff\xdb\x00\x03x"), "jpg"),
    ],
)
def test_read_logo_returns_the_kind(content: bytes, kind: str) -> None:
    assert read_logo(content).kind == kind


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (b"", "PNG o JPEG"),
        (b"GIF89a", "PNG o JPEG"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "PNG o JPEG"),
        (png_header(2001, 2000), "pixeles"),
        (png_header(2**31, 2**31), "pixeles"),
        (jpeg_header(2001, 2000), "pixeles"),
        (png_header(0, 10), "dañada"),
        (png_header(9, 9)[:20], "dañada"),
        (jpeg_header(9, 9)[:8], "dañada"),
        (b"\xff\xd8\xff", "dañada"),
        (b"\xff\xd8\xff\xe0\x00\x00", "dañada"),
        (b"\xff\xd8\xff" + b"\xff" * 1000, "dañada"),
        (red_png(3, 3) + bytes(MAX_BYTES), "KiB"),
    ],
)
def test_read_logo_rejects_other_files_and_sizes(content: bytes, detail: str) -> None:
    with pytest.raises(ServiceError, match=detail) as rejected:
        read_logo(content)
    assert rejected.value.code == "TB4005"
