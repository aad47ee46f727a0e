"""Download of the portal's browser assets and of the font of prints from npm: pinned files, licences, checksums."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "timbra"
PORTAL = PACKAGE / "web" / "portal" / "static" / "vendor"
FONTS = PACKAGE / "rendering" / "fonts"
CHECKSUMS = "SHA256SUMS"
SVG = "http://www.w3.org/2000/svg"
_ICONS = """
activity arrow-down arrow-down-left arrow-up arrow-up-right badge-check ban banknote book-open chart-column
check chevron-down circle-check circle-x clock copy copy-plus download external-link file-check file-code
file-down flask-conical hourglass house info key-round keyboard link log-out mail menu monitor moon percent
play plus printer receipt-text replace scale search server shield-check stamp sun triangle-alert truck undo-2 upload
users wallet x
"""
ICONS = tuple(_ICONS.split())
"""Names of the icons of Lucide that the templates use."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One npm package.

    Attributes:
        package: Name in the registry.
        version: The pinned version.
        name: Prefix of the licence file.
        files: File in the folder by file in the package.
        licences: Files of the package that make up the licence file.
        folder: Where the files are.
    """

    package: str
    version: str
    name: str
    files: dict[str, str]
    licences: tuple[str, ...] = ("LICENSE",)
    folder: Path = PORTAL


ASSETS = (
    Asset("htmx.org", "4.0.1", "htmx", {"dist/htmx.min.js": "htmx.min.js"}),
    Asset(
        "uplot", "1.6.32", "uplot", {"dist/uPlot.iife.min.js": "uplot.min.js", "dist/uPlot.min.css": "uplot.min.css"}
    ),
    Asset("@fontsource-variable/inter", "5.3.0", "inter", {"files/inter-latin-wght-normal.woff2": "inter-latin.woff2"}),
    Asset("lucide-static", "1.62.0", "lucide", {}),
    Asset(
        "swagger-ui-dist",
        "5.35.0",
        "swagger-ui",
        {"swagger-ui-bundle.js": "swagger-ui-bundle.js", "swagger-ui.css": "swagger-ui.css"},
        ("LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"),
    ),
    Asset(
        "@expo-google-fonts/lato",
        "0.4.1",
        "lato",
        {"400Regular/Lato_400Regular.ttf": "lato-regular.ttf", "700Bold/Lato_700Bold.ttf": "lato-bold.ttf"},
        ("LICENSE_FONT",),
        FONTS,
    ),
)


def main() -> None:
    """Download every asset and write the checksums."""
    for asset in ASSETS:
        content = _package(asset)
        for source, target in asset.files.items():
            (asset.folder / target).write_bytes(content[source])
        (asset.folder / f"{asset.name}.LICENSE").write_bytes(b"\n".join(content[name] for name in asset.licences))
        if asset.name == "lucide":
            (PORTAL / "icons.svg").write_bytes(icon_sprite({name: content[f"icons/{name}.svg"] for name in ICONS}))
    for folder in (PORTAL, FONTS):
        (folder / CHECKSUMS).write_text(checksums(folder))


def checksums(folder: Path) -> str:
    """Return the checksum of every file of a folder except licences, one on each line, as `sha256sum` writes them."""
    files = sorted(path for path in folder.iterdir() if path.suffix not in (".LICENSE", ""))
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def icon_sprite(icons: dict[str, bytes]) -> bytes:
    """Combine icons into one SVG file with a `<symbol>` for each name.

    Args:
        icons: SVG file by name.
    """
    sprite = etree.Element(f"{{{SVG}}}svg", nsmap={None: SVG})  # type: ignore[dict-item]
    for name, content in icons.items():
        symbol = etree.SubElement(sprite, f"{{{SVG}}}symbol", id=name, viewBox="0 0 24 24")
        for shape in etree.fromstring(content):
            if isinstance(shape.tag, str):
                shape.tail = None
                symbol.append(shape)
    etree.cleanup_namespaces(sprite)
    return re.sub(rb">\s+<", b"><", etree.tostring(sprite)) + b"\n"


def _package(asset: Asset) -> dict[str, bytes]:
    """Return the files of a package by their path."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--json", f"{asset.package}@{asset.version}"]
        listing = subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout  # noqa: S603
        packed = json.loads(listing)
        archive = (Path(folder) / packed[0]["filename"]).read_bytes()
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as files:
        read = ((member, files.extractfile(member)) for member in files.getmembers() if member.isfile())
        return {member.name.partition("/")[2]: file.read() for member, file in read if file is not None}


if __name__ == "__main__":
    main()
