"""The screenshots of the documentation: each page of the list has one, docs/portal.md shows it, and it is small."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from PIL import Image
from tools.screenshots import DESKTOP_WIDTH, FOLDER, MAX_BYTES, PHONE_WIDTH, SCREENSHOTS, reduce_colours

EMBEDDED = re.findall(r"!\[[^\]]+\]\(screenshots/([\w-]+)\.png\)", (FOLDER.parent / "portal.md").read_text())


def test_portal_page_embeds_every_screenshot_once() -> None:
    assert sorted(EMBEDDED) == sorted(SCREENSHOTS) == sorted(path.stem for path in FOLDER.glob("*.png"))


@pytest.mark.parametrize("name", SCREENSHOTS)
def test_screenshot_has_bounded_size_and_expected_width(name: str) -> None:
    path = FOLDER / f"{name}.png"

    assert path.stat().st_size <= MAX_BYTES
    with Image.open(path) as image:
        assert image.width == (PHONE_WIDTH if name == "phone" else DESKTOP_WIDTH)


def test_reduce_colours_keeps_the_dimensions() -> None:
    buffer = BytesIO()
    Image.effect_noise((300, 300), 90).convert("RGB").save(buffer, "png")

    with Image.open(BytesIO(reduce_colours(buffer.getvalue()))) as image:
        assert image.size == (300, 300)
        assert image.mode == "P"


def test_reduce_colours_raises_when_the_image_stays_large() -> None:
    buffer = BytesIO()
    Image.effect_noise((1200, 1500), 90).convert("RGB").save(buffer, "png")

    with pytest.raises(ValueError, match="colours"):
        reduce_colours(buffer.getvalue())
