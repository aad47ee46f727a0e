"""The pictures of the documentation: all of them there, shown and small; a new page of the portal is not forgotten."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from PIL import Image
from tools.pictures import FOLDER, MOST_BYTES, PHONE, PICTURES, WIDE, small

SHOWN = re.findall(r"!\[[^\]]+\]\(pictures/(\w+)\.png\)", (FOLDER.parent / "portal.md").read_text())


def test_every_picture_is_shown_once() -> None:
    assert sorted(SHOWN) == sorted(PICTURES) == sorted(path.stem for path in FOLDER.iterdir())


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_small(name: str) -> None:
    path = FOLDER / f"{name}.png"

    assert path.stat().st_size <= MOST_BYTES
    with Image.open(path) as picture:
        assert picture.width == (PHONE if name == "phone" else WIDE)


def test_a_picture_keeps_its_size_and_loses_colours() -> None:
    packed = BytesIO()
    Image.effect_noise((300, 300), 90).convert("RGB").save(packed, "png")

    with Image.open(BytesIO(small(packed.getvalue()))) as picture:
        assert picture.size == (300, 300)
        assert picture.mode == "P"


def test_a_picture_that_stays_large_is_an_error() -> None:
    packed = BytesIO()
    Image.effect_noise((1200, 1500), 90).convert("RGB").save(packed, "png")

    with pytest.raises(ValueError, match="colours"):
        small(packed.getvalue())
