"""The built pages: inline scripts become files, each page has its language, and every link leads somewhere."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

from tools.docs_site.navigation import API_ADDRESS, LANGUAGES

SCRIPTS = "assets/javascripts/inline"
"""Folder of the scripts that were inline: the server's Content-Security-Policy forbids inline scripts."""
REFERENCE_LANGUAGE = "en"
UNUSED = ("404.html",)
"""Files of the generator that the server does not need: it has a page of its own for 404."""
SERVER_PATHS = (API_ADDRESS, "/portal", "/validador", "/estaticos/", "/docs/")

_INLINE_SCRIPT = re.compile(r"<script>(?P<code>.*?)</script>", re.DOTALL)
_LANGUAGE = re.compile(r'<html lang="[^"]*"')


def finish_pages(site: Path) -> None:
    """Rewrite every page of the built site in place, and remove the files that are not served."""
    for name in UNUSED:
        (site / name).unlink(missing_ok=True)
    (site / SCRIPTS).mkdir(parents=True)
    for page in sorted(site.rglob("*.html")):
        text = _with_script_files(page.read_text("utf-8"), page, site)
        page.write_text(_LANGUAGE.sub(f'<html lang="{page_language(page, site)}"', text, count=1), "utf-8")


def page_language(page: Path, site: Path) -> str:
    """Return the language tag of a page: that of its folder, Spanish for the first page, else English."""
    relative = page.relative_to(site)
    if len(relative.parts) == 1:
        return LANGUAGES[0].folder
    folders = {language.folder for language in LANGUAGES}
    return relative.parts[0] if relative.parts[0] in folders else REFERENCE_LANGUAGE


def _with_script_files(text: str, page: Path, site: Path) -> str:
    def move(script: re.Match[str]) -> str:
        code = script["code"].encode()
        file = site / SCRIPTS / f"{hashlib.sha256(code).hexdigest()[:12]}.js"
        file.write_bytes(code)
        return f'<script src="{Path(os.path.relpath(file, page.parent)).as_posix()}"></script>'

    return _INLINE_SCRIPT.sub(move, text)


def _anchors(tree: html.HtmlElement) -> set[str]:
    """Return the names that links to a page may have after `#`."""
    named = [element.get("name") for element in tree.iter("a")]
    return {name for name in [*named, *(element.get("id") for element in tree.iter())] if name}


def broken_links(site: Path) -> list[str]:
    """Return each link or loaded file of the pages that the site does not have, as `page: address`.

    Addresses of the server (`SERVER_PATHS`) and links to other hosts are not followed; a file that a page loads from
    another host is reported.
    """
    trees = {page: html.document_fromstring(page.read_bytes()) for page in sorted(site.rglob("*.html"))}
    anchors = {page: _anchors(tree) for page, tree in trees.items()}
    found = []
    for page, tree in trees.items():
        for address, is_loaded in _addresses(tree):
            if not _leads_somewhere(address, is_loaded, page, site, anchors):
                found.append(f"{page.relative_to(site).as_posix()}: {address}")
    return found


def _addresses(tree: html.HtmlElement) -> Iterator[tuple[str, bool]]:
    """Yield the addresses of a page, each with whether the browser loads it without a click."""
    yield from ((str(address), False) for address in tree.xpath("//a/@href"))
    yield from (
        (str(address), True) for address in tree.xpath("//@src | //link[not(@rel='prev' or @rel='next')]/@href")
    )


def _leads_somewhere(address: str, is_loaded: bool, page: Path, site: Path, anchors: dict[Path, set[str]]) -> bool:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return not is_loaded or parts.scheme == "data"
    if parts.path.startswith("/"):
        return parts.path.startswith(SERVER_PATHS)
    target = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(site):
        return False
    fragment = unquote(parts.fragment)
    return not fragment or fragment.startswith("__") or target not in anchors or fragment in anchors[target]
