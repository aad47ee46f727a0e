"""Build of the site with zensical: sources, configuration, strict build, finished pages, checked links."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import files as distribution_files
from pathlib import Path
from typing import Any

from tools.docs_site.navigation import LANGUAGES, counterparts, navigation
from tools.docs_site.pages import broken_links, finish_pages
from tools.docs_site.search import adapt_search
from tools.docs_site.sources import ROOT, copy_sources, site_files

HERE = Path(__file__).parent
LOGO = ROOT / "src" / "timbra" / "web" / "portal" / "static" / "timbra.svg"
GENERATOR = "zensical"
LICENCE = "LICENSE-zensical.txt"
"""Licence of the theme, whose scripts and styles are files of the site."""
FOOTER = 'Timbra · <a href="/portal">Portal</a> · <a href="/docs/api/">API</a>'
MARKDOWN: dict[str, object] = {
    "tables": {"use_align_attribute": True},
    "toc": {"permalink": True, "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}}},
    **{name: {} for name in ("admonition", "attr_list", "def_list", "footnotes", "md_in_html")},
    "pymdownx": {
        "highlight": {"pygments_lang_class": True},
        **{name: {} for name in ("betterem", "details", "saneheaders", "superfences")},
        "tabbed": {"alternate_style": True},
    },
}
"""Extensions of Markdown: those that do not change plain text, such as `1/2` or `~`."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class SiteBuildError(Exception):
    """The site could not be built: the message has the reasons."""


def build_site(target: Path) -> None:
    """Build the site.

    Args:
        target: Folder of the site; it is replaced once the build has succeeded.

    Raises:
        SiteBuildError: The strict build found an error, or a page links to something that the site does not have.
        DiagramError: A page has a diagram that needs another host.
        SearchError: The theme has another search than the one that is adapted.
    """
    with tempfile.TemporaryDirectory(prefix="timbra-docs-") as name:
        folder = Path(name)
        pages = copy_sources(site_files(), folder / "docs")
        shutil.copytree(HERE / "overrides", folder / "overrides")
        shutil.copytree(HERE / "assets", folder / "docs" / "assets")
        shutil.copyfile(LOGO, folder / "docs" / "assets" / "timbra.svg")
        (folder / "zensical.toml").write_text(to_toml({"project": configuration(pages)}), "utf-8")
        _run_generator(folder)
        site = folder / "site"
        finish_pages(site)
        adapt_search(site)
        (site / LICENCE).write_bytes(_licence_of_generator())
        if broken := broken_links(site):
            raise SiteBuildError("links that lead nowhere:\n" + "\n".join(broken))
        shutil.rmtree(target, ignore_errors=True)
        shutil.move(site, target)


def configuration(pages: list[str]) -> dict[str, object]:
    """Return the configuration of the generator.

    Args:
        pages: Paths of all pages below the documentation folder.
    """
    homepages = {language.folder: f"{language.folder}/index.md" for language in LANGUAGES}
    existing = {tag: page for tag, page in homepages.items() if page in pages}
    versions = {page_address(page): _versions(same, page) for page, same in counterparts(pages).items()}
    return {
        "site_name": "Timbra",
        "site_description": "Timbra: sella, timbra y valida CFDI",
        "docs_dir": "docs",
        "site_dir": "site",
        "use_directory_urls": True,
        "copyright": FOOTER,
        "extra_css": ["assets/site.css"],
        "nav": navigation(pages),
        "theme": {
            "language": "es",
            "font": False,
            "custom_dir": "overrides",
            "logo": "assets/timbra.svg",
            "favicon": "assets/timbra.svg",
            "features": [
                "content.code.copy",
                "navigation.footer",
                "navigation.indexes",
                "navigation.tabs",
                "navigation.top",
                "toc.follow",
            ],
            "palette": [
                _palette("light", "default", "lucide/moon", "Usar colores oscuros"),
                _palette("dark", "slate", "lucide/sun", "Usar colores claros"),
            ],
        },
        "extra": {
            "generator": False,
            "alternate": _versions(existing, ""),
            "homepages": _versions(existing, ""),
            "counterparts": versions,
        },
        "markdown_extensions": MARKDOWN,
    }


def page_address(page: str) -> str:
    """Return the address of a page below the site: `es/tutorial/` for `es/tutorial.md`."""
    folder = page.removesuffix(".md").removesuffix("index").removesuffix("README").rstrip("/")
    return f"{folder}/" if folder else ""


def _versions(pages: Mapping[str, str], current: str) -> list[dict[str, str]]:
    """Return language, name and address of the other versions of a page."""
    names = {language.folder: language.title for language in LANGUAGES}
    others = [(tag, page) for tag, page in pages.items() if page != current]
    return [{"lang": tag, "name": names[tag], "url": page_address(page)} for tag, page in others]


def _palette(preference: str, scheme: str, icon: str, label: str) -> dict[str, object]:
    media = f"(prefers-color-scheme: {preference})"
    return {"media": media, "scheme": scheme, "toggle": {"icon": icon, "name": label}}


def to_toml(tables: Mapping[str, Mapping[str, object]]) -> str:
    """Return a TOML document with one inline value for each key of each table."""
    lines = []
    for table, values in tables.items():
        lines += [f"[{table}]", *(f"{json.dumps(key)} = {_toml_value(value)}" for key, value in values.items())]
    return "\n".join([*lines, ""])


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_value(key)} = {_toml_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _run_generator(folder: Path) -> None:
    command = [sys.executable, "-m", GENERATOR, "build", "--strict", "-f", str(folder / "zensical.toml")]
    finished = subprocess.run(  # noqa: S603 - fixed command
        command, cwd=folder, env=os.environ | {"NO_COLOR": "1"}, capture_output=True, text=True, check=False
    )
    if finished.returncode != 0:
        output = _COLOUR.sub("", f"{finished.stdout}\n{finished.stderr}")
        raise SiteBuildError(output.partition("Traceback (most recent call last)")[0].strip() or output)


def _licence_of_generator() -> bytes:
    listed = distribution_files(GENERATOR) or ()
    [licence] = [file for file in listed if file.name.startswith("LICENSE") and ".dist-info" in file.parts[0]]
    return Path(str(licence.locate())).read_bytes()
