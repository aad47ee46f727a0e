"""What the browser loads comes from this server and is what the project pinned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from lxml import etree
from tools.browser_assets import ICONS, icon_sprite

PACKAGE = files("timbra")
PORTAL = PACKAGE / "web" / "portal"
VENDOR = PORTAL / "static" / "vendor"


def test_icons_of_the_pages_are_in_the_sprite() -> None:
    symbols = set(re.findall(r'<symbol id="([a-z0-9-]+)"', (VENDOR / "icons.svg").read_text()))
    sources = [
        file
        for feature in PACKAGE.iterdir()
        if feature.is_dir() and feature.name != "sat_data"
        for file in _files(feature)
    ]
    text = "".join(file.read_text("utf-8") for file in sources if file.name.endswith((".py", ".html")))
    used = set(re.findall(r"""icon(?:=|\(|": ?)"([a-z0-9-]+)\"""", text)) | set(re.findall(r'empty\("([a-z-]+)"', text))

    assert symbols == set(ICONS)
    assert len(used) > 10
    assert used <= symbols


def test_icon_sprite_has_one_symbol_for_each_icon() -> None:
    svg = b'<!-- --><svg xmlns="http://www.w3.org/2000/svg">\n <path d="M1 2"/>\n <path d="M3 4"/>\n</svg>'

    sprite = etree.fromstring(icon_sprite({"one": svg, "two": svg}))

    assert [symbol.get("id") for symbol in sprite] == ["one", "two"]
    assert [shape.get("d") for shape in sprite[1]] == ["M1 2", "M3 4"]
    assert b"\n " not in icon_sprite({"one": svg})


def test_templates_load_nothing_from_other_hosts() -> None:
    templates = [file for feature in PACKAGE.iterdir() if feature.is_dir() for file in _files(feature / "templates")]
    scripts = [file for file in (PORTAL / "static").iterdir() if file.is_file()]
    assert len(templates) > 40
    for file in (*templates, *_files(PORTAL / "templates"), *scripts):
        text = file.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert "http://" not in text, file.name
        assert "https://" not in text, file.name


def _files(folder: Traversable) -> Iterator[Traversable]:
    if not folder.is_dir():
        return
    for entry in folder.iterdir():
        yield from _files(entry) if entry.is_dir() else (entry,)
